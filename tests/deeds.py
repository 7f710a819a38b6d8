"""Tasks for engines: what they do to the worker that does them. Light, so that workers start at once."""

import errno
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from cleanse.errors import InputError


@dataclass(frozen=True)
class Deed:
    """Do `what` the first `times` times, as counted in `folder`; return `number` after that."""

    number: int
    folder: str
    what: str = ""
    times: int = 99

    def __str__(self) -> str:
        return f"deed {self.number}"


def do(deed: Deed) -> int:
    if deed.what == "commit then die":
        Path(deed.folder, f"kept-{deed.number}").write_text("whole")
    name = f"{deed.number}-{os.getpid()}-{time.monotonic_ns()}"
    Path(deed.folder, name).touch()
    if len(tried(deed.folder, deed.number)) <= deed.times:
        act(deed.what)
    return deed.number


def act(what: str) -> None:
    if what == "os error":
        raise OSError(errno.EIO, "passing")
    if what == "value error":
        raise ValueError("final")
    if what == "memory":
        raise MemoryError
    if what == "input error":
        raise InputError("bad", "a.csv is bad", "take another")
    if what == "unpicklable":
        raise StrangeError(1, 2)
    if what == "abort":
        os.write(2, b"memory allocation of 130146304 bytes failed\n   0: <unknown>\n")
        os.abort()
    if what == "panic":
        raise PanicError
    if what == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if what == "commit then die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what.startswith("SIG"):
        signal.signal(getattr(signal, what), signal.SIG_DFL) if what != "SIGKILL" else None
        os.kill(os.getpid(), getattr(signal, what))


class PanicError(BaseException):
    """What a panic of polars is like."""

    def __str__(self) -> str:
        return "Cannot allocate memory to hold CompactString"

    def __reduce__(self) -> str:
        raise TypeError


class StrangeError(Exception):
    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} {b}")


def tried(folder: str, number: int) -> list[Path]:
    return sorted(Path(folder).glob(f"{number}-*"))


def double(n: int) -> int:
    return 2 * n


def millisecond(n: int) -> int:
    time.sleep(0.001)
    return n


def slow(n: int) -> int:
    time.sleep(n / 10)
    return n


def begun_at(n: int) -> float:
    """When the task began, by a clock that is the same in all processes."""
    return time.monotonic()


def pid_of(n: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def parent_of(n: int) -> int:
    time.sleep(0.05)
    return os.getppid()


def streamed(n: int) -> int:
    """What asks the pool of polars for all that it has."""
    import polars as pl

    assert pl.thread_pool_size() == 1
    query = pl.LazyFrame({"n": [1, 1, 2] * 1000}).group_by("n").agg(pl.len())
    return int(query.select(pl.col("n").sum()).collect(engine="streaming").item())


def polite(n: int) -> int:
    """A query, for polars sets a handler of its own."""
    import polars as pl

    assert pl.LazyFrame({"n": [n]}).select(pl.col("n") * 2).collect().item() == 2 * n
    time.sleep(0.02)
    return n
