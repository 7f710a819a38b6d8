"""`cleanse run`: options in, the whole chain, then what follows from its numbers. No cleaning logic."""

from collections.abc import Mapping
from typing import Any

from cleanse.cli import config, publish
from cleanse.cli.progress import Recorder, recording
from cleanse.cli.publish import Judgement
from cleanse.cli.screen import Screen
from cleanse.report import card, conclude, gate, terminal
from cleanse.report.conclude import Limits
from cleanse.report.page.build import write_report
from cleanse.report.safe import safe
from cleanse.report.told import notes
from cleanse.run import commands, manifest
from cleanse.run.finished import Finished

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
    judged_by = limits(given, loaded)
    with recording(screen, out / "logs/run.jsonl") as recorder:
        sealed, results = commands.whole(
            given["inputs"], out, loaded.settings, recorder, allow_empty=judged_by.allow_empty
        )
        judged = _concluded(Finished(out, sealed.as_json()), judged_by, recorder)
        _written(judged, given, loaded, screen)
        screen.check_signals()
        manifest.seal(out, judged.run.manifest, judged.exit_code)
        recorder.record("run_done", exit_code=judged.exit_code, verdict=judged.verdict.word)
    screen.talk(*notes(results, screen.quiet))
    name = str(loaded.path) if loaded.path else "none"
    head = terminal.header(publish.told(judged, screen), name, loaded.settings.run.seed, recorder.workers)
    publish.show(judged, given, screen, head)
    return judged.exit_code


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
        try:
            write_report(judged.run, loaded.settings.report, judged.run.out / "report.html", screen.lang)
        except Exception as problem:  # noqa: BLE001  # the data is whole without it
            screen.talk(f"warning: no report.html: {type(problem).__name__}: {safe(str(problem))}")
