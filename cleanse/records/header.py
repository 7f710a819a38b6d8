"""Where the header of a table is, if there is one, and which lines before it are no records."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cleanse.records.closed import NUMBER
from cleanse.records.dialect import DELIMITERS, LAST_RESORT, Guess, Row, has_names
from cleanse.records.names import fold
from cleanse.records.reading import Dialect, cheapest, read

Presence = Literal["auto", "present", "absent"]
HEAD_ROWS = 20  # in which a header by its names may stand
MAX_HEADER = 3  # lines of one header
NUMBERED = 0.8  # share of the rows below that hold a number, where the header has none
MAX_NAME = 40  # characters of a cell that may be a name
_NUMBER = re.compile(NUMBER + r"|^\d+[-/.:年]\d+")  # also the beginning of a date or time
_SENTENCE = re.compile(r"[。！？!?…；;]|\.(?:\s|$)")


@dataclass(frozen=True)
class Header:
    """`cells` as read (several lines joined by a blank), None without one. `kinds`: first line and number of lines →
    what they are, for all that stands before the first record.
    """

    cells: tuple[str, ...] | None
    kinds: dict[tuple[int, int], str] = field(default_factory=dict)


def find(
    lines: Sequence[str], guess: Guess, expect: Sequence[str], known: set[str], wanted: Presence
) -> Header:  # fmt: skip
    """The header among the first rows: by its names, else by type, else by its look."""
    head = [_read_again(row, lines, guess) for row in guess.rows[:HEAD_ROWS]]
    chosen: list[Row] = []
    if wanted != "absent":
        named = next((row for row in head if has_names(row.cells, expect, known)), None)
        chosen = [named] if named else _by_type(head, guess) or _by_look(head, guess, expect)
    if not chosen and wanted == "present":
        chosen = [row for row in head if not _is_preamble(row, guess.n)][:1]
    kinds = {(row.start, row.n_lines): "header" for row in chosen}
    for row in head:
        early = chosen and row.start < chosen[0].start
        if early or (not chosen and wanted != "absent" and row.start < _first_full(head, guess.n)):
            kinds[(row.start, row.n_lines)] = "preamble"
    if not chosen:
        return Header(None, kinds)
    return Header(_joined([row.cells for row in chosen]), kinds)


def _read_again(row: Row, lines: Sequence[str], guess: Guess) -> Row:
    """A row that does not fit, in another delimiter, with a quote too many, or without its one empty cell."""
    if row.ok and len(row.cells) == guess.n:
        return row
    text, dialect = lines[row.start].removeprefix("\ufeff"), guess.dialect
    if not row.ok and (found := cheapest(text, dialect, guess.n)):
        cells = [cell.removeprefix(dialect.quote or "") for cell in found.fields]  # a stray quote is no part of a name
        return replace(row, cells=cells, ok=True)
    if row.ok and len(row.cells) == 1 and guess.n > 1:
        for cut in (*DELIMITERS, LAST_RESORT):
            other = read(text, Dialect(cut, dialect.quote)) if cut != dialect.delimiter else None
            if other and other.state == "ok" and len(other.fields) == guess.n:
                return replace(row, cells=other.fields)
    if row.ok and len(row.cells) == guess.n + 1 and row.cells[:-1].count("") == 1 and row.cells[-1]:
        return replace(row, cells=[cell for cell in row.cells if cell])
    return row


def _is_preamble(row: Row, n: int) -> bool:
    """True for a row of at most one filled cell, where a row has three or more; or of one cell where it has two."""
    return (n > 2 and sum(bool(cell.strip()) for cell in row.cells) < 2) or len(row.cells) < min(n, 2)


def _first_full(head: Sequence[Row], n: int) -> int:
    """Where the first row stands that is no preamble: in a table without header, what is before it is no record."""
    return next((row.start for row in head if not _is_preamble(row, n)), 0)


def has_number(cells: Sequence[str]) -> bool:
    """True when one of the cells is a number, a date or a time."""
    return any(_NUMBER.match(cell.strip()) for cell in cells)


def _by_type(head: Sequence[Row], guess: Guess) -> list[Row]:
    """Up to MAX_HEADER leading rows without a number, where most rows below have one."""
    body = [row for row in head if not _is_preamble(row, guess.n)]
    first = next((i for i, row in enumerate(body) if has_number(row.cells)), 0)
    below = [row for row in guess.rows if first and row.start >= body[first].start]
    if not 0 < first <= MAX_HEADER or sum(has_number(row.cells) for row in below) < NUMBERED * len(below):
        return []
    return body[:first]


def _by_look(head: Sequence[Row], guess: Guess, expect: Sequence[str]) -> list[Row]:
    """The first row, if its cells look like names and are none of the values below."""
    body = [row for row in head if not _is_preamble(row, guess.n)]
    first = body[0] if body else None
    if first is None or len(first.cells) != guess.n:
        return []
    cells = [cell.strip() for cell in first.cells]
    if expect and {fold(cell) for cell in cells} & {fold(name) for name in expect}:
        return [first]
    rest = [row for row in guess.rows if row.start > first.start]
    below = [Counter(row.cells[i].strip() for row in rest if i < len(row.cells)) for i in range(guess.n)]
    alike = all(cells) and len(set(cells)) == len(cells) and all(len(cell) <= MAX_NAME for cell in cells)
    if not alike or has_number(cells) or any(_SENTENCE.search(cell) for cell in cells):
        return []
    return [first] if not any(cell in seen for cell, seen in zip(cells, below, strict=True)) else []


def _joined(cells: Sequence[Sequence[str]]) -> tuple[str, ...]:
    n = max(map(len, cells))
    full = [[*row, *[""] * (n - len(row))] for row in cells]
    return tuple(
        " ".join(cell for cell in column if cell) if len(full) > 1 else column[0] for column in zip(*full, strict=True)
    )
