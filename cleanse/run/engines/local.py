"""One machine: in this process, or in processes of one polars thread each."""

from collections.abc import Callable, Sequence

from cleanse.run.engines.base import RETRIES, R, T
from cleanse.run.engines.supervisor import Pool, Supervisor
from cleanse.run.events import Listener, silent


class Inline:
    """A loop in this process."""

    workers = 1

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
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


class Processes:
    """Processes that are begun when there is work for them. Their number never changes the result.

    `share_mb`: what each may hold between two tasks; one that holds more is replaced.
    """

    def __init__(self, workers: int, share_mb: float = float("inf"), listen: Listener = silent) -> None:
        self.workers = workers
        self._pool = Pool([], workers, share_mb, listen)

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks. Raises MachineError or, for a crash, CleanseError, when a task kills every worker."""
        return Supervisor(self._pool, fn, tasks, on_done).results()

    def close(self) -> None:
        """End the workers."""
        while self._pool.idle:
            self._pool.idle.pop().end()
