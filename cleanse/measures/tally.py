"""Counts by key that merge in any order: the state of every measure. Integers only."""

from collections.abc import Sequence

import polars as pl

Key = tuple[str | int | None, ...]
Tally = dict[Key, tuple[int, ...]]


def tally(frame: pl.DataFrame, keys: Sequence[pl.Expr], *sums: pl.Expr) -> Tally:
    """Rows by key, and with `sums` their totals: key → (rows, total, …).

    >>> tally(pl.DataFrame({"label": ["a", None, "a"]}), [pl.col("label")])
    {('a',): (2,), (None,): (1,)}
    """
    totals = [each.cast(pl.Int64).sum().alias(f"_sum{i}") for i, each in enumerate(sums)]
    table = frame.group_by(keys, maintain_order=True).agg(pl.len().alias("_rows"), *totals)
    # a group of constants exists in an empty table, too
    return {row[: len(keys)]: row[len(keys) :] for row in table.iter_rows() if row[len(keys)]}


def merge(one: Tally, other: Tally) -> Tally:
    """Both added up.

    >>> merge({("a",): (2,)}, {("a",): (1,), ("b",): (5,)})
    {('a',): (3,), ('b',): (5,)}
    """
    out = dict(one)
    for key, counts in other.items():
        out[key] = tuple(a + b for a, b in zip(out[key], counts, strict=True)) if key in out else counts
    return out


def in_order(counts: Tally) -> list[tuple[Key, tuple[int, ...]]]:
    """Sorted by key, nulls first: the same list for any order of parts."""
    return sorted(counts.items(), key=lambda item: [(part is not None, part) for part in item[0]])
