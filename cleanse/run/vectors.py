"""The second half of a stage with vectors: fit a model, write the vector of each row, then what is made up of them."""

from collections.abc import Sequence
from dataclasses import dataclass
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
from cleanse.settings import Settings
from cleanse.stage import Vectors
from cleanse.stages import load
from cleanse.table import Schema

MODEL = "vectorizer.npz"
MARKER = "vectors"


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
        found = load(self.stage).vectors
        assert found  # only such stages have these tasks
        return found

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
    """Writes the vectors of a part."""
    model = place(task.folder) / "vectors" / MODEL
    known = model.read_bytes() if task.vectors.fits(task.settings) else None
    table = task.vectors.embed(task.frame(), task.settings, facts_of(task.facts), known)
    path = place(task.folder) / "vectors" / f"real-{task.number:05}.parquet"
    return store.write_table(path, place(task.folder), table, task.settings.run.row_group_mb)


@dataclass(frozen=True)
class Class:
    """A task: make up `n_new` rows of one class, in files from number `first` on."""

    stage: str
    label: str
    n_new: int
    first: int
    folder: str
    facts: str
    real: tuple[str, ...]
    settings: Settings

    def __str__(self) -> str:
        return f"synthetic vectors {self.first:05} and on"


def grow(task: Class) -> list[Output]:
    """Writes a table for each block of a class. Reads nothing but the vectors of that class."""
    vectors = load(task.stage).vectors
    assert vectors
    mine = (pl.col("label") == task.label) & (pl.col("split") == "train")
    wanted = ["_id", "label", "split", "features", "vectorizer_id"]
    rows = (
        pl.scan_parquet([readable(path) for path in task.real], parallel="prefiltered")
        .filter(mine)
        .select(wanted)
        .collect()
    )
    outputs = []
    made = vectors.grow(rows, task.label, task.n_new, task.settings, facts_of(task.facts))
    for number, table in enumerate(made, task.first):
        path = place(task.folder) / "vectors" / f"synthetic-{number:05}.parquet"
        outputs.append(store.write_table(path, place(task.folder), table, task.settings.run.row_group_mb))
    return outputs


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
    vectors, facts = load(task.stage).vectors, facts_of(task.facts)
    assert vectors
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
    vectors, folder = load(stage).vectors, facts.parent
    assert vectors
    tasks = [Part(i, stage, part, fspath(folder), fspath(facts), settings, schema) for i, part in enumerate(parts)]
    if vectors.fits(settings):
        ready.join()
        _fit(vectors, tasks, folder, settings, engine)
    real = engine.map(embed, tasks, lambda done: None)
    ready.join()
    paths = tuple(fspath(folder / output.path) for output in real)
    classes = _classes(stage, folder, facts, paths, settings)
    made = [output for each in engine.map(grow, classes, lambda done: None) for output in each]
    if not made:
        empty = pl.DataFrame(schema=vectors.table)
        made = [store.write_table(folder / "vectors/synthetic-00000.parquet", folder, empty, settings.run.row_group_mb)]
    n_real, n_made = (sum(output.rows for output in outputs) for outputs in (real, made))
    entry = Entry(
        stage, "vector", n_real, n_real + n_made, sum(c.n_new for c in classes), changed={"synthetic": n_made}
    )
    n_pools = vectors.pools(settings, facts_of(fspath(facts)))
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
    store.prune(folder)


def _classes(stage: str, folder: Path, facts: Path, real: tuple[str, ...], settings: Settings) -> list[Class]:
    vectors = load(stage).vectors
    assert vectors
    tasks, first = [], 0
    for label, n_new in vectors.plan(settings, facts_of(fspath(facts))).items():
        tasks.append(Class(stage, label, n_new, first, fspath(folder), fspath(facts), real, settings))
        first += -(-n_new // settings.resample.block_rows)
    return tasks
