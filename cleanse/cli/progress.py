"""From events of a run to what is seen and kept of them: lines, a bar, JSON objects, logs/run.jsonl."""

import json
import os
import platform
import resource
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cleanse import __version__
from cleanse.cli.screen import Screen
from cleanse.errors import CleanseError
from cleanse.report.safe import safe
from cleanse.run.events import Event
from cleanse.run.places import Remote
from cleanse.run.store import append
from cleanse.run.uris import shown

HEARTBEAT = 30  # seconds between two lines of plain progress, at least
WORDS = {"examine": "survey", "carry": "clean", "scatter": "shuffle", "gather": "shards", "collect": "rejects"}
LEVELS = {
    "task_done": "debug",
    "part_done": "debug",
    "worker_died": "warning",
    "task_retried": "warning",
}  # the rest is info

Record = dict[str, Any]
Sink = Callable[[Record], None]


class Recorder:
    """Gives every event its time and figures, and hands it on to the sinks. Asks first whether to stop."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.began = self.stage_began = self.work_began = time.monotonic()
        self.bytes, self.workers, self.n_done, self.n_tasks = 0, 1, 0, 0
        self.seconds: dict[str, float] = {}  # of each stage, and of the whole as `all`
        self.sinks: list[Sink] = []

    def __call__(self, event: Event) -> None:
        """A listener of the run."""
        self.screen.check_signals()
        self.record(event.name, **{key: _shown(value) for key, value in event.fields.items()})

    def record(self, name: str, **fields: Any) -> None:
        """One record to all sinks."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {"ts": now, "level": LEVELS.get(name, "info"), "event": name, **fields, **self._figures(name, fields)}
        for sink in self.sinks:
            sink(record)

    def _figures(self, name: str, fields: Mapping[str, Any]) -> Record:
        """Seconds of a stage; rate and time to go within a piece of work, whose parts are about equal."""
        now = time.monotonic()
        if name == "found":
            self.bytes, self.workers = fields["bytes"], fields["workers"]
        if name == "tasks_started":
            self.work_began, self.n_done, self.n_tasks = now, 0, fields["tasks"]
        if name == "stage_done":
            took, self.stage_began = round(now - self.stage_began, 3), now
            self.seconds[fields["stage"]] = took
            return {"seconds": took}
        if name == "task_done":
            self.n_done = fields["done"]
            return self._pace(now)
        if name == "heartbeat":
            return {"done": self.n_done, "tasks": self.n_tasks, **self._pace(now)}
        if name in ("work_done", "run_done"):
            self.seconds["all"] = round(now - self.began, 3)
            return {"seconds": self.seconds["all"], **_usage()}
        return {}

    def _pace(self, now: float) -> Record:
        """Of the work under way; nothing before its first task is done."""
        took, share = now - self.work_began, self.n_done / max(1, self.n_tasks)
        if not took or not share:
            return {"eta_s": None, "mb_s": 0.0}
        return {"eta_s": round(took / share - took, 1), "mb_s": round(self.bytes * share / took / 1e6, 1)}


def _shown(value: Any) -> Any:
    """Names of sources are hostile: no log and no screen gets them as they are."""
    return (
        safe(value) if isinstance(value, str) else [safe(each) for each in value] if isinstance(value, list) else value
    )


SEEN = ("claimed", "stage_done", "work_done", "run_done")  # when a log on an object store is put there


class LogFile:
    """logs/run.jsonl: every record, once the folder is ours. The only file with a clock in it. On an object store it
    is put anew when a stage ends, and at most every HEARTBEAT seconds.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.waiting = path, list[Record]()
        self.open = False
        self.put = 0.0

    def __call__(self, record: Record) -> None:
        """A sink."""
        self.waiting.append(record)
        self.open = self.open or record["event"] == "claimed"
        if not isinstance(self.path, Remote) or self._is_due(record):
            self.write()

    def write(self) -> None:
        """What waits, to the file."""
        if self.open and self.waiting:
            append(self.path, "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in self.waiting))
            self.waiting.clear()
            self.put = time.monotonic()

    def _is_due(self, record: Record) -> bool:
        return record["event"] in SEEN or time.monotonic() - self.put > HEARTBEAT


def host(argv: Sequence[str]) -> Record:
    """What the first record says of the call and the machine."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "run_id": secrets.token_hex(6),
        "argv": [shown(word).encode("utf-8", "backslashreplace").decode() for word in argv],
        "cleanse": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_mb": pages * size >> 20,
    }


def _usage() -> Record:
    """CPU seconds of this process and of the workers that have ended; the larger peak of memory, MiB."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(use.ru_utime + use.ru_stime for use in both)
    return {"cpu_s": round(cpu, 3), "peak_mb": max(use.ru_maxrss for use in both) >> 10}


def _sink(screen: Screen) -> Sink:
    if screen.json_logs:
        return lambda record: screen.talk(json.dumps(record, ensure_ascii=False))
    if screen.progress == "none":
        return lambda record: None
    return plain(screen)


def plain(screen: Screen) -> Sink:
    """A line when a piece of work starts and when a stage ends, and a heartbeat in between."""
    last = time.monotonic()

    def show(record: Record) -> None:
        nonlocal last
        now = time.monotonic()
        if record["event"] == "task_done" and (now - last < HEARTBEAT or record["done"] == record["tasks"]):
            return
        if text := line(record):
            last = now
            screen.talk(text)

    return show


class Bar:
    """A bar on a terminal: what is done, how fast, how long still. It leaves nothing behind."""

    def __init__(self, screen: Screen) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(24), MofNCompleteColumn(),
                   TextColumn("{task.fields[rate]}", markup=False), TimeRemainingColumn())  # fmt: skip
        self.progress = Progress(*columns, console=screen.console("stderr"), transient=True)
        self.task = self.progress.add_task("survey", total=None, rate="")

    def __call__(self, record: Record) -> None:
        """A sink."""
        if record["event"] == "tasks_started":
            self.progress.start()
            name = WORDS.get(record["work"], record["work"])
            self.progress.reset(self.task, description=name, total=record["tasks"], rate="")
        elif record["event"] == "task_done":
            self.progress.update(self.task, completed=record["done"], rate=f"{record['mb_s']:.1f} MB/s")
        elif record["event"] == "work_done":
            self.progress.stop()


def line(record: Mapping[str, Any]) -> str:
    """The text form of a record, or nothing for those that only machines read."""
    event, moment = record["event"], f"{datetime.fromisoformat(record['ts']).astimezone():%H:%M:%S}"
    if event == "stage_done":
        counts = " ".join(f"{key}={record[key]}" for key in ("rows_in", "kept", "rejected", "seconds"))
        return f"{moment} INFO  stage={record['stage']} done {counts}"
    if event == "tasks_started" and record["tasks"]:
        return f"{moment} INFO  work={WORDS.get(record['work'], record['work'])} started tasks={record['tasks']}"
    if event == "task_done":
        counts = " ".join(f"{key}={record[key]}" for key in ("done", "tasks", "mb_s", "eta_s"))
        return f"{moment} INFO  work={WORDS.get(record['work'], record['work'])} {counts}"
    if event == "heartbeat":
        counts = " ".join(f"{key}={record[key]}" for key in ("done", "tasks", "mb_s", "eta_s"))
        return f"{moment} INFO  {counts} running={' · '.join(record['running'])}"
    if event == "worker_died":
        return f"{moment} WARN  worker died of={record['signal']} attempt={record['attempt']} part={record['part']}"
    if event == "task_retried":
        return f"{moment} WARN  tried again after={record['after']} attempt={record['attempt']} part={record['part']}"
    return ""


@contextmanager
def recording(screen: Screen, log: Path | None) -> Iterator[Recorder]:
    """A recorder for this call; `log`: the file that gets everything. The bar is gone however the call ends."""
    recorder = Recorder(screen)
    bar = Bar(screen) if screen.quiet == 0 and screen.progress == "bar" and not screen.json_logs else None
    recorder.sinks += [bar] if bar else [_sink(screen)] if screen.quiet == 0 else []
    kept = LogFile(log) if log else None
    recorder.sinks += [kept] if kept else []
    recorder.record("run_started", **host(sys.argv))
    try:
        yield recorder
    finally:
        if bar:
            bar.progress.stop()
        if kept:
            with suppress(CleanseError):  # how the call ended is what counts
                kept.write()
