import os
import signal
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info

from cleanse.errors import InputError, MachineError
from cleanse.run.engines.base import Engine
from cleanse.run.engines.local import Inline, Processes, Threads, local


def double(n: int) -> int:
    if n < 0:
        raise InputError("bad", f"{n} is negative", "take another")
    return 2 * n


def die(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


@pytest.fixture(params=["inline", "threads", "processes"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made = local(request.param, 1 if request.param == "inline" else 2, 10**12, 1)
    yield made
    made.close()


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
    assert isinstance(local("threads", "auto", 100, 1), Inline)


def test_threads_have_a_core_each_for_matrix_products_and_give_them_back() -> None:
    before = [pool["num_threads"] for pool in threadpool_info()]
    engine = local("threads", 2, 10**12, 1)
    assert isinstance(engine, Threads)
    assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    engine.close()
    assert [pool["num_threads"] for pool in threadpool_info()] == before
