"""What follows from the rows of a run: numbers, verdict, card, report, and the last files that say how it ended."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleanse.cli import config
from cleanse.cli.discovery import asked
from cleanse.cli.progress import Recorder
from cleanse.cli.publish import Judgement
from cleanse.cli.screen import Screen
from cleanse.report import card, conclude, gate
from cleanse.report.gate import Limits
from cleanse.report.safe import safe
from cleanse.run import manifest, owned
from cleanse.run.finished import Finished
from cleanse.run.manifest import RunManifest
from cleanse.run.places import place
from cleanse.run.unchanged import remember

Given = Mapping[str, Any]


def sealed(made: RunManifest, judged_by: Limits, given: Given, loaded: config.Loaded, recorder: Recorder) -> Judgement:
    """What follows from the rows that are written; the last file says how it ended."""
    out, settings = given["out"], loaded.settings
    judged = _concluded(Finished(out, made.as_json()), judged_by, recorder)
    _written(judged, given, loaded, recorder.screen)
    recorder.screen.check_signals()
    if not settings.run.keep_stages:
        owned.release(out)
    _remember(out, made, judged_by, given)
    manifest.seal(out, judged.run.manifest, judged.exit_code)
    recorder.record("run_done", exit_code=judged.exit_code, verdict=judged.verdict.word)
    return judged


def _remember(out: Path, made: RunManifest, judged_by: Limits, given: Given) -> None:
    """What tells the next call that it has nothing to do."""
    baseline, settings = judged_by.baseline, made.settings
    if baseline and (folder := place(baseline)).is_dir():
        baseline = os.fspath(folder / "metrics.json")
    named = [name for name in (baseline, settings.check.roles_from, settings.check.tokenizer) if name]
    read = {planned.source: planned.stamp for planned in made.plan.sources}
    remember(out, asked(given), read, named, settings.decode.max_members, made.outputs)


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
