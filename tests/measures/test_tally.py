from itertools import pairwise
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.measures.tally import collected, in_order, merge, per_key, tally

Row = tuple[str | None, int, int | None]
ROWS = st.lists(st.tuples(st.sampled_from(["a", "天", "", None]), st.integers(0, 2), st.none() | st.integers(0, 9)))


def table(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"label": pl.String, "split": pl.Int64, "bytes": pl.Int64}, orient="row")


def counted(frame: pl.DataFrame) -> pl.DataFrame:
    return collected({"one": tally(frame, "label", "split")})["one"]


def test_null_and_case_make_keys_of_their_own_and_sums_are_exact() -> None:
    rows: list[Row] = [("a", 0, 2**53 + 1), ("a", 0, None), (None, 0, 1), ("", 0, 1), ("A", 0, 1)]
    want = [(None, 0, 1, 1), ("", 0, 1, 1), ("A", 0, 1, 1), ("a", 0, 2, 2**53 + 1)]
    assert in_order(counted(table(rows))).rows() == want


def test_no_rows_have_no_key() -> None:
    assert counted(table([])).is_empty()


def test_pairs_are_added_up_in_order() -> None:
    assert list(per_key([("b", 1), ("a", 1), ("b", 2)]).items()) == [("a", 1), ("b", 3)]


@settings(deadline=None)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 9), max_size=4), order=st.randoms())
def test_parts_of_any_size_merge_in_any_order_to_the_whole(rows: list[Row], cuts: list[int], order: Random) -> None:
    frame, places = table(rows), sorted([0, *cuts, 9])
    parts = [*(frame[a:b] for a, b in pairwise(places)), frame[9:]]
    order.shuffle(parts)
    merged = counted(frame[:0])
    for part in parts:
        merged = merge(counted(part), merged)
    assert in_order(merged).equals(in_order(counted(frame)))
