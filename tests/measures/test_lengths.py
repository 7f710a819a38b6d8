import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.distribution import Histogram
from cleanse.measures.lengths import BAD, MISSING, figures, over, packing, padding

VALUES = st.lists(st.integers(0, 30), min_size=1, max_size=40)


def counted(values: list[int]) -> Histogram:
    return sorted(Counter(values).items())


def test_missing_and_bad_rows_are_counted_apart() -> None:
    found = figures(counted([4, 4, 0, MISSING, BAD, BAD]), None, (4,), 32, (8,))
    assert (found["n"], found["missing"], found["bad"], found["min"], found["max"]) == (3, 1, 2, 0, 4)
    assert figures(counted([MISSING]), None, (4,), 32, (8,)) == {"available": False, "reason": "empty"}


@pytest.mark.parametrize(("limit", "rows"), [(9, 1.0), (10, 0.5), (11, 0.5), (20, 0.0)])
def test_a_row_at_the_limit_fits(limit: int, rows: float) -> None:
    assert over(counted([10, 20]), limit)["rows"] == rows


def test_texts_without_a_character_waste_nothing_that_could_be_saved() -> None:
    assert padding(counted([0, 0]), 32)["random"] is None
    assert packing(counted([0, 0]), 8) == {"bins": 0, "fill": None, "too_long": 0, "lower_bound": 0}


@given(values=VALUES, batch=st.integers(1, 8))
def test_sorted_batches_are_those_of_the_sorted_list(values: list[int], batch: int) -> None:
    width, ordered = min(batch, len(values)), sorted(values)
    padded = sum(len(b) * max(b) for b in (ordered[i : i + width] for i in range(0, len(values), width)))
    want = None if not padded else (padded - sum(values)) / padded
    assert padding(counted(values), batch)["sorted"] == want


def test_the_expected_waste_is_that_of_many_random_batches() -> None:
    values, draw = [1, 1, 2, 3, 50], random.Random(3)
    tops = [max(draw.sample(values, 2)) for _ in range(20_000)]
    expected = 1 - (sum(values) / len(values)) / (sum(tops) / len(tops))
    assert padding(counted(values), 2)["random"] == pytest.approx(expected, abs=0.01)


@given(values=VALUES, window=st.integers(1, 30))
def test_counted_packing_is_best_fit_decreasing_row_by_row(values: list[int], window: int) -> None:
    bins: list[int] = []
    for value in sorted((v for v in values if 0 < v <= window), reverse=True):
        fits = [free for free in bins if free >= value]
        if fits:
            bins.remove(min(fits))
        bins.append((min(fits) if fits else window) - value)
    found = packing(counted(values), window)
    assert found["bins"] == len(bins)
    assert found["too_long"] == sum(v > window for v in values)
    assert found["lower_bound"] <= found["bins"]
