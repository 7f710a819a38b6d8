"""What must be known of a whole delimited text before any part of it is framed: its dialect, its header, where the
header is met again, and what its closed columns look like.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

import polars as pl

from cleanse.records import dialect as dialects
from cleanse.records import header as headers
from cleanse.records.closed import Closed, learn
from cleanse.records.fields import right, split_plain, split_regular
from cleanse.records.names import ROLE_OF, fold, roles, unique
from cleanse.records.reading import ONE_COLUMN, Dialect, read

HEAD_LINES, HEAD_CHARS = 500, 1 << 18  # from which dialect and header are told
DENSE, STEP = 4096, 16  # all lines up to DENSE, then each STEPth, teach the closed columns
MAX_TAUGHT = 100_000  # rows
CLIPPED = 256  # characters of a value that closed columns look at
MAX_FIELDS = 4096  # of a record
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
    before it, where every record is right by itself; None: not known.
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

    def as_json(self) -> dict[str, object]:
        """What plan.json says of it: without the values of closed columns."""
        closed = [column and column.kind for column in self.closed]
        own = {"dialect": asdict(self.dialect), "turns": [asdict(turn) for turn in self.turns], "closed": closed}
        return {**{name: value for name, value in vars(self).items() if name not in ("trailing", "starts")}, **own}

    @property
    def n(self) -> int:
        """Fields of a record."""
        return len(self.names)

    @property
    def lead_lines(self) -> list[int]:
        """The numbers of the lines before the first record."""
        return [line for first, n_lines, _ in self.lead for line in range(first, first + n_lines)]

    def turn(self, line: int) -> Turn:
        """The turn in force at a line."""
        return next((t for t in reversed(self.turns) if t.line <= line), Turn(0, tuple(range(self.n))))


@dataclass(frozen=True)
class Refused:
    """Why a text cannot be framed."""

    reason: str
    detail: str


def survey(tables: Iterable[pl.DataFrame], options: Options) -> Layout | Refused:
    """The layout of a text from all its lines (`records.lines`), given table by table in order.

    Every table is looked at once and may be forgotten; the result does not depend on how the lines are cut into tables.
    """
    stream = iter(tables)
    kept, head = _head(stream)
    found = from_head(head, options)
    if isinstance(found, Refused):
        return found
    taught, turns, starts = list[pl.DataFrame](), list[Turn](), list[tuple[int, int]]()
    order: tuple[int, ...] | None = tuple(range(found.n))
    n_records: int | None = 0  # None: some record is not right by itself
    for table in chain(kept, stream):
        heads = list(_headers(table, found))
        for line, met in heads:
            if met != order and order is not None:
                turns.append(Turn(line, met))
                order = met
        if sum(t.height for t in taught) < MAX_TAUGHT:
            taught.append(_lesson(table, found))
        if n_records is not None and not table.is_empty():
            starts.append((table["_line"][0], n_records))
            more = None if order is None else _records(table, found, [line for line, _ in heads])
            n_records = None if more is None else n_records + more
    closed = _closed(pl.concat(taught), found, options) if taught else ()
    return replace(found, turns=tuple(turns), closed=closed, starts=tuple(starts) if n_records is not None else None)


def _records(table: pl.DataFrame, layout: Layout, heads: Sequence[int]) -> int | None:
    """How many records a table of lines has, None where one of them is not right by itself."""
    if layout.n == 1 or layout.dialect.delimiter in (" ", "\t") or layout.problem:  # there a blank line looks right
        return None
    plain, _, regular = right(table["text"], layout.dialect, layout.n)
    own = ~table["_line"].is_in([*layout.lead_lines, *heads])
    rest = table["text"].filter(own & ~plain & ~regular)
    return int((own & (plain | regular)).sum()) if (rest.str.strip_chars(" \t\0") == "").all() else None


def _head(stream: Iterator[pl.DataFrame]) -> tuple[list[pl.DataFrame], pl.DataFrame]:
    """The first tables, until they hold HEAD_LINES or HEAD_CHARS, and these lines alone."""
    kept, n_lines, n_chars = list[pl.DataFrame](), 0, 0
    for table in stream:
        kept.append(table)
        n_lines, n_chars = n_lines + table.height, n_chars + int(table["text"].str.len_chars().sum())
        if n_lines >= HEAD_LINES or n_chars >= HEAD_CHARS:
            break
    lines = pl.concat(table.head(HEAD_LINES) for table in kept).head(HEAD_LINES) if kept else pl.DataFrame()
    if lines.is_empty():
        return kept, lines
    before = lines["text"].str.len_chars().cum_sum().shift(1, fill_value=0)
    return kept, lines.filter(before < HEAD_CHARS)


def from_head(head: pl.DataFrame, options: Options) -> Layout | Refused:
    """Dialect, header and names, from the first lines."""
    texts = head["text"].to_list() if not head.is_empty() else []
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


def _lesson(table: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """The values of some lines that are records beyond doubt, long ones cut off."""
    chosen = (pl.col("_line") <= DENSE) | (pl.col("_line") % STEP == 0)
    some = table.filter(chosen & ~pl.col("_line").is_in(layout.lead_lines) & (pl.col("text") != ""))["text"]
    plain, _, regular = right(some, layout.dialect, layout.n)
    parts = [
        split(some.filter(rows), layout.dialect, layout.n)
        for rows, split in ((plain, split_plain), (regular, split_regular))
    ]
    return pl.concat(parts).select(pl.all().str.head(CLIPPED))


def _headers(table: pl.DataFrame, layout: Layout) -> Iterator[tuple[int, tuple[int, ...] | None]]:
    """Later lines that are headers: line number and order of the columns, None for that of another table."""
    for row in may_be_headers(table["text"], layout):
        line = table["_line"][row]
        order = header_order(table["text"][row], layout) if line not in layout.lead_lines else ()
        if order != ():
            yield line, order


def may_be_headers(texts: pl.Series, layout: Layout) -> list[int]:
    """The few lines that are short enough and hold one of the names; where 70 % of them are, one is among these."""
    if layout.header is None:
        return []
    size = 3 * sum(len(cell.encode()) for cell in layout.header) + 8 * layout.n + 64
    rare = sorted((fold(cell) for cell in layout.header if cell.strip()), key=len)[-int(0.3 * layout.n) - 1 :]
    rows = (texts.str.len_bytes() <= size).arg_true()
    found = texts.gather(rows).str.to_lowercase().str.contains_any(rare)
    return rows.filter(found).to_list()


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
