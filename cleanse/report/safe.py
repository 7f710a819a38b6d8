"""Hostile text made visible: titles, labels, file and column names come from strangers."""

import re

MAX = 200  # characters of one value on a screen
HOSTILE = re.compile(  # what steers a terminal or turns the direction of text
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_COMMAND = re.compile(r"^(\s*)::", re.M)


def safe(text: str, max_chars: int = MAX) -> str:
    """One value on one line: control and bidi characters as visible signs, cut at `max_chars` >= 1 characters.

    >>> safe("a\\x1b[31m\\u202eb")
    'a␛[31m\\\\u202eb'
    """
    shown = HOSTILE.sub(lambda m: sign(ord(m.group())), text)
    return shown if len(shown) <= max_chars else shown[: max_chars - 1] + "…"


def safe_lines(text: str) -> str:
    """A message of several lines, each made safe but not cut."""
    return "\n".join(HOSTILE.sub(lambda m: sign(ord(m.group())), line) for line in text.split("\n"))


def unobeyed(text: str) -> str:
    """Lines that a CI runner takes for no command of its own: it trims before it looks for `::`, and finds `##[`
    anywhere. Source: actions/runner ActionCommand.cs.

    >>> unobeyed("a ##[error]b\\n ::stop")
    'a # #[error]b\\n : :stop'
    """
    return _COMMAND.sub(r"\1: :", text.replace("##[", "# #["))


def sign(code: int) -> str:
    """What stands for a hostile character: a picture of the control, else its code."""
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"
