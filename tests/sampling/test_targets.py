from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.sampling import targets
from cleanse.sampling.targets import mix, over, parse, under

REFUSED = "ratio:0 ratio:-0.1 ratio:1.0001 ratio:2 ratio: ratio ratio:nan ratio:inf ratio:1/2 Equal equal:1 counts: "
REFUSED += "counts:a counts:a=x counts:a=1;b temperature:1.1 temperature:-1 unimax:0.9 unimax: ratio:0,1"
COUNTS = st.dictionaries(st.text(max_size=3), st.integers(1, 10**9), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "want"), [("ratio:1", 1), ("ratio:0.1", Fraction(1, 10)), ("ratio:1e-9", Fraction(1, 10**9))]
)
def test_a_ratio_is_an_exact_decimal(text: str, want: Fraction) -> None:
    assert parse(text).value == want


@pytest.mark.parametrize("text", ["", *REFUSED.split()])
def test_any_other_target_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="target is equal, ratio:R with 0 < R <= 1, counts"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "want"),
    [("counts:a=1", {"a": 1}), ("counts:a=1,b=0", {"a": 1, "b": 0}), ("counts:a=b,c=5", {"a=b,c": 5})],
    ids=["one", "two", "a label with = and ,"],
)
def test_counts_name_labels(text: str, want: dict[str, int]) -> None:
    assert parse(text).counts == want


@pytest.mark.parametrize(
    ("counts", "target", "want"),
    [
        pytest.param({}, "equal", {}, id="no class"),
        pytest.param({"a": 5}, "ratio:0.1", {"a": 5}, id="one class"),
        pytest.param({"a": 100, "b": 3}, "equal", {"a": 3, "b": 3}, id="equal"),
        pytest.param({"a": 29, "c": 30, "b": 3}, "ratio:0.1", {"a": 29, "c": 30, "b": 3}, id="cap-1, cap"),
        pytest.param({"a": 31, "b": 3}, "ratio:0.1", {"a": 30, "b": 3}, id="cap+1"),
        pytest.param({"a": 99, "b": 7}, "ratio:0.7", {"a": 10, "b": 7}, id="no binary fraction"),
        pytest.param({"a": 99, "b": 7}, "counts:a=5", {"a": 5, "b": 7}, id="what is not named stays"),
    ],
)
def test_a_class_keeps_at_most_the_smallest_over_the_ratio(
    counts: dict[str, int], target: str, want: dict[str, int]
) -> None:
    assert under(counts, parse(target)) == want


@pytest.mark.parametrize(
    ("counts", "target", "repeats", "want"),
    [
        pytest.param({"a": 100, "b": 3}, "equal", None, {"a": 100, "b": 100}, id="equal"),
        pytest.param({"a": 10, "b": 1}, "ratio:0.1", None, {"a": 10, "b": 1}, id="a tenth of ten is one"),
        pytest.param({"a": 11, "b": 1}, "ratio:0.1", None, {"a": 11, "b": 2}, id="rounded up"),
        pytest.param({"a": 100, "b": 3}, "equal", 4, {"a": 100, "b": 12}, id="capped"),
        pytest.param({"a": 100, "b": 3}, "counts:b=9,a=1", None, {"a": 100, "b": 9}, id="nothing is cut"),
    ],
)
def test_a_class_is_raised_to_the_ratio_of_the_largest(
    counts: dict[str, int], target: str, repeats: int | None, want: dict[str, int]
) -> None:
    assert over(counts, parse(target), repeats) == want


def test_a_temperature_has_a_brake_and_unimax_its_own_cap() -> None:
    counts = {"zh": 8000, "en": 1000, "ja": 100}
    assert mix(counts, parse("temperature:0.3"), 9000, None)["ja"] == 400
    assert mix(counts, parse("temperature:0.3"), 9000, 20)["ja"] == 1339  # 13.4 times without the brake
    assert mix(counts, parse("unimax:4"), 9000, 2)["ja"] == 200


@given(
    counts=COUNTS,
    budget=st.integers(1, 10**9),
    target=st.sampled_from(["temperature:0.3", "temperature:0", "unimax:50"]),
)
def test_a_mix_spends_its_budget_to_the_row_unless_a_cap_holds_it(
    counts: dict[str, int], budget: int, target: str
) -> None:
    made = mix(counts, parse(target), budget, 10**9)
    room = 50 * sum(counts.values()) if target == "unimax:50" else budget
    assert sum(made.values()) == min(budget, room)


@given(counts=COUNTS, n=st.integers(1, 999))
def test_no_class_grows_the_smallest_stays_and_a_smaller_ratio_keeps_no_fewer(counts: dict[str, int], n: int) -> None:
    target = parse(f"ratio:{n / 1000}")
    cut, more_equal = under(counts, target), under(counts, parse(f"ratio:{(n + 1) / 1000}"))
    assert all(1 <= more_equal[label] <= cut[label] <= rows for label, rows in counts.items())
    assert min(cut.values()) == min(counts.values())
    assert under(cut, target) == cut
    raised = over(counts, target)
    assert over(raised, target) == raised


@pytest.mark.parametrize(("epochs", "share"), [(1, 1.0), (4, 0.931418), (16, 0.66)])
def test_what_repeats_are_worth(epochs: int, share: float) -> None:
    assert targets.worth(1000, Fraction(epochs)) / (1000 * epochs) == pytest.approx(share, abs=0.01)
    assert targets.worth(1000, Fraction(1, 2)) == 500
