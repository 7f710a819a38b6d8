"""What a worker does: carry one part through one or more stages, write each stage's tables, return counts."""

import json
import resource
import time
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from cleanse.ledger import balance
from cleanse.run import markers
from cleanse.run.markers import Marker
from cleanse.run.places import place
from cleanse.run.ready import Ready, some
from cleanse.run.store import write_table
from cleanse.run.tables import readable
from cleanse.settings import Settings
from cleanse.stage import PART, Facts, Measure, State, entry
from cleanse.stages import load
from cleanse.table import Schema, conform

if TYPE_CHECKING:
    from cleanse.run.plan import Share
    from cleanse.stages.spans import Spans

BATCH_ROWS = 1 << 18  # of a part that is only counted: one Parquet file of a user may hold all rows


@dataclass(frozen=True)
class Step:
    """One stage of the way: where it writes, the columns it reads, what else its parts are made of (`markers.basis`),
    and the file of what it knows of the corpus.
    """

    stage: str
    folder: str
    schema: Schema
    basis: str
    facts: str | None = None

    def key(self, made_of: str) -> str:
        """Of the marker of a part. `made_of`: the digest of what it is made from."""
        return markers.digest(self.basis, made_of)


@dataclass(frozen=True)
class Count:
    """The measure to tally on the table at the end of the way: its stage, its number there, the facts so far."""

    stage: str
    measure: int
    facts: str | None = None


@dataclass(frozen=True)
class Start:
    """Where the way of a part begins: with `shares` of sources (then the first step is decode) or with a table.

    `digest`: of that; `n_done`: steps that lie behind it.
    """

    part: str
    digest: str
    table: str = ""
    shares: "tuple[Share, ...]" = ()
    n_done: int = 0

    def behind(self, marker: Marker, folder: Path) -> "Start":
        """The start one step later, when that step has been made."""
        kept = next(output for output in marker.outputs if output.path.startswith("kept/"))
        return Start(self.part, kept.sha256, fspath(folder / kept.path), n_done=self.n_done + 1)

    def __str__(self) -> str:
        return f"{self.part} ({some([str(share) for share in self.shares])})" if self.shares else self.part


@dataclass(frozen=True)
class Task:
    """A part and its way; several parts where a source can only be read from its beginning on. `schema`: of the table
    at the end of the way.
    """

    starts: tuple[Start, ...]
    settings: Settings
    schema: Schema
    steps: tuple[Step, ...] = ()
    count: Count | None = None

    def __str__(self) -> str:
        way = [step.stage for step in self.steps] or ([self.count.stage] if self.count else [])
        return f"{'+'.join(way)} of {some([str(start) for start in self.starts])}"


@dataclass
class Done:
    """What came of a part: a marker for each step that was made, with its seconds, and the tally, until it is added to
    those of the others. `rss_mb`: the most that the worker has held so far.
    """

    part: str
    made: list[Marker] = field(default_factory=list)
    state: State = None
    seconds: list[float] = field(default_factory=list)
    rss_mb: int = 0


def facts_of(path: str | None) -> Facts:
    """What a stage knows of the corpus, from its file."""
    facts: Facts = json.loads(place(path).read_text(encoding="utf-8")) if path else {}
    return facts


def carry(task: Task) -> list[Done]:
    """Run the steps on each part, handing each stage's table to the next in memory."""
    opened: dict[str, Spans] = {}
    return [_carry(task, start, opened) for start in task.starts]


def _carry(task: Task, start: Start, opened: "dict[str, Spans]") -> Done:
    steps, made, seconds = task.steps[start.n_done :], list[Marker](), list[float]()
    if not steps:
        return Done(start.part, state=_only_counted(task, start, task.count) if task.count else None)
    frame = pl.DataFrame() if start.shares else conform(pl.read_parquet(readable(start.table)), steps[0].schema)
    for step in steps:
        began = time.monotonic()
        if start.shares:
            from cleanse.run.decoding import decoded  # late: no other stage needs what reads bytes

            ready = decoded(start.part, start.shares, opened, step.schema, task.settings)
        else:
            ready = _apply(task, start, step, frame)
        made.append(_commit(task, start, step, ready))
        frame, start = ready.tables["kept"], start.behind(made[-1], place(step.folder))
        seconds.append(round(time.monotonic() - began, 3))
    state = _tally(task, start.part, task.count, frame) if task.count else None
    return Done(start.part, made, state, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)


def _apply(task: Task, start: Start, step: Step, frame: pl.DataFrame) -> Ready:
    apply = load(step.stage).apply
    assert apply  # all but decode have one
    frame = frame.rechunk()  # polars 2.1 panics in `format` when columns are cut in different places
    outcome = apply(frame, task.settings, facts_of(step.facts))
    counted = balance(entry(step.stage, "record", frame.height, outcome), start.part)
    return Ready({"kept": outcome.kept, "rejected": outcome.rejected}, [counted], outcome.sources)


def _commit(task: Task, start: Start, step: Step, ready: Ready) -> Marker:
    """The tables of a step, then its marker."""
    root, mb = place(step.folder), task.settings.run.row_group_mb
    outputs = [
        write_table(root / name / f"{start.part}.parquet", root, table, mb) for name, table in ready.tables.items()
    ]
    marker = Marker(step.key(start.digest), ready.entries, outputs, {"files": ready.files} if ready.files else {})
    markers.write(root, start.part, marker)
    return marker


def _measure(task: Task, count: Count) -> Measure:
    return load(count.stage).measures(task.settings)[count.measure]


def _tally(task: Task, part: str, count: Count, frame: pl.DataFrame) -> State:
    named = frame.with_columns(pl.lit(part).alias(PART))
    return _measure(task, count).tally(named, task.settings, facts_of(count.facts))


def _only_counted(task: Task, begin: Start, count: Count) -> State:
    """The tally of a part that goes nowhere: only the columns that are counted are read, BATCH_ROWS at a time."""
    measure, columns = _measure(task, count), frozenset(task.schema)
    wanted = measure.columns(task.settings, columns) if measure.columns else columns
    table = readable(begin.table)
    n_rows = pl.scan_parquet(table).select(pl.len()).collect().item()
    state = None
    for start in range(0, max(1, n_rows), BATCH_ROWS):
        frame = read_columns(table, task.schema, wanted, start, min(BATCH_ROWS, n_rows - start))
        new = _tally(task, begin.part, count, frame)
        state = new if state is None else measure.merge(state, new)
    return state


def read_columns(
    table: Any, schema: Schema, wanted: frozenset[str], start: int = 0, n_rows: int | None = None
) -> pl.DataFrame:
    """Some columns of a part, in the types of the schema."""
    there = [name for name in pl.read_parquet_schema(table) if name in wanted]
    if not there:  # nothing is read of a row, but it counts
        height = pl.scan_parquet(table).select(pl.len()).collect().item() if n_rows is None else n_rows
        return conform(pl.DataFrame(height=height), {})
    frame = pl.scan_parquet(table).select(there).slice(start, n_rows).collect()
    return conform(frame, {name: dtype for name, dtype in schema.items() if name in wanted})
