"""Hot keys, and the virtual buckets by which every plan of N shards that divides 4,096 is exact."""

import zlib
from typing import Any

import polars as pl

BUCKETS = 4096  # virtual; bucket = crc32(utf8(key)) mod BUCKETS
UNITS = ("rows", "bytes", "tokens")


def crc(key: str | None) -> int:
    """The number of a key: CRC-32 of its UTF-8. A null key is the empty one, which most engines put in one partition.

    >>> crc("sina.com.cn") % 4, crc(None)
    (1, 0)
    """
    return zlib.crc32((key or "").encode("utf-8", "surrogatepass"))


def crcs(keys: pl.Series) -> pl.Series:
    """`crc` of each row, UInt32; a Python call for each different key only."""
    known = keys.unique()
    table = pl.DataFrame({"key": known, "crc": pl.Series([crc(key) for key in known], dtype=pl.UInt32)})
    return keys.to_frame("key").join(table, on="key", how="left", nulls_equal=True, maintain_order="left")["crc"]


def numbered(counts: pl.DataFrame) -> pl.DataFrame:
    """A tally by `key` with the `crc` of each key."""
    return counts.with_columns(crc=crcs(counts["key"]))


def loads(counts: pl.DataFrame, n: int) -> dict[str, list[int]]:
    """unit → load of each of n shards or buckets when keys are hashed. `counts`: of `numbered`."""
    sums = counts.group_by(pl.col("crc") % n).agg(pl.col(UNITS).sum())
    found = {unit: [0] * n for unit in UNITS}
    for place, *row in sums.iter_rows():
        for unit, load in zip(UNITS, row, strict=True):
            found[unit][place] = load
    return found


def ranked(counts: pl.DataFrame) -> pl.DataFrame:
    """Heaviest key first, ties by key with null first."""
    return counts.sort(["rows", "key"], descending=[True, False])


def figures(counts: pl.DataFrame, cap: int, top: int, *, tokens: bool) -> dict[str, Any]:
    """`counts`: tally by `key`, at least one row. `cap`: keys that are kept in the table; `top`: that are named here.

    All keys were counted, so those named have no error: `exact` says whether the table holds all of them.
    """
    n = int(counts["rows"].sum())
    named = [
        {"key": row["key"], "rows": row["rows"], "bytes": row["bytes"], "tokens": row["tokens"] if tokens else None,
         "share": row["rows"] / n, "error": 0}
        for row in ranked(counts).head(top).iter_rows(named=True)
    ]  # fmt: skip
    return {
        "available": True,
        "distinct": counts.height,
        "exact": counts.height <= cap,
        "null_rows": int(counts.filter(pl.col("key").is_null())["rows"].sum()),
        "hot_share": int(counts["rows"].max() or 0) / n,  # type: ignore[arg-type]  # an Int64
        "top": named,
    }


def floor(hot_rows: int, rows: int, n: int) -> dict[str, Any]:
    """What no hash of n shards can beat because of the hottest key, and in how many pieces that key must be cut.

    >>> floor(60, 100, 4)
    {'slowdown_floor': 2.4, 'salts': 3}
    """
    return {"slowdown_floor": max(1.0, n * hot_rows / rows), "salts": max(1, -(-n * hot_rows // rows))}
