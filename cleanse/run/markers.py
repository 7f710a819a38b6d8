"""What is done already: beside each part lies a marker that says what it was made of and which files came of it.

A marker is written last. Its part is done when the key is the one asked for and every file has its size; then the part
is not made again, after any death and by any engine.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cleanse.ledger import Entry
from cleanse.run import store
from cleanse.run.store import Output
from cleanse.run.versions import files, versions
from cleanse.settings import Settings
from cleanse.stage import Stage
from cleanse.table import Schema

FOLDER = "markers"


@dataclass(frozen=True)
class Marker:
    """`key`: what the part was made of; `entries`: its ledger lines; `outputs`: its files, by path below their root;
    `noted`: what else was found out, as plain JSON.
    """

    key: str
    entries: list[Entry] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    noted: Mapping[str, Any] = field(default_factory=dict)


def digest(*content: Any) -> str:
    """sha256 of plain JSON; anything else in it counts as its text.

    >>> digest({"b": 1, "a": [2]}) == digest({"a": [2], "b": 1})
    True
    """
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def basis(stage: Stage, settings: Settings, schema: Schema, facts: Mapping[str, Any]) -> str:
    """All that a part of a stage is made of, beside its rows: settings, versions, what is known of the corpus.

    `schema`: of the table that the stage reads.
    """
    sections = {name: asdict(getattr(settings, name)) for name in stage.sections}
    run = settings.run.row_group_mb, settings.run.seed if stage.draws else None
    columns = [(name, str(dtype)) for name, dtype in schema.items()]
    return digest(stage.name, sections, run, versions(settings), columns, facts, files(settings, sections))


def write(folder: Path, part: str, marker: Marker) -> None:
    """The last file of a part. `folder`: that of the stage."""
    store.commit(folder / FOLDER / f"{part}.json", json.dumps(asdict(marker), ensure_ascii=False).encode())


def read(folder: Path, part: str) -> Marker | None:
    """The marker of a part, None when there is none or no whole one."""
    tree = store.read_json(folder / FOLDER / f"{part}.json")
    try:
        return _marker(tree) if tree else None
    except (KeyError, TypeError):
        return None


def _marker(tree: Mapping[str, Any]) -> Marker:
    entries, outputs = [Entry(**each) for each in tree["entries"]], [Output(**each) for each in tree["outputs"]]
    return Marker(tree["key"], entries, outputs, {**tree["noted"]})


def there(outputs: Sequence[Output], root: Path, *, verify: bool) -> bool:
    """True when every file has its size; with `verify` also its sha256."""
    return all(_is_whole(root / output.path, output, verify=verify) for output in outputs)


def _is_whole(path: Path, output: Output, *, verify: bool) -> bool:
    try:
        if path.stat().st_size != output.bytes:
            return False
        if not verify:
            return True
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == output.sha256
    except OSError:
        return False
