"""An engine on top of a crew: gives calls, takes answers, keeps the promise of an engine about all that goes wrong."""

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, Protocol

from cleanse.run.engines.attempts import Attempts, Death, worst
from cleanse.run.engines.base import R, T, opened, packed
from cleanse.run.events import Event, Listener, silent

HEARTBEAT = 30.0  # seconds between two signs of life


class Crew(Protocol):
    """Who answers packed calls (`base.answer`), each in a process of its own. `n_calls`: as many may be under way."""

    n_workers: int
    n_calls: int

    def begin(self, call: bytes, *, alone: bool) -> Hashable:
        """Begin a call, and return what it is known by. `alone`: no other one is under way, all memory is for it."""
        ...

    def news(self) -> list[tuple[Hashable, bytes | Death]]:
        """The calls that have ended, after a second at the latest."""
        ...

    def drop(self) -> None:
        """Give up what is under way."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


class Supervised:
    """The engine of a crew."""

    def __init__(self, crew: Crew, listen: Listener = silent) -> None:
        self.crew, self.listen, self.workers = crew, listen, crew.n_workers

    def map(
        self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None], at_once: int | None = None
    ) -> list[R]:
        """Run all tasks. Raises MachineError or, for a crash, CleanseError, when a task kills every worker."""
        return _Map(self.crew, self.listen, fn, tasks, on_done, at_once or self.crew.n_calls).results()

    def close(self) -> None:
        """End the workers."""
        self.crew.close()


class _Map(Generic[T, R]):
    """The state of one map."""

    def __init__(
        self,
        crew: Crew,
        listen: Listener,
        fn: Callable[[T], R],
        tasks: Sequence[T],
        on_done: Callable[[R], None],
        at_once: int,
    ) -> None:
        self.crew, self.listen, self.fn, self.tasks, self.on_done = crew, listen, fn, tasks, on_done
        self.at_once = min(at_once, crew.n_calls)
        self.attempts = Attempts(len(tasks))
        self.running: dict[Hashable, tuple[int, float]] = {}  # a call's task, and since when
        self.done: dict[int, R] = {}
        self.stopped: BaseException | None = None
        self.told = time.monotonic()

    def results(self) -> list[R]:
        """Run all tasks. What the driver's own side raises (a listener, a full process table) waits for what runs."""
        try:
            self._guarded(self._fill)
            while self.running:
                made = [task for call, answer in self.crew.news() if (task := self._settled(call, answer)) is not None]
                self._guarded(self._fill)  # before anybody here looks at the results: no worker waits for that
                for task in made:
                    self._guarded(self.on_done, self.done[task])
                self._beat()
        finally:
            self.crew.drop()
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
        self._guarded(self.listen, Event(name, fields))

    def _fill(self) -> None:
        while len(self.running) < self.at_once:
            task = self.attempts.next(len(self.running))
            if task is None:
                return
            alone = self.at_once == 1 < self.crew.n_calls or self.attempts.is_last(task)
            call = self.crew.begin(packed(self.fn, self.tasks[task]), alone=alone)
            self.running[call] = task, time.monotonic()

    def _settled(self, call: Hashable, answer: bytes | Death) -> int | None:
        """The task of a call that is done; None where it failed, which is noted."""
        task, _ = self.running.pop(call)
        result: Any
        result, error = (None, answer) if isinstance(answer, Death) else opened(answer)
        if error:
            self._failed(task, Death("MemoryError") if isinstance(error, MemoryError) else error)
            return None
        self.done[task] = result
        return task

    def _failed(self, task: int, error: BaseException) -> None:
        name = str(self.tasks[task])
        is_retried = self.attempts.failure(task, name, error)
        tried = {"part": name, "attempt": self.attempts.number(task)}
        if isinstance(error, Death):
            self._tell("worker_died", signal=error.cause, **tried)
        if is_retried and not self.attempts.is_closed:
            self._tell("task_retried", after=str(error) if isinstance(error, Death) else type(error).__name__, **tried)

    def _beat(self) -> None:
        """Once a HEARTBEAT: say what runs, and for how long."""
        now = time.monotonic()
        if now - self.told >= HEARTBEAT and self.running:
            self.told = now
            under_way = [f"{self.tasks[task]} for {now - since:.0f} s" for task, since in self.running.values()]
            self._tell("heartbeat", running=under_way)
