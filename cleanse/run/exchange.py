"""Rows change their part: every part is cut in pieces by target, then each target is put together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from os import fspath
from pathlib import Path

import polars as pl

from cleanse.ledger import balance, total
from cleanse.run import markers, store
from cleanse.run.engines import capacity
from cleanse.run.job import Job, StageResult, Table, kept
from cleanse.run.markers import Marker
from cleanse.run.places import place
from cleanse.run.store import Output, text_bytes, write_table
from cleanse.run.tables import readable
from cleanse.run.tasks import facts_of
from cleanse.settings import Settings
from cleanse.stage import Facts, Stage, entry
from cleanse.stages import load
from cleanse.table import Schema, conform


@dataclass(frozen=True)
class Scatter:
    """A task: cut one part by the output part that each row goes to. Pieces lie in `folder`/scatter. `key`: of its
    marker.
    """

    part: str
    stage: str
    table: str
    folder: str
    facts: str
    settings: Settings
    schema: Schema
    key: str

    def __str__(self) -> str:
        return f"{self.stage} of {self.part}"


def scatter(task: Scatter) -> Marker:
    """The marker with the pieces."""
    frame = conform(pl.read_parquet(readable(task.table)), task.schema)
    route, folder, mb = load(task.stage).route, place(task.folder), task.settings.run.row_group_mb
    assert route  # only such stages are scattered
    where = route(frame, task.settings, facts_of(task.facts))
    pieces, sizes = list[Output](), dict[str, int]()
    for target in where.unique().sort():
        rows = frame.filter(where == target)
        pieces.append(write_table(folder / piece(task.part, target), folder, rows, mb))
        sizes[pieces[-1].path] = text_bytes(rows)
    marker = Marker(task.key, outputs=pieces, noted={"text": sizes})
    markers.write(folder, f"scatter-{task.part}", marker)
    return marker


def piece(part: str, target: int) -> str:
    """Where the rows of a part lie that go to an output part.

    >>> piece("part-00003", 7)
    'scatter/part-00003-00007.parquet'
    """
    return f"scatter/{part}-{target:05}.parquet"


@dataclass(frozen=True)
class Gather:
    """A task: one output part from its pieces, to `target` below `root`. `final`: for data/, without bookkeeping.
    `key`: of its marker in the stage's `folder`.
    """

    stage: str
    pieces: tuple[str, ...]
    target: str
    root: str
    folder: str
    facts: str
    settings: Settings
    schema: Schema
    final: bool
    key: str

    def __str__(self) -> str:
        return f"{self.stage} to {Path(self.target).name}"


def gather(task: Gather) -> Marker:
    """The ledger line of one output part, and its file."""
    empty = pl.DataFrame(schema=task.schema)
    frame = pl.concat([empty, *(pl.read_parquet(readable(each)) for each in task.pieces)])
    apply = load(task.stage).apply
    assert apply  # all stages but decode have one
    outcome = apply(frame, task.settings, facts_of(task.facts))
    counted = balance(entry(task.stage, "record", frame.height, outcome), task.target)
    rows = outcome.kept
    if task.final:
        rows = rows.select("_id", *(name for name in rows.columns if not name.startswith("_")))
    mb, target = task.settings.run.row_group_mb, place(task.target)
    output = write_table(target, place(task.root), rows, mb, "final" if task.final else "stages")
    marker = Marker(task.key, [counted], [output])
    markers.write(place(task.folder), target.stem, marker)
    return marker


def exchanged(stage: Stage, given: Table, folder: Path, facts: Facts, path: Path, job: Job) -> StageResult:
    """Rows change their part: every part is cut in pieces by target, then each target is put together.

    `path`: the file of `facts`.
    """
    assert stage.outputs  # a stage with a route has them
    basis = markers.basis(stage, job.settings, given.schema, facts)
    root, everything = job.final or folder, [part.sha256 for part in given.parts]
    tasks, made = [], dict[str, Marker]()
    for number, name in enumerate(stage.outputs(facts)):
        target = root / name if job.final else folder / "kept" / f"{store.part_name(number)}.parquet"
        key = markers.digest(basis, everything, number)
        found = job.found(stage.name, folder, target.stem, key, root)
        made |= {target.stem: found} if found else {}
        tasks.append(Gather(stage.name, (), fspath(target), fspath(root), fspath(folder), fspath(path), job.settings,
                            given.schema, bool(job.final), key))  # fmt: skip
    open_ = [(number, task) for number, task in enumerate(tasks) if place(task.target).stem not in made]
    pieces = _scattered(stage, given, folder, path, basis, job) if open_ else {}
    parts = [store.part_name(number) for number in range(len(given.parts))]
    of = {number: [at for part in parts if (at := piece(part, number)) in pieces] for number, _ in open_}
    ready = [replace(task, pieces=tuple(fspath(folder / at) for at in of[number])) for number, task in open_]
    largest = max((sum(pieces[at] for at in each) for each in of.values()), default=0)
    at_once = capacity.at_once(job.settings.run, job.engine.workers, largest / 2**20)
    for task, marker in zip(ready, job.engine.map(gather, ready, lambda done: None, at_once), strict=True):
        made[place(task.target).stem] = marker
    _swept(folder, pieces, parts)
    ordered = [made[place(task.target).stem] for task in tasks]
    entries = total(entry for marker in ordered for entry in marker.entries)
    outputs = [output for marker in ordered for output in marker.outputs]
    return StageResult(stage.name, entries, {}, kept(folder, outputs, given.schema), outputs, list(made))


def _scattered(stage: Stage, given: Table, folder: Path, facts: Path, basis: str, job: Job) -> dict[str, int]:
    """Every part in pieces: path below `folder` → bytes of text."""
    found, cuts = list[Marker](), []
    for number, part in enumerate(given.parts):
        name, key = store.part_name(number), markers.digest(basis, part.sha256)
        if marker := job.found(stage.name, folder, f"scatter-{name}", key):
            found.append(marker)
        else:
            cuts.append(Scatter(name, stage.name, fspath(given.folder / part.path), fspath(folder), fspath(facts),
                                job.settings, given.schema, key))  # fmt: skip
    found += job.engine.map(scatter, cuts, lambda done: None)
    return {path: size for marker in found for path, size in marker.noted["text"].items()}


def _swept(folder: Path, pieces: Collection[str], parts: Sequence[str]) -> None:
    """No piece is left once all targets are there."""
    for path in [*pieces, *(f"{markers.FOLDER}/scatter-{part}.json" for part in parts)]:
        (folder / path).unlink(missing_ok=True)
    store.prune(folder)
