"""`cleanse run`: options in, the whole chain, then what follows from its numbers. No cleaning logic."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cleanse.cli import config
from cleanse.cli.options import targets
from cleanse.cli.progress import recording
from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError
from cleanse.report.gate import Limits
from cleanse.report.told import Told, counts, json_text, notes, planned
from cleanse.run.extent import Extent
from cleanse.run.whole import whole
from cleanse.stages import ORDER

if TYPE_CHECKING:
    from cleanse.run.job import StageResult

Given = Mapping[str, Any]


def limits(given: Given, loaded: config.Loaded) -> Limits:
    """What to judge by. Raises where the baseline or a --write cannot be: now, not after hours of work."""
    targets(given["write"])
    baseline = given["baseline"] or loaded.settings.baseline
    if baseline:
        from cleanse.report.conclude import read_baseline  # late: polars

        read_baseline(baseline)
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
        whole(
            given["inputs"],
            out,
            loaded.settings,
            recorder,
            allow_empty=judged_by.allow_empty,
            overwrite=given["overwrite"],
            extent=extent,
        ) as ran,
    ):
        judged = None
        if ran.manifest:
            from cleanse.cli.sealing import sealed  # late: the workers start before this process loads what it needs

            judged = sealed(ran.manifest, judged_by, given, loaded, recorder)
    screen.talk(*notes(ran.results, screen.quiet))
    if judged is None:
        return _told_of_a_part(ran.results, extent, given, screen)
    from cleanse.cli import publish  # late: tables of a terminal
    from cleanse.report import terminal

    name = str(loaded.path) if loaded.path else "none"
    head = terminal.header(publish.told(judged, screen), name, loaded.settings.run.seed, recorder.workers)
    publish.show(judged, given, screen, head)
    return judged.exit_code


def _dry(given: Given, screen: Screen, loaded: config.Loaded) -> int:
    """`--dry-run`: the plan in words, or plan.json."""
    from cleanse.run import commands  # late

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


def _told_of_a_part(results: "Sequence[StageResult]", extent: Extent, given: Given, screen: Screen) -> int:
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
