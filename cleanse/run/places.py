"""Where files lie: a local path, or a URI of an object store or of HDFS that answers like one (docs/adr/0037)."""

import fnmatch
import io
import os
import stat
from collections.abc import Callable, Generator
from pathlib import Path, PosixPath
from typing import IO, Any, TypeVar

from cleanse.errors import ConfigError
from cleanse.run.filesystems import asked, opened, put, put_by_rename, whole
from cleanse.run.uris import SCHEMES, bare, parts

READ_AHEAD = 4 << 20  # bytes fetched at once
T = TypeVar("T")


def place(given: str | Path) -> Path:
    """A path from what a user or a task names. Raises ConfigError where nothing (usage) or no bucket (uri-invalid) is
    named: as a path, "" would be the current folder.

    >>> place("s3://key:secret@bucket/raw/a.csv?region=eu-west-1")
    Remote('s3://bucket/raw/a.csv')
    >>> place("raw/a.csv")
    PosixPath('raw/a.csv')
    """
    if isinstance(given, Path):
        return given
    if not given:
        raise ConfigError("usage", "an empty path", "name a file or a folder; was a variable not set?")
    uri = parts(given)
    return Remote(*uri) if uri else Path(given)


class Remote(PosixPath):
    """A path `scheme:/store/key`. As text it is the URI without user info and query, to be shown; `os.fspath` has both,
    for `place` in another process.

    It does what cleanse asks of a path. Folders of an object store are no things: they are made and removed by their
    files. What the store does not give is an OSError; MachineError (remote-failed) where it fails again and again.
    """

    _known: os.stat_result | None = None  # from the listing that it came of

    def __str__(self) -> str:
        if not self.parts or self.parts[0] not in SCHEMES:
            return "/".join(self.parts)  # a path below another
        return "/".join([f"{self.parts[0]}/", *map(bare, self.parts[1:2]), *self.parts[2:]])

    def __fspath__(self) -> str:
        return "/".join(self.parts)

    def absolute(self) -> "Remote":
        """Itself."""
        return self

    def resolve(self, strict: bool = False) -> "Remote":
        """What two URIs of one place have in common."""
        return Remote(self.parts[0], bare(self.parts[1]), *self.parts[2:])

    @property
    def is_object(self) -> bool:
        """True on an object store: a file is put there in one go, and not renamed."""
        return self.parts[0] != "hdfs:"

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Kind, size and time of change; the number is 0."""
        if self._known is None:
            (info,) = self._tried(lambda system, at: system.get_file_info([at]))
            return _status(self, info)
        return self._known

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """True for a file, and for a folder with files below."""
        return self._mode() != 0

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """True where files lie below."""
        return stat.S_ISDIR(self._mode())

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """True for a file."""
        return stat.S_ISREG(self._mode())

    def _mode(self) -> int:
        try:
            return self.stat().st_mode
        except FileNotFoundError:
            return 0

    def is_symlink(self) -> bool:
        """There are none."""
        return False

    def iterdir(self) -> Generator["Remote", None, None]:
        """Files and folders of this folder, by name."""
        yield from self._listed(recursive=False)

    def glob(self, pattern: str, **_: Any) -> Generator["Remote", None, None]:
        """Those whose name matches."""
        yield from (path for path in self.iterdir() if fnmatch.fnmatchcase(path.name, pattern))

    def rglob(self, pattern: str, **_: Any) -> Generator["Remote", None, None]:
        """All files below whose name matches; no folders."""
        found = self._listed(recursive=True)
        yield from (path for path in found if path.is_file() and fnmatch.fnmatchcase(path.name, pattern))

    def open(  # type: ignore[override]  # for reading alone
        self, mode: str = "r", buffering: int = READ_AHEAD, encoding: str | None = None, **_: Any
    ) -> IO[Any]:
        """To read, `buffering` bytes at once; `put` writes."""
        if mode not in ("r", "rb"):
            raise io.UnsupportedOperation(mode)
        file = io.BufferedReader(_Object(self), buffering)
        return file if mode == "rb" else io.TextIOWrapper(file, encoding)

    def read_bytes(self) -> bytes:
        """The whole of it."""
        return self._tried(whole)

    def read_text(self, encoding: str | None = None, errors: str | None = None, newline: str | None = None) -> str:
        """The whole of it as text."""
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def put(self, data: bytes) -> None:
        """Write a file: there is the whole of it or what was there before. A large object whose put fails half way may
        be left truncated; no marker speaks of it then.
        """
        self._tried(lambda system, at: (put if self.is_object else put_by_rename)(system, at, data))

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        try:
            self._tried(lambda system, at: system.delete_file(at))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing is made before a file is. Raises FileNotFoundError when the bucket is missing."""
        bucket = Remote(*self.parts[:2])
        if self.is_object and not bucket.exists():
            raise FileNotFoundError(2, "there is no such bucket", str(bucket))

    def _listed(self, *, recursive: bool) -> list["Remote"]:
        from pyarrow.fs import FileSelector  # late: a run without URIs does not load it

        found = self._tried(
            lambda system, at: system.get_file_info(FileSelector(at, allow_not_found=True, recursive=recursive))
        )
        base = opened(*self.parts[:2])[1]
        paths = []
        for info in sorted(found, key=lambda info: str(info.path)):
            path = Remote(*self.parts[:2], info.path.removeprefix(base).strip("/"))
            path._known = _status(path, info)
            paths.append(path)
        return paths

    def _tried(self, act: Callable[[Any, str], T]) -> T:
        return asked(self.parts, str(self), act)


class _Object(io.RawIOBase):
    """The bytes of a remote file, from any offset on; each read is tried again on its own."""

    def __init__(self, path: Remote) -> None:
        self._path, self._at, self._file = path, 0, path._tried(lambda system, at: system.open_input_file(at))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._file.size())[whence]
        return self._at

    def readall(self) -> bytes:
        found: bytes = self._path._tried(lambda system, at: self._file.read_at(self._file.size() - self._at, self._at))
        self._at += len(found)
        return found

    def readinto(self, buffer: Any) -> int:
        found = self._path._tried(lambda system, at: self._file.read_at(len(buffer), self._at))
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


def _status(path: Remote, info: Any) -> os.stat_result:
    if info.type.name == "NotFound":
        raise FileNotFoundError(2, os.strerror(2), str(path))
    mode = stat.S_IFREG if info.is_file else stat.S_IFDIR
    moment = info.mtime_ns or 0
    seconds = moment // 10**9
    return os.stat_result((mode, 0, 0, 1, 0, 0, info.size or 0, seconds, seconds, seconds), {"st_mtime_ns": moment})
