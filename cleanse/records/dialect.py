"""Which delimiter and quotes a text is written with, from its first lines. Where it is not clear, no guess."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from cleanse.records.names import ROLE_OF, fold
from cleanse.records.reading import ONE_COLUMN, Dialect, read

DELIMITERS = (",", "\t", ";", "|")
RARER = ("^", "~", ":", "#", "\x01", "\x1f")  # and the usual ones doubled: only where they cut names out of a header
LAST_RESORT = " "  # words of a sentence are cut by it, too: only where nothing else fits
GOOD, UNCLEAR = 0.9, 0.5  # shares of the rows with one number of fields
SAMPLE = 200  # lines from which a text is told to be a table
MAX_JOIN = 64  # lines with a quote that one quoted field may go over, while looking
LITERAL_SHARE = 0.1  # of the rows that quotes must break before they are taken for text


@dataclass(frozen=True)
class Row:
    """A row of the head: its first line (0-based), how many lines it takes up, its cells; `ok`: quotes add up;
    `is_open`: a quote that no line of the head closes.
    """

    start: int
    n_lines: int
    cells: list[str]
    ok: bool = True
    is_open: bool = False


@dataclass(frozen=True)
class Guess:
    """A dialect and how well it fits: `share` of the rows have `n` fields. `named`: a row holds the names that are
    asked for; `fits_header`: as many cells as there are fields.
    """

    dialect: Dialect
    rows: list[Row]
    n: int
    share: float
    named: bool = False
    fits_header: bool = False
    beside: int = 0  # quotes beside delimiters


def rows(lines: Sequence[str], dialect: Dialect) -> list[Row]:
    """The lines as rows; blank ones are none. A quoted field that never closes is one bad row of one line."""
    found, at = list[Row](), 0
    while at < len(lines):
        if lines[at].strip(" \t\0\ufeff"):
            found.append(_row(lines, at, dialect))
            at += found[-1].n_lines
        else:
            at += 1
    return found


def _row(lines: Sequence[str], at: int, dialect: Dialect) -> Row:
    text = lines[at].removeprefix("\ufeff")
    reading, last = read(text, dialect), at
    marked = islice((row for row in range(at + 1, len(lines)) if (dialect.quote or "\n") in lines[row]), MAX_JOIN)
    while reading.state == "open" and (row := next(marked, None)) is not None:
        text += "\n" + "\n".join(lines[last + 1 : row + 1])
        reading, last = read(text, dialect), row
    if reading.state == "ok":
        return Row(at, last - at + 1, reading.fields)
    return Row(at, 1, reading.fields, ok=False, is_open=reading.state == "open")


def detect(
    lines: Sequence[str], expect: Sequence[str], names: Iterable[str], given: Dialect | None, quote: str, escape: str
) -> Guess | None:
    """The dialect that most rows agree with, None when no half of them agrees.

    `lines`: the head of the text; `expect`: names of its columns, if known; `names`: any that may stand in a header;
    `given`: with the delimiter the user named; `quote`, `escape`: the user's, or `auto`.
    """
    known = {fold(name) for name in names}
    first = next((line for line in lines if line.strip(" \t\0\ufeff")), "")
    if not given and fold(first.strip("\ufeff\"'")) in known:
        return _one_column(lines, quote)
    text = "\n".join(lines)
    cuts = [given.delimiter] if given else [*DELIMITERS, LAST_RESORT]
    if not given:  # a blank after each delimiter belongs to it, where at least half of them have one
        cuts += [f"{cut} " for cut in DELIMITERS if text.count(f"{cut} ") >= 0.5 * text.count(cut)]
        cuts += [*RARER, *(cut * 2 for cut in (*DELIMITERS, ":") if cut not in first.replace(cut * 2, ""))]
    guesses = [_guess(lines, cut, quote, escape, expect, known) for cut in cuts if given or cut in text]
    guesses = guesses if given else [g for g in guesses if _clear(g, first, len(expect))]
    blank, others = _parted(guesses)
    guesses = blank if blank and all(_is_rather(blank[0], other) for other in others) else others
    if not guesses:
        return None if any(cut in first for cut in DELIMITERS) else _one_column(lines, quote)
    return max(guesses, key=lambda g: (g.named, round(g.share, 2), g.beside, len(g.dialect.delimiter), g.n))


def is_delimited(lines: Sequence[str]) -> bool:
    """True for a text that can only be a table: three rows and more under a header that names roles, or nearly all of
    one number of fields, three and more (two are soon found in any prose).

    >>> is_delimited(["title,body", "a,b", "c,d"]), is_delimited(["Dear Sir,", "I am, Sir,", "yours, truly"])
    (True, False)
    """
    found = detect(lines[:SAMPLE], (), ROLE_OF, None, "auto", "auto")
    if not found or found.dialect.delimiter in (ONE_COLUMN, LAST_RESORT) or len(found.rows) < 3:
        return False
    return found.named or (found.n > 2 and found.share >= GOOD)


def _parted(guesses: Sequence[Guess]) -> tuple[list[Guess], list[Guess]]:
    """The guess of the last resort, if it is one, and the others."""
    blank = [guess for guess in guesses if guess.dialect.delimiter == LAST_RESORT]
    return blank, [guess for guess in guesses if guess not in blank]


def _is_rather(blank: Guess, other: Guess) -> bool:
    """True where a text is rather cut by blanks: its first row fits, and the other delimiter stands only in rows
    below, or always within what is in quotes between blanks.
    """
    if blank.n < 3 or other.named or not _fits_first(blank):
        return False
    return not _fits_first(other) or (other.beside == 0 and blank.beside >= len(blank.rows))


def _fits_first(guess: Guess) -> bool:
    return guess.rows[0].ok and len(guess.rows[0].cells) == guess.n


def _clear(guess: Guess, first: str, n_expected: int) -> bool:
    """True for a guess that is worth a thought. Two fields are soon found in any text: there the first line counts."""
    cut = guess.dialect.delimiter
    if guess.n < 2 or cut == LAST_RESORT:
        return guess.n > 1 and guess.share >= GOOD
    if cut not in DELIMITERS and not cut.endswith(" "):
        return guess.share >= (UNCLEAR if guess.named else GOOD) and (guess.named or guess.n == n_expected)
    enough = GOOD if guess.n == 2 and cut not in first else UNCLEAR
    return guess.named or guess.share >= enough


def _guess(lines: Sequence[str], cut: str, quote: str, escape: str, expect: Sequence[str], known: set[str]) -> Guess:
    """How well one delimiter fits, with the quotes and escapes that go with it."""
    found = _quote(lines, cut) if quote == "auto" else None if quote == "none" else quote
    dialect = Dialect(cut, found, _backslash(lines, cut, found) if escape == "auto" else escape == "\\")
    guess = _scored(lines, dialect, expect, known)
    if quote != "auto" or found != '"' or guess.share > 1 - LITERAL_SHARE or _wrapped(lines, cut, '"') >= 0.5:
        return guess
    literal = _scored(lines, Dialect(cut, None), expect, known)
    is_better = guess.share < (1 - LITERAL_SHARE) * literal.share
    fits = literal.n >= guess.n and literal.fits_header >= guess.fits_header  # else rows are cut within their text
    return literal if is_better and fits else guess


def _scored(lines: Sequence[str], dialect: Dialect, expect: Sequence[str], known: set[str]) -> Guess:
    found = _within(rows(lines, dialect))
    counts = Counter(len(row.cells) for row in found if row.ok)
    header = next((row for row in found[:20] if has_names(row.cells, expect, known)), None)
    n = max(counts, key=lambda k: (counts[k], k), default=1)
    if header and counts[len(header.cells)] >= 0.5 * counts[n]:
        n = len(header.cells)
    elif expect and counts[len(expect)] >= UNCLEAR * len(found):
        n = len(expect)
    cut, quote = dialect.delimiter, dialect.quote
    beside = sum(line.count(cut + quote) + line.count(quote + cut) for line in lines) if quote else 0
    fits_header = header is not None and len(header.cells) == n
    return Guess(dialect, found, n, counts[n] / max(1, len(found)), header is not None and n > 1, fits_header, beside)


def _within(found: list[Row]) -> list[Row]:
    """The rows before a quoted field that goes beyond the head, for the lines of its text are no rows; all of them
    where those after the quote look like those before it: then it is a stray one.
    """
    at = next((number for number, row in enumerate(found) if row.is_open), len(found))
    before, after = ([len(row.cells) for row in some] for some in (found[:at], found[at:]))
    usual = Counter(before).most_common(1)
    return found if not usual or after.count(usual[0][0]) >= 0.5 * len(after) else found[:at]


def has_names(cells: Sequence[str], expect: Sequence[str], known: set[str]) -> bool:
    """True for a header by its names: all that are expected, or two that roles are known by.

    >>> has_names(["ID", " Title ", "text"], [], {"title", "text"}), has_names(["title", "x"], ["title", "body"], set())
    (True, False)
    """
    folded = {fold(cell) for cell in cells}
    if expect:
        return all(holds(name, folded) for name in expect)
    return len(folded & known) >= 2 or (len(cells) == 1 and folded <= known)


def holds(name: str, folded: set[str]) -> bool:
    """True when a column of that name is there, or one that plays its role."""
    wanted = fold(name)
    return wanted in folded or (wanted in ROLE_OF and any(ROLE_OF.get(cell) == ROLE_OF[wanted] for cell in folded))


def _wrapped(lines: Sequence[str], cut: str, quote: str) -> float:
    """Share of the fields beginning with a quote that end with one; a whole line between quotes counts as such."""
    opened = closed = 0
    for line in lines:
        fields = [field for field in line.split(cut) if field.startswith(quote) and len(field) > 1]
        is_whole = len(fields) == 1 and line.startswith(fields[0]) and line.endswith(quote)
        opened, closed = opened + len(fields), closed + sum(is_whole or field.endswith(quote) for field in fields)
    return closed / opened if opened else 0.0


def _quote(lines: Sequence[str], cut: str) -> Literal['"', "'"]:
    if not any(line.startswith("'") or f"{cut}'" in line for line in lines):
        return '"'
    text = "\n".join(lines)
    wraps = text.count(f"{cut}'") + text.count("\n'") > text.count(f'{cut}"') + text.count('\n"')
    single, double = _scored(lines, Dialect(cut, "'"), (), set()), _scored(lines, Dialect(cut, '"'), (), set())
    return "'" if wraps and (single.share, single.n) >= (double.share, double.n) else '"'


def _backslash(lines: Sequence[str], cut: str, quote: str | None) -> bool:
    """True where inner quotes are written with a backslash, and never doubled."""
    if not quote or not any(f"\\{quote}" in line for line in lines):
        return False
    mark, edge = re.escape(quote), re.escape(cut)
    doubled = re.compile(rf"(?<!^)(?<!{edge})(?<!\\){mark}{mark}|(?<!\\){mark}{mark}(?!{edge}|$)")
    return not any(doubled.search(line) for line in lines)


def _one_column(lines: Sequence[str], quote: str) -> Guess:
    """Nothing cuts a line; only quotes are looked at."""
    dialect = Dialect(ONE_COLUMN, '"' if quote == "auto" else None if quote == "none" else quote)
    return Guess(dialect, rows(lines, dialect), 1, 1.0)
