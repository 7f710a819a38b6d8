"""`cleanse inspect`: looking at sources before a run."""

from collections.abc import Mapping
from typing import Any

from cleanse.cli import config
from cleanse.cli.screen import Screen
from cleanse.report import inspection
from cleanse.report.told import json_text
from cleanse.run.inspection import inspect as look


def inspect(given: Mapping[str, Any], screen: Screen) -> int:
    """`cleanse inspect`. Writes nothing."""
    found = look(given["inputs"], config.of_call(given).settings, given["limit"])
    if given["output_format"] == "json":
        screen.result(json_text({"schema_version": 1, "sources": [inspection.as_json(each) for each in found]}))
    else:
        screen.result(*(part for each in found for part in inspection.shown(each)))
    return 0
