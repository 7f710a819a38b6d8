"""Which task comes next, what is tried again, and which error remains. No process, no clock."""

from collections import Counter, deque
from collections.abc import Mapping

from cleanse.errors import CleanseError, MachineError
from cleanse.run.engines.base import RETRIES

DEATHS = 3  # of workers at one task: beside others, again, alone
LOSS = "loss"  # of a process or a node of a cluster, which does not tell the signal
SILENCE = "silence"  # of a worker that hangs
OF_THE_MACHINE = ("SIGKILL", "SIGXCPU", "MemoryError", LOSS, SILENCE)  # another death is a bug


class Death(Exception):  # noqa: N818  # it happened to the worker, not to the task
    """A worker died of `cause` (the name of a signal, `MemoryError`, LOSS, SILENCE) while it had a task."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class Attempts:
    """The tasks of one map by number. `failed`: the errors of those that are given up."""

    def __init__(self, n_tasks: int) -> None:
        self._fresh = iter(range(n_tasks))
        self._again, self._alone = deque[int](), deque[int]()
        self._deaths, self._faults = Counter[int](), Counter[int]()
        self.failed: dict[int, BaseException] = {}
        self.is_closed = False

    def close(self) -> None:
        """Begin no other task."""
        self.is_closed = True

    def next(self, n_running: int) -> int | None:
        """The task to begin beside `n_running` others; None: there is none, or none now.

        One that killed two workers waits until all others are done, so that it is alone when it kills the third.
        """
        if self.is_closed:
            return None
        task = self._again.popleft() if self._again else next(self._fresh, None)
        if task is None and self._alone and n_running == 0:
            task = self._alone.popleft()
        return task

    def number(self, task: int) -> int:
        """How often it was tried before."""
        return self._deaths[task] + self._faults[task]

    def is_last(self, task: int) -> bool:
        """True when one more death makes it poison."""
        return self._deaths[task] == DEATHS - 1

    def failure(self, task: int, name: str, error: BaseException) -> bool:
        """Take note of an error or a Death. True: the task, called `name`, is tried again; else no other one is begun,
        but for a poisonous task, which stops nobody else.
        """
        if isinstance(error, Death):
            self._deaths[task] += 1
            if self._deaths[task] < DEATHS:
                (self._alone if self.is_last(task) else self._again).append(task)
                return True
            self.failed[task] = poison(name, error.cause)
            return False
        self._faults[task] += 1
        if isinstance(error, OSError) and self._faults[task] <= RETRIES:
            self._again.append(task)
            return True
        self.failed[task] = error
        self.close()
        return False


def poison(name: str, cause: str) -> CleanseError:
    """The error for a task that kills every worker.

    >>> poison("part-00007 (a.csv)", "SIGSEGV").exit_code
    70
    """
    what = f"{name} killed {DEATHS} workers ({cause}), the last one alone on the machine"
    if cause in OF_THE_MACHINE:
        return MachineError("worker-died", what, "more memory or a smaller run.part_mb, then the same command")
    return CleanseError("worker-crashed", what, "report it, with the versions in run.json")


def worst(failed: Mapping[int, BaseException]) -> BaseException:
    """Of several errors the one that counts most (70 > 4 > 3 > 2), then the first; the others are its notes."""
    first, *others = sorted(failed, key=lambda task: (-getattr(failed[task], "exit_code", 70), task))
    for other in others:
        if isinstance(failed[other], CleanseError):
            failed[first].add_note(str(failed[other]))
    return failed[first]
