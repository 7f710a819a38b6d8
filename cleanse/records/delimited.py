"""Delimited text into records, block by block: plain lines at once, the others one by one.

What must be known of the whole text is in its `Layout`; so a text may be cut into blocks anywhere between two lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from cleanse.records.fields import Marks, field_names, marks, split, split_plain
from cleanse.records.framed import FAULT, MAX_RAW, PLACE, STRUCTURAL, Framed
from cleanse.records.layout import Layout, Options, header_order, may_be_headers
from cleanse.records.stretch import Mask, Stretch
from cleanse.records.suspects import Block, Piece, is_decided, resolve

SECOND = "second_table"
_BY_THEMSELVES = (None, "fields_extra", SECOND, "header_mismatch")  # problems that no other line has a say in


@dataclass(frozen=True)
class Cut:
    """Where the records of a block are. Of its lines, `plain`, `trailing` and `regular` ones are records by themselves,
    `blank` ones are none (`fields.Marks`); `pieces` were looked at one by one. `turns`: row → the order of the columns
    from there on; `kinds`: row → what it is, for later headers. `consumed`: lines that are settled.
    """

    consumed: int
    marks: Marks
    pieces: list[Piece]
    turns: list[tuple[int, tuple[int, ...] | None]]
    kinds: dict[int, str]


def frame(lines: Stretch, layout: Layout, options: Options, *, final: bool = True) -> tuple[Framed, int]:
    """Lines into records with the columns `layout.names`, all text, and how many lines were used.

    `final`: the text ends here. Otherwise the last lines may need those that follow: they are not used, and belong
    before the next block. A record whose fields cannot be placed has its problem, its text in `_raw`, and null fields.
    """
    cut = scan(lines, layout, options, final=final)
    parts = _fields(lines, cut.marks, layout)
    if cut.pieces or not parts:
        parts.append(_slow(lines, cut.pieces, layout))
    full = [part for part in parts if not part.is_empty()] or parts[-1:]
    records = full[0] if len(full) == 1 else pl.concat(full).sort("_line")
    records = _without_nuls(_ordered(records, lines, cut, layout), lines, layout, options)
    return Framed(records, _structural(lines, cut, layout)), cut.consumed


def scan(lines: Stretch, layout: Layout, options: Options, *, final: bool = True) -> Cut:
    """Where records begin and what they are, without their fields: what `frame` does first."""
    leads = _lead(lines, layout)
    lead = [row + k for row, n_lines, _ in leads for k in range(n_lines)]
    turns = _turns(lines, lead, layout)
    lost = 0 if layout.problem else lines.height
    second = next((row for row, order in turns if order is None), lost)
    heads = {row for row, order in turns[1:] if order is not None and row < second}
    found = marks(lines, layout.dialect, layout.n, layout.surplus(options))
    own = np.ones(lines.height, np.bool_)
    own[[row for row in (*lead, *heads) if row < lines.height]] = False
    gaps = set((np.flatnonzero(np.diff(lines.numbers) > 1) + 1).tolist())  # a line that was too long has gone
    early = own & (np.arange(lines.height) < second)
    stops = {*lead, *heads, *gaps, second}
    block = Block(lines, stops, layout, options, final)
    pieces, consumed = _pieces(block, np.flatnonzero(early & ~found.records & ~found.blank).tolist())
    consumed = min([consumed, *(row for row, n_lines, _ in leads if row + n_lines > lines.height and not final)])
    settled = own & (np.arange(lines.height) < consumed)
    for piece in pieces:
        settled[piece.start : piece.start + piece.n_lines] = False
    astray = np.flatnonzero(settled & ~found.blank & ~early).tolist()
    pieces += [Piece(row, 1, problem=layout.problem or SECOND) for row in astray]
    return Cut(consumed, found.among(settled & (early | found.blank)), pieces, turns, _kinds(turns, heads, consumed))


def records_before(cut: Cut, options: Options, row: int, *, sure: bool = False) -> int | None:
    """How many records of a block begin before a row, None where a text may not be cut there: inside a record, or where
    what stands before was judged by lines behind. `sure`: it may.
    """
    n = int(cut.marks.records[:row].sum())
    for piece in cut.pieces:
        by_itself = sure or (not piece.repairs and piece.problem in _BY_THEMSELVES)
        end = piece.start + (piece.n_lines if by_itself else options.max_join + 1)  # a cut there ends its look-ahead
        if piece.start < row < end:
            return None
        n += piece.start < row and not piece.kind
    return n


def _kinds(turns: Sequence[tuple[int, tuple[int, ...] | None]], heads: set[int], stop: int) -> dict[int, str]:
    """What the later headers are, by row."""
    before = [order for _, order in turns]
    return {
        row: "header_repeated" if order == before[i] else "header_reordered"
        for i, (row, order) in enumerate(turns[1:])
        if row in heads and row < stop
    }


def _turns(lines: Stretch, lead: Sequence[int], layout: Layout) -> list[tuple[int, tuple[int, ...] | None]]:
    """Row → order of the columns from there on: that of the text before the block, then the later headers."""
    found = [(0, layout.turn(lines.first - 1).order)] if lines.height else []
    for row in may_be_headers(lines, layout):
        order = header_order(lines.text(row), layout) if row not in lead else ()
        if order != ():
            found.append((row, order))
    return found


def _pieces(block: Block, suspects: Sequence[int]) -> tuple[list[Piece], int]:
    """Each suspect with the lines it takes up; those that are inside another are none."""
    pieces, free = list[Piece](), 0
    for row in suspects:
        if row < free:
            continue
        if not is_decided(block, row):
            return pieces, row
        pieces.append(resolve(block, row))
        free = row + pieces[-1].n_lines
    return pieces, block.lines.height


def _fields(lines: Stretch, found: Marks, layout: Layout) -> list[pl.DataFrame]:
    """The records of lines that are right by themselves."""
    dialect, n = layout.dialect, layout.n
    parts = []
    if (rows := found.plain | found.regular).any():
        parts.append(_placed(lines, rows, split(lines, rows, dialect, n), None))
    if (rows := found.trailing).any():
        texts = lines.texts(np.flatnonzero(rows)).str.strip_suffix(dialect.delimiter)
        parts.append(_placed(lines, rows, split_plain(texts, dialect, n), "trailing_delim"))
    return parts


def _placed(lines: Stretch, rows: Mask, fields: pl.DataFrame, code: str | None) -> pl.DataFrame:
    """Fields with their place and the one repair that they needed."""
    place = lines.place if rows.all() else lines.place.filter(pl.Series(rows))
    faults = (pl.lit(code if name == "_repair" else None, t).alias(name) for name, t in FAULT.items())
    return place.with_columns(*faults).hstack(fields)


def _slow(lines: Stretch, pieces: Sequence[Piece], layout: Layout) -> pl.DataFrame:
    """The records among the pieces."""
    rows = []
    for piece in pieces:
        if piece.kind:
            continue
        line, offset, size, replaced, encoding = lines.place.row(piece.start)
        if piece.n_lines > 1:
            size, replaced = lines.span(piece.start, piece.n_lines)
        raw = lines.text(piece.start, piece.n_lines) if piece.problem else None
        fields: Sequence[str | None] = piece.fields or [None] * layout.n
        repair = "+".join(piece.repairs) or None
        rows.append((line, offset, size, replaced, encoding, piece.problem, raw, piece.found, repair, *fields))
    return pl.DataFrame(rows, {**PLACE, **FAULT, **dict.fromkeys(field_names(layout.n), pl.String())}, orient="row")


def _ordered(records: pl.DataFrame, lines: Stretch, cut: Cut, layout: Layout) -> pl.DataFrame:
    """The fields under the names of their columns: a header in another order holds for all that follows it."""
    names, parts = layout.names, []
    starts = [lines.place["_line"][row] for row, _ in cut.turns if row < cut.consumed]
    for (_, order), start, stop in zip(cut.turns, starts, [*starts[1:], None], strict=False):
        after = records["_line"] >= start
        some = (
            records.filter(after if stop is None else after & (records["_line"] < stop)) if len(starts) > 1 else records
        )
        called = {f"field{i}": names[place] for i, place in enumerate(order or range(layout.n))}
        parts.append(some.rename(called).select(*PLACE, *FAULT, *names))
    empty = records.clear().rename(dict(zip(field_names(layout.n), names, strict=True)))
    return parts[0] if len(parts) == 1 else pl.concat([empty, *parts])


def _without_nuls(records: pl.DataFrame, lines: Stretch, layout: Layout, options: Options) -> pl.DataFrame:
    """NULs go from the fields, now that offsets are settled."""
    if "nul_stripped" in options.refuse or b"\0" not in lines.utf8:
        return records
    names = list(layout.names)
    hit = pl.any_horizontal(pl.col(names).str.contains("\0", literal=True).fill_null(False))
    code = pl.concat_str(pl.col("_repair"), pl.lit("nul_stripped"), separator="+", ignore_nulls=True)
    return records.with_columns(
        pl.col(names).str.replace_all("\0", "", literal=True),
        _repair=pl.when(hit).then(code).otherwise("_repair"),
    )


def _structural(lines: Stretch, cut: Cut, layout: Layout) -> pl.DataFrame:
    """What is no record: blank lines, headers, what stands before and after the records."""
    special = [(row, 1, kind) for row, kind in cut.kinds.items()]
    special += [(piece.start, piece.n_lines, piece.kind) for piece in cut.pieces if piece.kind]
    special += [(row, n_lines, kind) for row, n_lines, kind in _lead(lines, layout) if row + n_lines <= cut.consumed]
    rows = [
        (*lines.place.row(row)[:2], lines.span(row, n_lines)[0], kind, lines.text(row, n_lines)[:MAX_RAW])
        for row, n_lines, kind in special
    ]
    odd = pl.DataFrame(rows, STRUCTURAL, orient="row")
    if not cut.marks.blank.any():
        return odd.sort("_line")
    text = lines.texts(np.flatnonzero(cut.marks.blank)).str.head(MAX_RAW).alias("_raw")
    blank = lines.place.filter(pl.Series(cut.marks.blank)).with_columns(text, _kind=pl.lit("blank")).select(*STRUCTURAL)
    return pl.concat([odd, blank]).sort("_line")


def _lead(lines: Stretch, layout: Layout) -> list[tuple[int, int, str]]:
    """What stands before the first record, as (row of the block, number of lines, kind)."""
    if not lines.height:
        return []
    return [(line - lines.first, n, kind) for line, n, kind in layout.lead if 0 <= line - lines.first < lines.height]
