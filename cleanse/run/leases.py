"""A lock where the kernel has none: an object that its holder renews. Best effort: all that is written may be written
twice.
"""

import contextlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

from cleanse.errors import CleanseError, MachineError
from cleanse.run.places import Remote
from cleanse.run.store import commit

LOCK = ".lock"
SETTLE = 2.0  # seconds, until another call that came at the same time can be seen
RENEW = 60.0  # seconds
STALE = 600.0  # seconds without a renewal: its holder has died


@contextlib.contextmanager
def leased(folder: Remote, *, shared: bool) -> Iterator[None]:
    """The folder for this call alone; `shared`: with others that make other parts of it.

    Raises MachineError (out-locked) when it is held. Two calls of one moment may both be refused.
    """
    token = secrets.token_hex(8)
    mine = folder / (f"{LOCK}.{token}.tmp" if shared else LOCK)
    content = f"pid {os.getpid()} on {socket.gethostname()}, {token}"
    _refuse(folder, content, shared=shared)
    commit(mine, content.encode())
    try:
        time.sleep(SETTLE)
        _refuse(folder, content, shared=shared)
        with _renewed(mine, content):
            yield
    finally:
        with contextlib.suppress(CleanseError, OSError):  # a store that is gone keeps the lock until it is stale
            if _said(mine) == content:  # else somebody took it for that of a dead call
                mine.unlink()


def holder(folder: Remote) -> str | None:
    """The process and host that work in a folder now, None when nobody does."""
    return next(_held(folder, f"{LOCK}*"), None)


def _held(folder: Remote, pattern: str) -> Iterator[str]:
    """What the locks say whose holders may live."""
    for path in folder.glob(pattern):
        is_young = time.time() - path.stat().st_mtime <= STALE
        said = _said(path) if is_young else ""
        if said and not _has_died(said):
            yield said


def _refuse(folder: Remote, content: str, *, shared: bool) -> None:
    """Raises MachineError when another call holds the folder. `content`: of our own lock."""
    for said in _held(folder, LOCK if shared else f"{LOCK}*"):
        if said != content:
            help = f"wait for it, or choose another --out; the lock of a dead call ends after {STALE / 60:.0f} minutes"
            raise MachineError("out-locked", f"{folder} is in use", help, found=said)


def _said(path: Path) -> str:
    """The content of a lock, nothing when it has gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _has_died(said: str) -> bool:
    """True when the holder of a lock was a process of this machine, and is no more."""
    holder = re.match(r"pid (\d+) on (.*), ", said)
    if not holder or holder[2] != socket.gethostname():
        return False
    try:
        os.kill(int(holder[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's
        return False
    return False


@contextlib.contextmanager
def _renewed(mine: Path, content: str) -> Iterator[None]:
    """While the body runs, the lock stays young; not when it is no longer ours."""
    ended = Event()

    def renew() -> None:
        while not ended.wait(RENEW):
            with contextlib.suppress(CleanseError, OSError):  # the next time, or never: then the work fails, too
                if _said(mine) == content:
                    commit(mine, content.encode())

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
