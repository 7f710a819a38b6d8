import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.report.baseline import drift, length_psi

COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1000), max_size=6)
LABEL = [f"drift.label.{name}" for name in ("psi", "js_distance", "linf")]


def labelled(here: dict[str, int], there: dict[str, int]) -> dict[str, float]:
    sides = [{"labels": {"after": {"counts": counts}}} for counts in (here, there)]
    return drift({}, {}, *sides)


def test_two_labels_swapped() -> None:
    found = labelled({"a": 1, "b": 3}, {"a": 3, "b": 1})
    p, q = (1.5 / 5, 3.5 / 5), (3.5 / 5, 1.5 / 5)
    assert found["drift.label.psi"] == pytest.approx(sum((x - y) * math.log(x / y) for x, y in zip(p, q, strict=True)))
    assert found["drift.label.linf"] == 0.5
    assert (found["drift.labels_new"], found["drift.labels_gone"]) == (0, 0)


@given(counts=COUNTS)
def test_a_side_against_itself_is_0(counts: dict[str, int]) -> None:
    assert set(labelled(counts, counts).values()) == {0}


@given(here=COUNTS, there=COUNTS)
def test_figures_are_symmetric_and_in_their_range(here: dict[str, int], there: dict[str, int]) -> None:
    one, other = labelled(here, there), labelled(there, here)
    for name in LABEL:
        assert (name in one) == bool(sum(here.values()) and sum(there.values()))
        assert one.get(name, 0) >= 0
        assert one.get(name, 0) == pytest.approx(other.get(name, 0))
        assert name.endswith("psi") or one.get(name, 0) <= 1 + 1e-9


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
    found = labelled({"a": 1, "b": 1, "c": 1}, {"a": 1, "d": 1})
    assert (found["drift.labels_new"], found["drift.labels_gone"]) == (2, 1)


def test_encodings_are_compared_by_their_largest_difference() -> None:
    here, there = (
        {f"decode.encoding_share.{n}": v for n, v in side.items()}
        for side in ({"a": 0.5, "b": 0.5}, {"a": 0.25, "c": 0.75})
    )
    assert drift(here, there, {}, {})["drift.encodings.linf"] == 0.75
