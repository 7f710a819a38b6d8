"""The two streams of a command: results to stdout, talk to stderr, each in the form that the flags and the terminal
ask for. The environment and the terminal are looked at here only.
"""

import io
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from cleanse.report.safe import unobeyed

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDE = 1000  # columns where there is no terminal: nobody wraps a log
NARROW = 60  # columns below which only the figures are shown
LANGS = ("en", "zh-CN")


class Screen:
    """How a command speaks. Made from its shared options; edges with state, so a class."""

    def __init__(self, given: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        self.quiet: int = given["quiet"]
        self.verbose: int = given["verbose"]
        self.json_logs: bool = given["log_format"] == "json"
        self.check_signals: Callable[[], None] = lambda: None  # raises when somebody asked to stop
        self.lang = language(given["lang"], environ)
        self.on_github = environ.get("GITHUB_ACTIONS") == "true"
        self.summary_file = environ.get("GITHUB_STEP_SUMMARY")
        self.colour = {s: _coloured(given["color"], environ, stream) for s, stream in _streams().items()}
        still = bool(environ.get("CI")) or environ.get("TERM") == "dumb" or not _is_tty(sys.stderr)
        shown = given["progress"]
        self.progress: str = ("plain" if still else "bar") if shown == "auto" else shown
        for stream in _streams().values():
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a GBK or ASCII stream must not end a run

    def result(self, *parts: "RenderableType") -> None:
        """The result, to stdout: texts as they are, tables as rich draws them."""
        for part in parts:
            self._write("stdout", part if isinstance(part, str) else self._drawn("stdout", part))

    def annotate(self, lines: str) -> None:
        """Workflow commands of our own: the only lines that a CI runner may obey."""
        put(sys.stdout, lines, obey=True)

    def talk(self, *parts: "RenderableType") -> None:
        """Logs, warnings and errors, to stderr."""
        for part in parts:
            self._write("stderr", part if isinstance(part, str) else self._drawn("stderr", part))

    def signs(self) -> bool:
        """True where stdout can show ✓ and ✗; elsewhere words stand alone."""
        return encodable("✓✗→·", sys.stdout)

    def narrow(self) -> bool:
        """True where stdout has no room for side notes."""
        return _width(sys.stdout) < NARROW

    def console(self, stream: str) -> "Console":
        """A rich console on a stream, with its colours."""
        return _console(_streams()[stream], colour=self.colour[stream])

    def _drawn(self, stream: str, part: "RenderableType") -> str:
        console = _console(io.StringIO(), colour=self.colour[stream])
        console.width = _width(_streams()[stream])
        console.print(part, soft_wrap=not _is_tty(_streams()[stream]))
        text = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
        return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")

    def _write(self, stream: str, text: str) -> None:
        put(_streams()[stream], text.removesuffix("\n") + "\n", obey=not self.on_github)


def language(wanted: str, environ: Mapping[str, str]) -> str:
    """`en` or `zh-CN`: as wanted, else the locale's.

    >>> language("auto", {"LANG": "zh_CN.UTF-8"}), language("auto", {"LC_ALL": "C", "LANG": "zh_CN"})
    ('zh-CN', 'en')
    """
    if wanted in LANGS:
        return wanted
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")
    return "zh-CN" if locale.startswith("zh") else "en"


def encodable(text: str, stream: TextIO) -> bool:
    """True where the stream can show the text."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _streams() -> dict[str, TextIO]:
    return {"stdout": sys.stdout, "stderr": sys.stderr}


def _is_tty(stream: TextIO) -> bool:
    return not stream.closed and stream.isatty()


def _coloured(wanted: str, environ: Mapping[str, str], stream: TextIO) -> bool:
    """flag > NO_COLOR > FORCE_COLOR > terminal, each stream apart. Results in a pipe are for programs: FORCE_COLOR
    colours the talk, not them.
    """
    if wanted != "auto":
        return wanted == "always"
    if environ.get("NO_COLOR"):
        return False
    return _is_tty(stream) or bool(environ.get("FORCE_COLOR") and stream is sys.stderr)


def _console(file: Any, *, colour: bool) -> "Console":
    from rich.console import Console  # 20 ms that plain lines do not need

    return Console(
        file=file, force_terminal=colour, color_system="standard" if colour else None, no_color=not colour,
        highlight=False, markup=False, emoji=False, force_jupyter=False, width=None,
    )  # fmt: skip


def _width(stream: TextIO) -> int:
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return WIDE


def put(stream: TextIO, text: str, *, obey: bool) -> None:
    """Write, and do not mind that nobody reads any more: `cleanse show | head` is no error. Nor is a log on a full
    disk: what is told of the work is no part of it.
    """
    try:
        stream.write(text if obey else unobeyed(text))
        stream.flush()
    except OSError as problem:
        if stream is not sys.stderr and not isinstance(problem, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
