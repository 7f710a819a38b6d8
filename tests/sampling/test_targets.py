from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.sampling.targets import ratio, under

REFUSED = "ratio:0 ratio:-0.1 ratio:1.0001 ratio:2 ratio: ratio ratio:nan ratio:inf ratio:1/0 Equal equal:1 counts:a=1"


@pytest.mark.parametrize(
    ("target", "want"),
    [("equal", 1), ("ratio:1", 1), ("ratio:0.1", Fraction(1, 10)), ("ratio:1e-9", Fraction(1, 10**9))],
)
def test_a_ratio_is_an_exact_decimal(target: str, want: Fraction) -> None:
    assert ratio(target) == want


@pytest.mark.parametrize("target", ["", "ratio:0,1", *REFUSED.split()])
def test_any_other_target_is_refused_with_what_is_allowed(target: str) -> None:
    with pytest.raises(ValueError, match="target is equal or ratio:R with 0 < R <= 1, got"):
        ratio(target)


@pytest.mark.parametrize(
    ("counts", "target", "want"),
    [
        pytest.param({}, "equal", {}, id="no class"),
        pytest.param({"a": 5}, "ratio:0.1", {"a": 5}, id="one class"),
        pytest.param({"a": 100, "b": 3}, "equal", {"a": 3, "b": 3}, id="equal"),
        pytest.param({"a": 29, "c": 30, "b": 3}, "ratio:0.1", {"a": 29, "c": 30, "b": 3}, id="cap-1, cap"),
        pytest.param({"a": 31, "b": 3}, "ratio:0.1", {"a": 30, "b": 3}, id="cap+1"),
        pytest.param({"a": 99, "b": 1}, "ratio:0.3", {"a": 3, "b": 1}, id="rounded down"),
        pytest.param({"a": 99, "b": 7}, "ratio:0.7", {"a": 10, "b": 7}, id="no binary fraction"),
    ],
)
def test_a_class_keeps_at_most_the_smallest_over_the_ratio(
    counts: dict[str, int], target: str, want: dict[str, int]
) -> None:
    assert under(counts, target) == want


@given(counts=st.dictionaries(st.text(max_size=3), st.integers(1, 10**9), min_size=1), n=st.integers(1, 999))
def test_no_class_grows_the_smallest_stays_and_a_smaller_ratio_keeps_no_fewer(counts: dict[str, int], n: int) -> None:
    cut, more_equal = under(counts, f"ratio:{n / 1000}"), under(counts, f"ratio:{(n + 1) / 1000}")
    assert all(1 <= more_equal[label] <= cut[label] <= rows for label, rows in counts.items())
    assert min(cut.values()) == min(counts.values())
    assert max(cut.values()) * n <= min(counts.values()) * 1000
    assert under(cut, f"ratio:{n / 1000}") == cut
