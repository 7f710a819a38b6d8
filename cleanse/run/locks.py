"""Who works in a folder now: a lock that the kernel frees when its holder dies; on an object store a lease."""

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cleanse.errors import MachineError
from cleanse.run import leases
from cleanse.run.leases import LOCK
from cleanse.run.places import Remote
from cleanse.run.store import writing


@contextlib.contextmanager
def locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """The folder, made if need be, for this call alone; `shared`: with others that make other parts of it.

    Raises MachineError (out-locked) when it is held.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if isinstance(folder, Remote):
        with leases.leased(folder, shared=shared):
            yield
        return
    with writing(folder):
        file = _held(folder, shared=shared)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if not shared:  # others may hold it, too
                (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()  # where nothing was written
        file.close()


def holder(folder: Path) -> str | None:
    """The process and host that work in a folder now, None when nobody does."""
    if isinstance(folder, Remote):
        return leases.holder(folder)
    try:
        with (folder / LOCK).open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return None
    except BlockingIOError:
        return (folder / LOCK).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _held(folder: Path, *, shared: bool) -> IO[str]:
    """The lock file, once it is ours."""
    while True:
        file = (folder / LOCK).open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            by = file.read().strip() or "another call"
            file.close()
            help = "wait for it, or choose another --out"
            raise MachineError("out-locked", f"{folder} is in use", help, found=by) from None
        except OSError:  # a file system without locks: two calls would write the same bytes
            pass
        try:
            is_named = os.fstat(file.fileno()).st_ino == (folder / LOCK).stat().st_ino
        except FileNotFoundError:
            is_named = False
        if is_named:  # else its holder has left, and taken the file along
            file.truncate(0)
            file.write(f"pid {os.getpid()} on {socket.gethostname()}\n")
            file.flush()
            return file
        file.close()
