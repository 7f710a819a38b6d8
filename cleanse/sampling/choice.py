"""The one draw of a row: a number that follows from the seed, the purpose and `_id` alone."""

import hashlib
from typing import Literal

import polars as pl

Purpose = Literal["under", "over", "shard", "pool", "split", "report"]
SPACE = 1 << 64  # draws are below


def draw(seed: int, purpose: Purpose, id: str) -> int:
    """u of a row: BLAKE2b-64 of `SEED|PURPOSE|_id` as a big-endian integer, 0 <= u < 2**64.

    The same for any part size, order or engine; a smaller target takes a subset of a larger one.

    >>> draw(42, "under", "0123456789ab:1") == draw(42, "shard", "0123456789ab:1")
    False
    """
    return int.from_bytes(hashlib.blake2b(f"{seed}|{purpose}|{id}".encode(), digest_size=8).digest(), "big")


def draws(seed: int, purpose: Purpose, ids: pl.Series) -> pl.Series:
    """`draw` of each `_id`, UInt64. A Python loop: polars has no BLAKE2b (0.5 s of CPU a million rows)."""
    return pl.Series("u", [draw(seed, purpose, id) for id in ids], pl.UInt64)


def largest_of(values: pl.Series, n: int) -> int | None:
    """The largest of the n smallest draws; None where there are fewer than n. `values`: the n smallest of each part, so
    that n of them may stand for more.

    >>> largest_of(pl.Series([3, 1, 2]), 3), largest_of(pl.Series([3, 1, 2]), 4)
    (3, None)
    """
    return int(smallest(values, n)[-1]) if values.len() >= n else None


def smallest(values: pl.Series, n: int) -> pl.Series:
    """The n smallest draws, ascending; all of them where there are fewer.

    >>> smallest(pl.Series([3, 1, 2]), 2).to_list()
    [1, 2]
    """
    return values.bottom_k(n).sort()
