"""A worker: a process of its own that answers calls from a pipe, and the driver's hold on it."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from cleanse.errors import MachineError
from cleanse.run.engines.base import NO_MEMORY, ONE_THREAD, answer

LOADED = ("cleanse.run.tasks", "cleanse.run.decoding")  # loaded while the driver is busy with its own modules
READY = b""  # the first message: from here on the worker reads at once, so no large call can block the driver
LAST_WORDS = 1 << 16  # bytes of its stderr that tell why a worker aborted: a backtrace may follow
PROGRAM = """import gc, sys
gc.set_threshold(100_000)
sys.path[:] = sys.argv[2:]
from cleanse.run.engines.worker import serve
serve(int(sys.argv[1]))"""
# the threshold: else Python looks for garbage 60 times while polars and our modules load, docs/adr/0022
_SIGNALS = {int(each): each.name for each in signal.Signals}
DRIVERS = (signal.SIGINT, signal.SIGTERM)  # signals that are for the driver, which tells the workers


def serve(handle: int) -> None:
    """The life of a worker: one call after the other until the driver closes the pipe, or dies."""
    threading.Thread(target=_follow, args=(handle,), daemon=True).start()
    pipe = Connection(handle)
    with contextlib.suppress(EOFError, OSError):  # the other end is gone: so is the reason to be here
        pipe.send_bytes(READY)
        for name in LOADED:
            import_module(name)
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

    def __init__(self) -> None:
        self.pipe, theirs = Pipe()
        self.still, self._used = 0, -1
        self._said = os.memfd_create("stderr")  # backtraces of a library are not for the user's screen
        self._call = b""
        self.is_ready = False
        command = [sys.executable, "-c", PROGRAM, str(theirs.fileno()), *sys.path]
        before = signal.pthread_sigmask(signal.SIG_BLOCK, DRIVERS)  # inherited: deaf from before its first line
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env={**os.environ, **ONE_THREAD},
                pass_fds=(theirs.fileno(),),
            )
        except OSError as problem:
            self.pipe.close()
            os.close(self._said)
            what = f"cannot start a worker: {problem.strerror}"
            raise MachineError("no-processes", what, "--workers 1, or raise the limits (ulimit -a)") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()

    def give(self, call: bytes) -> None:
        """A packed call, now or once the worker is ready."""
        self._call, self.still = call, 0
        if self.is_ready:
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
        if found == READY:
            self.is_ready = True
            self._send()
        return found

    def look(self) -> None:
        """Count how often in a row the worker had used no CPU since the last look, and was not about to."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # gone: the pipe will say so
            return
        used = int(fields[11]) + int(fields[12])
        is_still = (
            used == self._used and fields[0] not in "RD"
        )  # waiting for a disk is no hanging, nor can it be killed
        self.still, self._used = self.still + 1 if is_still else 0, used

    def rss_mb(self) -> float:
        """Memory it holds, MiB."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except OSError:
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def end(self) -> str:
        """Kill it, unless it is dead: without a task it has nothing to lose. Returns what it died of."""
        self.process.kill()
        code = self.process.wait()
        cause = _SIGNALS.get(-code, f"exit code {code}")
        if not self.pipe.closed:
            self.pipe.close()
            last = os.pread(self._said, LAST_WORDS, max(0, os.fstat(self._said).st_size - LAST_WORDS))
            os.close(self._said)
            if cause == "SIGABRT" and NO_MEMORY.search(last.decode("utf-8", "replace")):
                return "MemoryError"  # Rust aborts where Python raises
        return cause
