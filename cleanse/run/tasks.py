"""What a worker does: carry one part through one or more stages, write each stage's tables, return counts."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from cleanse.ledger import Entry, balance
from cleanse.run.plan import Planned, Share, some
from cleanse.run.sources import changed
from cleanse.run.store import Output, write_table
from cleanse.run.streams import Reader
from cleanse.settings import Settings
from cleanse.stage import PART, Decoded, Facts, Measure, State, entry
from cleanse.stages import decode, load
from cleanse.stages.mending import finish
from cleanse.stages.reading import Spans
from cleanse.table import Schema, conform

BATCH_ROWS = 1 << 18  # of a part that is only counted: one Parquet file of a user may hold all rows


@dataclass(frozen=True)
class Step:
    """One stage of the way: where it writes, and the file of what it knows of the corpus."""

    stage: str
    folder: str
    facts: str | None = None


@dataclass(frozen=True)
class Count:
    """The measure to tally on the table at the end of the way: its stage, its number there, the facts so far."""

    stage: str
    measure: int
    facts: str | None = None


@dataclass(frozen=True)
class Start:
    """Where the way of a part begins: with `shares` of sources (then the first step is decode) or with a table."""

    part: str
    table: str = ""
    shares: tuple[Share, ...] = ()

    def __str__(self) -> str:
        return f"{self.part} ({some([str(share) for share in self.shares])})" if self.shares else self.part


@dataclass(frozen=True)
class Task:
    """A part and its way; several parts where a source can only be read from its beginning on."""

    starts: tuple[Start, ...]
    settings: Settings
    schema: Schema
    steps: tuple[Step, ...] = ()
    count: Count | None = None

    def __str__(self) -> str:
        way = [step.stage for step in self.steps] or ([self.count.stage] if self.count else [])
        return f"{'+'.join(way)} of {some([str(start) for start in self.starts])}"


@dataclass(frozen=True)
class Done:
    """What came of a task: ledger entries, written tables by folder, the tally, counts by source."""

    part: str
    entries: list[Entry] = field(default_factory=list)
    outputs: dict[str, list[Output]] = field(default_factory=dict)
    state: State = None
    files: dict[str, tuple[int, int, int]] = field(default_factory=dict)


def facts_of(path: str | None) -> Facts:
    """What a stage knows of the corpus, from its file."""
    facts: Facts = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return facts


def carry(task: Task) -> list[Done]:
    """Run the steps on each part, handing each stage's table to the next in memory."""
    opened: dict[str, Spans] = {}
    return [_carry(task, start, opened) for start in task.starts]


def _carry(task: Task, start: Start, opened: dict[str, Spans]) -> Done:
    done, steps = Done(start.part), list(task.steps)
    if task.count and not steps:
        return replace(done, state=_only_counted(task, start, task.count))
    if start.shares:
        frame = _decode(task, start.shares, opened, steps.pop(0), done)
    else:
        frame = conform(pl.read_parquet(start.table), task.schema)
    for step in steps:
        stage = load(step.stage)
        assert stage.apply  # all but decode have one
        frame = frame.rechunk()  # polars 2.1 panics in `format` when columns are cut in different places
        outcome = stage.apply(frame, task.settings, facts_of(step.facts))
        done.entries.append(balance(entry(step.stage, "record", frame.height, outcome), start.part))
        _write(task, step, done, kept=outcome.kept, rejected=outcome.rejected)
        frame = outcome.kept
    return replace(done, state=_tally(task, start.part, task.count, frame)) if task.count else done


def _measure(task: Task, count: Count) -> Measure:
    return load(count.stage).measures(task.settings)[count.measure]


def _tally(task: Task, part: str, count: Count, frame: pl.DataFrame) -> State:
    named = frame.with_columns(pl.lit(part).alias(PART))
    return _measure(task, count).tally(named, task.settings, facts_of(count.facts))


def _only_counted(task: Task, begin: Start, count: Count) -> State:
    """The tally of a part that goes nowhere: only the columns that are counted are read, BATCH_ROWS at a time."""
    measure, columns = _measure(task, count), frozenset(task.schema)
    wanted = measure.columns(task.settings, columns) if measure.columns else columns
    n_rows = pl.scan_parquet(begin.table).select(pl.len()).collect().item()
    state = None
    for start in range(0, max(1, n_rows), BATCH_ROWS):
        frame = read_columns(begin.table, task.schema, wanted, start, min(BATCH_ROWS, n_rows - start))
        new = _tally(task, begin.part, count, frame)
        state = new if state is None else measure.merge(state, new)
    return state


def read_columns(
    table: str, schema: Schema, wanted: frozenset[str], start: int = 0, n_rows: int | None = None
) -> pl.DataFrame:
    """Some columns of a part, in the types of the schema."""
    there = [name for name in pl.read_parquet_schema(table) if name in wanted]
    if not there:  # nothing is read of a row, but it counts
        height = pl.scan_parquet(table).select(pl.len()).collect().item() if n_rows is None else n_rows
        return conform(pl.DataFrame(height=height), {})
    frame = pl.scan_parquet(table).select(there).slice(start, n_rows).collect()
    return conform(frame, {name: dtype for name, dtype in schema.items() if name in wanted})


def _write(task: Task, step: Step, done: Done, **tables: pl.DataFrame) -> None:
    root = Path(step.folder)
    for name, table in tables.items():
        path = root / name / f"{done.part}.parquet"
        done.outputs.setdefault(step.folder, []).append(write_table(path, root, table, task.settings.run.row_group_mb))


def _decode(task: Task, shares: Sequence[Share], opened: dict[str, Spans], step: Step, done: Done) -> pl.DataFrame:
    """The records of all shares of the part. Two ledger units: files and records."""
    found: list[Decoded] = []
    for share in shares:
        planned = share.planned
        each = decode.read(_spans(planned, opened, task.settings), share.piece, task.schema, task.settings)
        problems = each.records.height - each.records["_problem"].null_count()
        n_lines = 0 if each.structural is None else each.structural.height
        done.files[planned.source.name] = (each.records.height, problems, n_lines)
        found.append(each)
    refused = [each.refused for each in found if each.refused is not None]
    records = pl.concat([each.records for each in found]).rechunk()
    counted = sum((Counter(each.counted) for each in found), Counter[str]())
    outcome = finish(records, task.settings)
    outcome = replace(outcome, changed={**outcome.changed, **counted})
    done.entries.append(balance(_files(shares, found), done.part))
    done.entries.append(balance(entry("decode", "record", records.height, outcome), done.part))
    lines = [pl.DataFrame(schema=decode.LINES), *(each.structural for each in found if each.structural is not None)]
    rejected = pl.concat([*refused, outcome.rejected])
    _write(task, step, done, kept=outcome.kept, rejected=rejected, structural=pl.concat(lines))
    return outcome.kept


def _spans(planned: Planned, opened: dict[str, Spans], settings: Settings) -> Spans | None:
    """The source, opened; for the next part of it the same object. Raises InputError when its file has changed."""
    name = planned.source.name
    if name not in opened:
        opened.clear()
        if planned.source.refused:
            return None
        reader = Reader(planned.source, settings.decode.max_expand_ratio)
        if reader.stamp != planned.stamp:
            raise changed(planned.source)
        opened[name] = Spans(reader, planned.facts.decision)
    return opened[name]


def _files(shares: Sequence[Share], found: Sequence[Decoded]) -> Entry:
    """The ledger unit `file`: each source is kept, or one rejected row. It counts with its first piece."""
    first = [each for share, each in zip(shares, found, strict=True) if share.piece.is_first]
    reasons = Counter(each.refused["_reason"].item() for each in first if each.refused is not None)
    noticed = sum((Counter(each.changed) for each in found), Counter[str]())
    return Entry("decode", "file", len(first), len(first) - reasons.total(), rejected=reasons, changed=noticed)


@dataclass(frozen=True)
class Scatter:
    """A task: cut one part by the output part that each row goes to. Pieces lie in `folder`/scatter."""

    part: str
    stage: str
    table: str
    folder: str
    facts: str
    settings: Settings
    schema: Schema

    def __str__(self) -> str:
        return f"{self.stage} of {self.part}"


def scatter(task: Scatter) -> tuple[int, list[tuple[int, str]]]:
    """Rows read, and the pieces: (output part, path)."""
    frame = conform(pl.read_parquet(task.table), task.schema)
    route = load(task.stage).route
    assert route  # only such stages are scattered
    where = route(frame, task.settings, facts_of(task.facts))
    pieces = []
    for target in where.unique().sort():
        path = Path(task.folder, "scatter", f"{task.part}-{target:05}.parquet")
        write_table(path, Path(task.folder), frame.filter(where == target), task.settings.run.row_group_mb)
        pieces.append((target, str(path)))
    return frame.height, pieces


@dataclass(frozen=True)
class Gather:
    """A task: one output part from its pieces, to `target` below `root`. `final`: for data/, without bookkeeping."""

    stage: str
    pieces: tuple[str, ...]
    target: str
    root: str
    facts: str
    settings: Settings
    schema: Schema
    final: bool

    def __str__(self) -> str:
        return f"{self.stage} to {Path(self.target).name}"


def gather(task: Gather) -> tuple[Entry, Output]:
    """The ledger line of one output part, and its file."""
    empty = pl.DataFrame(schema=task.schema)
    frame = pl.concat([empty, *(pl.read_parquet(piece) for piece in task.pieces)])
    apply = load(task.stage).apply
    assert apply  # all stages but decode have one
    outcome = apply(frame, task.settings, facts_of(task.facts))
    counted = balance(entry(task.stage, "record", frame.height, outcome), task.target)
    kept = outcome.kept
    if task.final:
        kept = kept.select("_id", *(name for name in kept.columns if not name.startswith("_")))
    mb = task.settings.run.row_group_mb
    output = write_table(Path(task.target), Path(task.root), kept, mb, "final" if task.final else "stages")
    return counted, output


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
        conform(pl.read_parquet(path), task.schema).with_columns(_stage=pl.lit(stage)) for stage, path in task.tables
    ]
    return write_table(
        Path(task.target), Path(task.root), pl.concat([empty, *frames]), task.settings.run.row_group_mb, "final"
    )
