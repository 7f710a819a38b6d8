"""`cleanse run` where it may have nothing to do: then what is known of the last run is told again, and nothing heavy
is loaded.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleanse.cli.discovery import discover
from cleanse.cli.screen import Screen
from cleanse.run.sources import STDIN
from cleanse.run.unchanged import unchanged
from cleanse.run.versions import versions

Given = Mapping[str, Any]
SPEECH = ("quiet", "verbose", "color", "progress", "log_format", "output_format", "write", "run__verify")
UNLIKE = (
    "dry_run",
    "overwrite",
    "force",
    "from_",
    "until",
    "part",
    "write",
)  # options of a call that has something to do


def run(given: Given, screen: Screen) -> int:
    """`cleanse run`."""
    may_rest = not any(given[name] for name in UNLIKE) and STDIN not in given["inputs"]
    verify = bool(given["run__verify"])
    if may_rest and unchanged(given["out"], asked(given), given["inputs"], verify=verify):
        return _told(given, screen)
    from cleanse.cli import run as running  # late: it loads all that a run needs

    return running.run(given, screen)


def asked(given: Given) -> str:
    """The digest of all that a call asks for but the form of its answer: options, config file, versions."""
    path = config_file(given)
    options = {name: value for name, value in sorted(given.items()) if name not in SPEECH}
    text = path.read_bytes() if path and path.is_file() else b""
    content = [options, str(path), hashlib.sha256(text).hexdigest(), str(Path.cwd()), versions()]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()


def config_file(given: Given) -> Path | None:
    """The config file of a call."""
    return given["config"] or (None if given["isolated"] else discover(Path.cwd()))


def _told(given: Given, screen: Screen) -> int:
    from cleanse.cli import publish
    from cleanse.report import terminal
    from cleanse.report.gate import verdict_of
    from cleanse.run.finished import finished

    run = finished(given["out"])
    code = run.manifest["exit_code"]
    judged = publish.Judgement(run, verdict_of(run.tree("gate.json")), run.metrics(), code, {})
    seed, config = run.manifest["settings"]["run"]["seed"], str(config_file(given) or "none")
    publish.show(judged, given, screen, terminal.header(publish.told(judged, screen), config, seed, None))
    if screen.quiet == 0:
        screen.talk("nothing to do: all is as the last run left it (--force makes it anew)")
    return int(code)
