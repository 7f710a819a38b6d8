"""Inputs: which files there are, what they are called in the ledger, and their bytes."""

import bz2
import glob
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from cleanse.errors import ConfigError, InputError

MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
BLOCK = 1 << 20
FREE = 256 << 20  # bytes up to which any growth is honest: a log of 28 lines grows ×1,500 in zstd


@dataclass(frozen=True)
class Source:
    """A file of the input. `name` is its `_source`; `kind` says why it cannot be read, if it is no regular file."""

    path: str
    name: str
    size: int
    kind: str = "file"


@dataclass(frozen=True)
class Content:
    """The bytes of a source, decompressed, and the digest of the file as it lies on disk; or why there are none."""

    data: bytes
    sha256: str
    refused: tuple[str, str] | None = None


def find(inputs: Sequence[str], out: Path) -> list[Source]:
    """All files of the inputs, sorted by name. Folders are walked; hidden names and `__MACOSX` are left out.

    Raises InputError when an input matches nothing or cannot be read (all such paths at once), ConfigError when the
    output lies in the input or the input in the output.
    """
    given = [path for each in inputs for path in _expand(each)]
    _apart(given, out)
    roots = [path if path.is_dir() else path.parent for path in given]
    root = Path(os.path.commonpath([path.absolute() for path in roots]))
    unreadable: list[str] = []
    found: dict[str, Source] = {}
    for path in given:
        for file in _walk(path, unreadable) if path.is_dir() else [path]:
            kind, size = _kind(file)
            if not os.access(file, os.R_OK) or (kind != "file" and file == path):
                unreadable.append(str(file) if kind == "file" else f"{file} ({kind})")
            elif (real := os.path.realpath(file)) not in found:
                found[real] = Source(str(file.absolute()), _name(file.absolute().relative_to(root)), size, kind)
    if unreadable:
        raise InputError("input-unreadable", f"cannot read {', '.join(unreadable)}", "check permissions and file types")
    if not found:
        raise InputError("input-empty", f"no file in {', '.join(map(str, given))}", "check the path")
    _names_apart(found.values())
    return sorted(found.values(), key=lambda source: source.name.encode())


def _names_apart(found: Iterable[Source]) -> None:
    seen: dict[str, str] = {}
    for source in found:
        other = seen.setdefault(source.name, source.path)
        if other != source.path:
            what = f"{other} and {source.path} would both be called {source.name}"
            raise ConfigError("source-clash", what, "rename one of them")


def _expand(given: str) -> list[Path]:
    path = Path(given)
    if path.exists():
        return [path]
    if hits := sorted(glob.glob(given, recursive=True)):
        return [Path(hit) for hit in hits]
    near = (
        sorted(p.name for p in path.parent.glob("*") if not p.name.startswith("."))[:5] if path.parent.is_dir() else []
    )
    raise InputError(
        "input-not-found", f"no file matches '{given}'", "check the path", found=", ".join(near) or "nothing there"
    )


def _apart(given: Sequence[Path], out: Path) -> None:
    target = out.resolve()
    for path in given:
        source = path.resolve()
        if target in (source, *source.parents) or (source.is_dir() and source in target.parents):
            raise ConfigError("out-in-input", f"{out} and {path} lie in each other", "choose another --out")


def _walk(folder: Path, unreadable: list[str]) -> Iterator[Path]:
    for here, folders, files in os.walk(folder, onerror=lambda problem: unreadable.append(str(problem.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__MACOSX")
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]  # not followed, not forgotten
        yield from (Path(here, name) for name in sorted([*files, *links]) if not name.startswith("."))


def _kind(file: Path) -> tuple[str, int]:
    try:
        status = file.stat()
    except OSError:  # a broken link: `os.access` says so too
        return "file", 0
    for is_kind, name in ((stat.S_ISFIFO, "named pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISDIR, "folder link")):
        if is_kind(status.st_mode):
            return name, 0
    return ("file", status.st_size) if stat.S_ISREG(status.st_mode) else ("device", 0)


def _name(path: Path) -> str:
    """With `/`, and `%XX` for each byte of a file name that is not UTF-8."""
    return re.sub("[\udc80-\udcff]", lambda m: f"%{ord(m.group()) - 0xDC00:02X}", path.as_posix())


def read(source: Source, max_expand_ratio: float) -> Content:
    """The bytes of a source, decompressed. A broken or cut stream is `bad_archive`, one that grows without end
    `too_large`, what is no file `unsupported`. Raises InputError when the file has gone, or cannot be read any more.
    """
    if source.kind != "file":
        return Content(b"", "", ("unsupported", source.kind))
    try:
        data = Path(source.path).read_bytes()
    except OSError as problem:
        raise InputError("input-unreadable", f"cannot read {source.path}: {problem.strerror}", "check it") from None
    digest = hashlib.sha256(data).hexdigest()
    kind = next((kind for kind, magic in MAGIC.items() if data.startswith(magic)), None)
    if kind is None:
        return Content(data, digest)
    try:
        return Content(_expanded(_stream(kind, data), len(data), max_expand_ratio), digest)
    except _BombError as problem:
        return Content(b"", digest, ("too_large", str(problem)))
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as problem:
        return Content(b"", digest, ("bad_archive", f"{kind}: {problem}"))


class _BombError(ValueError):
    """A stream that grew too much."""


def _stream(kind: str, data: bytes) -> IO[bytes]:
    raw = io.BytesIO(data)
    if kind == "zstd":
        import pyarrow  # late: no other compression needs it

        return cast("IO[bytes]", pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, "r"), "zstd"))
    readers: dict[str, Callable[..., Any]] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    return cast("IO[bytes]", readers[kind](raw))


def _expanded(stream: IO[bytes], size: int, ratio: float) -> bytes:
    """All of a stream, by blocks. Judged by bytes really read: what a header says of the size is a claim."""
    blocks, total = list[bytes](), 0
    while block := stream.read(BLOCK):
        blocks.append(block)
        total += len(block)
        if total > FREE and total > ratio * size:
            raise _BombError(f"{total >> 20} MiB out of {size} bytes, more than {ratio:g} times as much")
    return b"".join(blocks)


def changed(source: Source) -> InputError:
    """The error for a file that is no longer what the survey saw."""
    return InputError("input-changed", f"{source.path} changed while it was read", "run again when it is complete")
