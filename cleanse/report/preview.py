"""Before and after of a row, for the terminal."""

from collections.abc import Iterable
from difflib import unified_diff

from cleanse.report.safe import safe_lines
from cleanse.stages.strip import Change

LONGEST = 4_000  # characters of a text that are shown: a diff takes time by the square of the lines


def text(changes: Iterable[Change]) -> str:
    """Each change as a unified diff under its `_id`; without any, a line that says so.

    >>> print(text([Change("ab:1", "<p>x</p>", "x")]))
    ab:1
    -<p>x</p>
    +x
    """
    shown = [line for change in changes for line in (change.id, *_diff(change))]
    return safe_lines("\n".join(shown or ["strip would change nothing"]))


def _diff(change: Change) -> list[str]:
    after = "" if change.after is None else change.after[:LONGEST]
    lines = list(unified_diff(change.before[:LONGEST].splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    rejected = ["rejected: empty_after_strip"] if change.after is None else []
    return [line for line in lines if not line.startswith("@@")] + rejected
