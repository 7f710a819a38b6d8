from itertools import pairwise
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.measures.tally import Tally, in_order, merge, tally

Row = tuple[str | None, int, int | None]
ROWS = st.lists(st.tuples(st.sampled_from(["a", "天", "", None]), st.integers(0, 2), st.none() | st.integers(0, 9)))


def counted(frame: pl.DataFrame) -> Tally:
    return tally(frame, [pl.col("label"), pl.col("split")], pl.col("size"), pl.lit(0))


def table(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"label": pl.String, "split": pl.Int64, "size": pl.Int64}, orient="row")


def test_null_and_case_make_keys_of_their_own_and_sums_are_exact() -> None:
    rows: list[Row] = [("a", 0, 2**53 + 1), ("a", 0, None), (None, 0, 1), ("", 0, 1), ("A", 0, 1)]
    ones = dict.fromkeys(((None, 0), ("", 0), ("A", 0)), (1, 1, 0))
    assert counted(table(rows)) == {("a", 0): (2, 2**53 + 1, 0), **ones}


def test_a_constant_key_counts_all_rows_and_no_rows_have_no_key() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3]})
    assert tally(frame, [pl.lit(None, pl.String).alias("label")]) == {(None,): (3,)}
    assert tally(frame.clear(), [pl.lit(None, pl.String).alias("label")]) == {}


def test_the_order_is_by_key_with_nulls_first() -> None:
    keys = [(None, None), (None, 2), ("a", None), ("a", 0), ("b", 1)]
    assert [key for key, _ in in_order(dict.fromkeys(reversed(keys), (1,)))] == keys


@settings(deadline=None)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 9), max_size=4), order=st.randoms())
def test_parts_of_any_size_merge_in_any_order_to_the_whole(rows: list[Row], cuts: list[int], order: Random) -> None:
    frame, places = table(rows), sorted([0, *cuts, 9])
    parts = [*(frame[a:b] for a, b in pairwise(places)), frame[9:]]
    order.shuffle(parts)
    merged: Tally = {}
    for part in parts:
        merged = merge(counted(part), merged)
    assert in_order(merged) == in_order(counted(frame))
