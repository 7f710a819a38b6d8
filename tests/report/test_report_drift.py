import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.report.drift import drift, js_distance, length_psi, linf, psi

COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1000), max_size=6)


def test_two_labels_swapped() -> None:
    here, there = {"a": 1, "b": 3}, {"a": 3, "b": 1}
    p, q = (1.5 / 5, 3.5 / 5), (3.5 / 5, 1.5 / 5)
    assert psi(here, there) == pytest.approx(sum((x - y) * math.log(x / y) for x, y in zip(p, q, strict=True)))
    assert linf({"a": 0.25, "b": 0.75}, {"a": 0.75, "b": 0.25}) == 0.5


@given(counts=COUNTS)
def test_a_side_against_itself_is_0(counts: dict[str, int]) -> None:
    assert psi(counts, counts) == js_distance(counts, counts) == linf(counts, counts) == 0


@given(here=COUNTS, there=COUNTS)
def test_figures_are_symmetric_and_in_their_range(here: dict[str, int], there: dict[str, int]) -> None:
    assert psi(here, there) >= 0
    assert psi(here, there) == pytest.approx(psi(there, here))
    assert 0 <= js_distance(here, there) <= 1 + 1e-12
    assert js_distance(here, there) == pytest.approx(js_distance(there, here))


@pytest.mark.parametrize(("here", "there", "want"), [({}, {}, 0), ({"a": 1}, {}, 1), ({"a": 0}, {"a": 1}, 1)])
def test_an_empty_side(here: dict[str, int], there: dict[str, int], want: float) -> None:
    assert js_distance(here, there) == want


def test_lengths_are_compared_in_the_decile_bins_of_the_baseline() -> None:
    there = [[n, 10] for n in range(1, 101)]
    assert length_psi(there, there) == 0
    assert length_psi([[1, 1000]], there) > 1
    assert length_psi([[10, 4]], [[10, 4]]) == 0  # all equal: one edge


def test_what_a_side_has_not_measured_is_absent() -> None:
    numbers: dict[str, float] = {"rows.out": 3, "check.rejected.title_short": 1, "decode.encoding_share.utf-8": 1.0}
    whole: dict[str, Any] = {"lengths": {"after": {"title": [[3, 1]]}}, "labels": {"after": {"counts": {"a": 3}}}}
    found = drift(numbers, numbers, whole, whole)
    assert set(found.values()) == {0}
    assert {"drift.labels_new", "drift.title_chars.psi", "drift.encodings.linf"} <= found.keys()
    assert set(drift(numbers, numbers, whole, {})) == {"drift.reasons.js_distance", "drift.encodings.linf"}
    assert "drift.label.psi" not in drift(numbers, numbers, whole, {"labels": {"after": None}})


def test_labels_on_one_side_only_are_counted() -> None:
    sides = [{"labels": {"after": {"counts": counts}}} for counts in ({"a": 1, "b": 1, "c": 1}, {"a": 1, "d": 1})]
    found = drift({}, {}, *sides)
    assert (found["drift.labels_new"], found["drift.labels_gone"]) == (2, 1)
