"""Lines that are no record by themselves: joined, mended, or left with a problem. One by one, in plain Python.

No record costs its neighbours: whatever a stray quote does, what follows is read anew.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from cleanse.records.closed import fit
from cleanse.records.fields import BLANK
from cleanse.records.framed import MAX_FIELDS
from cleanse.records.layout import Layout, Options
from cleanse.records.reading import Budget, Reading, cheapest, read
from cleanse.records.repair import REFUSED, delimiters, extra
from cleanse.records.stretch import Stretch

MAX_JOIN = 1 << 20  # bytes of the lines that one quoted field may take in
_FOOTER = re.compile(r"^\W*(?:合计|总计|共\s*\d+\s*条|total\b|\d+\s+rows?\b)", re.I)


@dataclass(frozen=True)
class Piece:
    """Lines `start` to `start + n_lines` of a block as one record, or with a `kind` as a structural line.

    `fields`: None where there is a `problem`; `found`: the number of fields, where that is what is wrong.
    """

    start: int
    n_lines: int
    fields: list[str] | None = None
    problem: str | None = None
    repairs: Sequence[str] = field(default_factory=tuple)
    found: int | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Block:
    """Some lines. `stops`: rows that belong to no record (headers, what stands before the first record). `final`: the
    text ends with the last line.
    """

    lines: Stretch
    stops: Collection[int]
    layout: Layout
    options: Options
    final: bool

    @property
    def height(self) -> int:
        """Lines."""
        return self.lines.height


def window(block: Block, at: int, most: int | None = None) -> range:
    """The rows after `at` that a record may be joined with. `most`: lines of the record, if fewer will do."""
    stop, size, joined = at + 1, 0, block.options.max_join
    for n_bytes in block.lines.sizes[stop : at + (min(most, joined) if most else joined)].tolist():
        size += n_bytes
        if size > MAX_JOIN or stop in block.stops:
            break
        stop += 1
    return range(at + 1, stop)


def is_decided(block: Block, at: int) -> bool:
    """True when no line beyond the block could change what becomes of the line `at`."""
    return block.final or at + block.options.max_join < block.height or window(block, at).stop < block.height


def resolve(block: Block, at: int) -> Piece:
    """What the line is, with those after it that belong to it."""
    text, layout = block.lines.text(at).removeprefix("\ufeff"), block.layout
    reading = read(text, layout.dialect)
    if reading.state == "open":
        piece = _joined(block, at, text)
    elif reading.state == "garbage":
        mended = _mended(text, block, Budget())
        piece = _repaired(block, at, 1, mended) if mended else Piece(at, 1, problem="quote_garbage")
    elif len(reading.fields) == layout.n:
        piece = _repaired(block, at, 1, reading)
    else:
        piece = _misfit(block, at, 1, text, reading)
    return piece


def _repaired(block: Block, at: int, n_lines: int, reading: Reading, codes: Sequence[str] = ()) -> Piece:
    """A record, unless the user refuses a repair that it needed."""
    repairs = [*reading.repairs, *codes]
    refused = next((code for code in repairs if code in block.options.refuse and code in REFUSED), None)
    if refused:
        wrong = REFUSED[refused] in ("fields_extra", "fields_missing")
        own = len(read(block.lines.text(at), block.layout.dialect).fields) if wrong and n_lines == 1 else None
        return Piece(at, n_lines, problem=REFUSED[refused], found=own)
    return Piece(at, n_lines, reading.fields, repairs=repairs)


def _mended(text: str, block: Block, budget: Budget) -> Reading | None:
    """A reading of exactly n fields, with quotes that were not escaped as they should be."""
    dialect, n = block.layout.dialect, block.layout.n
    if dialect.quote and f"\\{dialect.quote}" in text and "escape_backslash" not in block.options.refuse:
        other = read(text, dialect, backslash=not dialect.backslash)
        if other.state == "ok" and len(other.fields) == n:
            return other
    return _explained(text, block.layout, budget)


def _explained(text: str, layout: Layout, budget: Budget) -> Reading | None:
    """The cheapest reading. Where a quote was taken literally, or a field holds what looks like the border of two, it
    must fit the closed columns, but for its quotes.
    """
    found, quote = cheapest(text, layout.dialect, layout.n, budget), layout.dialect.quote or "\0"
    if not found:
        return None
    edge = re.compile("(?<!{0}){0}{1}{0}(?!{0})".format(*map(re.escape, (quote, layout.dialect.delimiter))))
    has_edge = any(edge.search(text, start, end) for start, end in found.spans)
    if has_edge or (any(layout.closed) and "quote_literal" in found.repairs):
        bare = [field.replace(quote, "") for field in found.fields]
        return found if fit(found.fields, layout.closed) or fit(bare, layout.closed) else None
    return found


def _joined(block: Block, at: int, text: str) -> Piece:
    """A field in quotes is open at the line's end: the lines up to its close, if these are no records themselves."""
    layout, joined, budget = block.layout, text, Budget()
    known = any(layout.closed)
    for row in window(block, at):
        line = block.lines.text(row)
        if _is_record(line, layout):
            break
        joined += block.lines.end(row - 1) + line
        if not layout.dialect.quote or layout.dialect.quote not in line:
            continue
        reading: Reading | None = read(joined, layout.dialect)
        assert reading
        if reading.state == "open":
            continue
        n_lines = row - at + 1
        if reading.state == "ok" and len(reading.fields) != layout.n:
            return _misfit(block, at, n_lines, joined, reading)
        mended = reading.state == "garbage"
        reading = _mended(joined, block, budget) if mended else reading
        if reading and (known or layout.n == 1 or not _alone(block, at, row, mended=mended)):
            return _repaired(block, at, n_lines, reading)
        if reading:
            break
    alone = _explained(text, layout, Budget())
    return _repaired(block, at, 1, alone) if alone else _unterminated(block, at)


def _is_record(line: str, layout: Layout) -> bool:
    """True for a line that is no part of a text in quotes: it is whole by itself, and fits the closed columns or has a
    field in quotes, which stand doubled within such a text.
    """
    if not _is_whole(line, layout):
        return False
    reading, quote = read(line, layout.dialect), layout.dialect.quote or "\0"
    raws = (line[start:end] for start, end in reading.spans)
    is_quoted = layout.n > 1 and any(raw.startswith(quote) and raw[1:2] != quote for raw in raws)
    return is_quoted or (any(layout.closed) and fit(reading.fields, layout.closed))


def _is_whole(line: str, layout: Layout) -> bool:
    """True for a line of n fields by itself, none of them bare with a quote in it: that may be the end of another."""
    reading, quote = read(line, layout.dialect), layout.dialect.quote or "\0"
    bare = (line[start:end] for start, end in reading.spans)
    return (
        reading.state == "ok"
        and len(reading.fields) == layout.n
        and not any(quote in raw for raw in bare if not raw.startswith(quote))
    )


def _alone(block: Block, at: int, last: int, *, mended: bool) -> bool:
    """True when each of the lines could be a record by itself: then the quote is a stray one. Where no quote had to be
    explained away (`mended`), text in quotes may look so by chance: records of two fields are no evidence, and the
    first line must make one, too.
    """
    dialect, n = block.layout.dialect, block.layout.n
    if n < 3 and not mended:
        return False
    whole = all(_is_whole(block.lines.text(row), block.layout) for row in range(at + 1, last + 1))
    return whole and (mended or cheapest(block.lines.text(at), dialect, n) is not None)


def _unterminated(block: Block, at: int) -> Piece:
    """The lines up to the next that may begin a record; one line where none is found."""
    after = window(block, at)
    stop = next((row for row in after if _begins(block.lines.text(row), block.layout)), None)
    if stop is None and after.stop in block.stops:
        stop = after.stop
    return Piece(at, (stop or at + 1) - at, problem="quote_unterminated")


def _begins(line: str, layout: Layout) -> bool:
    if not line.strip(BLANK):
        return True
    reading = read(line, layout.dialect)
    if reading.state == "ok" and len(reading.fields) == layout.n:
        return not any(layout.closed) or fit(reading.fields, layout.closed)
    return reading.state == "open" and fit(reading.fields, layout.closed)


def _misfit(block: Block, at: int, n_lines: int, text: str, reading: Reading) -> Piece:
    """Quotes add up, fields do not."""
    layout, found = block.layout, len(reading.fields)
    if found > MAX_FIELDS:
        return Piece(at, n_lines, problem="too_many_fields", found=found)
    if found > layout.n:
        mended, code, problem = *extra(text, reading, layout), "fields_extra"
    elif n_lines == 1 and _is_footer(block, at):
        return Piece(at, 1, kind="footer")
    else:
        mended, code, problem = delimiters(text, reading, layout), "delim_alt", "fields_missing"
        if not mended and n_lines == 1 and (pair := _pair(block, at, reading)):
            return _repaired(block, at, 2, pair, ["lines_joined"]) if not _refuses(block, "lines_joined") else Piece(
                at, 1, problem=problem, found=found
            )  # fmt: skip
    if mended:
        piece = _repaired(block, at, n_lines, replace(reading, fields=mended), [code])
        return replace(piece, found=found if piece.problem else None)
    return Piece(at, n_lines, problem=problem, found=found)


def _refuses(block: Block, code: str) -> bool:
    return code in block.options.refuse


def _pair(block: Block, at: int, reading: Reading) -> Reading | None:
    """The line and the next as one record, broken within a field, where that fits the closed columns."""
    layout = block.layout
    if not window(block, at, 2) or not (line := block.lines.text(at + 1)).strip(BLANK):
        return None
    other = read(line, layout.dialect)
    short = other.state == "ok" and len(other.fields) < layout.n and len(reading.fields) < layout.n
    if not short or len(reading.fields) + len(other.fields) - 1 != layout.n:
        return None
    middle = reading.fields[-1] + block.lines.end(at) + other.fields[0]
    fields = [*reading.fields[:-1], middle, *other.fields[1:]]
    return replace(reading, fields=fields) if fit(fields, layout.closed) else None


def _is_footer(block: Block, at: int) -> bool:
    """True for a line of totals with nothing but blank lines and other totals after it."""
    if not block.final or not _FOOTER.match(block.lines.text(at)):
        return False
    after = window(block, at)
    lines = map(block.lines.text, after)
    return after.stop == block.height and all(_FOOTER.match(line) or not line.strip(BLANK) for line in lines)
