"""Stages in order over a folder: what each has to know first, then the way of its rows, then its side files and
stage.json. One code path for a single command and for a whole run: a single command is a run of one stage.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

from cleanse.ledger import Entry, chain
from cleanse.run import known, markers, store, vectors, ways
from cleanse.run.exchange import exchanged
from cleanse.run.job import Job, StageResult, Table
from cleanse.run.manifest import stage_head
from cleanse.run.markers import Marker
from cleanse.run.store import Output
from cleanse.run.tasks import Count
from cleanse.run.ways import Given
from cleanse.settings import Settings
from cleanse.stage import Facts, Stage, State
from cleanse.stages import load


def run_stages(names: Sequence[str], given: Given, folders: Mapping[str, Path], job: Job) -> list[StageResult]:
    """Run successive stages, from a plan of sources (then the first is decode) or from a folder of parts.

    Fewer results than stages: this call makes a share of the parts, and the next stage needs all of them.
    """
    queue = [load(name) for name in names]
    results: list[StageResult] = []
    state: State = None  # of the next stage's first open measure, already tallied on the way
    while queue:
        stage = queue.pop(0)
        way = [stage, *_row_wise(queue, job.settings)] if _is_carried(stage, given, job.settings) else [stage]
        del queue[: len(way) - 1]
        found = _made(way, given, folders, state, known.next_count(queue, job.settings), job)
        if found is None:
            break
        new, state = found
        for result in new:
            if results:
                chain(results[-1].entries[-1], result.entries[-1])
            results.append(_finished(result, folders[result.name], job))
        given = results[-1].kept
    return results


def _made(
    way: Sequence[Stage],
    given: Given,
    folders: Mapping[str, Path],
    state: State,
    count: Count | None,
    job: Job,
) -> tuple[list[StageResult], State] | None:
    """What the stages of a way leave, and the state of the next stage's measure."""
    stage, folder = way[0], folders[way[0].name]
    if not isinstance(given, Table):
        return ways.carried(way, given, folders, None, count, job)
    if _is_skipped(stage, job.settings):
        return [ways.passed(stage, given, folder, job)], None
    if job.extent.share and stage.vectors and stage.vectors.wanted(job.settings):
        return None  # of the whole corpus: two calls at once would make them twice, in one folder
    with _preparing(stage, job.settings) as ready:
        facts = known.known(stage, given, state, folder, job)
        path = folder / known.FACTS if facts and known.is_kept(stage, job.settings) else None
        beside = _vectors(stage, given, folder, facts, job, ready) if ready else None
    made: tuple[list[StageResult], State] | None
    if stage.passes(job.settings):
        made = [ways.passed(stage, given, folder, job)], None
    elif stage.route and path:
        made = None if job.extent.share else ([exchanged(stage, given, folder, facts, path, job)], None)
    else:
        made = ways.carried(way, given, folders, path, count, job)
    if made is None:
        return None
    results, state = made
    first = replace(results[0], facts=facts)
    if path:
        first = _with(first, known.MARKER, [store.output(path, folder)])
    if beside:  # the ledger of the vectors goes before that of the records, which the next stage goes on with
        entry, outputs = beside
        first = replace(_with(first, vectors.MARKER, outputs), entries=[entry, *first.entries])
    return [first, *results[1:]], state


def _is_skipped(stage: Stage, settings: Settings) -> bool:
    return stage.name in settings.run.skip


def _is_carried(stage: Stage, given: Given, settings: Settings) -> bool:
    """True when parts go through one by one, so that successive stages can share a task."""
    if not isinstance(given, Table):
        return True
    return not (_is_skipped(stage, settings) or stage.passes(settings) or stage.route)


def _row_wise(queue: Sequence[Stage], settings: Settings) -> list[Stage]:
    """The stages that may follow in the same task: they need to know nothing of the whole corpus first."""
    way = []
    for stage in queue:
        if stage.measures(settings) or stage.passes(settings) or stage.route or _is_skipped(stage, settings):
            break
        way.append(stage)
    return way


@contextmanager
def _preparing(stage: Stage, settings: Settings) -> Iterator[Thread | None]:
    """What a stage with vectors has to import, begun beside the counts; None for other stages. An import that outlives
    the call would meet an interpreter that is being taken down.
    """
    if not stage.vectors or not stage.vectors.wanted(settings):
        yield None
        return
    thread = Thread(target=stage.vectors.prepare)
    thread.start()
    try:
        yield thread
    finally:
        thread.join()


def _vectors(
    stage: Stage, given: Table, folder: Path, facts: Facts, job: Job, ready: Thread
) -> tuple[Entry, list[Output]]:
    """The vectors of a stage that makes some. First of all: what is no vector ends the stage before it writes rows."""
    path = folder / known.FACTS
    basis = markers.basis(stage, job.settings, given.schema, facts)
    key = markers.digest(basis, [part.sha256 for part in given.parts])
    marker = job.found(stage.name, folder, vectors.MARKER, key)
    if marker is None:
        entry, outputs, gone = vectors.write(stage.name, given, path, job.settings, job.engine, ready)
        marker = Marker(key, [entry], outputs, {"dropped": sorted(gone)})
        markers.write(folder, vectors.MARKER, marker)
    facts["dropped"] = marker.noted["dropped"]
    known.write(folder, facts)
    return marker.entries[0], marker.outputs


def _with(result: StageResult, marker: str, outputs: Sequence[Output]) -> StageResult:
    return replace(result, marked=[*result.marked, marker], outputs=[*result.outputs, *outputs])


def _finished(result: StageResult, folder: Path, job: Job) -> StageResult:
    """The side files, then stage.json: it says ok only when all the rest is there. The result with its notes."""
    stage, settings = load(result.name), job.settings
    if not _is_skipped(stage, settings):
        store.write_side(folder, stage.side(settings, result.facts))
        result = _told(result, stage, settings)
    entries, outputs = ([each.as_json() for each in listed] for listed in (result.entries, result.outputs))
    tree = {**stage_head(result.name, settings), "status": "ok", "entries": entries, "outputs": outputs}
    store.write_json(folder / "stage.json", tree)
    job.told("stage_done", result.entries)
    return result


def _told(result: StageResult, stage: Stage, settings: Settings) -> StageResult:
    """With what the stage says and counts of the corpus as a whole."""
    last, facts = result.entries[-1], {**result.facts, "sources": result.files}
    counted = replace(last, changed={**last.changed, **stage.counted(settings, facts)})
    notes, warnings = stage.notes(settings, facts), stage.warnings(settings, facts)
    return replace(result, entries=[*result.entries[:-1], counted], notes=notes, warnings=warnings)
