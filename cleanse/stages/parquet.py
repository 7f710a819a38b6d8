"""Parquet as a source: a row is a record, its text is text already, and what is binary is decoded cell by cell."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

import polars as pl

from cleanse.records.framed import Framed, without_faults
from cleanse.stages.cells import cells
from cleanse.stages.reading import Cut
from cleanse.stages.spans import Content

LARGE = 4  # parts that a row group may fill before it is read in slices
_DAMAGE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # a damaged page makes polars panic, too
_TEXT = (pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class Found:
    """The columns of a file in its order, where it may be cut; or why it cannot be read."""

    columns: Mapping[str, pl.DataType] = field(default_factory=dict)
    cuts: tuple[Cut, ...] = ()
    rows: int = 0
    refused: tuple[str, str] | None = None


def survey(content: Content, part_bytes: float) -> Found:
    """Columns and row groups. A row group of more than `part_bytes` is cut as well."""
    try:
        with content.file() as file:
            schema = pl.read_parquet_schema(file)
            cuts, rows = _cuts(file, part_bytes)
    except _DAMAGE as problem:
        return Found(refused=("undecodable", f"no readable Parquet: {str(problem)[:200]}"))
    return Found({n: pl.String() if isinstance(t, _TEXT) else t for n, t in schema.items()}, cuts, rows)


def _cuts(file: IO[bytes], part_bytes: float) -> tuple[tuple[Cut, ...], int]:
    """Row numbers to cut at, and how many rows there are."""
    import pyarrow.parquet  # late: no other format needs it

    footer = pyarrow.parquet.ParquetFile(file).metadata
    cuts, row, size = list[Cut](), 0, 0.0
    for group in (footer.row_group(number) for number in range(footer.num_row_groups)):
        slices = max(1, math.ceil(group.total_byte_size / (LARGE * part_bytes)))
        for number in range(slices):
            if size >= part_bytes:
                cuts.append(Cut(records=row + group.num_rows * number // slices))
                size = 0
            size += group.total_byte_size / slices
        row += group.num_rows
    if row != footer.num_rows:
        raise OSError(f"the footer speaks of {footer.num_rows} rows, its groups of {row}")
    return tuple(cut for cut in cuts if cut.records < row), row


def read(
    content: Content, columns: Mapping[str, pl.DataType], names: Mapping[str, str], rows: range, declared: str | None
) -> Framed:
    """The rows of a span, columns by their names in the table. Where a page of it is damaged, all are `undecodable`.

    `declared`: the column that names the encoding of a row's binary cells. The body is decoded last: it is its
    encoding that the record shows.
    """
    try:
        with content.file() as file:
            table = pl.scan_parquet(file).slice(rows.start, len(rows)).collect().rename(dict(names))
        if table.height != len(rows):
            raise OSError(f"{table.height} rows where the footer speaks of {len(rows)}")
    except _DAMAGE as problem:  # behind a whole footer: it tells how many rows there are
        raw = f"no readable Parquet: {str(problem)[:200]}"
        lost = pl.DataFrame({"_problem": ["undecodable"] * len(rows), "_raw": [raw] * len(rows)})
        return without_faults(lost)
    claims = table[names.get(declared, declared)].cast(pl.String).to_list() if declared else [None] * table.height
    for role in (name for name in ("title", "label", "body") if table.schema.get(name) == pl.Binary()):
        found = cells(table[role].to_list(), claims)
        replaced = found["_replaced"] + table.get_column("_replaced", default=0)
        fault = pl.coalesce("_problem", found["_problem"]) if "_problem" in table.columns else found["_problem"]
        table = table.with_columns(found.rename({"text": role}).with_columns(replaced)).with_columns(fault)
    return without_faults(table.cast({name: t for name, t in columns.items() if t != pl.Binary()}))
