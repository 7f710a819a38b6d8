"""The file systems of pyarrow behind a URI: opened once in a process, asked again where that may help."""

import functools
import os
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from cleanse.errors import ConfigError, MachineError
from cleanse.run.uris import bare, shown

DELAYS = (1.0, 4.0, 16.0)  # seconds before each further try
_DENIED = re.compile(
    r"AWS Error (?:ACCESS_DENIED|[A-Z_]*(?:SIGNATURE|ACCESS_KEY|TOKEN)|UNKNOWN \(HTTP status 40[13]\))"
    r"|Status\((?:PERMISSION_DENIED|UNAUTHENTICATED)"
)
_MISSING = re.compile(r"AWS Error NO_SUCH_BUCKET|^Bucket '[^']*' not found|Status\(NOT_FOUND")
_NO_CLIENT = re.compile(r"Unable to load lib")
T = TypeVar("T")


def asked(parts: Sequence[str], name: str, act: Callable[[Any, str], T]) -> T:
    """What `act` gives, asked of a file system with the path that a place has there. `parts`: scheme, store, names of
    the key; `name`: of the place, in messages.

    Raises FileNotFoundError or PermissionError at once, MachineError (remote-failed) where it fails again and again.
    """
    for delay in (*DELAYS, None):
        try:
            system, base = opened(*parts[:2])
            return act(system, "/".join([base.rstrip("/"), *parts[2:]]) or "/")
        except OSError as problem:
            what = _cause(problem)
            if isinstance(problem, FileNotFoundError) or _MISSING.search(str(problem)):
                raise FileNotFoundError(2, what, name) from None
            if isinstance(problem, PermissionError) or _DENIED.search(str(problem)):
                raise PermissionError(13, f"access denied ({what})", name) from None
            if delay is None or _NO_CLIENT.search(str(problem)):
                help = "the same command resumes once the store answers"
                raise MachineError("remote-failed", f"{name}: {what}", help) from None
        time.sleep(delay)
    raise AssertionError  # the last try returns or raises


def _cause(problem: OSError) -> str:
    """What the store said, without the numbers of its request."""
    first = problem.strerror or str(problem).splitlines()[0]
    return re.sub(r" \(Request ID.*|; Details.*|\. Detail:.*", "", shown(first))[:200]


@functools.cache
def opened(scheme: str, store: str) -> tuple[Any, str]:
    """The file system, and the path there of what the URI begins with."""
    from pyarrow import ArrowInvalid  # late: a run without URIs does not load it
    from pyarrow.fs import FileSystem

    name, _, query = store.partition("?")
    if scheme == "s3:":
        query = "&".join(filter(None, [query, "allow_delayed_open=true"]))  # else small files cost three requests
    try:
        system, base = FileSystem.from_uri(f"{scheme}//{name}/{'?' if query else ''}{query}")
    except ArrowInvalid as problem:  # its text repeats the URI
        what = str(problem).split("\n")[0] if "query parameter" in str(problem) else "not understood"
        help = "the query is that of pyarrow.fs; in a key or secret write / as %2F"
        raise ConfigError("uri-invalid", f"{scheme}//{bare(store)}: {what}", help) from None
    return system, base


def whole(system: Any, at: str) -> bytes:
    """A file."""
    with system.open_input_file(at) as file:
        found: bytes = file.read()
        return found


def put(system: Any, at: str, data: bytes) -> None:
    """Write a file of an object store in one go, from a whole: a stream that is left by an exception publishes what it
    holds.
    """
    stream = system.open_output_stream(at, compression=None)  # else it packs what is called .gz
    stream.write(data)
    stream.close()


def put_by_rename(system: Any, at: str, data: bytes) -> None:
    """Write a file of HDFS, which renames in one step, but not over another file."""
    folder, _, name = at.rpartition("/")
    beside = f"{folder}/.{name}.{os.urandom(8).hex()}.tmp"
    system.create_dir(folder, recursive=True)
    put(system, beside, data)
    if system.get_file_info([at])[0].is_file:
        system.delete_file(at)
    system.move(beside, at)
