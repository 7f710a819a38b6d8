"""What a run puts into data/ beside the shards: weights and transforms, and vectors by split, never mixed with text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path

import polars as pl

from cleanse.run import store
from cleanse.run.engines.base import Engine
from cleanse.run.job import StageResult
from cleanse.run.places import place
from cleanse.run.store import Output
from cleanse.run.tables import readable
from cleanse.settings import Settings

JSONS = ("weights.json", "transforms.json")


@dataclass(frozen=True)
class Vectors:
    """A task: the vectors of one split in one file."""

    table: str
    split: str
    target: str
    settings: Settings

    def __str__(self) -> str:
        return f"vectors to {Path(self.target).name}"


def vectors(task: Vectors) -> Output:
    """Writes them."""
    frame = pl.read_parquet(readable(task.table)).filter(pl.col("split") == task.split)
    target = place(task.target)
    return store.write_table(target, target.parent, frame, task.settings.run.row_group_mb, "final")


def publish(result: StageResult, data: Path, settings: Settings, engine: Engine) -> list[Output]:
    """Copies what `resample` left into `data`. Returns the files below it."""
    folder = result.kept.folder
    found = [_copied(folder / name, data / name) for name in JSONS if (folder / name).exists()]
    tables = [fspath(folder / output.path) for output in result.outputs if output.path.startswith("vectors/")]
    pairs = [(split, table) for table in tables for split in _splits(table)]
    named = engine.map(vectors, list(_tasks(pairs, data, settings)), lambda done: None)
    return [replace(output, path=f"data/{output.path}") for output in [*found, *named]]


def _splits(table: str) -> list[str]:
    found: list[str] = (
        pl.scan_parquet(readable(table)).select("split").unique().sort("split").collect()["split"].to_list()
    )
    return found


def _tasks(pairs: Sequence[tuple[str, str]], data: Path, settings: Settings) -> list[Vectors]:
    of = {split: [table for name, table in pairs if name == split] for split, _ in pairs}
    return [
        Vectors(table, split, fspath(data / f"vectors-{split}-{i:05}-of-{len(tables):05}.parquet"), settings)
        for split, tables in sorted(of.items())
        for i, table in enumerate(tables)
    ]


def _copied(source: Path, target: Path) -> Output:
    store.commit(target, source.read_bytes())
    return store.output(target, target.parent)
