"""What every engine promises."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Engine(Protocol):
    """`map` calls `fn` (module-level) once for each task and returns results in task order.

    Tasks and results are small and picklable: paths and counts, never rows. An exception of a task is raised as it is
    once the tasks that run already are done. `on_done` is called with each result as it arrives.
    """

    workers: int

    def map(self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None]) -> list[R]:
        """Run all tasks."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...
