"""YAML without its traps: only true and false are bools, only decimal numbers are numbers, a key stands once."""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cleanse.errors import ConfigError, InputError

MAX_DIGITS = 40  # of a number: a longer one is text, and a type error where a number is wanted
TAGS = {f"tag:yaml.org,2002:{name}" for name in "str int float bool null map seq timestamp value merge".split()}
MAX_NODES = 10_000  # a config has hundreds; aliases of aliases make billions
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass
class Document:
    """The tree of a file, and where each value stands: `check.title_min` → (line, column), from 1."""

    tree: dict[str, Any]
    name: str
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    n_nodes: int = 0

    def where(self, path: str) -> str:
        """`cleanse.yaml:14:5` of a value, or of what holds it; nothing without a file."""
        if not self.name:
            return ""
        while path not in self.places and "." in path:
            path = path.rpartition(".")[0]
        line, column = self.places.get(path, (1, 1))
        return f"{self.name}:{line}:{column}"


def scalar(text: str) -> Any:
    """A plain scalar: true, false, null, a decimal number, else text.

    >>> scalar("no"), scalar("010"), scalar("10"), scalar("1.5"), scalar("true")
    ('no', '010', 10, 1.5, True)
    """
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if not match or len(text) > MAX_DIGITS:
        return text
    number = float(text)
    return int(text) if text.lstrip("+-").isdigit() else number if math.isfinite(number) else text


def parse(text: str, name: str) -> Document:
    """A YAML document of one mapping. Raises ConfigError with line and column."""
    import yaml  # late: most calls have no file

    document = Document({}, name)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        tab = "\t" in (problem.problem or "") or "'\\t'" in (problem.problem or "")
        what = "a tab cannot indent YAML" if tab else str(problem.problem)
        raise ConfigError("config-syntax", what, "use spaces" if tab else "mend the line", where) from None
    except yaml.YAMLError as problem:
        raise ConfigError("config-syntax", str(problem).splitlines()[0], "mend the file", name) from None
    except RecursionError:
        raise ConfigError("config-syntax", "nested too deep", "write plain values", f"{name}:1:1") from None
    if node is not None:
        try:
            tree = _value(node, document, "")
        except RecursionError:
            raise ConfigError("config-syntax", "an alias holds itself", "write plain values", f"{name}:1:1") from None
        if not isinstance(tree, dict):
            raise ConfigError("config-syntax", "a config is a mapping", "section: then keys below it", f"{name}:1:1")
        document.tree = tree
    return document


def load(path: Path) -> Document:
    """A file as a Document. Raises InputError when it cannot be read, ConfigError for what is in it."""
    try:
        return parse(path.read_text(encoding="utf-8-sig"), str(path))
    except OSError as problem:
        raise InputError("config-unreadable", f"cannot read {path}: {problem.strerror}", "check --config") from None
    except UnicodeDecodeError:
        raise ConfigError("config-syntax", "the file is not UTF-8", "save it as UTF-8", str(path)) from None


def _value(node: Any, document: Document, path: str) -> Any:
    """The value of a yaml.Node, whose `id` is its kind."""
    document.places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    document.n_nodes += 1
    if document.n_nodes > MAX_NODES or node.tag not in TAGS:
        what = f"tag {node.tag}" if document.n_nodes <= MAX_NODES else f"more than {MAX_NODES} values"
        raise ConfigError("config-syntax", f"{what} is not allowed", "write plain values", document.where(path))
    if node.id == "mapping":
        return _mapping(node, document, path)
    if node.id == "sequence":
        return [_value(item, document, f"{path}.{i}") for i, item in enumerate(node.value)]
    return scalar(node.value) if node.style is None else node.value


def _mapping(node: Any, document: Document, path: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key, mark = str(key_node.value), key_node.start_mark
        full = f"{path}.{key}".lstrip(".")
        if key in tree:
            first = document.places[full]
            raise ConfigError(
                "config-duplicate-key", f"'{key}' is set twice", "remove one",
                f"{document.name}:{mark.line + 1}:{mark.column + 1}, first at {first[0]}:{first[1]}",
            )  # fmt: skip
        document.places[full] = (mark.line + 1, mark.column + 1)
        tree[key] = _value(value_node, document, full)
    return tree
