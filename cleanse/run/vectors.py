"""The second half of a stage with vectors: the rows that are made up between them, and those that go."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path
from threading import Thread

import polars as pl

from cleanse.ledger import Entry, balance
from cleanse.run import embedding, store
from cleanse.run.engines.base import Engine
from cleanse.run.job import Table
from cleanse.run.places import place
from cleanse.run.store import Output
from cleanse.run.tables import readable
from cleanse.run.tasks import facts_of
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Vectors

MARKER = "vectors"
SEARCH_ROWS = 4096  # of a class whose neighbours are one task
GROW_BLOCKS = 4  # of a class that are drawn in one task


@dataclass(frozen=True)
class Class:
    """A class to raise by `n_new` rows, in files from number `first` on; and as tasks: a share of the work on it.

    `number`: of the class among those that are raised. `n_own`: its rows, as picked. `some`: rows to seek neighbours
    of, or blocks to draw.
    """

    stage: str
    number: int
    label: str
    n_new: int
    first: int
    folder: str
    facts: str
    n_tables: int
    settings: Settings
    n_own: int = 0
    some: range = range(0)

    def __str__(self) -> str:
        return f"vectors of class {self.number:05}, {self.some.start} to {self.some.stop}"

    @property
    def vectors(self) -> Vectors:
        """What the stage knows of vectors."""
        return embedding.vectors_of(self.stage)

    @property
    def picked(self) -> Path:
        """The table of the vectors to draw between."""
        return embedding.scratch(self.folder, f"class-{self.number:05}")

    def near(self, start: int) -> Path:
        """The table of the neighbours of the rows from `start` on."""
        return embedding.scratch(self.folder, f"near-{self.number:05}-{start:05}")

    def crowd(self) -> pl.DataFrame:
        """The vectors to draw between."""
        return pl.read_ipc(readable(self.picked))

    @property
    def n_blocks(self) -> int:
        """Blocks of the rows to make up."""
        return -(-self.n_new // self.settings.resample.block_rows)

    @property
    def most_blocks(self) -> int:
        """Blocks that are one task."""
        return self.n_blocks if self.vectors.at_once(self.settings) else GROW_BLOCKS

    def shares(self, n: int, most: int) -> "list[Class]":
        """The work on `n` rows or blocks as tasks of at most `most` of them."""
        return [replace(self, some=range(start, min(start + most, n))) for start in range(0, n, most)]


@dataclass(frozen=True)
class Aside:
    """The tables of vectors to draw between, each read when its turn comes."""

    paths: Sequence[Path]

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return (pl.read_ipc(readable(path)) for path in self.paths)


def pick(task: Class) -> int:
    """Writes the vectors of a class to draw between; returns how many they are. Reads those of raised classes only."""
    aside = Aside([embedding.scratch(task.folder, store.part_name(number)) for number in range(task.n_tables)])
    crowd = task.vectors.pick(aside, task.label, task.settings, facts_of(task.facts))
    store.write_scratch(task.picked, crowd)
    return crowd.filter(pl.col("label") == task.label).height


def search(task: Class) -> None:
    """Writes the neighbours of some rows of a class."""
    some, facts = task.some, facts_of(task.facts)
    near = task.vectors.search(task.crowd(), task.label, some.start, some.stop, task.settings, facts)
    store.write_scratch(task.near(some.start), near)


def grow(task: Class) -> list[Output]:
    """Writes a table for each of some blocks of a class."""
    crowd, draws = task.crowd(), Draws(task.n_new, task.settings.resample.block_rows, task.some)
    near = pl.concat(pl.read_ipc(readable(task.near(start))) for start in range(0, task.n_own, SEARCH_ROWS))
    made = task.vectors.grow(crowd, near, task.label, draws, task.settings, facts_of(task.facts))
    root = place(task.folder)
    paths = [root / "vectors" / f"synthetic-{task.first + number:05}.parquet" for number in task.some]
    return [embedding.write(table, path, root, task.settings) for table, path in zip(made, paths, strict=True)]


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
    vectors, facts = embedding.vectors_of(task.stage), facts_of(task.facts)
    rows = pl.concat(
        [vectors.in_pool(pl.read_parquet(readable(path)), task.number, task.settings, facts) for path in task.real]
    )
    return vectors.dropped(rows, task.settings, facts)


def write(
    stage: str, given: Table, facts: Path, settings: Settings, engine: Engine, ready: Thread
) -> tuple[Entry, list[Output], list[str]]:
    """All vectors of a stage, their line in the ledger (unit `vector`), the ids of rows that go.

    `facts`: the stage's, in its folder. `ready`: ends when all is imported; two threads must not import at once.
    """
    vectors, folder = embedding.vectors_of(stage), facts.parent
    tasks = embedding.tasks(stage, given, facts, settings)
    if vectors.fits(settings):
        ready.join()
        embedding.fit(vectors, tasks, folder, settings, engine)
    real = [output for outputs in engine.map(embedding.embed, tasks, lambda done: None) for output in outputs]
    plan = vectors.plan(settings, facts_of(fspath(facts)))
    classes = _classes(plan, Class(stage, 0, "", 0, 0, fspath(folder), fspath(facts), len(real), settings))
    made = _grown(classes, engine, ready)
    for path in (folder / "scatter").glob("*.arrow"):
        path.unlink()
    store.prune(folder)
    if not made:
        empty = pl.DataFrame(schema=vectors.table)
        made = [embedding.write(empty, folder / "vectors/synthetic-00000.parquet", folder, settings)]
    n_real, n_made = (sum(output.rows for output in outputs) for outputs in (real, made))
    entry = Entry(stage, "vector", n_real, n_real + n_made, sum(plan.values()), changed={"synthetic": n_made})
    n_pools = vectors.pools(settings, facts_of(fspath(facts)))
    paths = tuple(fspath(folder / output.path) for output in real)
    drawn = [Pool(stage, number, fspath(facts), paths, settings) for number in range(n_pools)]
    gone = [id for each in engine.map(thin, drawn, lambda done: None) for id in each]
    return balance(entry, "vectors"), [*real, *made], gone


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
    picked = [replace(each, n_own=n) for each, n in zip(classes, sizes, strict=True)]
    rows = [share for each in picked for share in each.shares(each.n_own, SEARCH_ROWS)]
    engine.map(search, rows, lambda done: None)
    ready.join()  # only now is imbalanced-learn asked
    draws = [share for each in picked for share in each.shares(each.n_blocks, each.most_blocks)]
    return [output for outputs in engine.map(grow, draws, lambda done: None) for output in outputs]
