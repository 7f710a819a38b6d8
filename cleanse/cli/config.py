"""From file, `--set` and flags to validated Settings, each value with its origin. The only reader of a config file."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from cleanse.cli import yaml
from cleanse.cli.discovery import config_file
from cleanse.cli.options import called, flags
from cleanse.errors import ConfigError
from cleanse.report import names
from cleanse.settings import GateSettings, Settings
from cleanse.settings.base import STRICT

WORDS = {  # of the validator → ours
    "a valid integer": "whole number",
    "a valid number": "number",
    "a valid string": "text",
    "a valid boolean": "true or false",
    "a valid array": "list",
}


@dataclass(frozen=True)
class Loaded:
    """The settings in force; `origin`: `check.title_min` → `cleanse.yaml:12`, `flag` or `default`.

    `gate_places`: `cleanse.yaml:31` of each gate, the file as seen from the root of its repository.
    """

    settings: Settings
    origin: Mapping[str, str]
    path: Path | None
    gate_places: tuple[str, ...]


@cache
def adapter() -> TypeAdapter[Settings]:
    """pydantic's validator of the settings."""
    return TypeAdapter(Settings)


def load(
    path: Path | None, *, isolated: bool, sets: Sequence[str] = (), flags: Mapping[str, Any] | None = None
) -> Loaded:
    """Flags (later `--set` wins over flags) over the file over the defaults.

    `flags`: `section.key` → value as typed. Raises ConfigError for all faults of the settings at once.
    """
    path = config_file(path, isolated=isolated)
    document = yaml.load(path) if path else yaml.Document({}, "")
    empty = [section for section, keys in document.tree.items() if keys is None and _is_section(section)]
    document.tree |= {section: {} for section in empty}
    assigned = dict(_assignment(each) for each in sets)
    given = {**(flags or {}), **assigned}
    for full, value in given.items():
        section, _, key = full.partition(".")
        if not isinstance(document.tree.setdefault(section, {}), dict):
            continue  # the type error of the section is reported below
        document.tree[section][key] = typed(section, key, value)
    try:
        settings = _validated(document.tree)
    except ValidationError as problem:
        said = {full: f"--set {full}" if full in assigned else _flag(full) for full in given}
        raise _all(problem, document, said) from None
    _check_gates(settings, document)
    return Loaded(settings, _origins(settings, document, given), path, _gate_places(settings, document, path))


def _validated(tree: Mapping[str, Any]) -> Settings:
    """The settings of a config, with the defaults of sections that it does not name: only the others are validated, for
    a validator of all takes 20 ms to build. Raises ValidationError.
    """
    hints = get_type_hints(Settings, include_extras=True)
    named = [(each.name, hints[each.name]) for each in fields(Settings) if each.name in tree]
    sections = make_dataclass("Settings", named, namespace={"__pydantic_config__": STRICT})
    given: Any = TypeAdapter(sections).validate_json(json.dumps(tree), strict=True)
    return Settings(**{name: getattr(given, name) for name in tree})


def _check_gates(settings: Settings, document: yaml.Document) -> None:
    """Raises ConfigError for every unknown metric and every gate that stands twice: now, not after hours of work."""
    faults: list[ConfigError] = []
    own = [rule.name for rule in getattr(settings.check, "rules", ())]
    for number, gate in enumerate(settings.gates):
        where = document.where(f"gates.{number}.metric")
        if not names.known(gate.metric, own):
            near = names.nearest(gate.metric, own)
            help = f"'{near[0]}'?" if near else "docs/gate.md lists the names"
            faults.append(ConfigError("metric-unknown", f"unknown metric '{gate.metric}'", help, where))
        elif gate in settings.gates[:number]:
            faults.append(ConfigError("gate-duplicate", f"the gate on {gate.metric} stands twice", "remove one", where))
    _raise(faults)


def _raise(faults: Sequence[ConfigError]) -> None:
    """Raise the first fault, the others as its notes; nothing where there is none."""
    for fault in faults:
        for other in faults[1:]:
            fault.add_note(str(other))
        raise fault


def _gate_places(settings: Settings, document: yaml.Document, path: Path | None) -> tuple[str, ...]:
    if path is None or "gates" not in document.places:
        return ("default",) * len(settings.gates)
    name = _in_repository(path)
    lines = [document.places[f"gates.{number}"][0] for number in range(len(settings.gates))]
    return tuple(f"{name}:{line}" for line in lines)


def _in_repository(path: Path) -> str:
    """The path from the first folder above that holds `.git`, else the name alone: no path of a machine."""
    whole = path.absolute()
    root = next((folder for folder in whole.parents if (folder / ".git").exists()), whole.parent)
    return whole.relative_to(root).as_posix()


def of_call(given: Mapping[str, Any]) -> Loaded:
    """The settings that the options of a command mean."""
    return load(given["config"], isolated=given["isolated"], sets=given["set_"], flags=flags(given))


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or name.count(".") != 1:
        raise ConfigError("usage", f"--set {text}: not SECTION.KEY=VALUE", "for example --set check.title_min=8")
    return name, value


def typed(section: str, key: str, value: Any) -> Any:
    """A flag's text as the schema has it: text verbatim, a list by commas (`none` = empty), else as YAML."""
    hints = get_type_hints(get_type_hints(Settings).get(section), include_extras=False) if _known(section, key) else {}
    hint = hints.get(key)
    if not isinstance(value, str) or hint is str or (hint == str | None and value != "null"):
        return value
    if "tuple" in str(hint) and value != "null":
        parts = [part.strip() for part in value.split(",") if part.strip()]
        return [] if value == "none" else parts if "str" in str(hint) else [yaml.scalar(part) for part in parts]
    return yaml.scalar(value)


def _flag(full: str) -> str:
    """The flag of `section.key`, which is there."""
    section, _, name = full.partition(".")
    return next(called(key) for key in fields(get_type_hints(Settings)[section]) if key.name == name)


def _is_section(name: str) -> bool:
    return is_dataclass(get_type_hints(Settings).get(name))


def _known(section: str, key: str) -> bool:
    kind = get_type_hints(Settings).get(section)
    return is_dataclass(kind) and key in {f.name for f in fields(kind)}


def _all(problem: ValidationError, document: yaml.Document, given: Mapping[str, str]) -> ConfigError:
    """Every fault by its place: the first as the error, the others as its notes. `given`: what says a key on the
    command line.
    """
    found: dict[str, ConfigError] = {}
    for fault in problem.errors():
        deep = 3 if fault["loc"][:1] == ("gates",) else 2  # beyond the key stand the arms of a union
        keys = [str(part) for part in fault["loc"][:deep]]
        path = ".".join(keys)
        flags = [name for name in given if name == path or name.startswith(f"{path}.")]
        by_flag = flags and (path in given or path not in document.places)
        where = given[flags[0]] if by_flag else document.where(".".join(str(part) for part in fault["loc"]))
        if fault["type"] == "unexpected_keyword_argument":
            near = difflib.get_close_matches(keys[-1], _siblings(keys), 1, 0.5)
            help = f"'{near[0]}'?" if near else f"one of {', '.join(_siblings(keys))}"
            error = ConfigError("config-unknown-key", f"unknown key '{keys[-1]}'", help, where)
        else:
            said = str(fault["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
            got = "" if isinstance(fault["input"], dict) else f", got {fault['input']!r}"
            what = f"{path}: {WORDS.get(said, said)}{got}"
            error = ConfigError("config-type", what, _example(keys), where)
        found.setdefault(path, error)
    first, *others = found.values()
    for other in others:
        first.add_note(str(other))
    return first


def _example(keys: Sequence[str]) -> str:
    """The key with its default, to copy."""
    default = getattr(getattr(Settings(), keys[0], None), keys[-1], None) if len(keys) == 2 else None
    return "cleanse config show lists all keys" if default is None else f"{keys[-1]}: {json.dumps(default)}"


def _siblings(keys: Sequence[str]) -> list[str]:
    kind = {1: Settings, 3: GateSettings}.get(len(keys), get_type_hints(Settings).get(keys[0]))
    return [f.name for f in fields(kind)] if kind is not None and is_dataclass(kind) else []


def _origins(settings: Settings, document: yaml.Document, given: Mapping[str, Any]) -> dict[str, str]:
    origin = {}
    for section, keys in asdict(settings).items():
        for full in [f"{section}.{key}" for key in keys] if isinstance(keys, dict) else [section]:
            place = document.places.get(full)
            origin[full] = "flag" if full in given else f"{document.name}:{place[0]}" if place else "default"
    return origin
