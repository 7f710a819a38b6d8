"""What framing yields: records, with the fields that could be placed, and the lines that are none."""

from dataclasses import dataclass

import polars as pl

PLACE = {
    "_line": pl.UInt64(),
    "_offset": pl.UInt64(),
    "_bytes": pl.UInt64(),
    "_replaced": pl.UInt32(),
    "_encoding": pl.String(),
}
FAULT = {"_problem": pl.String(), "_raw": pl.String(), "_fields": pl.UInt32(), "_repair": pl.String()}
STRUCTURAL = {name: PLACE[name] for name in ("_line", "_offset", "_bytes")} | {
    "_kind": pl.String(),
    "_raw": pl.String(),
}
MAX_FIELDS = 4096  # of a record; a table has no more columns
MAX_RAW = 4096  # characters of a structural line that are kept


@dataclass(frozen=True)
class Framed:
    """`records`: PLACE, FAULT and the user's columns, in file order. `structural`: columns of STRUCTURAL."""

    records: pl.DataFrame
    structural: pl.DataFrame


def without_faults(records: pl.DataFrame) -> Framed:
    """Records that cannot have a fault of framing; what they lack of PLACE and FAULT is null."""
    missing = {n: t for n, t in {**PLACE, **FAULT}.items() if n not in records.columns}
    full = records.with_columns(pl.lit(None, t).alias(n) for n, t in missing.items())
    return Framed(full, pl.DataFrame(schema=STRUCTURAL))


def structural(lines: pl.DataFrame, kind: pl.Expr) -> pl.DataFrame:
    """Lines that are no records, with what they are."""
    return lines.select(
        "_line",
        "_offset",
        "_bytes",
        kind.cast(pl.String).alias("_kind"),
        pl.col("text").str.head(MAX_RAW).alias("_raw"),
    )


def unify(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    """The type that holds both: null says nothing, Int64 beside Float64 is Float64, any other clash is text.

    >>> unify(pl.Int64(), pl.Float64()), unify(pl.Null(), pl.Boolean()), unify(pl.Boolean(), pl.Int64())
    (Float64, Boolean, String)
    """
    if one == other or other == pl.Null():
        return one
    if one == pl.Null():
        return other
    return pl.Float64() if {one, other} == {pl.Int64(), pl.Float64()} else pl.String()
