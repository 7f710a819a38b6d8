"""A process that has loaded what tasks need and never works itself: a worker is a fork of it, ready at once.

A fork is safe where no thread holds a lock that its copy would wait for. Here none does: polars was imported and never
called, and the threads that it starts at import sleep until it is (docs/adr/0045).
"""

import contextlib
import gc
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from cleanse.errors import MachineError
from cleanse.run.engines.base import ONE_THREAD

LOADED = ("cleanse.run.tasks", "cleanse.run.decoding", "cleanse.stages.strip", "cleanse.stages.check")
# and with them polars, numpy and nearly all that a task of many parts needs
PROGRAM = """import gc, sys
gc.set_threshold(100_000)
sys.path[:] = sys.argv[2:]
from cleanse.run.engines.forkserver import serve
serve(int(sys.argv[1]))"""
# the threshold: else Python looks for garbage 60 times while polars and our modules load, docs/adr/0022
ASLEEP = ("jemalloc_bg_thd", "polars-ooc-clea")  # threads of a polars that was only imported, as /proc calls them
DRIVERS = (signal.SIGINT, signal.SIGTERM)  # signals that are for the driver, which tells the workers
MESSAGE = 32  # bytes: a number
FORK = b"fork"


def serve(handle: int) -> None:
    """Answer the driver until it is gone: FORK, with two handles, by the number of a new process that lives with them
    (or what is wrong, below 0); the number of a process by its exit status, once it has ended.
    """
    control = socket.socket(fileno=handle)
    _load()
    gc.freeze()  # what is loaded stays; to look at it would copy its pages
    while True:
        message, handles, _, _ = socket.recv_fds(control, MESSAGE, 2)
        if not message:
            return
        if message == FORK:
            found = _forked(control, handles)
        else:
            _, status = os.waitpid(int(message), 0)
            found = os.waitstatus_to_exitcode(status)
        control.send(b"%d" % found)


def _load() -> None:
    for name in LOADED:
        import_module(name)


def _forked(control: socket.socket, handles: list[int]) -> int:
    try:
        pid = os.fork()
    except OSError as problem:
        pid = -(problem.errno or 1)
    if pid == 0:
        control.close()
        from cleanse.run.engines.worker import live  # late: it knows this module

        live(*handles)
        os._exit(0)
    for each in handles:
        os.close(each)
    return pid


def _begun(handle: int) -> Callable[[], object]:
    """Begin the server, and return what waits for its end: a fork of this process, which loads the same modules anyway,
    or a fresh interpreter where polars may be at work here.
    """
    if _is_alone():
        _load()
    if not _is_alone():
        command = [sys.executable, "-c", PROGRAM, str(handle), *sys.path]
        environ, nothing = {**os.environ, **ONE_THREAD}, subprocess.DEVNULL
        process = subprocess.Popen(
            command, stdin=nothing, stdout=nothing, stderr=nothing, env=environ, pass_fds=(handle,)
        )
        return process.wait
    if pid := os.fork():
        return partial(os.waitpid, pid, 0)
    try:
        _let_go(handle)
        serve(handle)
    finally:  # whatever comes: this is not the driver, whose work goes on behind these lines
        os._exit(0)


def _is_alone() -> bool:
    """True when no other thread of this process does anything, or may hold a lock."""
    try:
        told = [
            (each / "stat").read_text() for each in Path("/proc/self/task").iterdir() if each.name != str(os.getpid())
        ]
    except OSError:  # one has just ended, or there is no /proc
        return False
    threads = [each.partition("(")[2].rpartition(")") for each in told]
    return all(name in ASLEEP and rest.split()[0] == "S" for name, _, rest in threads)


def _let_go(handle: int) -> None:
    """Keep nothing of the driver open, its lock least of all; take the environment of workers."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    for each in map(int, os.listdir("/proc/self/fd")):
        if each > 2 and each != handle:
            with contextlib.suppress(OSError):
                os.close(each)
    from polars import Config  # late: this module is light

    os.environ.update(ONE_THREAD)
    Config.reload_env_vars()  # polars has read them, but its pool begins with its first call


class ForkServer:
    """The driver's hold on it. Raises MachineError where it cannot be started."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # a message stays one
        self._n_asked, self._pids = 0, list[int]()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, DRIVERS)  # inherited: deaf from before its first line
        try:
            self._wait = _begun(theirs.fileno())
        except OSError as problem:
            self._control.close()
            raise _no_process(problem.errno) from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()

    @property
    def is_gone(self) -> bool:
        """True when somebody has killed it, or it was closed."""
        watch = select.poll()
        if self._control.fileno() >= 0:
            watch.register(self._control, 0)  # of no interest but the hang-up
        return self._control.fileno() < 0 or bool(watch.poll(0))

    def fork(self, *handles: int) -> int:
        """Ask for a worker that lives with these handles; the number by which it is known here."""
        with contextlib.suppress(OSError):  # gone: the worker's pipe says so
            socket.send_fds(self._control, [FORK], handles)
        self._n_asked += 1
        return self._n_asked - 1

    def pid(self, worker: int) -> int | None:
        """Its process, once that has begun; None when the server is gone, or could not fork."""
        while len(self._pids) <= worker:
            found = self._answer()
            if found is None:
                return None
            self._pids.append(found)
        return self._pids[worker] if self._pids[worker] > 0 else None

    def raise_refused(self, worker: int) -> None:
        """Raise MachineError where the system did not allow it another process."""
        if self.pid(worker) is None and worker < len(self._pids):
            raise _no_process(-self._pids[worker])

    def kill(self, worker: int) -> None:
        """Begin to end it, unless it is dead. Its number is nobody else's before `wait`."""
        if not self.is_gone and (pid := self.pid(worker)):
            os.kill(pid, signal.SIGKILL)

    def wait(self, worker: int) -> int | None:
        """The exit code of a worker that ends, below 0 for a signal; None when the server is gone."""
        pid = self.pid(worker)
        self.pid(self._n_asked - 1)  # answers come in the order of questions
        if pid is None:
            return None
        with contextlib.suppress(OSError):
            self._control.send(b"%d" % pid)
        return self._answer()

    def _answer(self) -> int | None:
        with contextlib.suppress(OSError):
            if said := self._control.recv(MESSAGE):
                return int(said)
        return None

    def close(self) -> None:
        """End it."""
        self._control.close()
        self._wait()


def _no_process(number: int | None) -> MachineError:
    what = f"cannot start a worker: {os.strerror(number or 0)}"
    return MachineError("no-processes", what, "--workers 1, or raise the limits (ulimit -a)")
