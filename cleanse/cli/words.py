"""`cleanse explain`, `init`, `config` and `doctor`: words, settings and surroundings; no data is cleaned."""

import difflib
import json
import locale
import os
import platform
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from cleanse import __version__
from cleanse.cli import config
from cleanse.cli.discovery import NAME
from cleanse.cli.progress import host
from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError, MachineError
from cleanse.report.faults import FAULTS
from cleanse.report.reasons import REASONS
from cleanse.report.safe import safe
from cleanse.report.told import json_text
from cleanse.run import store
from cleanse.run.versions import PACKAGES

Given = Mapping[str, Any]


def explain(given: Given, screen: Screen) -> int:
    """`cleanse explain`."""
    listed = explanations()
    wanted = given["id"]
    if wanted is not None and wanted not in listed:
        near = difflib.get_close_matches(wanted, listed, 1, 0.5)
        help = f"'{near[0]}'?" if near else "cleanse explain lists all"
        raise ConfigError("explain-unknown", f"no reason and no error is called '{wanted}'", help)
    shown = listed if wanted is None else {wanted: listed[wanted]}
    if given["output_format"] == "json":
        screen.result(json_text(shown))
        return 0
    text = "zh" if screen.lang == "zh-CN" else "en"
    for id, about in shown.items():
        gives = f"exit {about['exit_code']}" if about["kind"] == "error" else ", ".join(about["stages"])
        screen.result(f"{id}  ({about['kind']}; {gives})\n  {about[text]}\n  → {about['todo']}")
    return 0


def explanations() -> dict[str, dict[str, Any]]:
    """id → what it means, of all reasons and errors."""
    reasons = {id: {"kind": "reason", **vars(reason)} for id, reason in REASONS.items()}
    return {**reasons, **{id: {"kind": "error", **vars(fault)} for id, fault in FAULTS.items()}}


def init(given: Given, screen: Screen) -> int:
    """`cleanse init`: a cleanse.yaml to begin with."""
    path = given["folder"] / NAME
    if path.exists() and not given["force"]:
        raise ConfigError("init-exists", f"{path} is there already", "--force writes it anew")
    text = profile(given["profile"])
    if given["from_"]:
        from cleanse.cli.propose import proposed

        text = proposed(text, given["from_"], config.of_call(given).settings)
    store.commit(path, text.encode())
    if screen.quiet < 2:
        screen.result(f"{safe(str(path))} written; next: cleanse config check, then cleanse run INPUT -o out")
    return 0


def profile(name: str) -> str:
    """The text of one of configs/: in the package once it is built, beside it in a checkout."""
    package = Path(str(files("cleanse")))
    folder = package / "profiles" if (package / "profiles").is_dir() else package.parent / "configs"
    return (folder / f"{name}.yaml").read_text(encoding="utf-8")


def config_(given: Given, screen: Screen) -> int:
    """`cleanse config show|check|schema`."""
    if given["what"] == "schema":
        screen.result(json.dumps(config.adapter().json_schema(), ensure_ascii=False, indent=1))
        return 0
    loaded = config.of_call(given)
    tree = config.adapter().dump_python(loaded.settings, mode="json")
    if given["what"] == "check":
        screen.result(f"{safe(str(loaded.path or 'defaults'))}: ok")
    elif given["output_format"] == "json":
        screen.result(json_text({"config": tree, "origin": loaded.origin}))
    elif given["origin"]:
        screen.result(*_origins(tree, loaded.origin))
    else:
        screen.result(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False))
    return 0


def _origins(tree: Mapping[str, Any], origin: Mapping[str, str]) -> list[str]:
    lines = []
    for full, place in origin.items():
        section, _, key = full.partition(".")
        value = tree[section][key] if key else tree[section]
        lines.append(f"{full} = {json.dumps(value, ensure_ascii=False)}  # {safe(place)}")
    return lines


def doctor(given: Given, screen: Screen) -> int:
    """`cleanse doctor`. Exit code 4 when nothing can be written."""
    here, shm = _writable(Path.cwd()), _writable(Path("/dev/shm"))
    found = {
        "cleanse": __version__,
        "packages": {name: version(name) for name in (*PACKAGES, "typer", "pydantic", "rich")},
        **{key: value for key, value in host([]).items() if key in ("python", "system", "cpus", "memory_mb")},
        "executable": sys.executable,
        "locale": ".".join(part or "?" for part in locale.getlocale()),
        "stdout_encoding": sys.stdout.encoding,
        "utf8_mode": bool(sys.flags.utf8_mode),
        "open_files": os.sysconf("SC_OPEN_MAX"),
        "machine": platform.machine(),
        "working_folder_writable": here,
        "shared_memory": shm,
    }
    if given["output_format"] == "json":
        screen.result(json_text(found))
    else:
        screen.result(*(f"{name:24} {safe(_flat(value))}" for name, value in found.items()))
    if not here:
        raise MachineError("out-not-writable", f"cannot write in {Path.cwd()}", "choose another folder")
    return 0


def _flat(value: Any) -> str:
    return " · ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


def _writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
