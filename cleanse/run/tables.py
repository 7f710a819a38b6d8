"""Tables of Parquet from wherever they lie. Local ones are left to polars; of remote ones no more than a file at a time
is in memory.
"""

import glob
import io
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleanse.errors import MachineError
from cleanse.run.places import Remote, place

SLICE_BUFFER = 1 << 20  # bytes of a column that are fetched at once

if TYPE_CHECKING:  # the numbers of a run are told without polars
    import polars as pl


def readable(path: str | Path) -> Any:
    """What polars reads as this one table: for a local file a pattern that only its path fits (polars takes each path
    for a pattern, and `~` for a home), for any other a `BytesIO` with its content. Raises MachineError (remote-failed)
    where that cannot be had.
    """
    found = place(path)
    if _has_path(found):
        return glob.escape(str(found.absolute()))
    try:
        return io.BytesIO(found.read_bytes())
    except OSError as problem:
        help = "check access; the same command resumes"
        raise MachineError("remote-failed", f"cannot read {found}: {problem.strerror}", help) from None


def _has_path(path: Path) -> bool:
    """True for what polars can find by its path: no URI of ours, no name that is not UTF-8."""
    try:
        return not isinstance(path, Remote) and bool(str(path).encode())
    except UnicodeEncodeError:
        return False


def schema_of(path: Path) -> "pl.Schema":
    """The columns of a table; of a remote one only its end is fetched. Raises OSError or an error of polars for what is
    no table.
    """
    import polars as pl  # late

    if _has_path(path):
        return pl.Schema(pl.read_parquet_schema(readable(path)))
    import pyarrow  # late: a run without URIs does not load it
    import pyarrow.parquet

    try:
        with path.open("rb") as file:
            empty = pl.from_arrow(pyarrow.parquet.read_schema(file).empty_table())
    except pyarrow.ArrowInvalid as problem:
        raise OSError(str(problem)) from None
    assert isinstance(empty, pl.DataFrame)
    return empty.schema


def scan(files: Sequence[Path]) -> "pl.LazyFrame":
    """All rows of some tables, as one; columns that a table lacks are null."""
    import polars as pl  # late

    if not all(map(_has_path, files)):
        return _scan_opened(files)
    return pl.scan_parquet([str(file) for file in files], missing_columns="insert", extra_columns="ignore", glob=False)


def _scan_opened(files: Sequence[Path]) -> "pl.LazyFrame":
    import polars as pl  # late
    from polars.io.plugins import register_io_source

    schema = schema_of(files[0])

    def rows(
        columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for file in files:
            frame = _columns(file, schema, columns or list(schema)).slice(0, n_rows)
            n_rows = None if n_rows is None else n_rows - frame.height
            yield frame if predicate is None else frame.filter(predicate)
            if n_rows == 0:
                return

    return register_io_source(rows, schema=schema, is_pure=True)


def _columns(path: Path, schema: "pl.Schema", names: Sequence[str]) -> "pl.DataFrame":
    """Some columns of a table that is opened here: of a remote one only their bytes are fetched."""
    import polars as pl  # late
    import pyarrow.parquet

    with path.open("rb") as file:
        table = pyarrow.parquet.ParquetFile(file)
        there = [name for name in names if name in table.schema_arrow.names]
        frame, height = pl.from_arrow(table.read(there)), table.metadata.num_rows
    assert isinstance(frame, pl.DataFrame)
    return pl.DataFrame(
        {
            name: frame[name] if name in there else pl.repeat(None, height, dtype=schema[name], eager=True)
            for name in names
        }
    )


def slices(path: str, wanted: Collection[str], rows: int) -> "Iterator[pl.DataFrame]":
    """Some columns of a table, what it has of them, `rows` rows at a time; of a table without rows an empty one.
    pyarrow reads within a row group, so that a file of one row group takes no more memory than one of many.
    """
    import polars as pl  # late
    import pyarrow.parquet

    found = place(path)
    with readable(path) if isinstance(found, Remote) else found.open("rb") as table:
        file = pyarrow.parquet.ParquetFile(table, pre_buffer=False, buffer_size=SLICE_BUFFER)
        names = [name for name in file.schema_arrow.names if name in wanted]
        held = _as_polars(file.schema_arrow.empty_table().select(names))
        if not file.metadata.num_rows:
            yield held
        for batch in file.iter_batches(rows, columns=names, use_threads=False):  # a row group may end in a short one
            held = pl.concat([held, _as_polars(batch.select(names))])
            if held.height >= rows:
                yield held[:rows].rechunk()
                held = held[rows:]
        if held.height:
            yield held.rechunk()


def _as_polars(table: Any) -> "pl.DataFrame":
    import polars as pl  # late

    found = pl.from_arrow(table)
    assert isinstance(found, pl.DataFrame)
    return found
