"""What must be known of a whole delimited text before any part of it is framed: its dialect, its header, where the
header is met again, and what its closed columns look like.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

import numpy as np
import polars as pl

from cleanse.records import dialect as dialects
from cleanse.records import header as headers
from cleanse.records.closed import Closed, learn
from cleanse.records.fields import Marks, Surplus, marks, split
from cleanse.records.framed import MAX_FIELDS
from cleanse.records.names import ROLE_OF, fold, roles, unique
from cleanse.records.reading import ONE_COLUMN, Dialect, read
from cleanse.records.stretch import Mask, Stretch

HEAD_LINES, HEAD_CHARS = 500, 1 << 18  # from which dialect and header are told
HEAD_BYTES, HUGE_LINE = 32 << 20, 1 << 20  # bytes: of lines that are held until that is done, of one that is looked at
DENSE, STEP = 4096, 16  # all lines up to DENSE, then each STEPth, teach the closed columns
MAX_TAUGHT = 100_000  # rows
CLIPPED = 256  # characters of a value that closed columns look at
SAME = 0.7  # of the names: with another number of cells it is the header of another table
MISFIT = 0.9  # of the rows have not the fields of the header: the header is ragged, not the rows
DIRECTIVE = "sep="


@dataclass(frozen=True)
class Options:
    """What the user says of a delimited text; `mapped`: role → column. Empty and `auto`: to be found out."""

    expect: tuple[str, ...] = ()
    delimiter: str = "auto"
    quote: str = "auto"
    escape: str = "auto"
    header: headers.Presence = "auto"
    refuse: frozenset[str] = frozenset()
    max_join: int = 64
    mapped: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """From this line on (a header itself) fields have another order: `order[i]` is the column of field i; None: a
    second table begins, whose records cannot be placed.
    """

    line: int
    order: tuple[int, ...] | None


@dataclass(frozen=True)
class Layout:
    """`header`: cells as read, None without one; `names`: one per column, unique, none empty. `lead`: what stands
    before the first record, as (line, number of lines, kind). `problem`: why no record can be placed. `closed`: what
    the values of each column look like. `starts`: the first line of each table that was looked at, with the records
    before it, where every record is right by itself; None: not known. `is_bare`: there is no record at all.
    """

    dialect: Dialect
    header: tuple[str, ...] | None
    names: tuple[str, ...]
    lead: tuple[tuple[int, int, str], ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = ()
    closed: tuple[Closed | None, ...] = ()
    turns: tuple[Turn, ...] = ()
    trailing: bool = False  # every row ends in a delimiter too many
    starts: tuple[tuple[int, int], ...] | None = field(default=None, compare=False)
    is_bare: bool = field(default=False, compare=False)

    def as_json(self) -> dict[str, object]:
        """What plan.json says of it: without the values of closed columns."""
        closed = [column and column.kind for column in self.closed]
        own = {"dialect": asdict(self.dialect), "turns": [asdict(turn) for turn in self.turns], "closed": closed}
        known = {name: value for name, value in vars(self).items() if name not in ("trailing", "starts", "is_bare")}
        return {**known, **own}

    @property
    def n(self) -> int:
        """Fields of a record."""
        return len(self.names)

    @property
    def lead_lines(self) -> list[int]:
        """The numbers of the lines before the first record."""
        return [line for first, n_lines, _ in self.lead for line in range(first, first + n_lines)]

    def surplus(self, options: Options) -> Surplus:
        """Where a delimiter too many at the end of a line does no harm."""
        return "none" if "trailing_delim" in options.refuse else "any" if self.trailing else "alone"

    def turn(self, line: int) -> Turn:
        """The turn in force at a line."""
        return next((t for t in reversed(self.turns) if t.line <= line), Turn(0, tuple(range(self.n))))


@dataclass(frozen=True)
class Refused:
    """Why a text cannot be framed."""

    reason: str
    detail: str


def survey(stretches: Iterable[Stretch], options: Options) -> Layout | Refused:
    """The layout of a text from all its lines, given stretch by stretch in order.

    Each is looked at once and may be forgotten; the result does not depend on where they begin.
    """
    stream = iter(stretches)
    kept, head = _head(stream)
    found = from_head(head, options)
    if isinstance(found, Refused):
        return found
    taught, turns, starts = list[pl.DataFrame](), list[Turn](), list[tuple[int, int]]()
    order: tuple[int, ...] | None = tuple(range(found.n))
    n_records: int | None = 0  # None: some record is not right by itself
    for lines in chain(kept, stream):
        heads = list(_headers(lines, found))
        for line, met in heads:
            if met != order and order is not None:
                turns.append(Turn(line, met))
                order = met
        teaches = sum(t.height for t in taught) < MAX_TAUGHT
        if not lines.height or not (teaches or n_records is not None):
            continue
        own = ~np.isin(lines.numbers, found.lead_lines)
        known = marks(lines, found.dialect, found.n, found.surplus(options))
        if teaches:
            taught.append(_lesson(lines, known, own, found))
        if n_records is not None:
            if lines.first not in found.lead_lines:  # a header may have several lines
                starts.append((lines.first, n_records))
            own &= ~np.isin(lines.numbers, [line for line, _ in heads])
            sure = order is not None and not found.problem and bool((known.records | known.blank)[own].all())
            n_records = n_records + int(known.records[own].sum()) if sure else None
    closed = _closed(pl.concat(taught), found, options) if taught else ()
    notes = (*found.notes, *["second_table"] * any(turn.order is None for turn in turns))
    known_starts = tuple(starts) if n_records is not None else None
    is_bare = n_records == 0
    return replace(found, turns=tuple(turns), closed=closed, starts=known_starts, is_bare=is_bare, notes=notes)


def _head(stream: Iterator[Stretch]) -> tuple[list[Stretch], list[str]]:
    """The first stretches, until they hold HEAD_LINES or HEAD_CHARS, and these lines alone. A huge one is left empty,
    for it would be read with each delimiter; where there is no other, its beginning is shown.
    """
    kept, lines, size, total = list[Stretch](), list[str](), 0, 0
    for stretch in stream:
        kept.append(stretch)
        for row, n_bytes in enumerate(stretch.sizes[: HEAD_LINES - len(lines)].tolist()):
            lines.append(stretch.text(row) if n_bytes <= HUGE_LINE else "")
            size, total = size + len(lines[-1]), total + n_bytes
            if size >= HEAD_CHARS or total >= HEAD_BYTES:
                break
        if len(lines) == HEAD_LINES or size >= HEAD_CHARS or total >= HEAD_BYTES:
            break
    first = next((stretch for stretch in kept if stretch.height), None)
    return kept, lines if any(lines) or first is None else [first.text(0)[:HUGE_LINE]]


def from_head(texts: list[str], options: Options) -> Layout | Refused:
    """Dialect, header and names, from the first lines."""
    lead = []
    if texts and (first := texts[0].removeprefix("\ufeff")).lower().startswith(DIRECTIVE) and len(first) == 5:
        lead = [(1, 1, "directive")]
        options = replace(options, delimiter=first[4] if options.delimiter == "auto" else options.delimiter)
        texts[0] = ""
    known = {*ROLE_OF, *(name for name in options.mapped.values() if name)}
    given = None if options.delimiter == "auto" else Dialect(options.delimiter)
    guess = dialects.detect(texts, options.expect, known, given, options.quote, options.escape)
    if guess is None:
        return Refused("dialect_unclear", "no delimiter cuts half of the first lines into as many fields")
    if guess.n > MAX_FIELDS:  # a table of so many columns is none: each line is left as it is
        return Layout(
            Dialect(ONE_COLUMN, None), None, ("column_1",), tuple(lead), "too_many_fields", ("header_missing",)
        )
    header = headers.find(texts, guess, options.expect, {fold(name) for name in known}, options.header)
    lead += [(start + 1, n_lines, kind) for (start, n_lines), kind in sorted(header.kinds.items())]
    return _named(guess, header, tuple(lead), options)


def _named(
    guess: dialects.Guess, header: headers.Header, lead: tuple[tuple[int, int, str], ...], options: Options
) -> Layout | Refused:  # fmt: skip
    """The names of the columns: from the header, from what is expected, or by position."""
    dialect, n, cells, expect = guess.dialect, guess.n, header.cells, options.expect
    if cells is None:
        n = max(n, 1)
        names = expect if len(expect) == n else ()
        return Layout(dialect, None, unique([*names, *[""] * (n - len(names))]), lead, notes=("header_missing",))
    folded = {fold(cell) for cell in cells}
    lacking = [name for name in expect if not dialects.holds(name, folded)]
    if lacking:
        return Refused("header_mismatch", f"no column {', '.join(lacking)} in the header ({', '.join(cells)[:200]})")
    rows = [row for row in guess.rows if row.ok and (row.start + 1, row.n_lines) not in {at[:2] for at in lead}]
    if sum(len(row.cells) != len(cells) for row in rows) < MISFIT * len(rows) or not rows or n == len(cells):
        return Layout(dialect, cells, unique(cells), lead)
    if n == len(cells) + 1 and all(row.cells[-1] == "" for row in rows if len(row.cells) == n):
        return Layout(dialect, cells, unique(cells), lead, trailing=True)
    names = unique([*cells, *[""] * (n - len(cells))][:n])
    problem = "header_mismatch" if roles(list(cells), options.mapped) else None
    return Layout(dialect, cells, names, lead, problem, ("header_ragged",))


def _closed(taught: pl.DataFrame, layout: Layout, options: Options) -> tuple[Closed | None, ...]:
    found = roles(layout.names, options.mapped)
    is_open = [found.get(name) in ("title", "body") for name in layout.names]
    return learn(taught.get_columns(), is_open)


def _lesson(lines: Stretch, known: Marks, own: Mask, layout: Layout) -> pl.DataFrame:
    """The values of some lines that are records beyond doubt, long ones cut off."""
    chosen = (lines.numbers <= DENSE) | (lines.numbers % STEP == 0)
    return split(lines, own & chosen & (known.plain | known.regular), layout.dialect, layout.n).select(
        pl.all().str.head(CLIPPED)
    )


def _headers(lines: Stretch, layout: Layout) -> Iterator[tuple[int, tuple[int, ...] | None]]:
    """Later lines that are headers: line number and order of the columns, None for that of another table."""
    for row in may_be_headers(lines, layout):
        line = lines.place["_line"][row]
        order = header_order(lines.text(row), layout) if line not in layout.lead_lines else ()
        if order != ():
            yield line, order


def may_be_headers(lines: Stretch, layout: Layout) -> list[int]:
    """The few lines that are short enough and hold one of the names; where 70 % of them are, one is among these."""
    named = [cell for cell in layout.header or () if cell.strip()]
    if not layout.header or not named:
        return []
    size = 3 * sum(len(cell.encode()) for cell in layout.header) + 8 * layout.n + 64
    rare = sorted((fold(cell) for cell in named), key=len)[-int(0.3 * layout.n) - 1 :]
    rows = np.flatnonzero(lines.sizes <= size)
    found = lines.texts(rows).str.to_lowercase().str.contains_any(rare)
    return [int(row) for row in rows[found.to_numpy()]]


def header_order(text: str, layout: Layout) -> tuple[int, ...] | None:
    """For a line that is a header, the column of each field; None: of another table; (): it is none.

    >>> known = Layout(Dialect(","), ("id", "title", "body"), ("id", "title", "body"))
    >>> header_order("BODY, id ,title", known), header_order("id,title,body,url", known), header_order("1,x,y", known)
    ((2, 0, 1), None, ())
    """
    assert layout.header  # asked only of texts with one
    cells = [fold(cell) for cell in read(text.removeprefix("\ufeff"), layout.dialect).fields]
    names = [fold(cell) for cell in layout.header]
    if cells == names:
        return tuple(range(layout.n))
    if sorted(cells) == sorted(names) and len(names) == layout.n:
        return _order(cells, names)
    met = sum(name in cells for name in names if name)
    return None if len(cells) != len(names) and len(cells) > 1 and met >= max(2, SAME * len(names)) else ()


def _order(cells: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    free = list(enumerate(names))
    order = []
    for cell in cells:
        place = next(i for i, (_, name) in enumerate(free) if name == cell)
        order.append(free.pop(place)[0])
    return tuple(order)
