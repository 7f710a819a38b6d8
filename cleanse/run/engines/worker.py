"""A worker: a process of its own that answers calls from a pipe, and the driver's hold on it."""

import contextlib
import os
import select
import signal
import threading
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from cleanse.run.engines.attempts import LOSS
from cleanse.run.engines.base import NO_MEMORY, answer
from cleanse.run.engines.forkserver import ForkServer

READY = b""  # what stands for a worker's number: now it reads at once, so no large call can block the driver
LAST_WORDS = 1 << 16  # bytes of its stderr that tell why a worker aborted: a backtrace may follow
_SIGNALS = {int(each): each.name for each in signal.Signals}


def live(pipe_handle: int) -> None:
    """The life of a worker: it says its number, then answers one call after the other until the driver closes the pipe,
    or dies.
    """
    threading.Thread(target=_follow, args=(pipe_handle,), daemon=True).start()
    pipe = Connection(pipe_handle)
    with contextlib.suppress(EOFError, OSError):  # the other end is gone: so is the reason to be here
        pipe.send_bytes(b"%d" % os.getpid())
        while True:
            pipe.send_bytes(answer(pipe.recv_bytes()))


def _follow(handle: int) -> None:
    """Leave as soon as the other end of the pipe is gone, in the middle of a call too."""
    watch = select.poll()
    watch.register(handle, 0)  # of no interest but the hang-up, which is always told
    watch.poll()
    os._exit(0)


class Worker:
    """The driver's hold on one worker. `still`: how often in a row it was found doing nothing at all."""

    def __init__(self, server: ForkServer) -> None:
        self.pipe, theirs = Pipe()
        self.still, self._used = 0, -1
        self._said = os.memfd_create("stderr")  # backtraces of a library are not for the user's screen
        self._call = b""
        self._pid: int | None = None  # once it is ready
        self._server = server
        server.fork(theirs.fileno(), self._said)
        theirs.close()

    def give(self, call: bytes) -> None:
        """A packed call, now or once the worker is ready."""
        self._call, self.still = call, 0
        if self._pid:
            self._send()

    def _send(self) -> None:
        with contextlib.suppress(OSError):  # dead: the pipe says so when it is read
            self.pipe.send_bytes(self._call)

    def take(self) -> bytes | None:
        """The answer; READY: there is none yet; None: the worker is dead. To be asked when the pipe has news."""
        try:
            found = self.pipe.recv_bytes()
        except (EOFError, OSError):
            return None
        if self._pid or not found.isdigit():
            return found
        self._pid = int(found)
        self._send()
        return READY

    @property
    def is_ready(self) -> bool:
        """True when it has said its number."""
        return self._pid is not None

    def look(self) -> None:
        """Count how often in a row the worker had used no CPU since the last look, and was not about to, or was not yet
        ready.
        """
        if not self.is_ready:
            self.still += 1
            return
        try:
            fields = Path(f"/proc/{self._pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # gone: the pipe will say so
            return
        used = int(fields[11]) + int(fields[12])
        # waiting for a disk is no hanging, nor can it be killed
        is_still = used == self._used and fields[0] not in "RD"
        self.still, self._used = self.still + 1 if is_still else 0, used

    def rss_mb(self) -> float:
        """Memory it holds, MiB."""
        try:
            pages = int(Path(f"/proc/{self._pid}/statm").read_text().split()[1])
        except OSError:
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def kill(self) -> None:
        """Begin to end it: without a task it has nothing to lose."""
        if self._pid:
            self._server.kill(self._pid)

    def end(self) -> str:
        """End it, unless it is dead. Returns what it died of."""
        self.kill()
        self.pipe.close()  # ends it, too, where it is not ready, or the server is gone
        code = self._server.wait(self._pid) if self._pid else None
        last = os.pread(self._said, LAST_WORDS, max(0, os.fstat(self._said).st_size - LAST_WORDS))
        os.close(self._said)
        if code is None:
            return LOSS
        cause = _SIGNALS.get(-code, f"exit code {code}")
        if cause == "SIGABRT" and NO_MEMORY.search(last.decode("utf-8", "replace")):
            return "MemoryError"  # Rust aborts where Python raises
        return cause
