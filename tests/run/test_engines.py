import os
import signal
from collections.abc import Iterator

import pytest

from cleanse.errors import InputError, MachineError
from cleanse.run.engines.base import Engine
from cleanse.run.engines.local import A_FILE, SMALL, Inline, Processes, Threads, local


def double(n: int) -> int:
    if n < 0:
        raise InputError("bad", f"{n} is negative", "take another")
    return 2 * n


def die(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


@pytest.fixture(params=["inline", "threads", "processes"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    several = Threads(2) if request.param == "threads" else Processes(2)
    engine: Engine = Inline() if request.param == "inline" else several
    yield engine
    engine.close()


def test_results_come_in_task_order_and_each_is_announced(engine: Engine) -> None:
    seen: list[int] = []
    assert engine.map(double, range(20), seen.append) == [2 * n for n in range(20)]
    assert sorted(seen) == [2 * n for n in range(20)]


def test_an_error_of_a_task_arrives_whole(engine: Engine) -> None:
    with pytest.raises(InputError) as caught:
        engine.map(double, [1, -1, 2], lambda done: None)
    assert (caught.value.id, caught.value.help) == ("bad", "take another")


def test_a_killed_worker_is_an_error_and_no_hang() -> None:
    engine = Processes(1)
    with pytest.raises(MachineError, match="worker-died"):
        engine.map(die, [1], lambda done: None)
    engine.close()


def test_small_input_and_one_worker_stay_in_this_process() -> None:
    assert isinstance(local("processes", "auto", 100, 1), Inline)
    assert isinstance(local("processes", 1, 10**12, 1), Inline)
    assert isinstance(local("inline", 4, 10**12, 1), Inline)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: nothing beside it")
def test_light_work_takes_threads_until_processes_pay() -> None:
    assert isinstance(local("processes", "auto", 16 * SMALL - A_FILE - 1, 1, light=True), Threads)
    assert isinstance(local("processes", "auto", 16 * SMALL - A_FILE, 1, light=True), Processes)
    assert isinstance(local("processes", "auto", SMALL, 1), Processes)
    assert isinstance(local("processes", 2, 100, 1, light=True), Processes)
