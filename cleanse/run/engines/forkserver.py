"""A process that has loaded what tasks need and never works itself: a worker is a fork of it, ready at once.

A fork is safe where no thread holds a lock that its copy would wait for. Here none does: polars was imported and never
called, and the threads that it starts at import sleep until it is (docs/adr/0045).
"""

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import sys
import warnings
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path

from cleanse.errors import MachineError
from cleanse.run.engines.base import ONE_THREAD, failed

LOADED = ("cleanse.run.tasks", "cleanse.run.decoding", "cleanse.stages.strip", "cleanse.stages.check")
# and with them polars, numpy and nearly all that a task of many parts needs
PROGRAM = """import sys
sys.path[:] = sys.argv[2:]
import cleanse.run.engines.prepared
from cleanse.run.engines.forkserver import serve
serve(int(sys.argv[1]))"""
SLEEPERS = ("jemalloc_bg_thd", "polars-ooc-clea")  # threads of a polars that was only imported, as /proc calls them
DRIVERS = (signal.SIGINT, signal.SIGTERM)  # signals that are for the driver, which tells the workers
FORK = b"fork"
MESSAGE = 32  # bytes: FORK, or the number of a process, or an exit code
PATIENCE = 10  # seconds until a killed worker must have ended


def serve(handle: int) -> None:
    """Answer the driver until it is gone. FORK comes with two handles, for a new worker to live with; the number of a
    worker's process is answered by its exit code, once it has ended.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where a caller ignores it, nobody could wait for a child
    control = socket.socket(fileno=handle)
    _load()
    gc.freeze()  # what is loaded stays; to look at it would copy its pages
    while True:
        message, handles, _, _ = socket.recv_fds(control, MESSAGE, 2)
        if not message:
            return
        if message == FORK:
            _fork(control, handles)
        else:
            _, status = os.waitpid(int(message), 0)
            control.send(b"%d" % os.waitstatus_to_exitcode(status))


def _load() -> None:
    for name in LOADED:
        import_module(name)


def _fork(control: socket.socket, handles: list[int]) -> None:
    """Make a worker of these handles; where the system allows no more processes, its first answer says so."""
    pipe, stderr = handles
    try:
        pid = _forked()
    except OSError as problem:
        with contextlib.suppress(OSError):
            Connection(pipe).send_bytes(failed(_no_process(problem)))
        os.close(stderr)
        return
    if pid:
        os.close(pipe)
        os.close(stderr)
        return
    try:
        control.close()
        os.dup2(stderr, 2)
        from cleanse.run.engines.worker import live  # late: it knows this module

        live(pipe)
        os._exit(0)
    finally:  # whatever comes: what stands behind these lines is the server's work
        os._exit(70)


def _forked() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, which does not know that threads sleep
        return os.fork()


class ForkServer:
    """The driver's hold on it. Raises MachineError where it cannot be started."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # a message stays one
        handle = fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD_CLOEXEC, 3)  # the three below are made anew there
        theirs.close()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, DRIVERS)  # inherited: deaf from before its first line
        try:
            self._pid = _begun(handle)
        except OSError as problem:
            self._control.close()
            raise _no_process(problem) from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(handle)

    @property
    def is_gone(self) -> bool:
        """True when somebody has killed it, or it was closed."""
        watch = select.poll()
        if self._control.fileno() >= 0:
            watch.register(self._control, 0)  # of no interest but the hang-up
        return self._control.fileno() < 0 or bool(watch.poll(0))

    def fork(self, pipe: int, stderr: int) -> None:
        """Ask for a worker that lives with these handles; where the server is gone, the pipe hangs up. Raises
        MachineError where the system has no room for the question.
        """
        try:
            socket.send_fds(self._control, [FORK], (pipe, stderr))
        except OSError as problem:
            if not self.is_gone:
                raise _no_process(problem) from None

    def kill(self, pid: int) -> None:
        """Begin to end a worker, or the server itself, unless it is dead. Until it was waited for, its number is nobody
        else's.
        """
        if not self.is_gone:
            with contextlib.suppress(ProcessLookupError):  # now it is
                os.kill(pid, signal.SIGKILL)

    def wait(self, pid: int) -> int | None:
        """The exit code of a killed or dead worker, below 0 for a signal; None when the server is gone, as it is if it
        does not answer for PATIENCE seconds.
        """
        watch = select.poll()
        with contextlib.suppress(OSError, ValueError):
            self._control.send(b"%d" % pid)
            watch.register(self._control, select.POLLIN)
            for _ in range(PATIENCE):  # so often the signals of this process are heard
                if watch.poll(1000):
                    return int(self._control.recv(MESSAGE))
        self.close()
        return None

    def close(self) -> None:
        """End it: it has nothing to lose. Once more does no harm."""
        if self._control.fileno() >= 0:
            self.kill(self._pid)
            self._control.close()
            with contextlib.suppress(ChildProcessError):  # of a caller that ignores SIGCHLD
                os.waitpid(self._pid, 0)


def _begun(handle: int) -> int:
    """Begin the server, and return its number: a fork of this process, which has to load the same modules anyway, or a
    fresh interpreter where something is at work here.
    """
    if not _is_alone():
        return _fresh(handle)
    _load()
    if not _is_alone():  # a module has started a thread, of OpenBLAS for one
        return _fresh(handle)
    pid = _forked()
    if pid:
        return pid
    try:
        _let_go(handle)
        serve(handle)
    finally:  # whatever comes: this is not the driver, whose work goes on behind these lines
        os._exit(0)


def _fresh(handle: int) -> int:
    os.set_inheritable(handle, True)
    nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    command = [sys.executable, "-c", PROGRAM, str(handle), *sys.path]
    return os.posix_spawn(sys.executable, command, {**os.environ, **ONE_THREAD}, file_actions=nothing)


def _is_alone() -> bool:
    """True when no other thread of this process does anything, or may hold a lock."""
    try:
        told = [
            (each / "stat").read_text() for each in Path("/proc/self/task").iterdir() if each.name != str(os.getpid())
        ]
    except OSError:  # one has just ended, or there is no /proc
        return False
    threads = [each.partition("(")[2].rpartition(")") for each in told]
    return all(name in SLEEPERS and rest.split()[0] == "S" for name, _, rest in threads)


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


def _no_process(problem: OSError) -> MachineError:
    what = f"cannot start a worker: {problem.strerror}"
    return MachineError("no-processes", what, "--workers 1, or raise the limits (ulimit -a)")
