"""One machine: in this process, in threads of it, or in spawned processes of one polars thread each."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import Literal

from cleanse.errors import MachineError
from cleanse.run.engines.base import Engine, R, T

SMALL = 8 << 20  # bytes of input below which starting processes costs more than the work


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
    """Threads of this process, for tasks that leave Python's lock to others nearly all of the time."""

    def __init__(self, workers: int) -> None:
        from threadpoolctl import threadpool_limits

        self.workers = workers
        self._blas = threadpool_limits(1)  # each thread has a core to itself; of the whole process, so set but once
        self._pool = ThreadPoolExecutor(workers)

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks; after an error those that were not begun are left out."""
        results = []
        for result in self._pool.map(fn, tasks):
            results.append(result)
            on_done(result)
        return results

    def close(self) -> None:
        """End the threads and give matrix products all cores back."""
        self._pool.shutdown(cancel_futures=True)
        self._blas.restore_original_limits()


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
        futures = [self._pool.submit(fn, task) for task in tasks]
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    on_done(future.result())
        except BrokenProcessPool:
            raise MachineError(
                "worker-died",
                "a worker process was killed, most likely for lack of memory",
                "run again with --workers 1, or on a machine with more memory",
            ) from None
        finally:
            for future in waiting:
                future.cancel()
        return [future.result() for future in futures]

    def close(self) -> None:
        """End the workers and put the environment back."""
        self._pool.shutdown(cancel_futures=True)
        if self._threads_before is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = self._threads_before


def local(kind: Literal["inline", "threads", "processes"], workers: int | str, n_bytes: int, n_files: int) -> Engine:
    """The engine of a `kind`; `auto` workers are the usable cores, and 1 for small input."""
    if workers == "auto":
        workers = 1 if n_bytes + n_files * A_FILE < SMALL else len(os.sched_getaffinity(0))
    if kind == "inline" or workers == 1:
        return Inline()
    return Threads(int(workers)) if kind == "threads" else Processes(int(workers))
