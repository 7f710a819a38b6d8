"""The rules of trying again, without a process."""

import pytest

from cleanse.errors import CleanseError, ConfigError, InputError, MachineError
from cleanse.run.engines.attempts import DEATHS, LOSS, SILENCE, Attempts, Death, poison, worst
from cleanse.run.engines.base import RETRIES


def test_fresh_tasks_come_in_order_and_one_that_failed_goes_before_them() -> None:
    attempts = Attempts(4)
    assert [attempts.next(n) for n in (0, 1)] == [0, 1]
    assert attempts.failure(0, "a", Death("SIGKILL"))
    assert [attempts.next(n) for n in (1, 2, 3, 4)] == [0, 2, 3, None]


def test_a_task_that_killed_two_workers_waits_until_it_is_alone() -> None:
    attempts = Attempts(3)
    for n_before in range(DEATHS - 1):
        assert attempts.next(1) == 0
        assert attempts.number(0) == n_before
        assert attempts.failure(0, "a", Death("SIGKILL"))
    assert attempts.is_last(0)
    assert [attempts.next(1), attempts.next(1), attempts.next(1)] == [1, 2, None]
    assert attempts.next(0) == 0
    assert not attempts.failure(0, "a", Death("SIGKILL"))
    assert not attempts.is_closed


@pytest.mark.parametrize("n", range(RETRIES + 2))
def test_an_os_error_is_tried_again_just_so_often(n: int) -> None:
    attempts = Attempts(1)
    tried = [attempts.failure(0, "a", OSError(5, "x")) for _ in range(n)]
    assert tried == [True] * min(n, RETRIES) + [False] * (n - RETRIES)
    assert attempts.is_closed == (n > RETRIES)


def test_deaths_and_os_errors_are_counted_apart() -> None:
    attempts = Attempts(1)
    errors = [Death("SIGKILL")] * (DEATHS - 1) + [OSError(5, "x")] * RETRIES
    assert all(attempts.failure(0, "a", error) for error in errors)
    assert attempts.number(0) == DEATHS - 1 + RETRIES


def test_after_a_final_error_nothing_is_begun() -> None:
    attempts = Attempts(3)
    attempts.next(0)
    attempts.failure(0, "a", Death("SIGKILL"))
    assert attempts.next(0) == 0
    assert not attempts.failure(0, "a", ValueError("final"))
    assert attempts.next(0) is None
    assert list(attempts.failed) == [0]


@pytest.mark.parametrize(
    ("cause", "kind", "exit_code"),
    [
        ("SIGKILL", MachineError, 4), ("MemoryError", MachineError, 4), (SILENCE, MachineError, 4),
        (LOSS, MachineError, 4), ("SIGSEGV", CleanseError, 70), ("SIGABRT", CleanseError, 70),
        ("exit code 1", CleanseError, 70),
    ],
)  # fmt: skip
def test_poison_says_who_is_to_blame(cause: str, kind: type[CleanseError], exit_code: int) -> None:
    error = poison("part-00007", cause)
    assert (type(error), error.exit_code) == (kind, exit_code)
    assert "part-00007" in str(error)
    assert cause in str(error)


@pytest.mark.parametrize(
    ("failed", "n"),
    [
        pytest.param({3: InputError("a", "a", "a"), 1: InputError("b", "b", "b")}, 1, id="the first of a kind"),
        pytest.param({0: ConfigError("a", "a", "a"), 1: InputError("b", "b", "b")}, 1, id="input over config"),
        pytest.param({0: InputError("a", "a", "a"), 1: MachineError("b", "b", "b")}, 1, id="machine over input"),
        pytest.param({0: MachineError("a", "a", "a"), 1: ValueError("b")}, 1, id="a bug over all"),
    ],
)
def test_of_several_errors_the_worst_counts_and_the_others_are_told(failed: dict[int, BaseException], n: int) -> None:
    found = worst(failed)
    assert found is failed[n]
    (other,) = [error for error in failed.values() if error is not found]
    assert found.__notes__ == [str(other)]
