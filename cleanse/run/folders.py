"""What a stage command is given: a stage folder, a run folder, a folder of Parquet files, or one Parquet file."""

import hashlib
import io
from pathlib import Path

import polars as pl

from cleanse.errors import InputError
from cleanse.run.job import Table
from cleanse.run.store import Output, read_json
from cleanse.stages import ORDER
from cleanse.table import check_reserved, run_schema, user_columns, written_by_cleanse


def table(given: Path, stage: str) -> Table:
    """The parts that `stage` is to read. Our own folders are read by their manifest, never by glob.

    Raises InputError when there are none, or when they are no tables that cleanse wrote.
    """
    if not given.exists():
        raise InputError("input-not-found", f"{given} is not there", "give a folder that cleanse wrote")
    folder = given if given.is_dir() else given.parent
    if (given / "run.json").exists():
        folder = given / "stages" / f"{ORDER.index(stage)}-{ORDER[ORDER.index(stage) - 1]}"
    manifest = read_json(folder / "stage.json") if given.is_dir() else None
    if manifest is not None and manifest.get("status") != "ok":
        raise InputError("input-unfinished", f"{folder} holds an unfinished {manifest.get('stage')}", "run that again")
    outputs = [Output(**o) for o in manifest["outputs"] if o["path"].startswith("kept/")] if manifest else []
    if not manifest:
        files = sorted(folder.glob("*.parquet")) if given.is_dir() else [given]
        outputs = [_output(file) for file in files if not file.name.startswith("vectors-")]  # of data/: no text in them
    if not outputs:
        raise InputError("input-empty", f"no Parquet file in {given}", "begin with: cleanse decode INPUT… -o DIR")
    return _checked(folder, outputs)


def _output(file: Path) -> Output:
    """A Parquet file that no manifest speaks of."""
    data = _opened(file)
    try:
        rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    except pl.exceptions.PolarsError as problem:
        what = f"{file} is no readable Parquet file: {str(problem)[:200]}"
        raise InputError("input-unreadable", what, "begin with: cleanse decode INPUT… -o DIR") from None
    return Output(file.name, rows, len(data), hashlib.sha256(data).hexdigest())


def _opened(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise InputError(
            "input-unreadable", f"cannot read {file}: {problem.strerror}", "run that stage again"
        ) from None


def _checked(folder: Path, outputs: list[Output]) -> Table:
    schemas = {o.path: dict(pl.read_parquet_schema(io.BytesIO(_opened(folder / o.path)))) for o in outputs}
    for path, schema in schemas.items():
        if not written_by_cleanse(schema):
            check_reserved(schema, path)
            raise InputError(
                "input-foreign",
                f"{path} was not written by cleanse: it has no _id",
                "begin with: cleanse decode INPUT… -o DIR",
                found=", ".join(user_columns(schema)),
            )
    schema = run_schema((name, dtype) for each in schemas.values() for name, dtype in each.items())
    return Table(
        folder, outputs, schema, exact=all(list(each.items()) == list(schema.items()) for each in schemas.values())
    )
