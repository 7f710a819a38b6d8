"""Counts by key that merge in any order: the state of every measure. Integers only."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

SUMS = ("rows", "bytes", "tokens")  # what is added up, Int64; every other column of a tally is part of its key


def tally(frame: pl.DataFrame, *keys: str) -> pl.LazyFrame:
    """Rows, and the sums of `bytes` and `tokens` where the frame has them, by the named columns.

    >>> tally(pl.DataFrame({"label": ["a", None, "a"], "bytes": [1, 2, 3]}), "label").collect().sort("label").rows()
    [(None, 1, 2), ('a', 2, 4)]
    """
    sums = [pl.col(name).sum().cast(pl.Int64) for name in SUMS[1:] if name in frame.columns]
    return frame.lazy().group_by(keys).agg(pl.len().cast(pl.Int64).alias("rows"), *sums)


def collected(tallies: Mapping[str, pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """All tallies of a part, counted at once."""
    return dict(zip(tallies, pl.collect_all(list(tallies.values())), strict=True))


def merge(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Both added up.

    >>> merge(pl.DataFrame({"label": ["a"], "rows": [2]}), pl.DataFrame({"label": ["a"], "rows": [1]})).rows()
    [('a', 3)]
    """
    sums = [name for name in SUMS if name in one.columns]
    return pl.concat([one, other]).group_by(pl.exclude(sums)).agg(pl.col(sums).sum())


def in_order(counts: pl.DataFrame) -> pl.DataFrame:
    """Sorted by key, nulls first: the same table for any order of parts."""
    return counts.sort([name for name in counts.columns if name not in SUMS])


def per_key(rows: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """Pairs added up by their first, in its order.

    >>> per_key([("b", 1), ("a", 2), ("b", 3)])
    {'a': 2, 'b': 4}
    """
    found: dict[Any, int] = {}
    for key, n in rows:
        found[key] = found.get(key, 0) + n
    return dict(sorted(found.items()))
