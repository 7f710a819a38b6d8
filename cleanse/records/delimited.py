"""Delimited text into records, block by block: plain lines at once, the others one by one.

What must be known of the whole text is in its `Layout`; so a text may be cut into blocks anywhere between two lines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from cleanse.records import fields as columns
from cleanse.records.framed import FAULT, MAX_RAW, PLACE, Framed
from cleanse.records.layout import Layout, Options, header_order, may_be_headers
from cleanse.records.lines import joined
from cleanse.records.suspects import BLANK, Block, Piece, is_decided, resolve

SECOND = "second_table"
_BY_THEMSELVES = (None, "fields_extra", SECOND, "header_mismatch")  # problems that no other line has a say in


@dataclass(frozen=True)
class Cut:
    """Where the records of a block are. Masks over its lines: `plain`, `trailing` (a delimiter too many at the end),
    `regular` (whole quotes) are records by themselves, `blank` are none; `pieces` were looked at one by one. `turns`:
    row → the order of the columns from there on; `kinds`: row → what it is, for later headers. `consumed`: lines that
    are settled.
    """

    consumed: int
    plain: pl.Series
    trailing: pl.Series
    regular: pl.Series
    blank: pl.Series
    pieces: list[Piece]
    turns: list[tuple[int, tuple[int, ...] | None]]
    kinds: dict[int, str]


def frame(lines: pl.DataFrame, layout: Layout, options: Options, *, final: bool = True) -> tuple[Framed, int]:
    """Lines (`records.lines`) into records with the columns `layout.names`, all text, and how many lines were used.

    `final`: the text ends here. Otherwise the last lines may need those that follow: they are not used, and belong
    before the next block. A record whose fields cannot be placed has its problem, its text in `_raw`, and null fields.
    """
    cut = scan(lines, layout, options, final=final)
    used = lines.head(cut.consumed)
    parts = [*_fields(used, cut, layout), _slow(used, cut.pieces, layout)]
    full = [part for part in parts if not part.is_empty()] or parts[-1:]
    records = full[0] if len(full) == 1 else pl.concat(full).sort("_line")
    records = _without_nuls(_ordered(records, used, cut, layout), used, layout, options)
    return Framed(records, _structural(used, cut, layout)), cut.consumed


def scan(lines: pl.DataFrame, layout: Layout, options: Options, *, final: bool = True) -> Cut:
    """Where records begin and what they are, without their fields: what `frame` does first."""
    leads = _lead(lines, layout)
    lead = [row + k for row, n_lines, _ in leads for k in range(n_lines)]
    turns = _turns(lines, lead, layout)
    lost = 0 if layout.problem else lines.height
    second = next((row for row, order in turns if order is None), lost)
    heads = {row for row, order in turns[1:] if order is not None and row < second}
    marks = _marks(lines["text"], layout, options).with_row_index("row")
    own = ~marks["row"].is_in([*lead, *heads]) if lead or heads else pl.repeat(True, lines.height, eager=True)
    gaps = set((lines["_line"].diff() > 1).arg_true().to_list())  # a line that was too long has gone
    right = marks["plain"] | marks["trailing"] | marks["regular"]
    early = own & (marks["row"] < second)
    suspects = (early & ~right & ~marks["blank"]).arg_true().to_list()
    pieces, consumed = _pieces(
        _block(lines, {*lead, *heads, *gaps, second}, layout, options, len(suspects), final), suspects
    )
    consumed = min([consumed, *(row for row, n_lines, _ in leads if row + n_lines > lines.height and not final)])
    inside = [row for piece in pieces for row in range(piece.start, piece.start + piece.n_lines)]
    free = own & ~marks["row"].is_in(inside) if inside else own
    astray = (own & ~marks["blank"] & (marks["row"] >= second)).head(consumed).arg_true()
    pieces += [Piece(row, 1, problem=layout.problem or SECOND) for row in astray]
    kinds = _kinds(turns, heads, consumed)
    alone = (free & early & ~marks["blank"]).head(consumed)
    plain, trailing, regular, blank = (marks[name].head(consumed) for name in ("plain", "trailing", "regular", "blank"))
    blank &= free.head(consumed)
    return Cut(consumed, alone & plain, alone & trailing, alone & regular, blank, pieces, turns, kinds)


def records_before(cut: Cut, options: Options, row: int, *, sure: bool = False) -> int | None:
    """How many records of a block begin before a row, None where a text may not be cut there: inside a record, or where
    what stands before was judged by lines behind. `sure`: it may.
    """
    n = int(sum(mask.head(row).sum() for mask in (cut.plain, cut.trailing, cut.regular)))
    for piece in cut.pieces:
        by_itself = sure or (not piece.repairs and piece.problem in _BY_THEMSELVES)
        end = piece.start + (piece.n_lines if by_itself else options.max_join)
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


def _marks(texts: pl.Series, layout: Layout, options: Options) -> pl.DataFrame:
    """Of each line: is it plain, plain but for a delimiter at its end, regular, blank?"""
    dialect = layout.dialect
    plain, surplus, regular = columns.right(texts, dialect, layout.n)
    unsure = columns.repeat(texts, value=True) if layout.n == 1 or dialect.delimiter in BLANK else ~plain
    return pl.DataFrame(
        {
            "plain": plain,
            "trailing": _asked(texts, surplus, lambda some: _ends_surplus(some, layout, options)),
            "regular": regular,
            "blank": _asked(texts, unsure, lambda some: some.str.strip_chars(BLANK) == ""),
        }
    )


def _asked(texts: pl.Series, rows: pl.Series, question: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """The answer for some lines, False for the others."""
    found = rows.arg_true()
    return columns.repeat(texts, value=False).scatter(found, question(texts.gather(found)))


def _ends_surplus(texts: pl.Series, layout: Layout, options: Options) -> pl.Series:
    """True for a line that ends in the delimiter that is too many, and has no other empty field that could go."""
    if "trailing_delim" in options.refuse:
        return columns.repeat(texts, value=False)
    cut = layout.dialect.delimiter
    ends = texts.str.ends_with(cut)
    return ends if layout.trailing else ends & ~texts.str.contains(cut * 2, literal=True) & ~texts.str.starts_with(cut)


def _turns(lines: pl.DataFrame, lead: Sequence[int], layout: Layout) -> list[tuple[int, tuple[int, ...] | None]]:
    """Row → order of the columns from there on: that of the text before the block, then the later headers."""
    found = [(0, layout.turn(lines["_line"][0] - 1).order)] if lines.height else []
    for row in may_be_headers(lines["text"], layout):
        order = header_order(lines["text"][row], layout) if row not in lead else ()
        if order != ():
            found.append((row, order))
    return found


def _block(
    lines: pl.DataFrame, stops: set[int], layout: Layout, options: Options, n_suspects: int, final: bool
) -> Block:  # fmt: skip
    texts, ends = (lines[name].to_list() if n_suspects else [] for name in ("text", "end"))
    return Block(texts, ends, stops, layout, options, lines.height, final)


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
    return pieces, block.height


def _fields(lines: pl.DataFrame, cut: Cut, layout: Layout) -> list[pl.DataFrame]:
    """The records of plain and regular lines."""
    dialect, n = layout.dialect, layout.n
    parts = []
    for rows, split, code in (
        (cut.plain, columns.split_plain, None),
        (cut.trailing, columns.split_plain, "trailing_delim"),
        (cut.regular, columns.split_regular, None),
    ):
        if rows.any():
            some = lines.filter(rows)
            texts = some["text"].str.strip_suffix(dialect.delimiter) if code else some["text"]
            faults = (pl.lit(code if name == "_repair" else None, t).alias(name) for name, t in FAULT.items())
            parts.append(some.select(*PLACE).with_columns(*faults).hstack(split(texts, dialect, n)))
    return parts


def _slow(lines: pl.DataFrame, pieces: Sequence[Piece], layout: Layout) -> pl.DataFrame:
    """The records among the pieces."""
    rows = []
    for piece in pieces:
        if piece.kind:
            continue
        text, size, replaced = joined(lines[piece.start : piece.start + piece.n_lines])
        first = lines.row(piece.start, named=True)
        place = (first["_line"], first["_offset"], size, replaced, first["_encoding"])
        fields: Sequence[str | None] = piece.fields or [None] * layout.n
        repair = "+".join(piece.repairs) or None
        rows.append((*place, piece.problem, text if piece.problem else None, piece.found, repair, *fields))
    return pl.DataFrame(
        rows, {**PLACE, **FAULT, **dict.fromkeys(columns.field_names(layout.n), pl.String())}, orient="row"
    )


def _ordered(records: pl.DataFrame, lines: pl.DataFrame, cut: Cut, layout: Layout) -> pl.DataFrame:
    """The fields under the names of their columns: a header in another order holds for all that follows it."""
    names, parts = layout.names, []
    starts = [lines["_line"][row] for row, _ in cut.turns if row < lines.height]
    for (_, order), start, stop in zip(cut.turns, starts, [*starts[1:], None], strict=False):
        after = records["_line"] >= start
        some = (
            records.filter(after if stop is None else after & (records["_line"] < stop)) if len(starts) > 1 else records
        )
        called = {f"field{i}": names[place] for i, place in enumerate(order or range(layout.n))}
        parts.append(some.rename(called).select(*PLACE, *FAULT, *names))
    empty = records.clear().rename(dict(zip(columns.field_names(layout.n), names, strict=True)))
    return parts[0] if len(parts) == 1 else pl.concat([empty, *parts])


def _without_nuls(records: pl.DataFrame, lines: pl.DataFrame, layout: Layout, options: Options) -> pl.DataFrame:
    """NULs go from the fields, now that offsets are settled."""
    if "nul_stripped" in options.refuse or not lines["text"].str.contains("\0", literal=True).any():
        return records
    names = list(layout.names)
    hit = pl.any_horizontal(pl.col(names).str.contains("\0", literal=True).fill_null(False))
    code = pl.concat_str(pl.col("_repair"), pl.lit("nul_stripped"), separator="+", ignore_nulls=True)
    return records.with_columns(
        pl.col(names).str.replace_all("\0", "", literal=True),
        _repair=pl.when(hit).then(code).otherwise("_repair"),
    )


def _structural(lines: pl.DataFrame, cut: Cut, layout: Layout) -> pl.DataFrame:
    """What is no record: blank lines, headers, what stands before and after the records."""
    special = [(row, 1, kind) for row, kind in cut.kinds.items()]
    special += [(piece.start, piece.n_lines, piece.kind) for piece in cut.pieces if piece.kind]
    special += [(row, n_lines, kind) for row, n_lines, kind in _lead(lines, layout) if row + n_lines <= lines.height]
    rows = [(*_place(lines, row, n_lines), kind) for row, n_lines, kind in special]
    odd = pl.DataFrame(
        rows,
        {
            "_line": pl.UInt64(),
            "_offset": pl.UInt64(),
            "_bytes": pl.UInt64(),
            "text": pl.String(),
            "_kind": pl.String(),
        },
        orient="row",
    )
    blank = lines.filter(cut.blank).select("_line", "_offset", "_bytes", "text", _kind=pl.lit("blank"))
    return (
        pl.concat([odd, blank])
        .sort("_line")
        .select("_line", "_offset", "_bytes", "_kind", pl.col("text").str.head(MAX_RAW).alias("_raw"))
    )


def _place(lines: pl.DataFrame, row: int, n_lines: int) -> tuple[int, int | None, int | None, str]:
    text, size, _ = joined(lines[row : row + n_lines])
    return lines["_line"][row], lines["_offset"][row], size, text


def _lead(lines: pl.DataFrame, layout: Layout) -> list[tuple[int, int, str]]:
    """What stands before the first record, as (row of the block, number of lines, kind)."""
    if lines.is_empty():
        return []
    first = lines["_line"][0]
    return [(line - first, n, kind) for line, n, kind in layout.lead if 0 <= line - first < lines.height]
