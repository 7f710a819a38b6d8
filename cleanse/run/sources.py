"""Inputs: which sources there are, and what they are called in the ledger."""

import fnmatch
import glob
import itertools
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath

from cleanse.errors import ConfigError, InputError
from cleanse.run import archives
from cleanse.run.places import Remote, place
from cleanse.run.store import writing

STDIN = "-"


@dataclass(frozen=True)
class Source:
    """A file of the input, or a member of an archive in it. `name` is its `_source`; `size` in bytes on disk;
    `refused`: reason and detail of what cannot be read.
    """

    path: str
    name: str
    size: int
    refused: tuple[str, str] | None = None
    member: str = ""


@contextmanager
def with_stdin(inputs: Sequence[str], out: Path) -> Iterator[list[str]]:
    """The inputs, with `-` as a file beside `out`: what comes over standard input is read more than once."""
    if STDIN not in inputs:
        yield list(inputs)
        return
    if sys.stdin is None:
        raise InputError("input-unreadable", "standard input is closed", "give it something: cleanse … - < FILE")
    beside = Path(tempfile.gettempdir()) if isinstance(out, Remote) else out.absolute().parent
    folder = beside / f".{out.name}.{secrets.token_hex(8)}.tmp"
    with writing(folder):
        folder.mkdir(parents=True)
    try:
        with writing(folder), (folder / STDIN).open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield [str(folder / STDIN) if given == STDIN else given for given in inputs]
    finally:
        shutil.rmtree(folder)


def find(inputs: Sequence[str], out: Path | None, max_members: int) -> list[Source]:
    """All sources of the inputs, sorted by name. Folders are walked; hidden names and `__MACOSX` are left out; each
    member of a zip archive is a source.

    Raises InputError when an input matches nothing or cannot be read (all such paths at once), ConfigError when the
    output lies in the input or the input in the output.
    """
    given = [path for each in inputs for path in _expand(each)]
    if out:
        _apart(given, out)
    root = Path(os.path.commonpath([_spot(path if path.is_dir() else path.parent) for path in given]))
    unreadable: list[str] = []
    found: dict[str, Source] = {}
    for path in given:
        for file in _walk(path, unreadable) if path.is_dir() else [path]:
            kind, size = _kind(file)
            if not _may_read(file) or (kind != "file" and file == path):
                unreadable.append(str(file) if kind == "file" else f"{file} ({kind})")
            elif (real := _real(file)) not in found:
                refused = None if kind == "file" else ("unsupported", kind)
                found[real] = Source(os.fspath(file.absolute()), _name(_spot(file).relative_to(root)), size, refused)
    if unreadable:
        raise InputError("input-unreadable", f"cannot read {', '.join(unreadable)}", "check permissions and file types")
    if not found:
        raise InputError("input-empty", f"no file in {', '.join(map(str, given))}", "check the path")
    _names_apart(found.values())
    sources = [each for source in found.values() for each in _members(source, max_members)]
    return sorted(sources, key=lambda source: source.name.encode())


def _members(source: Source, max_members: int) -> list[Source]:
    """The source itself, or for an archive its members, as `a.zip!/x`."""
    if source.refused or not archives.is_zip(place(source.path)):
        return [source]
    try:
        found = archives.members(place(source.path), max_members)
    except ValueError as problem:
        return [replace(source, refused=("bad_archive", str(problem)))]
    if not found:
        return [replace(source, refused=("bad_archive", "zip: no file in it"))]
    return [Source(source.path, f"{source.name}!/{m.name}", m.size, m.refused, m.key) for m in found]


def _names_apart(found: Iterable[Source]) -> None:
    seen: dict[str, str] = {}
    for source in found:
        other = seen.setdefault(source.name, source.path)
        if other != source.path:
            what = f"{place(other)} and {place(source.path)} would both be called {source.name}"
            raise ConfigError("source-clash", what, "rename one of them")


def _expand(given: str) -> list[Path]:
    path = place(given)
    with _looking(path):
        if path.exists():
            return [path]
        if hits := _matching(path):
            return hits
    near = (
        sorted(p.name for p in path.parent.glob("*") if not p.name.startswith("."))[:5] if path.parent.is_dir() else []
    )
    raise InputError(
        "input-not-found", f"no file matches '{path}'", "check the path", found=", ".join(near) or "nothing there"
    )


def _apart(given: Sequence[Path], out: Path) -> None:
    target = _resolved(out)
    for path in given:
        source = _resolved(path)
        if target in (source, *source.parents) or (source in target.parents and path.is_dir()):
            raise ConfigError("out-in-input", f"{out} and {path} lie in each other", "choose another --out")


def _matching(pattern: Path) -> list[Path]:
    """Files and folders of a glob."""
    if not isinstance(pattern, Remote):
        return sorted(Path(hit) for hit in glob.glob(str(pattern), recursive=True))
    key = itertools.takewhile(lambda name: not glob.has_magic(name), pattern.parts[2:])
    fixed = [*pattern.parts[:2], *key]
    wanted = pattern.parts[len(fixed) :]
    hits: dict[str, Path] = {}
    for file in Remote(*fixed).rglob("*") if wanted else ():
        below = file.parts[len(fixed) :]
        if n := next((n for n in range(1, len(below) + 1) if _fits(below[:n], wanted)), 0):
            hit = file if n == len(below) else Remote(*fixed, *below[:n])
            hits[str(hit)] = hit
    return list(hits.values())


def _fits(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """A path against a glob, name by name; a hidden name wants a dot.

    >>> _fits(["raw", "a", "1.csv"], ["raw", "**", "*.csv"])
    True
    """
    if not wanted:
        return not names
    if wanted[0] == "**" and _fits(names, wanted[1:]):
        return True
    if not names or (names[0].startswith(".") and not wanted[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(names[0], wanted[0]) and _fits(names[1:], wanted[wanted[0] != "**" :])


def _resolved(path: Path) -> Path:
    """The path without links; one that leads to itself stays, where `Path.resolve` of Python 3.11 raises."""
    return path.resolve() if isinstance(path, Remote) else Path(os.path.realpath(path))


@contextmanager
def _looking(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        help = "check permissions" if isinstance(problem, PermissionError) else "check the path"
        raise InputError("input-unreadable", f"cannot read {path}: {problem.strerror}", help) from None


def _spot(path: Path) -> PurePath:
    """Where a path lies among all: its URI counts as a folder of the root, without user info and query."""
    return PurePosixPath("/", *path.resolve().parts) if isinstance(path, Remote) else path.absolute()


def _real(path: Path) -> str:
    return os.fspath(path) if isinstance(path, Remote) else os.path.realpath(path)


def _may_read(path: Path) -> bool:
    return isinstance(path, Remote) or os.access(path, os.R_OK)


def _walk(folder: Path, unreadable: list[str]) -> Iterator[Path]:
    if isinstance(folder, Remote):
        start = len(folder.parts)
        yield from (path for path in folder.rglob("*") if not any(map(_is_left_out, path.parts[start:])))
        return
    for here, folders, files in os.walk(folder, onerror=lambda problem: unreadable.append(str(problem.filename))):
        folders[:] = sorted(name for name in folders if not _is_left_out(name))
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]  # not followed, not forgotten
        yield from (Path(here, name) for name in sorted([*files, *links]) if not name.startswith("."))


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _kind(file: Path) -> tuple[str, int]:
    try:
        status = file.stat()
    except OSError:  # a broken link: `os.access` says so too
        return "file", 0
    for is_kind, name in ((stat.S_ISFIFO, "named pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISDIR, "folder link")):
        if is_kind(status.st_mode):
            return name, 0
    return ("file", status.st_size) if stat.S_ISREG(status.st_mode) else ("device", 0)


def _name(path: PurePath) -> str:
    """With `/`, and `%XX` for each byte of a file name that is not UTF-8."""
    return re.sub("[\udc80-\udcff]", lambda m: f"%{ord(m.group()) - 0xDC00:02X}", path.as_posix())


def changed(source: Source) -> InputError:
    """The error for a file that is no longer what the survey saw."""
    return InputError(
        "input-changed", f"{place(source.path)} changed while it was read", "run again when it is complete"
    )
