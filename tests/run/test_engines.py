"""Engines keep their promise: results in order, and what becomes of tasks that fail, kill or stop."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Literal

import pytest
from deeds import Deed, begun_at, do, double, millisecond, parent_of, pid_of, polite, slow, streamed, tried
from threadpoolctl import threadpool_info

from cleanse.errors import CleanseError, InputError, MachineError
from cleanse.run import embedding, exchange, publish, rejects, surveys, tasks, vectors
from cleanse.run.engines import forkserver, local, supervisor
from cleanse.run.engines.base import RETRIES, Engine, Frames
from cleanse.run.engines.choice import A_FILE, SMALL, Work, chosen
from cleanse.run.engines.local import Inline, Processes, Threads
from cleanse.run.engines.supervisor import Supervised
from cleanse.run.events import Event, silent
from cleanse.settings import RunSettings


def ignore(done: int) -> None:
    """Nobody listens."""


@pytest.fixture(params=["inline", "threads", "processes"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made: Engine = Inline() if request.param == "inline" else Threads(2)
    if request.param == "processes":
        made = Supervised(Processes(2))
    yield made
    made.close()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def two(events: list[Event]) -> Iterator[Supervised]:
    engine = Supervised(Processes(2), events.append)
    yield engine
    engine.close()


def deeds(folder: Path, what: str, times: int = 99) -> list[Deed]:
    """Six, of which number 2 does `what`."""
    return [Deed(n, str(folder), what if n == 2 else "", times) for n in range(6)]


def beside(task: tuple[str, int]) -> int:
    """How many calls are under way, this one among them."""
    folder, n = Path(task[0]), task[1]
    (folder / f"{n}").touch()
    time.sleep(0.1)
    found = len(list(folder.iterdir()))
    (folder / f"{n}").unlink()
    return found


def test_one_at_once_has_nobody_beside_it(engine: Engine, tmp_path: Path) -> None:
    tasks = [(str(tmp_path), n) for n in range(4)]
    assert engine.map(beside, tasks, ignore, 1) == [1, 1, 1, 1]


def test_results_come_in_task_order_and_each_is_announced(engine: Engine) -> None:
    seen: list[int] = []
    assert engine.map(double, range(20), seen.append) == [2 * n for n in range(20)]
    assert sorted(seen) == [2 * n for n in range(20)]
    assert engine.map(double, [], seen.append) == []


def test_an_os_error_is_tried_again_and_not_for_ever(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert engine.map(do, deeds(tmp_path, "os error", RETRIES), ignore) == list(range(6))
    with pytest.raises(OSError, match="passing"):
        engine.map(do, deeds(tmp_path / "a", "os error", RETRIES + 1), ignore)
    assert len(tried(str(tmp_path / "a"), 2)) == RETRIES + 1


@pytest.mark.parametrize(
    ("what", "kind"),
    [("value error", ValueError), ("input error", InputError), ("unpicklable", Exception)],
)
def test_any_other_error_is_final_and_arrives_whole(
    engine: Engine, tmp_path: Path, what: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        engine.map(do, deeds(tmp_path, what), ignore)
    assert len(tried(str(tmp_path), 2)) == 1
    if isinstance(caught.value, CleanseError):
        assert (caught.value.id, caught.value.help) == ("bad", "take another")


def test_tasks_that_run_already_are_done_before_an_error_is_raised(two: Supervised) -> None:
    seen: list[int] = []
    with pytest.raises(ValueError, match="non-negative"):
        two.map(slow, [5, -1, 1, 1, 1], seen.append)
    assert seen == [5]


def test_an_error_says_where_in_the_worker_it_was_raised(two: Supervised, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="final") as caught:
        two.map(do, deeds(tmp_path, "value error"), ignore)
    assert isinstance(caught.value.__cause__, Frames)
    assert "in act" in str(caught.value.__cause__)
    assert "final" not in str(caught.value.__cause__).replace('"final"', "")


@pytest.mark.parametrize("what", ["SIGKILL", "SIGSEGV", "memory", "commit then die"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_that_dies_is_replaced_and_its_task_done_again(
    two: Supervised, events: list[Event], tmp_path: Path, what: str, times: int
) -> None:
    assert two.map(do, deeds(tmp_path, what, times), ignore) == list(range(6))
    assert [e.name for e in events] == ["worker_died", "task_retried"] * times
    assert {"part": "deed 2", "attempt": 1}.items() <= events[0].fields.items()
    assert [len(tried(str(tmp_path), n)) for n in (0, 1, 3, 4, 5)] == [1] * 5


@pytest.mark.parametrize(
    ("what", "exit_code", "id"),
    [("SIGKILL", 4, "worker-died"), ("memory", 4, "worker-died"), ("abort", 4, "worker-died"),
     ("panic", 4, "worker-died"), ("SIGSEGV", 70, "worker-crashed"), ("SIGABRT", 70, "worker-crashed")],
)  # fmt: skip
def test_poison_is_named_and_costs_nobody_else(
    two: Supervised, tmp_path: Path, what: str, exit_code: int, id: str
) -> None:
    seen: list[int] = []
    with pytest.raises(CleanseError) as caught:
        two.map(do, deeds(tmp_path, what), seen.append)
    assert (caught.value.exit_code, caught.value.id) == (exit_code, id)
    assert "deed 2" in str(caught.value)
    assert (what if what.startswith("SIG") else "MemoryError") in str(caught.value)
    assert sorted(seen) == [0, 1, 3, 4, 5]
    assert len(tried(str(tmp_path), 2)) == 3
    assert two.map(double, [1], ignore) == [2]


def test_two_poisons_are_both_named(two: Supervised, tmp_path: Path) -> None:
    bad = [Deed(n, str(tmp_path), "SIGKILL" if n % 2 else "") for n in range(4)]
    with pytest.raises(MachineError) as caught:
        two.map(do, bad, ignore)
    assert "deed 1" in str(caught.value)
    assert "deed 3" in caught.value.__notes__[0]


def test_a_worker_killed_between_two_maps_is_replaced(two: Supervised) -> None:
    pids = set(two.map(pid_of, range(4), ignore))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    others = two.map(pid_of, range(4), ignore)
    assert not pids & set(others)


def test_a_machine_that_starts_no_process_is_an_error_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(MachineError, match="no-processes"):
        Processes(2)


def test_a_machine_that_allows_no_more_processes_ends_the_map_when_what_runs_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one_only = "import os\nforks = [os.fork]\n"
    one_only += "def fork():\n    if not forks: raise BlockingIOError(11, 'not now')\n    return forks.pop()()\n"
    monkeypatch.setattr(forkserver, "_is_alone", lambda: False)
    monkeypatch.setattr(forkserver, "PROGRAM", one_only + "os.fork = fork\n" + forkserver.PROGRAM)
    engine, seen = Supervised(Processes(2)), list[int]()
    with pytest.raises(MachineError, match="cannot start a worker: not now"):
        engine.map(slow, [3, 3, 3], seen.append)
    assert seen == [3]
    engine.close()


def test_what_stands_still_and_forks_no_more_is_replaced(
    two: Supervised, events: list[Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forkserver, "PATIENCE", 1)
    monkeypatch.setattr(local, "LOOK", 0.05)
    (server,) = set(two.map(parent_of, range(2), ignore))
    os.kill(server, signal.SIGSTOP)
    assert two.map(do, deeds(tmp_path, "SIGKILL", 1), ignore) == list(range(6))
    assert [e.fields.get("signal") for e in events] == ["loss", None]
    assert not lives(server)


class Stopped(BaseException):
    """Somebody asked for it."""


def test_a_listener_that_raises_stops_it_when_what_runs_is_done(two: Supervised, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        two.map(do, [Deed(n, str(tmp_path)) for n in range(40)], stop)
    n_begun = len(list(tmp_path.iterdir()))
    assert 1 <= n_begun <= 4  # both workers may answer at once, and have their next task before anybody looks
    time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == n_begun


def test_a_worker_that_hangs_counts_as_dead(
    two: Supervised, events: list[Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "LOOK", 0.05)
    monkeypatch.setattr(local, "STILL", 40)
    monkeypatch.setattr(supervisor, "HEARTBEAT", 0.1)
    assert two.map(do, deeds(tmp_path, "stop", 1), ignore) == list(range(6))
    (death,) = [e for e in events if e.name == "worker_died"]
    assert death.fields == {"signal": "silence", "part": "deed 2", "attempt": 1}
    beats = [e.fields["running"] for e in events if e.name == "heartbeat"]
    assert ["deed 2 for 0 s"] in beats


def test_a_worker_that_holds_too_much_is_replaced() -> None:
    few, many = Supervised(Processes(1, share_mb=1.0)), Supervised(Processes(1))
    assert len(set(few.map(pid_of, range(3), ignore))) == 3
    assert len(set(many.map(pid_of, range(3), ignore))) == 1
    few.close()
    many.close()


def test_a_run_outlives_what_forks_its_workers(two: Supervised, events: list[Event], tmp_path: Path) -> None:
    (server,) = set(two.map(parent_of, range(2), ignore))
    os.kill(server, signal.SIGKILL)
    assert two.map(do, deeds(tmp_path, "SIGKILL", 1), ignore) == list(range(6))
    assert [(e.name, e.fields.get("signal")) for e in events] == [("worker_died", "loss"), ("task_retried", None)]
    assert server not in two.map(parent_of, range(2), ignore)


def test_many_short_tasks_cost_little(two: Supervised) -> None:
    two.map(double, range(2), ignore)
    before = time.process_time()
    assert two.map(millisecond, range(200), ignore) == list(range(200))
    assert time.process_time() - before < 0.2  # CPU of the driver: 1 ms a task, measured 0.1


def test_a_worker_goes_on_while_its_last_result_is_looked_at() -> None:
    looked = list[float]()

    def look(begun: float) -> None:
        time.sleep(0.1)
        looked.append(time.monotonic())

    engine = Supervised(Processes(1))
    begun = engine.map(begun_at, range(3), look)
    engine.close()
    assert begun[1] < looked[0]
    assert begun[2] < looked[1]


DRIVER = """
import sys, time
import cleanse.cli.start  # as the command begins
sys.path.insert(0, {tests!r})
from cleanse.run.engines.local import Processes
from cleanse.run.engines.supervisor import Supervised
from deeds import {fn}
{first}
engine = Supervised(Processes(2, {share_mb}), lambda event: print(event.name, flush=True))
print("begun", flush=True)
print(engine.map({fn}, {tasks}, lambda done: print(done, flush=True)), flush=True)
engine.close()
"""


def driver(fn: str, given: str, share_mb: float = 1e9, first: str = "") -> "subprocess.Popen[str]":
    code = DRIVER.format(tests=str(Path(__file__).parent.parent), fn=fn, tasks=given, share_mb=share_mb, first=first)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)


def family(pid: int) -> list[int]:
    """Living descendants of a process: what forks workers, and the workers."""
    kids = dict[int, list[int]]()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                kids.setdefault(int(fields[1]), []).append(int(folder.name))
    found = list(kids.get(pid, []))
    for each in found:
        found += kids.get(each, [])
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


BUSY = "import polars; polars.Series([1]).to_frame().lazy().collect(engine='streaming')"  # from now on it has threads


@pytest.mark.parametrize(("first", "is_fork"), [("", True), (BUSY, False)])
def test_no_fork_hangs_in_polars(first: str, is_fork: bool) -> None:
    process = driver(streamed.__name__, "range(60)", 1.0, first)
    assert process.stdout
    process.stdout.readline()
    while not (server := family(process.pid)):
        time.sleep(0.001)
    process.stdout.readline()
    words = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (process.pid, server[0])]
    assert (words[0] == words[1]) == is_fork
    assert process.communicate()[0].splitlines()[-1] == str([3] * 60)


@pytest.mark.parametrize("first", ["", BUSY])
def test_a_caller_that_ignores_the_end_of_children_or_closes_streams_is_no_fault(first: str) -> None:
    deaf = "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.close(0); os.close(2)\n"
    process = driver(parent_of.__name__, "range(8)", 1.0, deaf + first)
    out, _ = process.communicate()
    assert len(set(json.loads(out.splitlines()[-1]))) == 1
    assert process.returncode == 0


@pytest.mark.parametrize("when", ["while starting", "amid work"])
def test_workers_do_not_outlive_a_killed_driver(when: str) -> None:
    process = driver(slow.__name__, "[1] * 4 + [600] * 2")
    assert process.stdout
    if when == "amid work":
        for _ in range(4):
            process.stdout.readline()
    while len(workers := family(process.pid)) < (3 if when == "amid work" else 1):
        time.sleep(0.001)
    process.kill()
    process.communicate()
    end = time.monotonic() + 20
    while any(map(lives, workers)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(lives, workers))


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1, 0.2, 0.4])
def test_a_signal_to_the_group_while_workers_start_is_for_the_driver_alone(delay: float) -> None:
    process = driver(polite.__name__, "range(6)")
    assert process.stdout
    process.stdout.readline()
    while not family(process.pid):
        time.sleep(0.001)
    time.sleep(delay)
    for worker in family(process.pid):
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(worker, number)
    out, _ = process.communicate()
    assert out.splitlines()[-1] == "[0, 1, 2, 3, 4, 5]"
    assert "worker_died" not in out


def kind_of(engine: Engine) -> type[Engine]:
    engine.close()
    return type(engine)


def test_small_input_and_one_worker_stay_in_this_process(tmp_path: Path) -> None:
    def kind(run: RunSettings, n_bytes: int, n_files: int = 1) -> type[Engine]:
        return kind_of(chosen(run, n_bytes, n_files, tmp_path, silent))

    assert kind(RunSettings(), 100) is Inline
    assert kind(RunSettings(workers=1), 10**12) is Inline
    assert kind(RunSettings(engine="inline", workers=4), 10**12) is Inline
    assert kind(RunSettings(workers=2), 100) is Supervised
    assert kind(RunSettings(workers=4, memory_limit=300), 10**12) is Inline


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: nothing beside it")
def test_light_work_takes_threads_until_processes_pay(tmp_path: Path) -> None:
    def kind(n_bytes: int, work: Work, workers: Literal["auto"] | int = "auto") -> type[Engine]:
        return kind_of(chosen(RunSettings(workers=workers), n_bytes, 1, tmp_path, silent, work))

    assert kind(16 * SMALL - A_FILE - 1, "light") is Threads
    assert kind(16 * SMALL - A_FILE, "light") is Supervised
    assert kind(SMALL, "heavy") is Supervised
    assert kind(100, "light", workers=2) is Supervised
    assert kind(100, "threads", workers=2) is Threads
    assert kind(10**12, "threads", workers=1) is Inline


def test_threads_have_a_core_each_for_matrix_products_and_give_them_back() -> None:
    before = [pool["num_threads"] for pool in threadpool_info()]
    engine = Threads(2, is_numpy=True)
    assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    engine.close()
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@pytest.mark.parametrize(
    "kind",
    [surveys.Survey, tasks.Task, exchange.Scatter, exchange.Gather, rejects.Rejects, embedding.Part, vectors.Class,
     vectors.Pool, publish.Vectors],
)  # fmt: skip
def test_every_task_can_be_named_in_a_log(kind: type) -> None:
    assert "settings" in {field.name for field in fields(kind)}
    assert "__str__" in vars(kind)  # the one of a dataclass would quote all settings


def test_a_call_is_small() -> None:
    from cleanse.settings import Settings

    task = tasks.Task((tasks.Start("part-00000", "x"),), Settings(), {})
    assert len(pickle.dumps(task)) < 1 << 14
