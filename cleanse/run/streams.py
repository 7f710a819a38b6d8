"""The bytes of a source, decompressed, in blocks of 1 MiB: how they are opened, limited, and what ends them early."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from cleanse.errors import CleanseError, InputError, limit
from cleanse.run.places import Remote, place
from cleanse.run.sources import Source, changed
from cleanse.run.store import writing
from cleanse.stages.spans import BLOCK, ends, gathered
from cleanse.text.formats import COMPRESSED

CHUNK = 1 << 16
FREE = 256 << 20  # bytes up to which any growth is honest: a log of 28 lines grows ×1,500 in zstd
_DECOMPRESSORS: dict[str, Callable[[], Any]] = {"bzip2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


class Reader:
    """One source, to be read several times. `problem`: reason and detail once a stream has ended early; `stamp`: what
    tells that the file has changed (size, time of change, number). Raises InputError when it has gone.
    """

    def __init__(self, source: Source, max_expand_ratio: float) -> None:
        self.source = source
        self.ratio = max_expand_ratio
        self.problem: tuple[str, str] | None = None
        with _reading(source), _open(source) as file:
            self.stamp = _stamp(source, file)
            self._small = file.read() if self.stamp[0] <= BLOCK else None
            head = self._small[:8] if self._small is not None else file.read(8)
        self.kind = "zip" if source.member else next((k for k, magic in COMPRESSED.items() if magic.match(head)), "")

    @property
    def is_plain(self) -> bool:
        """True when a byte of the source is a byte of the file."""
        return not self.kind

    def sha256(self) -> str:
        """The digest of the file as it lies on disk."""
        if self._small is not None:
            return hashlib.sha256(self._small).hexdigest()
        with _reading(self.source), _open(self.source) as file:
            return hashlib.file_digest(cast("Any", file), "sha256").hexdigest()

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Blocks of BLOCK bytes, the last one shorter, of the bytes from `start` to `end`; all of them to a break."""
        if self.is_plain and self._small is not None:
            yield from filter(None, (self._small[start:end],))
        elif self.is_plain:
            with _reading(self.source), _open(self.source) as file:
                file.seek(start)
                left = self.stamp[0] - start if end is None else end - start
                while left > 0 and (block := file.read(min(BLOCK, left))):
                    left -= len(block)
                    yield block
                if _stamp(self.source, file) != self.stamp:
                    raise changed(self.source)
        else:
            yield from _between(self._expanded(), start, end)

    def gathered(self, start: int, end: int, least: int) -> Iterator[bytes]:
        """The bytes between in the blocks of `spans.gathered`. Of a file on this machine each is read as a whole."""
        if not self.is_plain or self._small is not None or isinstance(place(self.source.path), Remote):
            yield from gathered(self.blocks(start, end), least)
            return
        with _reading(self.source), _open(self.source) as file:
            for stop in ends(partial(os.pread, file.fileno()), start, end, least):
                file.seek(start)
                if not (block := file.read(stop - start)):  # it has shrunk
                    break
                yield block
                start = stop
            if _stamp(self.source, file) != self.stamp:
                raise changed(self.source)

    def file(self) -> IO[bytes]:
        """A file object that can seek. Of a remote source a copy on this disk: polars would read all of it at each look
        and take a store that fails for a damaged file.
        """
        if not self.is_plain:
            return io.BytesIO(b"".join(self.blocks()))
        return _copied(self.source) if isinstance(place(self.source.path), Remote) else _open(self.source)

    def _expanded(self) -> Iterator[bytes]:
        """Judged by bytes really read: what a header says of the size is a claim. A break ends the blocks."""
        held, total = b"", 0
        try:
            with self._raw() as raw:
                for chunk in self._chunks(raw):
                    total += len(chunk)
                    if total > FREE and total > self.ratio * self.source.size:
                        what = (
                            f"{total >> 20} MiB out of {self.source.size} bytes, more than {self.ratio:g} times as much"
                        )
                        self.problem = ("too_large", what)
                        break
                    held += chunk
                    if len(held) >= BLOCK:
                        yield held[:BLOCK]
                        held = held[BLOCK:]
        except _BROKEN as problem:
            if getattr(problem, "errno", None):  # the disk's word, not that of a decompressor
                raise _unreadable(self.source, cast("OSError", problem)) from None
            self.problem = ("bad_archive", f"{self.kind}: {problem}, behind byte {total}")
        if held:
            yield held

    def _raw(self) -> IO[bytes]:
        return io.BytesIO(self._small) if self._small is not None else _open(self.source)

    def _chunks(self, raw: IO[bytes]) -> Iterator[bytes]:
        if self.kind in _DECOMPRESSORS:
            yield from _members(raw, _DECOMPRESSORS[self.kind])
            return
        with self._stream(raw) as stream:
            read = getattr(stream, "read1", stream.read)  # what is there before a break, not all or nothing
            while chunk := read(CHUNK):
                yield chunk

    def _stream(self, raw: IO[bytes]) -> IO[bytes]:
        if self.kind == "zip":
            return zipfile.ZipFile(raw).open(self.source.member)
        if self.kind == "zstd":
            import pyarrow  # late: no other compression needs it

            return cast("IO[bytes]", pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, "r"), "zstd"))
        return cast("IO[bytes]", gzip.open(raw))


def _members(raw: IO[bytes], make: Callable[[], Any]) -> Iterator[bytes]:
    """Member after member: Python's own readers of bzip2 and xz take a damaged later one for the end of the file. NULs
    may stand behind a member.
    """
    data = raw.read(CHUNK)
    while data:
        member = make()
        while not member.eof:
            if member.needs_input and not data and not (data := raw.read(CHUNK)):
                raise EOFError("it ends within a member")
            data, given = b"", data
            yield member.decompress(given, CHUNK)
        data = member.unused_data
        while not (data := data.lstrip(b"\0")) and (data := raw.read(CHUNK)):
            pass


def _stamp(source: Source, file: IO[bytes]) -> tuple[int, int, int]:
    path = place(source.path)
    status = path.stat() if isinstance(path, Remote) else os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ino


def _between(blocks: Iterator[bytes], start: int, end: int | None) -> Iterator[bytes]:
    """The bytes from `start` to `end` of what can only be read from its beginning on."""
    at = 0
    for block in blocks:
        if wanted := block[max(0, start - at) : None if end is None else max(0, end - at)]:
            yield wanted
        at += len(block)
        if end is not None and at >= end:
            return


def _open(source: Source) -> IO[bytes]:
    with _reading(source):
        return cast("IO[bytes]", place(source.path).open("rb"))


def _copied(source: Source) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115  # who asked for it closes it
    try:
        with writing(Path(tempfile.gettempdir())), _open(source) as file:
            shutil.copyfileobj(file, copy, BLOCK)
            copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return cast("IO[bytes]", copy)


@contextmanager
def _reading(source: Source) -> Iterator[None]:
    """What the system cannot give is an error of the input: no permission, a bad block, a network drive that left."""
    try:
        yield
    except OSError as problem:
        raise _unreadable(source, problem) from None


def _unreadable(source: Source, problem: OSError) -> CleanseError:
    what = f"cannot read {place(source.path)}: {problem.strerror}"
    return limit(problem.errno, what) or InputError("input-unreadable", what, "check permissions and the disk")
