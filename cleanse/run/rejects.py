"""rejects/: the rejected rows of all stages, with the text that each stage was given."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path

import polars as pl

from cleanse.run.engines.base import Engine
from cleanse.run.job import StageResult
from cleanse.run.places import place
from cleanse.run.store import Output, write_table
from cleanse.run.tables import readable
from cleanse.settings import Settings
from cleanse.table import VERDICT, Schema, conform

REJECTS_MB = 256  # MiB of Parquet in one file of rejects/


@dataclass(frozen=True)
class Rejects:
    """A task: rejected tables of several stages, as (stage, path), into one file of rejects/."""

    tables: tuple[tuple[str, str], ...]
    target: str
    root: str
    settings: Settings
    schema: Schema

    def __str__(self) -> str:
        return f"rejects to {Path(self.target).name}"


def collect(task: Rejects) -> Output:
    """All rejected rows with all columns, and the stage that rejected them."""
    empty = pl.DataFrame(schema={**task.schema, "_stage": pl.String()})
    frames: Sequence[pl.DataFrame] = [
        conform(pl.read_parquet(readable(path)), task.schema).with_columns(_stage=pl.lit(stage))
        for stage, path in task.tables
    ]
    return write_table(
        place(task.target), place(task.root), pl.concat([empty, *frames]), task.settings.run.row_group_mb, "final"
    )


def rejects(
    results: Sequence[StageResult], out: Path, settings: Settings, schema: Schema, engine: Engine
) -> list[Output]:
    """Writes them, in files of about REJECTS_MB. `schema`: of the run."""
    groups: list[list[tuple[str, str]]] = [[]]
    size = 0
    for result in results:
        for output in result.rejected:
            if output.rows and size + output.bytes > REJECTS_MB << 20 and groups[-1]:
                groups, size = [*groups, []], 0
            if output.rows:
                groups[-1].append((result.name, fspath(result.kept.folder / output.path)))
                size += output.bytes
    names = [f"rejects-{number:05}-of-{len(groups):05}.parquet" for number in range(len(groups))]
    tasks = [
        Rejects(tuple(group), fspath(out / "rejects" / name), fspath(out), settings, {**schema, **VERDICT})
        for name, group in zip(names, groups, strict=True)
    ]
    return engine.map(collect, tasks, lambda done: None)
