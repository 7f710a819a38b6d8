"""Stages in order over a folder: measure, reduce, apply part by part, write the ledger. One code path for a single
command and for a whole run: a single command is a run of one stage.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl

from cleanse.errors import ConfigError
from cleanse.ledger import Entry, chain, total
from cleanse.run import plan as planning
from cleanse.run import store, vectors
from cleanse.run.engines.base import Engine
from cleanse.run.history import history
from cleanse.run.manifest import stage_head
from cleanse.run.store import Output
from cleanse.run.tasks import Count, Done, Gather, Scatter, Start, Step, Task, carry, gather, scatter
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Stage, State, reject
from cleanse.stages import load
from cleanse.table import Schema, conform

FACTS = "facts.json"  # what a stage knows of the corpus, for its tasks
StageDone = Callable[[str, list[Entry]], None]


@dataclass(frozen=True)
class Table:
    """A folder of parts, as a stage finds it: `parts` are paths below `folder`, with their rows."""

    folder: Path
    parts: list[Output]
    schema: Schema
    exact: bool = True  # every part has just these columns, in this order


@dataclass(frozen=True)
class Job:
    """What all stages of a call share. `final`: the folder for the finished shards of a run."""

    settings: Settings
    engine: Engine
    on_stage: StageDone
    final: Path | None = None


@dataclass(frozen=True)
class StageResult:
    """What one stage left: its ledger, its facts, its tables, and the rejected ones."""

    name: str
    entries: list[Entry]
    facts: Facts
    kept: Table
    rejected: list[Output]
    outputs: list[Output]
    notes: list[str] = field(default_factory=list)
    files: dict[str, tuple[int, int, int]] = field(
        default_factory=dict
    )  # decode: records, problems, structural by source


def run_stages(
    names: Sequence[str], given: Table | planning.Plan, folders: Mapping[str, Path], job: Job
) -> list[StageResult]:
    """Run successive stages, from a plan of sources (then the first is decode) or from a folder of parts."""
    queue = [load(name) for name in names]
    results: list[StageResult] = []
    states: list[State] = []  # of the next stage's first open measure, already tallied on the way
    while queue:
        stage = queue.pop(0)
        folder = folders[stage.name]
        ready = _preparing(stage, job.settings)
        facts = {} if isinstance(given, planning.Plan) else _measured(stage, given, states, folder, job)
        states = []
        beside = _vectors(stage, given, folder, facts, job, ready) if isinstance(given, Table) and ready else None
        if isinstance(given, Table) and stage.passes(job.settings):
            new = [_passed(stage, given, folder, facts, job)]
        elif isinstance(given, Table) and stage.route:
            new = [_exchanged(stage, given, folder, facts, job)]
        else:
            way = [stage, *_row_wise(queue, job.settings)]
            del queue[: len(way) - 1]
            path = folder / FACTS if facts else None
            done = _carried(way, given, folders, path, _next_count(queue, job.settings), job)
            states = [each.state for each in done]
            new = _results(way, given, folders, facts, done, job.settings)
        if beside:
            new[0] = _with_vectors(new[0], *beside)
        for result in new:
            if results:
                chain(results[-1].entries[-1], result.entries[-1])
            results.append(_told(result, job.settings))
            _finish(results[-1], folders[result.name], job)
        given = results[-1].kept
    return results


def _preparing(stage: Stage, settings: Settings) -> Thread | None:
    """What a stage with vectors has to import, begun beside the counts; None for other stages."""
    if not stage.vectors or not stage.vectors.wanted(settings):
        return None
    thread = Thread(target=stage.vectors.prepare)
    thread.start()
    return thread


def _vectors(
    stage: Stage, given: Table, folder: Path, facts: Facts, job: Job, ready: Thread
) -> tuple[Entry, list[Output]]:
    """The vectors of a stage that makes some. First of all: what is no vector ends the stage before it writes rows."""
    parts, path = [str(given.folder / part.path) for part in given.parts], folder / FACTS
    entry, outputs, gone = vectors.write(stage.name, parts, given.schema, path, job.settings, job.engine, ready)
    facts["dropped"] = sorted(gone)
    _write_facts(folder, facts)
    return entry, outputs


def _with_vectors(result: StageResult, entry: Entry, outputs: Sequence[Output]) -> StageResult:
    """The ledger of the vectors goes before that of the records, which the next stage goes on with."""
    return replace(result, entries=[entry, *result.entries], outputs=[*result.outputs, *outputs])


def _row_wise(queue: Sequence[Stage], settings: Settings) -> list[Stage]:
    """The stages that may follow in the same task: they need to know nothing of the whole corpus first."""
    way = []
    for stage in queue:
        if stage.measures(settings) or stage.passes(settings) or stage.route:
            break
        way.append(stage)
    return way


def _next_count(queue: Sequence[Stage], settings: Settings) -> Count | None:
    """The first measure of the next stage, to be tallied while its table is still in memory."""
    measures = queue[0].measures(settings) if queue else ()
    return Count(queue[0].name, 0) if measures and measures[0].given is None else None


def _measured(stage: Stage, given: Table, states: Sequence[State], folder: Path, job: Job) -> Facts:
    """All that the stage must know of the corpus, tallied part by part and merged."""
    facts: Facts = {}
    if stage.history and (past := history(given.folder)):
        facts["history"] = past
    for number, measure in enumerate(stage.measures(job.settings)):
        saved = _saved(measure, given.folder)
        if saved is not None:
            facts[measure.name] = saved
            continue
        if number or not states:
            count = Count(stage.name, number, str(_write_facts(folder, facts)) if facts else None)
            states = [done.state for done in _carried([], given, {}, None, count, job)]
        facts[measure.name] = _reduced(measure, states, facts, job.settings)
    if facts and (stage.vectors or not stage.passes(job.settings)):  # else no task will ask for them
        _write_facts(folder, facts)
    return facts


def _saved(measure: Measure, folder: Path) -> Any:
    """The finished facts from the file that the user names, or from the input folder; None: there are none."""
    if measure.given is None:
        return store.read_json(folder / measure.saved) if measure.saved else None
    tree = store.read_json(Path(measure.given))
    if tree is None:
        what = f"no {measure.name} in {measure.given}"
        raise ConfigError("facts-unreadable", what, "name a file of an earlier run")
    return tree


def _reduced(measure: Measure, states: Sequence[State], facts: Facts, settings: Settings) -> Any:
    return measure.finish(functools.reduce(measure.merge, states), settings, facts)


def _write_facts(folder: Path, facts: Facts) -> Path:
    store.write_json(folder / FACTS, facts)
    return folder / FACTS


def _carried(
    way: Sequence[Stage],
    given: Table | planning.Plan,
    folders: Mapping[str, Path],
    facts: Path | None,
    count: Count | None,
    job: Job,
) -> list[Done]:
    """One task a part: through the stages of the way, then the tally. Only the first stage may have facts."""
    files = [str(facts) if facts else None, *[None] * len(way)]
    steps = tuple(Step(stage.name, str(folders[stage.name]), path) for stage, path in zip(way, files, strict=False))
    if isinstance(given, Table):
        starts = [[Start(store.part_name(n), str(given.folder / part.path))] for n, part in enumerate(given.parts)]
    else:
        starts = []
        for n, part in enumerate(given.parts):
            start = Start(store.part_name(n), shares=tuple(part))
            starts = [*starts[:-1], [*starts[-1], start]] if part[0].is_next else [*starts, [start]]
    tasks = [Task(tuple(group), job.settings, given.schema, steps, count) for group in starts]
    return [done for group in job.engine.map(carry, tasks, lambda done: None) for done in group]


def _results(
    way: Sequence[Stage],
    given: Table | planning.Plan,
    folders: Mapping[str, Path],
    facts: Facts,
    done: Sequence[Done],
    settings: Settings,
) -> list[StageResult]:
    entries = total(entry for each in done for entry in each.entries)
    results = []
    for stage in way:
        folder = folders[stage.name]
        outputs = [output for each in done for output in each.outputs[str(folder)]]
        mine = [entry for entry in entries if entry.stage == stage.name]
        known = facts if stage is way[0] else {}
        schema = {**given.schema, **stage.adds(settings, given.schema)}
        results.append(_result(stage.name, mine, known, folder, outputs, schema))
    files: dict[str, tuple[int, int, int]] = {}
    for name, (records, problems, lines) in (found for each in done for found in each.files.items()):
        before = files.get(name, (0, 0, 0))
        files[name] = (before[0] + records, before[1] + problems, before[2] + lines)
    return [replace(results[0], files=files), *results[1:]]


def _result(
    name: str, entries: list[Entry], facts: Facts, folder: Path, outputs: Sequence[Output], schema: Schema
) -> StageResult:
    kept = Table(folder, [o for o in outputs if o.path.startswith("kept/")], schema)
    return StageResult(
        name, entries, facts, kept, [o for o in outputs if o.path.startswith("rejected/")], list(outputs)
    )


def _passed(stage: Stage, given: Table, folder: Path, facts: Facts, job: Job) -> StageResult:
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
            frame = conform(pl.read_parquet(source), given.schema)
            outputs.append(store.write_table(target, folder, frame, mb))
        outputs.append(store.write_table(folder / "rejected" / name, folder, nothing, mb))
    rows = sum(part.rows for part in given.parts)
    return _result(stage.name, [Entry(stage.name, "record", rows, rows)], facts, folder, outputs, given.schema)


def _exchanged(stage: Stage, given: Table, folder: Path, facts: Facts, job: Job) -> StageResult:
    """Rows change their part: every part is cut in pieces by target, then each target is put together."""
    assert stage.outputs  # a stage with a route has them
    s, path, schema = job.settings, str(folder / FACTS), given.schema
    cuts = [
        Scatter(store.part_name(number), stage.name, str(given.folder / part.path), str(folder), path, s, schema)
        for number, part in enumerate(given.parts)
    ]
    pieces: dict[int, list[str]] = {}
    for _, found in job.engine.map(scatter, cuts, lambda done: None):
        for target, piece in found:
            pieces.setdefault(target, []).append(piece)
    root = job.final or folder
    targets = [
        str(root / name if job.final else folder / "kept" / f"{store.part_name(number)}.parquet")
        for number, name in enumerate(stage.outputs(facts))
    ]
    tasks = [
        Gather(stage.name, tuple(pieces.get(number, ())), target, str(root), path, s, schema, bool(job.final))
        for number, target in enumerate(targets)
    ]
    done = job.engine.map(gather, tasks, lambda done: None)
    for piece in (piece for found in pieces.values() for piece in found):
        Path(piece).unlink()
    store.prune(folder)
    return _result(stage.name, total(entry for entry, _ in done), facts, folder, [o for _, o in done], schema)


def _told(result: StageResult, settings: Settings) -> StageResult:
    """With what the stage says and counts of the corpus as a whole."""
    stage, last = load(result.name), result.entries[-1]
    counted = replace(last, changed={**last.changed, **stage.counted(settings, result.facts)})
    return replace(result, entries=[*result.entries[:-1], counted], notes=stage.notes(settings, result.facts))


def _finish(result: StageResult, folder: Path, job: Job) -> None:
    """The side files, then stage.json: it says ok only when all the rest is there."""
    store.write_side(folder, load(result.name).side(job.settings, result.facts))
    entries, outputs = ([each.as_json() for each in listed] for listed in (result.entries, result.outputs))
    tree = {**stage_head(result.name, job.settings), "status": "ok", "entries": entries, "outputs": outputs}
    store.write_json(folder / "stage.json", tree)
    job.on_stage(result.name, result.entries)
