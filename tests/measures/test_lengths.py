import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.lengths import QUANTILES, figures, quantile


@pytest.mark.parametrize(("q", "want"), [("0", 10), ("0.01", 10), ("0.75", 10), ("0.7500001", 20), ("1", 20)])
def test_the_rank_is_the_nearest_one_above(q: str, want: int) -> None:
    assert quantile({20: 1, 10: 3}, q) == want


def test_a_quantile_is_read_as_a_decimal_and_no_rows_have_none() -> None:
    assert quantile(dict.fromkeys(range(1, 101), 1), "0.07") == 7  # in binary 0.07 * 100 is above 7
    with pytest.raises(ValueError, match="no rows"):
        quantile({}, "0.5")


def test_without_rows_there_are_only_counts() -> None:
    assert figures({}, 3) == figures({0: 0}, 3) == {"n": 0, "missing": 3}
    found = figures({4: 2, 0: 1}, 0)
    assert (found["n"], found["min"], found["max"], found["mean"]) == (3, 0, 4, 8 / 3)
    assert list(found["quantiles"]) == list(QUANTILES)


@given(values=st.lists(st.integers(0, 50), min_size=1), q=st.sampled_from([*QUANTILES, "1"]))
def test_a_quantile_is_the_value_at_its_place_in_the_sorted_list(values: list[int], q: str) -> None:
    place = math.ceil(Fraction(q) * len(values))
    assert quantile(Counter(values), q) == sorted(values)[place - 1]
