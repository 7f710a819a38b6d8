"""The first half of a stage with vectors: the model that makes them, and the vector of each row. A part may be of any
size, one Parquet file of a user may hold all rows: it is read a slice at a time, each with a table of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os import fspath
from pathlib import Path

import polars as pl

from cleanse.run import store
from cleanse.run.engines.base import Engine
from cleanse.run.job import Table
from cleanse.run.places import place
from cleanse.run.store import Output
from cleanse.run.tables import readable, slices
from cleanse.run.tasks import facts_of, read_columns
from cleanse.settings import Settings
from cleanse.stage import Facts, Vectors
from cleanse.stages import load
from cleanse.table import Schema, conform

MODEL = "vectorizer.npz"
SLICE_BYTES = 16 << 20  # of vectors: what is made of them at once takes ten times that, whatever the part
SLICE_ROWS = 1 << 17  # of vectors of few numbers
WHOLE_BYTES = 32 << 20  # of a part that is read at once
HEAD_ROWS = 1000  # of which one will have a vector


def vectors_of(stage: str) -> Vectors:
    """What a stage knows of vectors; only such stages have the tasks of this file."""
    found = load(stage).vectors
    assert found
    return found


@dataclass(frozen=True)
class Part:
    """A task: make vectors of a part, or the sample of it that a model is fitted on; `rows` of its rows at a time, in
    `n_tables` tables from number `first` on.
    """

    number: int
    stage: str
    table: str
    bytes: int
    first: int
    n_tables: int
    rows: int
    folder: str
    facts: str
    settings: Settings
    schema: Schema

    def __str__(self) -> str:
        return f"vectors of {store.part_name(self.number)}"

    @property
    def vectors(self) -> Vectors:
        """What the stage knows of vectors."""
        return vectors_of(self.stage)

    def slices(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The number of each table, and the columns that its vectors are made of."""
        numbers = range(self.first, self.first + self.n_tables)
        return zip(numbers, self.frames(self.rows), strict=True)

    def frames(self, rows: int) -> Iterator[pl.DataFrame]:
        """The columns that vectors are made of, `rows` rows at a time."""
        wanted = self.vectors.columns(self.settings, frozenset(self.schema))
        if self.bytes <= WHOLE_BYTES:
            frame = read_columns(readable(self.table), self.schema, wanted)
            return frame.iter_slices(rows) if frame.height else iter([frame])
        types = {name: dtype for name, dtype in self.schema.items() if name in wanted}
        return (conform(frame, types) for frame in slices(self.table, wanted, rows))


def tasks(stage: str, given: Table, facts: Path, settings: Settings) -> list[Part]:
    """A task for each part. Raises MachineError where the vectors cannot be worked on in the memory that they may take:
    before any but the first rows are read.
    """
    like = Part(0, stage, "", 0, 0, 1, 0, fspath(facts.parent), fspath(facts), settings, given.schema)
    found = [
        replace(like, number=number, table=fspath(given.folder / part.path), bytes=part.bytes)
        for number, part in enumerate(given.parts)
    ]
    width = _width(found, settings)
    like.vectors.afford(width, settings, facts_of(like.facts))
    rows, first = max(1, min(SLICE_BYTES // 4 // max(1, width), SLICE_ROWS)), 0
    for number, part in enumerate(given.parts):
        n = max(1, -(-part.rows // rows))
        found[number] = replace(found[number], rows=rows, first=first, n_tables=n)
        first += n
    return found


def _width(parts: Sequence[Part], settings: Settings) -> int:
    """Numbers of a vector: as settings or types tell, else of the first row that has one; 0 where there is none."""
    heads = (head for part in parts for head in part.frames(HEAD_ROWS))
    widths = (parts[0].vectors.width(head, settings) for head in chain([pl.DataFrame(schema=parts[0].schema)], heads))
    return next((width for width in widths if width), 0)


def sample(task: Part) -> list[str]:
    """Writes the samples of a part, returns their paths."""
    return [_sampled(task, number, frame) for number, frame in task.slices()]


def _sampled(task: Part, number: int, frame: pl.DataFrame) -> str:
    path = place(task.folder) / "scatter" / f"{store.part_name(number)}.npz"
    store.commit(path, task.vectors.sample(frame, task.settings, facts_of(task.facts)))
    return fspath(path)


def fit(vectors: Vectors, parts: Sequence[Part], folder: Path, settings: Settings, engine: Engine) -> None:
    """Writes the files of the model."""
    samples = [place(path) for paths in engine.map(sample, parts, lambda done: None) for path in paths]
    model = vectors.fit([path.read_bytes() for path in samples], settings)
    for name, content in vectors.side(model).items():
        store.write_beside(folder / "vectors" / name, content)
    for path in samples:
        path.unlink()


def embed(task: Part) -> list[Output]:
    """Writes the vectors of a part, and those again that rows are made up between: few, and all that is read later."""
    known = facts_of(task.facts)
    model = (place(task.folder) / "vectors" / MODEL).read_bytes() if task.vectors.fits(task.settings) else None
    return [_embedded(task, number, frame, known, model) for number, frame in task.slices()]


def _embedded(task: Part, number: int, frame: pl.DataFrame, known: Facts, model: bytes | None) -> Output:
    vectors, root = task.vectors, place(task.folder)
    table = vectors.embed(frame, task.settings, known, model)
    if vectors.plan(task.settings, known):
        some = vectors.aside(table, task.settings, known)
        store.write_scratch(scratch(task.folder, store.part_name(number)), some)
    return write(table, root / "vectors" / f"real-{number:05}.parquet", root, task.settings)


def scratch(folder: str, name: str) -> Path:
    """A table that is gone when the vectors are there."""
    return place(folder) / "scatter" / f"{name}.arrow"


def write(table: pl.DataFrame, path: Path, root: Path, settings: Settings) -> Output:
    """A table of vectors below `root`."""
    return store.write_table(path, root, table, settings.run.row_group_mb, "vectors")
