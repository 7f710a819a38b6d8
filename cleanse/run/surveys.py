"""The survey of all sources, group by group. Calls that make shares of one run leave each other what they found, else
each would read the whole input (docs/adr/0047).
"""

import hashlib
import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass, is_dataclass
from os import fspath
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from cleanse.run import store
from cleanse.run.engines.base import Engine
from cleanse.run.markers import digest
from cleanse.run.places import place
from cleanse.run.ready import some
from cleanse.run.sources import Source
from cleanse.run.streams import Reader
from cleanse.run.unchanged import Stamp, stamp
from cleanse.run.uris import shown
from cleanse.run.versions import versions
from cleanse.settings import Settings
from cleanse.stages.spans import BLOCK
from cleanse.stages.survey import SourceFacts, survey

_SHA256 = 32  # bytes
MAX_SHARED = 1000  # sources of one part, so that many tiny files still make several tasks
T = TypeVar("T")


@dataclass(frozen=True)
class Planned:
    """A source and what the survey found. `stamp`: what tells that its file has changed since."""

    source: Source
    facts: SourceFacts
    sha256: str = ""
    stamp: Stamp = (0, 0, 0)
    is_plain: bool = True

    @property
    def size(self) -> int:
        """Bytes that its records come from: of a compressed source more than lie on disk."""
        return self.source.size if self.is_plain else max(self.source.size, self.facts.end)


@dataclass(frozen=True)
class Survey:
    """A task: look at these sources. `kept`: the folder where calls leave what they found, None where none do."""

    sources: tuple[Source, ...]
    settings: Settings
    kept: str | None = None

    def __str__(self) -> str:
        return "survey of " + some([source.name for source in self.sources])


def surveyed(
    found: Sequence[Source],
    settings: Settings,
    engine: Engine,
    kept: Path | None = None,
    share: tuple[int, int] | None = None,
) -> list[Planned]:
    """All sources, in order. A call that makes a share begins with as large a share of them: by the time it comes to
    the others, other calls have looked at these.
    """
    groups = shared(found, lambda source: source.size, part_bytes(settings))
    tasks = [Survey(tuple(group), settings, fspath(kept) if kept else None) for group in groups]
    k, n = share or (1, 1)
    begin = len(tasks) * (k - 1) // n
    made, behind = engine.map(examine, [*tasks[begin:], *tasks[:begin]], lambda _: None), len(tasks) - begin
    return [planned for group in (*made[behind:], *made[:behind]) for planned in group]


def part_bytes(settings: Settings) -> int:
    """Bytes of sources that share a part."""
    return int(settings.run.part_mb * 2**20)


def shared(items: Sequence[T], size_of: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Groups of successive files, up to `limit` bytes in all; a larger file stands alone."""
    group: list[T] = []
    size = 0
    for item in items:
        if group and (size + size_of(item) > limit or len(group) == MAX_SHARED):
            yield group
            group, size = [], 0
        group.append(item)
        size += size_of(item)
    if group:
        yield group


def examine(task: Survey) -> list[Planned]:
    """Survey some sources, unless another call has."""
    path = _path(task)
    if path and (known := _read(path, task.sources)):
        return known
    with ThreadPoolExecutor(1) as pool:
        found = [_examined(source, task.settings, pool) for source in task.sources]
    if path and path == _path(task):  # no source has changed meanwhile
        _write(path, found)
    return found


def _examined(source: Source, settings: Settings, pool: ThreadPoolExecutor) -> Planned:
    """`pool`: where a large file is hashed, which leaves the interpreter to the survey."""
    if source.refused:
        return Planned(source, SourceFacts(source.name, "unknown", refused=source.refused))
    reader = Reader(source, settings.decode.max_expand_ratio)
    digest = pool.submit(reader.sha256) if source.size > BLOCK else None
    facts = survey(reader, source.name, settings)
    return Planned(source, facts, digest.result() if digest else reader.sha256(), reader.stamp, reader.is_plain)


def _path(task: Survey) -> Path | None:
    """Where the survey of these sources, as they are now, is kept: its name says all that it depends on."""
    if task.kept is None:
        return None
    s = task.settings
    seen = [(shown(each.path), *astuple(each)[1:], stamp(each.path)) for each in task.sources]
    return place(task.kept) / digest(versions(s), asdict(s.columns), asdict(s.decode), s.run.part_mb, seen)


def _write(path: Path, found: Sequence[Planned]) -> None:
    """Without the sources, whose URIs may hold a password."""
    data = pickle.dumps([(each.facts, each.sha256, each.stamp, each.is_plain) for each in found])
    store.commit(path, hashlib.sha256(data).digest() + data, durable=False)


def _read(path: Path, sources: Sequence[Source]) -> list[Planned] | None:
    """What was written there; None when there is nothing whole, or nothing of ours."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    sha256, data = content[:_SHA256], content[_SHA256:]
    if hashlib.sha256(data).digest() != sha256:
        return None
    try:
        known = _Values(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        return None
    return [Planned(source, *each) for source, each in zip(sources, known, strict=True)]


class _Values(pickle.Unpickler):
    """Reads values of ours and types of polars; a file that names anything else is none of ours, whatever it says."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] in ("cleanse", "polars"):
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, tuple | pl.DataType)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value of a survey")
