import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures import distribution as dist

VALUES = st.lists(st.integers(0, 50), min_size=1, max_size=40)


def counted(values: list[int]) -> dist.Histogram:
    return sorted(Counter(values).items())


@pytest.mark.parametrize(("q", "want"), [("0", 10), ("0.01", 10), ("0.75", 10), ("0.7500001", 20), ("1", 20)])
def test_the_rank_is_the_nearest_one_above(q: str, want: int) -> None:
    assert dist.quantile([(10, 3), (20, 1)], q) == want


def test_a_quantile_is_read_as_a_decimal_and_no_rows_have_none() -> None:
    assert dist.quantile([(n, 1) for n in range(1, 101)], "0.07") == 7  # in binary 0.07 * 100 is above 7
    with pytest.raises(ValueError, match="no rows"):
        dist.quantile([], "0.5")


@given(values=VALUES, q=st.sampled_from([*dist.QUANTILES, "1"]))
def test_a_quantile_is_the_value_at_its_place_in_the_sorted_list(values: list[int], q: str) -> None:
    assert dist.quantile(counted(values), q) == sorted(values)[math.ceil(Fraction(q) * len(values)) - 1]


def test_the_fourth_power_of_a_long_text_leaves_64_bits_and_stays_exact() -> None:
    assert dist.power_sums([(2**40 + 1, 3)])[3] == 3 * (2**40 + 1) ** 4
    assert dist.moments([(2**40, 1), (2**40 + 2, 1)])["sd"] == 1.0


@pytest.mark.parametrize("values", [[7], [7, 7, 7], [0, 0]], ids=["one row", "all equal", "all zero"])
def test_without_spread_there_is_no_shape(values: list[int]) -> None:
    counts = counted(values)
    found = dist.moments(counts)
    assert (found["sd"], found["skewness"], found["excess_kurtosis"]) == (0.0, None, None)
    assert dist.mad(counts)["outliers"] is None
    assert dist.hill(counts, 1)["alpha"] is None
    assert dist.log_skewness(counts) is None


@pytest.mark.parametrize(("n", "alpha"), [(10, None), (11, pytest.approx(10 / math.log(2) / 10))])
def test_a_tail_of_k_rows_needs_more_than_k(n: int, alpha: float | None) -> None:
    found = dist.hill(counted([1] * (n - 10) + [2] * 10), None)
    assert found == {"k": 10, "alpha": alpha}


@pytest.mark.parametrize(("value", "want"), [(0, 0), (255, 255), (256, 257), (257, 257), (511, 511), (512, 515)])
def test_buckets_are_single_below_256_then_128_an_octave(value: int, want: int) -> None:
    assert dist.bucket(value)[1] == want


def test_65536_values_are_exact_and_one_more_is_folded_within_its_bound() -> None:
    exact = [(n, 1) for n in range(dist.MAX_DISTINCT)]
    assert dist.fold(exact) is exact
    folded = dist.fold([(n * 3, 1) for n in range(70_000)])
    assert len(folded) < 2000
    assert dist.size(folded) == 70_000
    for q in dist.QUANTILES:
        true = dist.quantile([(n * 3, 1) for n in range(70_000)], q)
        assert 0 <= dist.quantile(folded, q) - true <= 0.008 * true


@given(st.dictionaries(st.integers(0, 2_000_000), st.integers(1, 9)))
def test_buckets_lose_no_row_and_are_out_by_less_than_a_hundredth(counts: dict[int, int]) -> None:
    found = dist.by_bucket(counts.items())
    assert sum(rows for _, rows in found) == sum(counts.values())
    assert [length for length, _ in found] == sorted({length for length, _ in found})
    if counts:
        assert max(counts) <= found[-1][0] <= max(counts) * 1.008


def test_numbers_counted_in_millionths_come_back_in_their_unit() -> None:
    counts = [(-2_000_000, 1), (0, 1), (500_000, 2)]
    assert dist.quantiles(counts, 10**6)["0.5"] == 0.0
    assert dist.moments(counts, 10**6)["mean"] == -0.25
    assert dist.tukey(counts, 10**6)["q3"] == 0.5
