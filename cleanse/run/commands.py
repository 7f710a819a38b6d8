"""A stage command and a whole run, from inputs to manifest."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from cleanse.errors import LedgerError
from cleanse.ledger import Entry
from cleanse.run import folders, manifest, sources, store
from cleanse.run import plan as planning
from cleanse.run.engines.base import Engine
from cleanse.run.engines.local import local
from cleanse.run.events import Event, Listener, Watched
from cleanse.run.manifest import RunManifest
from cleanse.run.plan import Plan, describe
from cleanse.run.publish import publish
from cleanse.run.runner import Job, StageDone, StageResult, run_stages
from cleanse.run.sources import Source
from cleanse.run.store import Output
from cleanse.run.tasks import Rejects, collect
from cleanse.settings import Settings
from cleanse.stage import Stage
from cleanse.stages import ORDER, load
from cleanse.table import VERDICT, Schema, conform

if TYPE_CHECKING:
    from cleanse.stages.strip import Change

LIGHT = 16  # bytes, or files, that are as much work for a light stage alone as one for a whole run
REJECTS_MB = 256  # MiB of Parquet in one file of rejects/


@contextmanager
def _opened(
    inputs: Sequence[str], out: Path, settings: Settings, listen: Listener, alone: Stage | None = None
) -> Iterator[tuple[list[Source], Engine]]:
    """The sources, and the engine for so many of them, and for a stage that runs `alone`."""
    with sources.with_stdin(inputs, out) as given:
        found = sources.find(given, out, settings.decode.max_members)
        size, share = sum(source.size for source in found), LIGHT if alone and alone.light else 1
        threads = settings.run.engine == "processes" and alone and alone.threads(settings)
        kind = "threads" if threads else settings.run.engine
        engine = local(kind, settings.run.workers, size // share, len(found) // share)
        listen(Event("found", {"sources": len(found), "bytes": size, "workers": engine.workers}))
        try:
            yield found, Watched(engine, listen)
        finally:
            engine.close()


def _stage_done(listen: Listener) -> StageDone:
    def tell(name: str, entries: list[Entry]) -> None:
        last = entries[-1]
        counts = {"rows_in": last.rows_in, "kept": last.kept, "rejected": last.n_rejected}
        listen(Event("stage_done", {"stage": name, **counts}))

    return tell


def stage(name: str, inputs: Sequence[str], out: Path, settings: Settings, listen: Listener) -> StageResult:
    """One stage, `decode` from files, every other from the Parquet of the one before."""
    with _opened(inputs, out, settings, listen, load(name)) as (found, engine):
        given = planning.make(found, settings, engine) if name == "decode" else folders.table(Path(inputs[0]), name)
        load(name).accepts(settings, frozenset(given.schema))
        store.claim(out, "stage.json", manifest.stage_head(name, settings))
        (result,) = run_stages([name], given, {name: out}, Job(settings, engine, _stage_done(listen)))
        if isinstance(given, Plan):
            _describe(given, result, out)
    return result


def preview(given: Path, settings: Settings, n: int) -> "list[Change]":
    """The first `n` bodies that strip would change, as it would change them. Nothing is written."""
    from cleanse.stages import strip  # late: no other command of a stage needs it

    table = folders.table(given, "strip")
    found: list[Change] = []
    strip.accepts(settings, frozenset(table.schema))
    for part in table.parts:
        frame = conform(pl.read_parquet(table.folder / part.path), table.schema).rechunk()
        found += strip.preview(frame, settings, n - len(found))
        if len(found) == n:
            break
    return found


def whole(
    inputs: Sequence[str], out: Path, settings: Settings, listen: Listener, *, allow_empty: bool = False
) -> tuple[RunManifest, list[StageResult]]:
    """All stages in order, then rejects/. The caller writes what follows from the numbers, then seals the run."""
    folder = {name: out / "stages" / f"{number}-{name}" for number, name in enumerate(ORDER, 1)}
    with _opened(inputs, out, settings, listen) as (found, engine):
        plan = planning.make(found, settings, engine, allow_empty=allow_empty)
        for name in ORDER:
            load(name).accepts(settings, frozenset(plan.schema))
        store.claim(out, "run.json", manifest.head(settings))
        listen(Event("claimed", {}))
        results = run_stages(ORDER, plan, folder, Job(settings, engine, _stage_done(listen), final=out / "data"))
        rejects = _rejects(results, out, settings, plan.schema, engine)
        beside = publish(results[-2], out / "data", settings, engine)
    _describe(plan, results[0], out / "stages" / "1-decode", out / "stages")
    data = [replace(output, path=f"data/{output.path}") for output in results[-1].outputs]
    entries = [entry for result in results for entry in result.entries]
    _complete(entries, data, rejects)
    records = {name: n for name, (n, _, _) in results[0].files.items()}
    return RunManifest(settings, plan, entries, [*data, *beside, *rejects], records), results


def _describe(plan: Plan, decoded: StageResult, folder: Path, plan_folder: Path | None = None) -> None:
    """plan.json and files.parquet: what the survey found, and what each source held."""
    rows = [describe(planned, decoded.files[planned.source.name]) for planned in plan.sources]
    store.write_table(folder / "files.parquet", folder, pl.DataFrame(rows, planning.FILES, orient="row"), 1)
    store.write_json((plan_folder or folder) / "plan.json", plan.as_json())


def _rejects(
    results: Sequence[StageResult], out: Path, settings: Settings, schema: Schema, engine: Engine
) -> list[Output]:
    """rejects/: the rejected rows of all stages, in files of about REJECTS_MB."""
    groups: list[list[tuple[str, str]]] = [[]]
    size = 0
    for result in results:
        for output in result.rejected:
            if output.rows and size + output.bytes > REJECTS_MB << 20 and groups[-1]:
                groups, size = [*groups, []], 0
            if output.rows:
                groups[-1].append((result.name, str(result.kept.folder / output.path)))
                size += output.bytes
    names = [f"rejects-{number:05}-of-{len(groups):05}.parquet" for number in range(len(groups))]
    full = {**schema, **VERDICT}
    tasks = [
        Rejects(tuple(group), str(out / "rejects" / name), str(out), settings, full)
        for name, group in zip(names, groups, strict=True)
    ]
    return engine.map(collect, tasks, lambda done: None)


def _complete(entries: Sequence[Entry], data: Sequence[Output], rejects: Sequence[Output]) -> None:
    """Raises LedgerError unless the rows on disk are the rows of the ledger."""
    on_disk = sum(output.rows for output in data), sum(output.rows for output in rejects)
    in_ledger = entries[-1].kept, sum(entry.n_rejected for entry in entries)
    if on_disk != in_ledger:
        raise LedgerError(
            "ledger-unbalanced",
            f"data/ and rejects/ hold {on_disk} rows, the ledger says {in_ledger}",
            "this is a bug in cleanse: report it with the run.json",
        )
