"""The bodies of the commands: options in, a run, lines out. No cleaning logic."""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import yaml

from cleanse import __version__
from cleanse.cli import config
from cleanse.cli.options import flags
from cleanse.errors import ConfigError
from cleanse.ledger import Entry
from cleanse.report import metrics, preview, terminal
from cleanse.report.safe import safe_lines
from cleanse.run import commands, manifest, store


def _load(given: Mapping[str, Any]) -> config.Loaded:
    return config.load(given["config"], isolated=given["isolated"], sets=given["set_"], flags=flags(given))


def _log(quiet: int) -> Any:
    def on_stage(name: str, entries: Sequence[Entry]) -> None:
        if not quiet:
            print(f"{datetime.now():%H:%M:%S} INFO  {terminal.stage_line(name, entries)}", file=sys.stderr)

    return on_stage


def run(given: Mapping[str, Any]) -> int:
    """`cleanse run`. Returns the exit code: 1 when no row is left."""
    loaded, out = _load(given), given["out"]
    sealed, results = commands.whole(given["inputs"], out, loaded.settings, _log(given["quiet"]))
    found = metrics.metrics(sealed, results)
    exit_code = 0 if found["rows.out"] else 1
    if given["quiet"] < 2:
        _say([note for result in results for note in result.notes])
    store.write_json(
        out / "metrics.json", {"schema_version": 1, "run": manifest.digest(loaded.settings), "metrics": found}
    )
    manifest.seal(out, sealed, exit_code)
    from rich.console import Console  # 20 ms that a stage command does not need

    console = Console(highlight=False)
    if not given["quiet"]:
        console.print(
            f"cleanse {__version__} · config {loaded.path or 'none'} · seed {loaded.settings.run.seed}", markup=False
        )
        terminal.funnel(sealed, results, console)
        terminal.why(sealed, results, console)
    if given["quiet"] < 2:
        verdict = "" if exit_code == 0 else "FAILED no row is left · "
        console.print(verdict + terminal.last_line(sealed.entries, out), markup=False, soft_wrap=True)
    return exit_code


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        print(safe_lines(f"note: {note}"), file=sys.stderr)


def stage(name: str, given: Mapping[str, Any]) -> int:
    """`cleanse STAGE`."""
    loaded, out = _load(given), given["out"]
    if given.get("preview"):
        print(preview.text(commands.preview(given["input"], loaded.settings, given["preview"])))
        return 0
    if out is None:
        raise ConfigError("usage", "strip has no folder to write", "give -o DIR, or --preview N to write nothing")
    inputs = given["inputs"] if name == "decode" else [str(given["input"])]
    result = commands.stage(name, inputs, out, loaded.settings, _log(given["quiet"]))
    if given["quiet"] < 2:
        _say(result.notes)
    if given["quiet"] < 2:
        print(terminal.last_line(result.entries, out))
    return 0


def show_config(what: str, given: Mapping[str, Any]) -> int:
    """`cleanse config show|check|schema`."""
    if what == "schema":
        print(json.dumps(config.adapter().json_schema(), ensure_ascii=False, indent=1))
        return 0
    loaded = _load(given)
    tree = config.adapter().dump_python(loaded.settings, mode="json")
    if what == "check":
        print(f"{loaded.path or 'defaults'}: ok")
    elif given["output_format"] == "json":
        print(json.dumps({"config": tree, "origin": loaded.origin}, ensure_ascii=False, indent=1))
    elif given["origin"]:
        for full, origin in loaded.origin.items():
            section, _, key = full.partition(".")
            print(
                f"{full} = {json.dumps(tree[section][key] if key else tree[section], ensure_ascii=False)}  # {origin}"
            )
    else:
        print(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False), end="")
    return 0
