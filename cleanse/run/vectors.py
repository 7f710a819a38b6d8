"""The second half of a stage with vectors: fit a model, write the vector of each row, then what is made up of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path
from threading import Thread

import polars as pl

from cleanse.ledger import Entry, balance
from cleanse.run import store
from cleanse.run.engines.base import Engine
from cleanse.run.places import place
from cleanse.run.store import Output
from cleanse.run.tables import readable
from cleanse.run.tasks import facts_of, read_columns
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Vectors
from cleanse.stages import load
from cleanse.table import Schema

MODEL = "vectorizer.npz"
MARKER = "vectors"
SEARCH_ROWS = 4096  # of a class whose neighbours are one task
GROW_BLOCKS = 4  # of a class that are drawn in one task


def vectors_of(stage: str) -> Vectors:
    """What a stage knows of vectors; only such stages have the tasks of this file."""
    found = load(stage).vectors
    assert found
    return found


@dataclass(frozen=True)
class Part:
    """A task: make vectors of a part, or the sample of it that a model is fitted on."""

    number: int
    stage: str
    table: str
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

    def frame(self) -> pl.DataFrame:
        """The columns of the part that vectors are made of."""
        return read_columns(
            readable(self.table), self.schema, self.vectors.columns(self.settings, frozenset(self.schema))
        )


def sample(task: Part) -> str:
    """Writes the sample of a part, returns its path."""
    path = place(task.folder) / "scatter" / f"{store.part_name(task.number)}.npz"
    store.commit(path, task.vectors.sample(task.frame(), task.settings, facts_of(task.facts)))
    return fspath(path)


def embed(task: Part) -> Output:
    """Writes the vectors of a part, and those again that rows are made up between: few, and all that is read later."""
    model, root, facts = place(task.folder) / "vectors" / MODEL, place(task.folder), facts_of(task.facts)
    known = model.read_bytes() if task.vectors.fits(task.settings) else None
    table = task.vectors.embed(task.frame(), task.settings, facts, known)
    if raised := list(task.vectors.plan(task.settings, facts)):
        mine = table.filter(pl.col("label").is_in(raised) & (pl.col("split") == "train"))
        store.write_scratch(_scratch(task.folder, store.part_name(task.number)), mine)
    return _write(table, root / "vectors" / f"real-{task.number:05}.parquet", root, task.settings)


def _scratch(folder: str, name: str) -> Path:
    """A table that is gone when the vectors are there."""
    return place(folder) / "scatter" / f"{name}.arrow"


def _write(table: pl.DataFrame, path: Path, root: Path, settings: Settings) -> Output:
    return store.write_table(path, root, table, settings.run.row_group_mb, "vectors")


@dataclass(frozen=True)
class Class:
    """A class to raise by `n_new` rows, in files from number `first` on; and as tasks: a share of the work on it.

    `number`: of the class among those that are raised. `some`: rows to seek neighbours of, or blocks to draw.
    """

    stage: str
    number: int
    label: str
    n_new: int
    first: int
    folder: str
    facts: str
    n_parts: int
    settings: Settings
    some: range = range(0)

    def __str__(self) -> str:
        return f"vectors of class {self.number:05}, {self.some.start} to {self.some.stop}"

    @property
    def vectors(self) -> Vectors:
        """What the stage knows of vectors."""
        return vectors_of(self.stage)

    @property
    def picked(self) -> Path:
        """The table of the vectors to draw between."""
        return _scratch(self.folder, f"class-{self.number:05}")

    def near(self, start: int) -> Path:
        """The table of the neighbours of the rows from `start` on."""
        return _scratch(self.folder, f"near-{self.number:05}-{start:05}")

    def crowd(self) -> pl.DataFrame:
        """The vectors to draw between."""
        return pl.read_ipc(readable(self.picked))

    @property
    def n_blocks(self) -> int:
        """Blocks of the rows to make up."""
        return -(-self.n_new // self.settings.resample.block_rows)

    def shares(self, n: int, most: int) -> "list[Class]":
        """The work on `n` rows or blocks as tasks of at most `most` of them."""
        return [replace(self, some=range(start, min(start + most, n))) for start in range(0, n, most)]


def pick(task: Class) -> int:
    """Writes the vectors of a class to draw between; returns how many they are. Reads those of raised classes only."""
    parts = [_scratch(task.folder, store.part_name(number)) for number in range(task.n_parts)]
    rows = pl.concat(pl.read_ipc(readable(part)).filter(pl.col("label") == task.label) for part in parts)
    crowd = task.vectors.pick(rows, task.label, task.settings)
    store.write_scratch(task.picked, crowd)
    return crowd.height


def search(task: Class) -> None:
    """Writes the neighbours of some rows of a class."""
    some, facts = task.some, facts_of(task.facts)
    near = task.vectors.search(task.crowd(), task.label, some.start, some.stop, task.settings, facts)
    store.write_scratch(task.near(some.start), near)


def grow(task: Class) -> list[Output]:
    """Writes a table for each of some blocks of a class."""
    crowd, draws = task.crowd(), Draws(task.n_new, task.settings.resample.block_rows, task.some)
    near = pl.concat(pl.read_ipc(readable(task.near(start))) for start in range(0, crowd.height, SEARCH_ROWS))
    made = task.vectors.grow(crowd, near, task.label, draws, task.settings, facts_of(task.facts))
    root = place(task.folder)
    paths = [root / "vectors" / f"synthetic-{task.first + number:05}.parquet" for number in task.some]
    return [_write(table, path, root, task.settings) for table, path in zip(made, paths, strict=True)]


@dataclass(frozen=True)
class Pool:
    """A task: which rows of a pool of vectors go."""

    stage: str
    number: int
    facts: str
    real: tuple[str, ...]
    settings: Settings

    def __str__(self) -> str:
        return f"pool {self.number} of vectors"


def thin(task: Pool) -> list[str]:
    """Their ids."""
    vectors, facts = vectors_of(task.stage), facts_of(task.facts)
    rows = pl.concat(
        [vectors.in_pool(pl.read_parquet(readable(path)), task.number, task.settings, facts) for path in task.real]
    )
    return vectors.dropped(rows, task.settings, facts)


def write(
    stage: str, parts: Sequence[str], schema: Schema, facts: Path, settings: Settings, engine: Engine, ready: Thread
) -> tuple[Entry, list[Output], list[str]]:
    """All vectors of a stage, their line in the ledger (unit `vector`), the ids of rows that go.

    `facts`: the stage's, in its folder. `ready`: ends when all is imported; two threads must not import at once.
    """
    vectors, folder = vectors_of(stage), facts.parent
    tasks = [Part(i, stage, part, fspath(folder), fspath(facts), settings, schema) for i, part in enumerate(parts)]
    if vectors.fits(settings):
        ready.join()
        _fit(vectors, tasks, folder, settings, engine)
    real = engine.map(embed, tasks, lambda done: None)
    plan = vectors.plan(settings, facts_of(fspath(facts)))
    classes = _classes(plan, Class(stage, 0, "", 0, 0, fspath(folder), fspath(facts), len(parts), settings))
    made = _grown(classes, engine, ready)
    for path in (folder / "scatter").glob("*.arrow"):
        path.unlink()
    store.prune(folder)
    if not made:
        empty = pl.DataFrame(schema=vectors.table)
        made = [_write(empty, folder / "vectors/synthetic-00000.parquet", folder, settings)]
    n_real, n_made = (sum(output.rows for output in outputs) for outputs in (real, made))
    entry = Entry(stage, "vector", n_real, n_real + n_made, sum(plan.values()), changed={"synthetic": n_made})
    n_pools = vectors.pools(settings, facts_of(fspath(facts)))
    paths = tuple(fspath(folder / output.path) for output in real)
    drawn = [Pool(stage, number, fspath(facts), paths, settings) for number in range(n_pools)]
    gone = [id for each in engine.map(thin, drawn, lambda done: None) for id in each]
    return balance(entry, "vectors"), [*real, *made], gone


def _fit(vectors: Vectors, tasks: Sequence[Part], folder: Path, settings: Settings, engine: Engine) -> None:
    """Writes the files of the model."""
    samples = [place(path) for path in engine.map(sample, tasks, lambda done: None)]
    model = vectors.fit([path.read_bytes() for path in samples], settings)
    for name, content in vectors.side(model).items():
        store.write_beside(folder / "vectors" / name, content)
    for path in samples:
        path.unlink()


def _classes(plan: Mapping[str, int], like: Class) -> list[Class]:
    """The classes to raise, each with the numbers of its files."""
    found, first = [], 0
    for number, (label, n_new) in enumerate(plan.items()):
        found.append(replace(like, number=number, label=label, n_new=n_new, first=first))
        first += found[-1].n_blocks
    return found


def _grown(classes: Sequence[Class], engine: Engine, ready: Thread) -> list[Output]:
    """The tables of made-up rows: all classes are picked, then their neighbours are found, then their rows drawn."""
    sizes = engine.map(pick, classes, lambda done: None)
    rows = [share for each, n in zip(classes, sizes, strict=True) for share in each.shares(n, SEARCH_ROWS)]
    engine.map(search, rows, lambda done: None)
    ready.join()  # only now is imbalanced-learn asked
    draws = [share for each in classes for share in each.shares(each.n_blocks, GROW_BLOCKS)]
    return [output for outputs in engine.map(grow, draws, lambda done: None) for output in outputs]
