"""A stage command and a whole run, from inputs to manifest."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from cleanse.errors import LedgerError
from cleanse.ledger import Entry
from cleanse.run import folders, locks, manifest, markers, opening, owned, ways
from cleanse.run.engines.choice import Work
from cleanse.run.events import Event, Listener
from cleanse.run.job import Job, StageResult, Table
from cleanse.run.manifest import RunManifest
from cleanse.run.places import place
from cleanse.run.publish import publish
from cleanse.run.rejects import rejects
from cleanse.run.runner import run_stages
from cleanse.run.sources import Source
from cleanse.run.store import Output
from cleanse.run.tables import readable
from cleanse.run.ways import Given
from cleanse.settings import Settings
from cleanse.stage import Stage
from cleanse.stages import ORDER, load
from cleanse.table import conform

if TYPE_CHECKING:
    from cleanse.run.plan import Plan
    from cleanse.stages.strip import Change


def stage(
    name: str, inputs: Sequence[str], out: Path, settings: Settings, listen: Listener, *, overwrite: bool = False
) -> StageResult:
    """One stage, `decode` from files, every other from the Parquet of the one before. `overwrite`: into an empty folder
    of ours, where else parts that are done already stay.
    """
    with opening.found(inputs, out, settings) as found:
        owned.refuse_foreign(out, "stage.json")
        with locks.locked(out), opening.engine(found, out, settings, listen, _work(load(name), settings)) as engine:
            if name == "decode":
                from cleanse.run.plan import make  # late: no other stage reads bytes

                given: Given = make(found, settings, engine)
            else:
                given = folders.table(place(inputs[0]), name)
            load(name).accepts(settings, given.schema)
            owned.claim(out, "stage.json", manifest.stage_head(name, settings), empty=overwrite)
            (result,) = run_stages([name], given, {name: out}, Job(settings, engine, listen))
            if not isinstance(given, Table):
                given.write(result.files, out, out)
            owned.sweep(out, "stage.json", _wanted(result))
    return result


def preview(given: Path, settings: Settings, n: int) -> "list[Change]":
    """The first `n` bodies that strip would change, as it would change them. Nothing is written."""
    from cleanse.stages import strip  # late: no other command of a stage needs it

    table = folders.table(given, "strip")
    found: list[Change] = []
    strip.accepts(settings, table.schema)
    for part in table.parts:
        frame = conform(pl.read_parquet(readable(table.folder / part.path)), table.schema).rechunk()
        found += strip.preview(frame, settings, n - len(found))
        if len(found) == n:
            break
    return found


@dataclass(frozen=True)
class Whole:
    """What a run left. `manifest`: None where its extent has no result."""

    results: list[StageResult] = field(default_factory=list)
    manifest: RunManifest | None = None


@dataclass(frozen=True)
class Dry:
    """What a run would do. `n_done`: parts that it would find decoded already."""

    plan: "Plan"
    workers: int
    n_done: int


def dry(inputs: Sequence[str], out: Path, settings: Settings, listen: Listener, *, allow_empty: bool = False) -> Dry:
    """Survey the inputs, look for what is done; nothing is written."""
    from cleanse.run.plan import make  # late: of all stages decode alone reads bytes

    with opening.found(inputs, out, settings) as found, opening.engine(found, out, settings, listen) as engine:
        owned.refuse_foreign(out, "run.json")
        plan = make(found, settings, engine, allow_empty=allow_empty)
        job = Job(settings, engine, listen)
        return Dry(plan, engine.workers, ways.n_done(load("decode"), plan, out / "stages/1-decode", job))


def _work(alone: Stage, settings: Settings) -> Work:
    """What a stage is for an engine when it runs alone."""
    return "threads" if alone.threads(settings) else "light" if alone.light else "heavy"


def ran(found: Sequence[Source], out: Path, job: Job, *, allow_empty: bool, overwrite: bool) -> Whole:
    """The stages within the extent; then, if it has a result, data/ and rejects/, and nothing of an older run."""
    from cleanse.run.plan import make  # late: of all stages decode alone reads bytes

    extent = job.extent
    plan = make(found, job.settings, job.engine, allow_empty=allow_empty, kept=_kept(out, job), share=extent.share)
    folder = {name: out / "stages" / f"{number}-{name}" for number, name in enumerate(ORDER, 1)}
    names = ORDER[: ORDER.index(extent.last or ORDER[-1]) + 1]
    for name in names:
        load(name).accepts(job.settings, plan.schema)
    owned.claim(out, "run.json", manifest.head(job.settings), empty=overwrite, shared=extent.share is not None)
    job.listen(Event("claimed", {}))
    size = sum(planned.source.size for planned in plan.sources)
    job.listen(Event("planned", {"sources": len(plan.sources), "bytes": size, "parts": len(plan.parts)}))
    results = run_stages(names, plan, folder, job)
    if results:
        plan.write(results[0].files, folder["decode"], out / "stages")
    return Whole(results, _ended(plan, results, out, job) if extent.is_whole else None)


def _kept(out: Path, job: Job) -> Path | None:
    """Where the calls that make a run together leave each other what they found out about sources."""
    folder, anew = out / owned.SURVEYS, job.extent.force or job.settings.run.verify
    return folder if not anew and (job.extent.share or folder.exists()) else None


def _ended(plan: "Plan", results: list[StageResult], out: Path, job: Job) -> RunManifest:
    rejected = rejects(results, out, job.settings, plan.schema, job.engine)
    beside = publish(results[-2], out / "data", job.settings, job.engine)
    data = [replace(output, path=f"data/{output.path}") for output in results[-1].outputs]
    entries = [entry for result in results for entry in result.entries]
    _complete(entries, data, rejected)
    outputs = [*data, *beside, *rejected]
    wanted = {f"{each.kept.folder.relative_to(out).as_posix()}/{name}" for each in results for name in _wanted(each)}
    owned.sweep(out, "run.json", wanted | {output.path for output in outputs})
    records = {name: n for name, (n, _, _) in results[0].files.items()}
    return RunManifest(job.settings, plan, entries, outputs, records)


def _wanted(result: StageResult) -> set[str]:
    """What a stage made and markers speak of, by path below its folder."""
    return {f"{markers.FOLDER}/{name}.json" for name in result.marked} | {output.path for output in result.outputs}


def _complete(entries: Sequence[Entry], data: Sequence[Output], rejected: Sequence[Output]) -> None:
    """Raises LedgerError unless the rows on disk are the rows of the ledger."""
    on_disk = sum(output.rows for output in data), sum(output.rows for output in rejected)
    in_ledger = entries[-1].kept, sum(entry.n_rejected for entry in entries)
    if on_disk != in_ledger:
        raise LedgerError(
            "ledger-unbalanced",
            f"data/ and rejects/ hold {on_disk} rows, the ledger says {in_ledger}",
            "this is a bug in cleanse: report it with the run.json",
        )
