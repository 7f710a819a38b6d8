"""The three ways of a stage's rows: carried part by part through successive stages, passed on as they are, or
exchanged between parts. What an earlier call has made, by its markers, is not made again.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Union

import polars as pl

from cleanse.ledger import Entry, total
from cleanse.run import markers, store
from cleanse.run.job import Job, StageResult, Table, kept
from cleanse.run.markers import Marker
from cleanse.run.places import place
from cleanse.run.tables import readable
from cleanse.run.tasks import Count, Done, Start, Step, Task, carry
from cleanse.stage import Stage, State, reject
from cleanse.stages import load
from cleanse.table import Schema, conform

if TYPE_CHECKING:
    from cleanse.run.plan import Plan

Given = Union[Table, "Plan"]  # a plan is loaded with what reads bytes: only decode needs that


class Sum:
    """The tallies of parts, added up in the order of the parts as they come: of all of them one is held, and those that
    wait for an earlier part.
    """

    def __init__(self, count: Count, parts: Iterable[str], job: Job) -> None:
        self._merge = load(count.stage).measures(job.settings)[count.measure].merge
        self._rest, self._waiting = deque(parts), dict[str, State]()
        self.state: State = None

    def add(self, done: Iterable[Done]) -> None:
        """The tallies of some parts, which do not keep them."""
        for each in done:
            self._waiting[each.part], each.state = each.state, None
        while self._rest and self._rest[0] in self._waiting:
            state = self._waiting.pop(self._rest.popleft())
            self.state = state if self.state is None else self._merge(self.state, state)


def tallied(given: Table, count: Count, job: Job) -> State:
    """A measure of all parts."""
    starts = [start for (start,) in _starts(given)]
    found = Sum(count, [start.part for start in starts], job)
    tasks = [Task((start,), job.settings, given.schema, count=count) for start in starts]
    job.engine.map(carry, tasks, found.add)
    return found.state


def _starts(given: Given) -> list[list[Start]]:
    """Where the parts begin, those together that one task must read from the beginning of their source."""
    if isinstance(given, Table):
        parts = enumerate(given.parts)
        return [[Start(store.part_name(n), part.sha256, fspath(given.folder / part.path))] for n, part in parts]
    starts: list[list[Start]] = []
    for n, shares in enumerate(given.parts):
        digest = markers.digest([(s.planned.source.name, s.planned.sha256, s.piece.as_json()) for s in shares])
        start = Start(store.part_name(n), digest, shares=tuple(shares))
        if shares[0].is_next:
            starts[-1].append(start)
        else:
            starts.append([start])
    return starts


def carried(
    way: Sequence[Stage], given: Given, folders: Mapping[str, Path], facts: Path | None, count: Count | None, job: Job
) -> tuple[list[StageResult], State] | None:
    """Every part through the stages of the way, in one task each; the sum of tallies. Only the first may have facts.

    The tally is left out where no part had to be made. None: this call does not make all parts, and some are missing.
    """
    schemas = _schemas(way, given.schema, job)
    count = None if job.extent.share else count  # some parts are made elsewhere
    known = [store.read_json(facts) if facts else {}, *[{}] * len(way)]
    steps = tuple(
        Step(stage.name, fspath(folders[stage.name]), schema, markers.basis(stage, job.settings, schema, know or {}),
             fspath(facts) if facts and stage is way[0] else None)
        for stage, schema, know in zip(way, schemas, known, strict=False)
    )  # fmt: skip
    groups = _starts(given)
    found = {start.part: _found(start, steps, job) for group in groups for start in group}
    whole = all(len(made) == len(steps) for made in found.values())
    tasks = []
    for number, group in enumerate(groups):
        if job.extent.has_part(number) and not whole:
            tasks += _tasks(group, found, Task((), job.settings, schemas[-1], steps, count))
    for part, ready in found.items():
        for marker in ready:
            job.told("part_done", marker.entries, part=part, cached=True)
    counted = Sum(count, found, job) if count else None
    made_now = job.engine.map(carry, tasks, partial(_told, job, counted))
    done = {each.part: each for group in made_now for each in group}
    full = [[*made, *done.get(part, Done(part)).made] for part, made in found.items()]
    if any(len(made) < len(steps) for made in full):
        return None
    results = [
        _result(stage, [(part, made[number]) for part, made in zip(found, full, strict=True)], schema, folders, job)
        for number, (stage, schema) in enumerate(zip(way, schemas[1:], strict=True))
    ]
    return results, counted and counted.state


def _told(job: Job, all_parts: Sum | None, done: Sequence[Done]) -> None:
    """An event for each part of each stage that was made now. What was tallied is added up."""
    if all_parts:
        all_parts.add(done)
    for each in done:
        for marker, seconds in zip(each.made, each.seconds, strict=True):
            spent = {"seconds": seconds, "rss_mb": each.rss_mb}
            job.told("part_done", marker.entries, part=each.part, cached=False, **spent)


def n_done(stage: Stage, given: Given, folder: Path, job: Job) -> int:
    """Parts of a first stage that need not be made again."""
    basis = markers.basis(stage, job.settings, given.schema, {})
    steps = (Step(stage.name, fspath(folder), given.schema, basis),)
    return sum(len(_found(start, steps, job)) for group in _starts(given) for start in group)


def _schemas(way: Sequence[Stage], schema: Schema, job: Job) -> list[Schema]:
    """Of the table that each stage of the way reads, then of the one at its end."""
    schemas = [schema]
    for stage in way:
        schemas.append({**schemas[-1], **stage.adds(job.settings, schemas[-1])})
    return schemas


def _found(start: Start, steps: Sequence[Step], job: Job) -> list[Marker]:
    """The markers of the steps that have been made of this part, from the first on."""
    made: list[Marker] = []
    for step in steps:
        marker = job.found(step.stage, place(step.folder), start.part, step.key(start.digest))
        if marker is None:
            break
        made.append(marker)
        start = start.behind(marker, place(step.folder))
    return made


def _tasks(group: Sequence[Start], found: Mapping[str, list[Marker]], task: Task) -> list[Task]:
    """The tasks for parts of one source: those that are to be read in one go, then those that go on from a table."""
    begun, fresh = list[Start](), list[Start]()
    for start in group:
        for step, marker in zip(task.steps, found[start.part], strict=False):
            start = start.behind(marker, place(step.folder))
        if start.n_done < len(task.steps) or task.count:
            (begun if start.n_done else fresh).append(start)
    return [replace(task, starts=starts) for starts in ([tuple(fresh)] if fresh else []) + [(each,) for each in begun]]


def _result(
    stage: Stage, made: Sequence[tuple[str, Marker]], schema: Schema, folders: Mapping[str, Path], job: Job
) -> StageResult:
    entries = total(entry for _, marker in made for entry in marker.entries)
    outputs = [output for _, marker in made for output in marker.outputs]
    files: dict[str, tuple[int, ...]] = {}
    for name, counts in (found for _, marker in made for found in marker.noted.get("files", {}).items()):
        files[name] = tuple(map(sum, zip(files.get(name, (0,) * len(counts)), counts, strict=True)))
    return StageResult(
        stage.name, entries, {}, kept(folders[stage.name], outputs, schema), outputs, [part for part, _ in made],
        files=files,
    )  # fmt: skip


def passed(stage: Stage, given: Table, folder: Path, job: Job) -> StageResult:
    """Every row goes through: the input parts are linked (written anew where they lack columns of the contract)."""
    outputs = []
    mb = job.settings.run.row_group_mb
    nothing = reject(pl.DataFrame(schema=given.schema), "", "")
    for number, part in enumerate(given.parts):
        name = f"{store.part_name(number)}.parquet"
        source, target = given.folder / part.path, folder / "kept" / name
        if given.exact:
            store.link(source, target)
            outputs.append(replace(part, path=f"kept/{name}"))
        else:
            frame = conform(pl.read_parquet(readable(source)), given.schema)
            outputs.append(store.write_table(target, folder, frame, mb))
        outputs.append(store.write_table(folder / "rejected" / name, folder, nothing, mb))
    rows = sum(part.rows for part in given.parts)
    entry = Entry(stage.name, "record", rows, rows)
    return StageResult(stage.name, [entry], {}, kept(folder, outputs, given.schema), outputs)
