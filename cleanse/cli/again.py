"""`cleanse run` where it may have nothing to do: then what is known of the last run is told again, and nothing heavy
is loaded.
"""

from collections.abc import Mapping
from typing import Any

from cleanse.cli.discovery import asked, config_file
from cleanse.cli.screen import Screen
from cleanse.run.sources import STDIN
from cleanse.run.unchanged import unchanged

Given = Mapping[str, Any]
UNLIKE = ("dry_run", "overwrite", "force", "from_", "until", "part", "write")  # options of a call with work to do


def run(given: Given, screen: Screen) -> int:
    """`cleanse run`."""
    may_rest = not any(given[name] for name in UNLIKE) and STDIN not in given["inputs"]
    verify = bool(given["run__verify"])
    if may_rest and unchanged(given["out"], asked(given), given["inputs"], verify=verify):
        return _told(given, screen)
    from cleanse.cli import run as running  # late: it loads all that a run needs

    return running.run(given, screen)


def _told(given: Given, screen: Screen) -> int:
    from cleanse.cli import publish
    from cleanse.report import terminal
    from cleanse.report.gate import verdict_of
    from cleanse.run.finished import finished

    run = finished(given["out"])
    code = run.manifest["exit_code"]
    judged = publish.Judgement(run, verdict_of(run.tree("gate.json")), run.metrics(), code, {})
    config = config_file(given["config"], isolated=given["isolated"])
    head = terminal.header(
        publish.told(judged, screen), str(config or "none"), run.manifest["settings"]["run"]["seed"], None
    )
    publish.show(judged, given, screen, head)
    if screen.quiet == 0:
        screen.talk("nothing to do: all is as the last run left it (--force makes it anew)")
    return int(code)
