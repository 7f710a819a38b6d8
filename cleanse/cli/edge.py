"""The edge of every command: errors become messages, signals a flag, bugs a crash file; a body becomes an exit code."""

import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from cleanse import __version__
from cleanse.cli.screen import Screen
from cleanse.errors import LIMITS, CleanseError, MachineError, limit
from cleanse.report.safe import safe_lines
from cleanse.run.engines.base import NO_MEMORY, Frames
from cleanse.run.places import Remote

MAX_LINES = 12  # of a message: more faults of a config than fit are counted
GRACE = 8  # seconds after a SIGTERM: containers are killed after 10
NO_THREAD = "can't start new thread"  # as Python says EAGAIN
STOPPING = b"stopping after the current parts; press again to quit now\n"
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}

Given = Mapping[str, Any]
Body = Callable[[Given, Screen], int]


class Stopped(BaseException):  # no error: somebody asked for it
    """A signal was seen between two parts."""


class Signals:
    """The first signal asks to stop after the current parts, the second leaves at once."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.seen = screen, 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Only sets a flag: polars answers an interrupt itself, and a handler that raises meets it half way."""
        code = CODES[signal.Signals(number)]
        if self.seen:
            os._exit(code)
        self.seen = code
        if self.screen.quiet < 2:
            with contextlib.suppress(OSError):  # past the buffer: it may be this very write that was interrupted
                os.write(sys.stderr.fileno(), STOPPING)
        signal.signal(signal.SIGALRM, lambda *_: os._exit(code))
        if number == signal.SIGTERM:
            signal.alarm(GRACE)

    def check(self) -> None:
        """Raises Stopped once a signal has come."""
        if self.seen:
            raise Stopped

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Handlers in place: as process 1 of a container Python would sleep through a SIGTERM."""
        before = {number: signal.signal(number, self.handle) for number in CODES}
        try:
            yield
        finally:
            signal.alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)


def guarded(body: Body, given: Given) -> int:
    """The exit code of a body. 70 > 4 > 3 > 2 > 1: what is worst is what counts."""
    screen = Screen(given, os.environ)
    signals = Signals(screen)
    screen.check_signals = signals.check
    try:
        with signals.installed():
            return body(given, screen)
    except CleanseError as error:
        return _told(error, screen)
    except (KeyboardInterrupt, Stopped):
        return signals.seen or CODES[signal.SIGINT]
    except MemoryError:
        return _told(MachineError("no-memory", "out of memory", LIMITS[12][1]), screen)
    except SystemExit:
        raise
    except BaseException as bug:  # noqa: BLE001  # the edge: all else is a bug and says so; a panic of polars is no Exception
        return signals.seen or _bug(bug, given, screen)


def _told(error: CleanseError, screen: Screen) -> int:
    if screen.json_logs:
        fields = {"id": error.id, "message": error.what, "where": error.where, "help": error.help}
        screen.talk(json.dumps({"level": "error", "event": "error", **fields}, ensure_ascii=False))
    else:
        screen.talk(safe_lines(_message(error)))
    return error.exit_code


def _message(error: CleanseError) -> str:
    """The error and the others found with it, as far as they fit."""
    shown, others = str(error), list(getattr(error, "__notes__", []))
    while others and len(f"{shown}\n{others[0]}".splitlines()) < MAX_LINES:
        shown = f"{shown}\n{others.pop(0)}"
    return f"{shown}\nand {len(others)} more" if others else shown


def _bug(bug: BaseException, given: Given, screen: Screen) -> int:
    if not isinstance(bug, Exception) and NO_MEMORY.search(str(bug)):  # a panic of polars
        return _told(MachineError("no-memory", "out of memory", LIMITS[12][1]), screen)
    if error := _limit(bug):
        return _told(error, screen)
    kind = type(bug).__name__
    if screen.verbose > 1:
        screen.talk(safe_lines(traceback.format_exc()))
    frames = [*traceback.format_tb(bug.__traceback__), str(bug.__cause__) if isinstance(bug.__cause__, Frames) else ""]
    text = f"cleanse {__version__}\npython {sys.version}\n{kind}\n{''.join(frames)}"
    path = _crash_file(given.get("out"), text)
    help = "report it with this file" if path else "report it"
    return _told(CleanseError("bug", f"{kind} in cleanse", help, path), screen)


def _limit(bug: BaseException) -> MachineError | None:
    """The limit of the machine that an exception speaks of; polars says its number in the text."""
    if isinstance(bug, BlockingIOError):  # a stream that does not wait says EAGAIN, too
        return None
    said = re.search(r"(?:os error|code:) (\d+)", str(bug))
    errno = getattr(bug, "errno", None) or (int(said[1]) if said else 11 if str(bug) == NO_THREAD else None)
    return limit(errno, os.strerror(errno)) if errno else None


def _crash_file(out: Path | None, text: str) -> str:
    """The traceback without the message: that may quote data. In OUT/logs where there is one on this machine, else in
    the system's own folder; empty where neither has room.
    """
    logs = [out / "logs"] if out and not isinstance(out, Remote) and (out / "logs").is_dir() else []
    for folder in (*logs, None):
        with (
            contextlib.suppress(OSError),
            tempfile.NamedTemporaryFile("w", prefix="crash-", suffix=".txt", dir=folder, delete=False) as file,
        ):
            file.write(text)
            file.flush()
            return file.name
    return ""
