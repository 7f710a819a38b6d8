"""`cleanse gate` and `cleanse report`: a run folder is judged or told again, nothing is rerun."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from cleanse.cli import config, publish
from cleanse.cli.publish import Judgement
from cleanse.cli.run import limits as limits_of
from cleanse.cli.screen import Screen
from cleanse.report import conclude
from cleanse.report import gate as gating
from cleanse.report.gate import Limits
from cleanse.report.page.build import write_report
from cleanse.run import locks, manifest
from cleanse.run.finished import Finished, finished
from cleanse.settings import GateSettings

Given = Mapping[str, Any]


def gate(given: Given, screen: Screen) -> int:
    """`cleanse gate`. Raises MachineError where a run goes on in the folder: it would be sealed half done."""
    finished(given["out"])  # where there is none, no folder is made for a lock
    with locks.locked(given["out"]):
        return _judged(finished(given["out"]), given, screen)


def _judged(run: Finished, given: Given, screen: Screen) -> int:
    """Limits from the config, else those that the run was judged by."""
    loaded = config.of_call(given)
    limits = limits_of(given, loaded)
    if loaded.path is None:
        gates, places = _as_judged(run)
        limits = Limits(gates, places, limits.baseline, limits.fail_on, limits.allow_empty)
    verdict, numbers = conclude.judge(run, run.metrics(), limits)
    judged = Judgement(run, verdict, numbers, gating.exit_code(verdict, limits.fail_on), {})
    manifest.seal(run.out, run.manifest, judged.exit_code)
    publish.show(judged, given, screen)
    return judged.exit_code


def _as_judged(run: Finished) -> tuple[tuple[GateSettings, ...], list[str]]:
    """The gates of run.json, each with the place that the last verdict names."""
    listed = json.dumps(run.manifest["settings"]["gates"])
    gates = TypeAdapter(tuple[GateSettings, ...]).validate_json(listed, strict=True)
    places = {(gate["metric"], str(gate["limit"])): gate["where"] for gate in run.tree("gate.json").get("gates", [])}
    return gates, [places.get((gate.metric, str(gating.bounds(gate))), "run.json") for gate in gates]


def report(given: Given, screen: Screen) -> int:
    """`cleanse report`."""
    run, loaded = finished(given["out"]), config.of_call(given)
    path = given["html"] or run.out / "report.html"
    write_report(run, loaded.settings.report, path, screen.lang)
    if screen.quiet < 2:
        screen.result(str(path))
    return 0
