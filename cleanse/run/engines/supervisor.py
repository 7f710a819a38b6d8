"""One map over local workers: gives tasks, takes answers, sees who died or hangs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Generic

from cleanse.run.engines.attempts import Attempts, Death, worst
from cleanse.run.engines.base import R, T, opened, packed
from cleanse.run.engines.worker import READY, Worker
from cleanse.run.events import Event, Listener

LOOK = 1.0  # seconds between two looks at the workers
STILL = (
    60  # looks in a row at which a worker with a task did nothing. Looks, not seconds: a frozen driver wakes up late
)
HEARTBEAT = 30.0  # seconds between two signs of life


@dataclass(frozen=True)
class Pool:
    """What maps share: idle workers, how many there may be, what each may hold between two tasks (MiB), who listens."""

    idle: list[Worker]
    n_workers: int
    share_mb: float
    listen: Listener


class Supervisor(Generic[T, R]):
    """The state of one map. Only as many tasks are under way as there are workers."""

    def __init__(self, pool: Pool, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> None:
        self.pool, self.fn, self.tasks, self.on_done = pool, fn, tasks, on_done
        self.attempts = Attempts(len(tasks))
        self.running: dict[Worker, tuple[int, float]] = {}  # its task, and since when
        self.done: dict[int, R] = {}
        self.stopped: BaseException | None = None
        self.looked = self.told = time.monotonic()

    def results(self) -> list[R]:
        """Run all tasks. What the driver's own side raises (a listener, a full process table) waits for what runs."""
        try:
            self._guarded(self._fill)
            while self.running:
                news = set(wait([worker.pipe for worker in self.running], LOOK))
                for worker in [worker for worker in self.running if worker.pipe in news]:
                    self._settle(worker)
                self._look()
                self._guarded(self._fill)
        finally:
            for worker in self.running:
                worker.end()
        if self.stopped:
            raise self.stopped
        if self.attempts.failed:
            raise worst(self.attempts.failed)
        return [self.done[task] for task in range(len(self.tasks))]

    def _guarded(self, call: Callable[..., None], *given: Any) -> None:
        """Make a call of which the first exception ends the map: nothing new is begun, nobody is told any more."""
        if self.stopped:
            return
        try:
            call(*given)
        except BaseException as stop:  # noqa: BLE001  # raised again when those that run are done
            self.stopped = stop
            self.attempts.close()

    def _tell(self, name: str, **fields: Any) -> None:
        self._guarded(self.pool.listen, Event(name, fields))

    def _fill(self) -> None:
        idle = self.pool.idle
        while len(self.running) < self.pool.n_workers:
            task = self.attempts.next(len(self.running))
            if task is None:
                return
            call = packed(self.fn, self.tasks[task])
            while idle and self.attempts.is_last(task):  # alone with all the memory
                idle.pop().end()
            worker = idle.pop() if idle else Worker()
            self.running[worker] = task, time.monotonic()
            worker.give(call)

    def _settle(self, worker: Worker) -> None:
        """Take what a worker has to say, and put it or its task where it belongs."""
        answer = worker.take()
        if answer == READY:
            return
        task, _ = self.running.pop(worker)
        result: Any
        error: BaseException | None
        result, error = opened(answer) if answer else (None, Death(worker.end()))
        if isinstance(error, MemoryError):
            error = Death("MemoryError")
        if isinstance(error, Death) or worker.rss_mb() > self.pool.share_mb:
            worker.end()
        else:
            self.pool.idle.append(worker)
        if error:
            self._failed(task, error)
        else:
            self.done[task] = result
            self._guarded(self.on_done, result)

    def _failed(self, task: int, error: BaseException) -> None:
        name = str(self.tasks[task])
        is_retried = self.attempts.failure(task, name, error)
        tried = {"part": name, "attempt": self.attempts.number(task)}
        if isinstance(error, Death):
            self._tell("worker_died", signal=error.cause, **tried)
        if is_retried and not self.attempts.is_closed:
            self._tell("task_retried", after=str(error) if isinstance(error, Death) else type(error).__name__, **tried)

    def _look(self) -> None:
        """Once a LOOK: who hangs is killed and counts as dead; once a HEARTBEAT: say what runs, and for how long."""
        now = time.monotonic()
        if now - self.looked < LOOK:
            return
        self.looked = now
        for worker, (task, _) in list(self.running.items()):
            worker.look()
            if worker.still >= STILL:
                worker.end()
                del self.running[worker]
                self._failed(task, Death("silence"))
        if now - self.told >= HEARTBEAT and self.running:
            self.told = now
            under_way = [f"{self.tasks[task]} for {now - since:.0f} s" for task, since in self.running.values()]
            self._tell("heartbeat", running=under_way)
