"""The stage commands: options in, one stage, lines out. Imports no more than a stage needs."""

import os
from collections.abc import Mapping
from typing import Any

from cleanse.cli import config
from cleanse.cli.progress import recording
from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError
from cleanse.report import preview
from cleanse.report.told import Told, counts, json_text, notes
from cleanse.run import commands


def stage(name: str, given: Mapping[str, Any], screen: Screen) -> int:
    """`cleanse STAGE`."""
    loaded, out = config.of_call(given), given["out"]
    if given.get("preview"):
        screen.result(preview.text(commands.preview(given["input"], loaded.settings, given["preview"])))
        return 0
    if out is None:
        raise ConfigError("usage", "strip has no folder to write", "give -o DIR, or --preview N to write nothing")
    inputs = given["inputs"] if name == "decode" else [os.fspath(given["input"])]
    with recording(screen, None) as recorder:
        result = commands.stage(name, inputs, out, loaded.settings, recorder, overwrite=given["overwrite"])
        recorder.record("work_done")
    screen.talk(*notes([result], screen.quiet))
    if given["output_format"] == "json" and screen.quiet < 2:
        screen.result(json_text({"schema_version": 1, "stage": name, "entries": [e.as_json() for e in result.entries]}))
    elif screen.quiet < 2:
        screen.result(counts(Told(str(out), result.entries, lang=screen.lang)))
    return 0
