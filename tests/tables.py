"""Small tables in the contract's shape, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from cleanse.table import conform, ids, run_schema


def records(columns: Mapping[str, Sequence[Any]], source: str = "a.csv") -> pl.DataFrame:
    """Rows as decode writes them: `columns` and all bookkeeping; what is not given is null."""
    given = pl.DataFrame({name: pl.Series(values, dtype=_dtype(name, values)) for name, values in columns.items()})
    numbered = given.with_columns(
        _source=pl.lit(source),
        _record=pl.int_range(1, pl.len() + 1, dtype=pl.UInt64),
        _id=ids(source, pl.int_range(1, pl.len() + 1)),
        _replaced=pl.lit(0, pl.UInt32),
    )
    user = [(name, dtype) for name, dtype in given.schema.items() if not name.startswith("_")]
    return conform(numbered, run_schema(user))


def _dtype(name: str, values: Sequence[Any]) -> pl.DataType | None:
    return pl.UInt32() if name == "_fields" else pl.String() if all(v is None for v in values) else None
