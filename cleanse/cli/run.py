"""`cleanse run`: options in, the whole chain, then what follows from its numbers. No cleaning logic."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleanse.cli import config, publish
from cleanse.cli.again import asked
from cleanse.cli.progress import Recorder, recording
from cleanse.cli.publish import Judgement
from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError
from cleanse.report import card, conclude, gate, terminal
from cleanse.report.conclude import Limits
from cleanse.report.safe import safe
from cleanse.report.told import Told, counts, json_text, notes, planned
from cleanse.run import commands, manifest, owned
from cleanse.run.finished import Finished
from cleanse.run.job import Extent, StageResult
from cleanse.run.manifest import RunManifest
from cleanse.run.places import place
from cleanse.run.unchanged import remember
from cleanse.stages import ORDER

Given = Mapping[str, Any]


def limits(given: Given, loaded: config.Loaded) -> Limits:
    """What to judge by. Raises where the baseline or a --write cannot be: now, not after hours of work."""
    publish.targets(given["write"])
    baseline = given["baseline"] or loaded.settings.baseline
    if baseline:
        conclude.read_baseline(baseline)
    allow_empty = given.get("allow_empty", False)
    return Limits(loaded.settings.gates, loaded.gate_places, baseline, given["fail_on"], allow_empty)


def run(given: Given, screen: Screen) -> int:
    """`cleanse run`. The exit code: 1 when a gate failed or no row is left."""
    loaded, out = config.of_call(given), given["out"]
    judged_by, extent = limits(given, loaded), _extent(given)
    if given["dry_run"]:
        return _dry(given, screen, loaded)
    with (
        recording(screen, out / "logs/run.jsonl") as recorder,
        commands.whole(
            given["inputs"],
            out,
            loaded.settings,
            recorder,
            allow_empty=judged_by.allow_empty,
            overwrite=given["overwrite"],
            extent=extent,
        ) as ran,
    ):
        judged = _sealed(ran.manifest, judged_by, given, loaded, recorder) if ran.manifest else None
    screen.talk(*notes(ran.results, screen.quiet))
    if judged is None:
        return _told_of_a_part(ran.results, extent, given, screen)
    name = str(loaded.path) if loaded.path else "none"
    head = terminal.header(publish.told(judged, screen), name, loaded.settings.run.seed, recorder.workers)
    publish.show(judged, given, screen, head)
    return judged.exit_code


def _dry(given: Given, screen: Screen, loaded: config.Loaded) -> int:
    """`--dry-run`: the plan in words, or plan.json."""
    with recording(screen, None) as recorder:
        dry = commands.dry(
            given["inputs"], given["out"], loaded.settings, recorder, allow_empty=given.get("allow_empty", False)
        )
    tree = {"schema_version": 1, "workers": dry.workers, "parts_done": dry.n_done, "plan": dry.plan.as_json()}
    if screen.quiet < 2:
        screen.result(json_text(tree) if given["output_format"] == "json" else planned(tree))
    return 0


def _extent(given: Given) -> Extent:
    """How much of the run is asked for. Raises ConfigError for a --part that is none."""
    first, last, share = given["from_"], given["until"], given["part"]
    if first and last and ORDER.index(first) > ORDER.index(last):
        raise ConfigError("usage", f"--from {first} comes behind --until {last}", "stages in order: " + " ".join(ORDER))
    return Extent(first, last, _share(share) if share else None, given["force"])


def _share(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise ConfigError("usage", f"--part {text}: not K/N with K from 1 to N", "--part 1/8 to --part 8/8")
    return int(found[1]), int(found[2])


def _told_of_a_part(results: Sequence[StageResult], extent: Extent, given: Given, screen: Screen) -> int:
    """What is said where a call makes no result: how far it came, and what finishes the run."""
    entries = [entry for result in results for entry in result.entries]
    if given["output_format"] == "json" and screen.quiet < 2:
        screen.result(json_text({"schema_version": 1, "status": "part", "entries": [e.as_json() for e in entries]}))
    elif screen.quiet < 2:
        if entries:
            screen.result(counts(Told(str(given["out"]), entries, lang=screen.lang)))
        done = f"up to {extent.last}" if extent.last else "part {}/{}".format(*extent.share or ())
        screen.talk(f"{done} is done; the same command without it finishes the run")
    return 0


def _sealed(
    sealed: RunManifest, judged_by: Limits, given: Given, loaded: config.Loaded, recorder: Recorder
) -> Judgement:
    """What follows from the rows that are written; the last file says how it ended."""
    out, settings = given["out"], loaded.settings
    judged = _concluded(Finished(out, sealed.as_json()), judged_by, recorder)
    _written(judged, given, loaded, recorder.screen)
    recorder.screen.check_signals()
    if not settings.run.keep_stages:
        owned.release(out)
    _remember(out, sealed, judged_by, given)
    manifest.seal(out, judged.run.manifest, judged.exit_code)
    recorder.record("run_done", exit_code=judged.exit_code, verdict=judged.verdict.word)
    return judged


def _remember(out: Path, sealed: RunManifest, judged_by: Limits, given: Given) -> None:
    """What tells the next call that it has nothing to do."""
    baseline, settings = judged_by.baseline, sealed.settings
    if baseline and (folder := place(baseline)).is_dir():
        baseline = os.fspath(folder / "metrics.json")
    named = [name for name in (baseline, settings.check.roles_from, settings.check.tokenizer) if name]
    read = {planned.source: planned.stamp for planned in sealed.plan.sources}
    remember(out, asked(given), read, named, settings.decode.max_members, sealed.outputs)


def _concluded(run: Finished, judged_by: Limits, recorder: Recorder) -> Judgement:
    """Numbers and verdict of a run whose rows are all written."""
    verdict, numbers = conclude.judge(run, conclude.measure(run), judged_by)
    recorder.record("work_done")
    return Judgement(run, verdict, numbers, gate.exit_code(verdict, judged_by.fail_on), recorder.seconds)


def _written(judged: Judgement, given: Given, loaded: config.Loaded, screen: Screen) -> None:
    """Card and report. A fault in the report never costs the data: it becomes a warning."""
    if given["with_card"]:
        card.write(judged.run, judged.verdict)
    if given["with_report"]:
        from cleanse.report.page.build import write_report  # late: jinja2 is nothing for a run without a page

        try:
            write_report(judged.run, loaded.settings.report, judged.run.out / "report.html", screen.lang)
        except Exception as problem:  # noqa: BLE001  # the data is whole without it
            screen.talk(f"warning: no report.html: {type(problem).__name__}: {safe(str(problem))}")
