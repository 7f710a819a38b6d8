"""One machine: in this process, in threads of it, or in processes of one polars thread each."""

import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from multiprocessing import connection

from cleanse.run.engines.attempts import SILENCE, Death
from cleanse.run.engines.base import RETRIES, R, T
from cleanse.run.engines.forkserver import ForkServer
from cleanse.run.engines.worker import READY, Worker

LOOK = 1.0  # seconds between two looks at the workers
STILL = 60  # looks in a row at which a worker with a call did nothing; no seconds, for a frozen driver wakes up late


class Inline:
    """A loop in this process."""

    workers = 1

    def map(
        self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None], at_once: int | None = None
    ) -> list[R]:
        """Run all tasks, one after the other."""
        results = []
        for task in tasks:
            results.append(_tried(fn, task))
            on_done(results[-1])
        return results

    def close(self) -> None:
        """Nothing to end."""


def _tried(fn: Callable[[T], R], task: T) -> R:
    for _ in range(RETRIES):
        try:
            return fn(task)
        except OSError:
            continue
    return fn(task)


class Threads:
    """Threads of this process, for work that is nearly all done in polars or numpy, which hold no lock of the
    interpreter. `is_numpy`: matrix products get one core each, or they would all ask for all of them.
    """

    def __init__(self, workers: int, *, is_numpy: bool = False) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers)
        self._restore: Callable[[], None] = lambda: None
        if is_numpy:
            from threadpoolctl import threadpool_limits  # late: of the whole process, so it is set but once

            self._restore = threadpool_limits(1).restore_original_limits

    def map(
        self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None], at_once: int | None = None
    ) -> list[R]:
        """Run all tasks; a single one needs no thread, nor do those that memory bounds. After an error nothing more is
        begun.
        """
        if len(tasks) < 2 or (at_once or self.workers) < self.workers:
            return Inline().map(fn, tasks, on_done)
        futures = [self._pool.submit(_tried, fn, task) for task in tasks]
        try:
            for future in as_completed(futures):
                on_done(future.result())
        except BaseException:
            for future in futures:
                future.cancel()
            wait(futures)
            raise
        return [future.result() for future in futures]

    def close(self) -> None:
        """End the threads and give matrix products all cores back."""
        self._pool.shutdown(cancel_futures=True)
        self._restore()


class Processes:
    """A crew of processes, which start at once, as forks of one. Their number never changes the result.

    `share_mb`: what each may hold between two calls; one that holds more is replaced.
    """

    def __init__(self, n_workers: int, share_mb: float = float("inf")) -> None:
        self.n_workers = self.n_calls = n_workers
        self._share_mb, self._looked = share_mb, time.monotonic()
        self._server = ForkServer()
        self._busy: list[Worker] = []
        self._idle = [Worker(self._server) for _ in range(n_workers)]

    def begin(self, call: bytes, *, alone: bool) -> Hashable:
        """One call a worker."""
        if alone:
            self._end_idle()
        worker = self._idle.pop() if self._idle else self._another()
        self._busy.append(worker)
        worker.give(call)
        return worker

    def _another(self) -> Worker:
        if self._server.is_gone:
            self._server.close()
            self._server = ForkServer()
        return Worker(self._server)

    def news(self) -> list[tuple[Hashable, bytes | Death]]:
        """Answers, and who died or hangs."""
        ready = set(connection.wait([worker.pipe for worker in self._busy], LOOK))
        found = [(worker, self._taken(worker)) for worker in list(self._busy) if worker.pipe in ready]
        return [(worker, answer) for worker, answer in [*found, *self._hanging()] if answer != READY]

    def _taken(self, worker: Worker) -> bytes | Death:
        answer = worker.take()
        if answer == READY:
            return READY
        self._busy.remove(worker)
        if answer is None:
            return Death(worker.end())
        if worker.rss_mb() > self._share_mb or not worker.is_ready:
            worker.end()
        else:
            self._idle.append(worker)
        return answer

    def _hanging(self) -> list[tuple[Worker, bytes | Death]]:
        """Once a LOOK: who hangs is killed, and counts as dead."""
        if time.monotonic() - self._looked < LOOK:
            return []
        self._looked = time.monotonic()
        for worker in self._busy:
            worker.look()
        hanging = [worker for worker in self._busy if worker.still >= STILL]
        for worker in hanging:
            self._busy.remove(worker)
            worker.end()
            if not worker.is_ready:  # what does not fork will not
                self._server.close()
        return [(worker, Death(SILENCE)) for worker in hanging]

    def drop(self) -> None:
        """End the workers that have a call."""
        while self._busy:
            self._busy.pop().end()

    def _end_idle(self) -> None:
        """All at once: the system takes a while to free their memory."""
        for worker in self._idle:
            worker.kill()
        while self._idle:
            self._idle.pop().end()

    def close(self) -> None:
        """End the workers, and what they were forked from."""
        self._end_idle()
        self._server.close()
