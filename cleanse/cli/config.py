"""From file, `--set` and flags to validated Settings, each value with its origin. The only reader of a config file."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from cleanse.cli import yaml
from cleanse.errors import ConfigError
from cleanse.settings import Settings

NAME = "cleanse.yaml"


@dataclass(frozen=True)
class Loaded:
    """The settings in force; `origin`: `check.title_min` → `cleanse.yaml:12`, `flag` or `default`."""

    settings: Settings
    origin: Mapping[str, str]
    path: Path | None


@cache
def adapter() -> TypeAdapter[Settings]:
    """pydantic's validator of the settings."""
    return TypeAdapter(Settings)


def discover(folder: Path) -> Path | None:
    """`cleanse.yaml` here or in a parent, up to the first folder that holds `.git`."""
    for here in (folder, *folder.parents):
        if (here / NAME).is_file():
            return here / NAME
        if (here / ".git").exists():
            return None
    return None


def load(
    path: Path | None, *, isolated: bool, sets: Sequence[str] = (), flags: Mapping[str, Any] | None = None
) -> Loaded:
    """Flags (later `--set` wins over flags) over the file over the defaults.

    `flags`: `section.key` → value as typed. Raises ConfigError for all faults of the settings at once.
    """
    path = path or (None if isolated else discover(Path.cwd()))
    document = yaml.load(path) if path else yaml.Document({}, "")
    document.tree = {section: {} if keys is None else keys for section, keys in document.tree.items()}
    given = {**(flags or {}), **dict(_assignment(each) for each in sets)}
    for full, value in given.items():
        section, _, key = full.partition(".")
        if not isinstance(document.tree.setdefault(section, {}), dict):
            continue  # the type error of the section is reported below
        document.tree[section][key] = typed(section, key, value)
    try:
        settings = adapter().validate_json(json.dumps(document.tree), strict=True)
    except ValidationError as problem:
        raise _all(problem, document, given) from None
    return Loaded(settings, _origins(settings, document, given), path)


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


def _known(section: str, key: str) -> bool:
    kind = get_type_hints(Settings).get(section)
    return is_dataclass(kind) and key in {f.name for f in fields(kind)}


def _all(problem: ValidationError, document: yaml.Document, given: Mapping[str, Any]) -> ConfigError:
    """Every fault by its place: the first as the error, the others as its notes."""
    found: dict[str, ConfigError] = {}
    for fault in problem.errors():
        names = [str(part) for part in fault["loc"][:2]]  # beyond the key stand the arms of a union
        path = ".".join(names)
        flags = [name for name in given if name == path or name.startswith(f"{path}.")]
        by_flag = flags and (path in given or path not in document.places)
        where = f"--set {flags[0]}" if by_flag else document.where(".".join(str(part) for part in fault["loc"]))
        if fault["type"] == "unexpected_keyword_argument":
            near = difflib.get_close_matches(names[-1], _siblings(names), 1, 0.5)
            help = f"'{near[0]}'?" if near else f"one of {', '.join(_siblings(names))}"
            error = ConfigError("config-unknown-key", f"unknown key '{names[-1]}'", help, where)
        else:
            said = str(fault["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
            got = "" if isinstance(fault["input"], dict) else f", got {fault['input']!r}"
            error = ConfigError("config-type", f"{path}: {said}{got}", "cleanse config show lists all keys", where)
        found.setdefault(path, error)
    first, *others = found.values()
    for other in others:
        first.add_note(str(other))
    return first


def _siblings(names: Sequence[str]) -> list[str]:
    kind = get_type_hints(Settings).get(names[0]) if len(names) > 1 else Settings
    return [f.name for f in fields(kind)] if kind is not None and is_dataclass(kind) else []


def _origins(settings: Settings, document: yaml.Document, given: Mapping[str, Any]) -> dict[str, str]:
    origin = {}
    for section, keys in asdict(settings).items():
        for full in [f"{section}.{key}" for key in keys] if isinstance(keys, dict) else [section]:
            place = document.places.get(full)
            origin[full] = "flag" if full in given else f"{document.name}:{place[0]}" if place else "default"
    return origin
