"""What a stage command is given: a stage folder, a run folder, a folder of Parquet files, or one Parquet file."""

import hashlib
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from cleanse.errors import InputError
from cleanse.run.job import Table
from cleanse.run.places import Remote
from cleanse.run.store import Output, read_json
from cleanse.run.tables import readable, schema_of
from cleanse.stages import ORDER
from cleanse.table import Schema, check_reserved, run_schema, user_columns, written_by_cleanse


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
    if manifest:
        outputs = [Output(**o) for o in manifest["outputs"] if o["path"].startswith("kept/")]
        found = [(output, _schema(folder / output.path)) for output in outputs]
    else:
        files = sorted(folder.glob("*.parquet")) if given.is_dir() else [given]
        files = [file for file in files if not file.name.startswith("vectors-")]  # of data/: no text in them
        with ThreadPoolExecutor(2) as pool:  # to hash them is all there is to wait for; a remote one is held whole
            found = list(pool.map(_foreign, files))
    if not found:
        raise InputError("input-empty", f"no Parquet file in {given}", "begin with: cleanse decode INPUT… -o DIR")
    return _checked(folder, found)


def _schema(file: Path) -> Schema:
    """The columns of a part that a manifest speaks of."""
    try:
        return dict(schema_of(file))
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise _unreadable(file, problem, "run that stage again") from None


def _foreign(file: Path) -> tuple[Output, Schema]:
    """A Parquet file that no manifest speaks of, and its columns."""
    try:
        with io.BytesIO(file.read_bytes()) if isinstance(file, Remote) else file.open("rb") as data:
            digest, size = hashlib.file_digest(data, "sha256").hexdigest(), data.tell()
            table = pl.scan_parquet(data if isinstance(file, Remote) else readable(file))
            rows, schema = table.select(pl.len()).collect().item(), dict(table.collect_schema())
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise _unreadable(file, problem, "begin with: cleanse decode INPUT… -o DIR") from None
    return Output(file.name, rows, size, digest), schema


def _unreadable(file: Path, problem: Exception, help: str) -> InputError:
    why = problem.strerror if isinstance(problem, OSError) else str(problem)[:200]
    return InputError("input-unreadable", f"cannot read {file}: {why}", help)


def _checked(folder: Path, found: Sequence[tuple[Output, Schema]]) -> Table:
    for output, schema in found:
        if not written_by_cleanse(schema):
            check_reserved(schema, output.path)
            raise InputError(
                "input-foreign",
                f"{output.path} was not written by cleanse: it has no _id",
                "begin with: cleanse decode INPUT… -o DIR",
                found=", ".join(user_columns(schema)),
            )
    schemas = [each for _, each in found]
    schema = run_schema((name, dtype) for each in schemas for name, dtype in each.items())
    exact = all(list(each.items()) == list(schema.items()) for each in schemas)
    return Table(folder, [output for output, _ in found], schema, exact)
