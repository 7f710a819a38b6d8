"""A lock where the kernel has none: an object that its holder renews. Best effort; all commits may be done twice."""

import contextlib
import os
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
    mine, said = folder / (f"{LOCK}.{token}.tmp" if shared else LOCK), f"pid {os.getpid()} on {socket.gethostname()}"
    content = f"{said}, {token}\n".encode()
    _refuse(folder, mine, content, shared=shared)
    commit(mine, content)
    try:
        time.sleep(SETTLE)
        _refuse(folder, mine, content, shared=shared)
        with _renewed(mine, content):
            yield
    finally:
        if _said(mine) == content:  # else somebody took it for that of a dead call
            mine.unlink(missing_ok=True)


def _refuse(folder: Remote, mine: Path, content: bytes, *, shared: bool) -> None:
    """Raises MachineError when another call holds the folder."""
    for path in folder.glob(f"{LOCK}*"):
        is_other = path.name == LOCK if shared else True
        if not is_other or time.time() - path.stat().st_mtime > STALE:
            continue
        said = _said(path)
        if said not in (b"", content):
            holder = said.decode("utf-8", "replace").strip()
            raise MachineError(
                "out-locked", f"{folder} is in use", "wait for it, or choose another --out", found=holder
            )


def _said(path: Path) -> bytes:
    """The content of a lock, nothing when it has gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


@contextlib.contextmanager
def _renewed(mine: Path, content: bytes) -> Iterator[None]:
    """While the body runs, the lock stays young; not when it is no longer ours."""
    ended = Event()

    def renew() -> None:
        while not ended.wait(RENEW):
            with contextlib.suppress(CleanseError):  # the next time, or never: then the work itself fails, too
                if _said(mine) == content:
                    commit(mine, content)

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
