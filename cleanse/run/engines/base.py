"""What every engine promises, and how a task and its outcome travel to another process and back."""

import pickle
import re
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")

RETRIES = 3  # of a task after an OSError: what another machine, a network or a busy disk did may pass
NO_MEMORY = re.compile("memory allocation|allocate memory|out of memory", re.I)  # as Rust and C libraries say it
ONE_THREAD = {  # read at import; a worker has a core, and idle threads of a matrix library spin for 0.1 s
    "POLARS_MAX_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class Engine(Protocol):
    """`map` calls `fn` (module-level) once for each task and returns results in task order.

    Tasks and results are small and picklable: paths and counts, never rows; `str(task)` says what the task is in a log.
    `on_done` is called in this process with each result as it arrives. An OSError and the death of a worker are tried
    again, so `fn` may run twice, even at once. Any other exception of a task is raised as it is, and so is what
    `on_done` raises, when the tasks that run already are done; no other task is begun then. `at_once`: no more tasks at
    a time, where each takes more memory than a worker was reckoned with.
    """

    workers: int

    def map(
        self, fn: Callable[[T], R], tasks: Sequence[T], on_done: Callable[[R], None], at_once: int | None = None
    ) -> list[R]:
        """Run all tasks."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


class Frames(Exception):  # noqa: N818  # no error itself: the cause of one
    """Where in a worker an exception was raised: its traceback without the message, which may quote data."""


def packed(fn: Callable[[T], Any], task: T) -> bytes:
    """A call as bytes: they are opened where errors are caught, and after the environment is set."""
    return pickle.dumps((fn, task))


def answer(call: bytes) -> bytes:
    """Make a packed call: its result, or the exception that came instead, for `opened`."""
    try:
        fn, task = pickle.loads(call)
        return pickle.dumps((fn(task), None, ""))
    except BaseException as error:  # noqa: BLE001  # a panic of polars is no Exception; the driver raises it again
        frames = "".join(traceback.format_tb(error.__traceback__))
        return failed(error, frames)


def failed(error: BaseException, frames: str = "") -> bytes:
    """What `opened` takes for an exception."""
    return pickle.dumps((None, _portable(error), frames))


def _portable(error: BaseException) -> BaseException:
    """The exception, or one that says the same where it cannot be pickled (a panic) or not be made again."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001  # whatever a foreign class raises when it is made from the wrong arguments
        kind = MemoryError if NO_MEMORY.search(str(error)) else RuntimeError
        return kind(f"{type(error).__name__}: {error}")
    return error


def opened(answer: bytes) -> tuple[Any, BaseException | None]:
    """The result of a call and None, or None and the exception, whose cause are the frames."""
    result, error, frames = pickle.loads(answer)
    if error is not None:
        error.__cause__ = Frames(frames)
    return result, error
