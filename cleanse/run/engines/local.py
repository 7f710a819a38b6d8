"""One machine: in this process, in threads of it, or in spawned processes of one polars thread each."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess

from cleanse.errors import MachineError
from cleanse.run.engines.base import Engine, R, T

SMALL = 8 << 20  # bytes of input below which starting processes costs more than the work
LIGHT = 16  # bytes, or files, that are as much work for a light stage alone as one for a whole run
A_FILE = 1 << 15  # bytes whose work is that of opening one more file


class Inline:
    """A loop in this process."""

    workers = 1

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks, one after the other."""
        results = []
        for task in tasks:
            results.append(fn(task))
            on_done(results[-1])
        return results

    def close(self) -> None:
        """Nothing to end."""


class Threads:
    """Threads of this process, for work that is nearly all done in polars: it holds no lock of the interpreter."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers)

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks; a single one needs no thread."""
        if len(tasks) < 2:
            return Inline().map(fn, tasks, on_done)
        return _gathered([self._pool.submit(fn, task) for task in tasks], on_done)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)


def _gathered(futures: Sequence[Future[R]], on_done: Callable[[R], None]) -> list[R]:
    """The results in order, each announced as it arrives; after an error nothing more is begun."""
    waiting = set(futures)
    try:
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                on_done(future.result())
    finally:
        for future in waiting:
            future.cancel()
    return [future.result() for future in futures]


def _begin() -> None:
    """In each worker: an interrupt is for the driver, and a worker does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


class Processes:
    """Spawned workers: forking a process in which polars has run can hang. Their number never changes the result."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._threads_before = os.environ.get("POLARS_MAX_THREADS")
        os.environ["POLARS_MAX_THREADS"] = "1"  # read by polars at import in each worker
        try:
            self._pool = ProcessPoolExecutor(
                workers,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
            )
        except OSError as problem:  # no /dev/shm
            what = f"cannot start processes: {problem.strerror}"
            raise MachineError("no-processes", what, "--workers 1, or a machine with /dev/shm") from None

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks; raises MachineError when a worker dies."""
        try:
            return _gathered([self._pool.submit(fn, task) for task in tasks], on_done)
        except BrokenProcessPool:
            raise MachineError(
                "worker-died",
                "a worker process was killed, most likely for lack of memory",
                "run again with --workers 1, or on a machine with more memory",
            ) from None

    def close(self) -> None:
        """End the workers and put the environment back."""
        self._pool.shutdown(cancel_futures=True)
        if self._threads_before is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = self._threads_before


def local(kind: str, workers: int | str, n_bytes: int, n_files: int, *, light: bool = False) -> Engine:
    """The engine for the settings of section `run`; `auto` takes the usable cores, and starts no process for small
    input. `light`: for a stage whose work is polars'.
    """
    if kind == "inline" or workers == 1:
        return Inline()
    if workers != "auto":
        return Processes(int(workers))
    cores = len(os.sched_getaffinity(0))
    if n_bytes + n_files * A_FILE >= SMALL * (LIGHT if light else 1):
        return Processes(cores) if cores > 1 else Inline()
    return Threads(cores) if light and cores > 1 else Inline()
