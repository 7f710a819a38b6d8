"""What happens while a run goes on, for logs and screens. A listener may raise: that stops it between two parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cleanse.run.engines.base import Engine, R, T


@dataclass(frozen=True)
class Event:
    """`name` and plain JSON `fields`.

    found (sources, bytes, workers) · claimed: OUT is ours · planned (sources, bytes, parts) · tasks_started (work,
    tasks) · task_done (work, done, tasks) · part_done (stage, part, rows_in, kept, rejected, cached; where it was made
    now also seconds, rss_mb of the worker) · stage_done (stage, rows_in, kept, rejected) · heartbeat (running: tasks,
    and for how long) · worker_died (signal, part, attempt) · task_retried (after, part, attempt).
    """

    name: str
    fields: Mapping[str, Any]


Listener = Callable[[Event], None]


def silent(event: Event) -> None:
    """Listens to nothing."""


class Watched:
    """An engine that tells a listener of every task that is done."""

    def __init__(self, engine: Engine, listen: Listener) -> None:
        self.engine, self.listen, self.workers = engine, listen, engine.workers

    def map(
        self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None], at_once: int | None = None
    ) -> list[R]:
        """Run all tasks."""
        work, n_done = fn.__name__, 0
        if not tasks:
            return []
        self.listen(Event("tasks_started", {"work": work, "tasks": len(tasks)}))

        def tell(result: R) -> None:
            nonlocal n_done
            n_done += 1
            on_done(result)
            self.listen(Event("task_done", {"work": work, "done": n_done, "tasks": len(tasks)}))

        return self.engine.map(fn, tasks, tell, at_once)

    def close(self) -> None:
        """End the workers."""
        self.engine.close()
