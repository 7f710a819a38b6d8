"""Delimited text into records: plain lines in one vectorised pass, lines with quotes one by one.

No record costs its neighbours: a quote that never closes is that line's problem alone.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from cleanse.records.dialect import Dialect
from cleanse.records.framed import FAULT, PLACE, Framed, structural
from cleanse.records.lines import joined

QUOTE = '"'
HEADER = "header"


@dataclass(frozen=True)
class Quoted:
    """A record that begins at row `start` of the line table and takes up `n_lines` of them."""

    start: int
    n_lines: int
    fields: list[str]
    problem: str | None


def frame(lines: pl.DataFrame, dialect: Dialect, max_join: int) -> Framed:
    """Cut lines (`records.lines`) into records with the columns `dialect.names`, all text.

    A record whose field count is not the header's has `_problem` `fields_missing` or `fields_extra`, its text in
    `_raw` and null fields; so has one whose quotes do not add up (`quote_unterminated`, `quote_garbage`).
    """
    quoted = _quoted_records(lines, dialect, max_join)
    inside = [row for q in quoted for row in range(q.start, q.start + q.n_lines)]
    rest = lines.with_row_index("row").filter(~pl.col("row").is_in(inside)).drop("row")
    kind = _kinds(rest, dialect)
    plain = _plain_records(rest.filter(kind.is_null()), dialect)
    records = pl.concat([plain, _slow_records(lines, quoted, dialect)]).sort("_line")
    quoted_header = lines[[q.start for q in quoted if _is_header(q.fields, dialect)]].with_columns(kind=pl.lit(HEADER))
    notes = pl.concat([rest.with_columns(kind).filter(kind.is_not_null()), quoted_header]).sort("_line")
    again = (pl.col("kind") == HEADER) & (pl.col("kind") == HEADER).cum_sum().gt(1)
    return Framed(records, structural(notes, pl.when(again).then(pl.lit("header_repeated")).otherwise("kind")))


def _is_header(fields: Sequence[str], dialect: Dialect) -> bool:
    return dialect.header is not None and tuple(fields) == dialect.header


def _kinds(rest: pl.DataFrame, dialect: Dialect) -> pl.Series:
    """What a line without quotes is, null for a record: `blank` or HEADER."""
    text, kind = pl.col("text"), pl.lit(None, pl.String)
    if dialect.header:
        same = text.str.strip_prefix("\ufeff") == dialect.delimiter.join(dialect.header)
        kind = pl.when(same).then(pl.lit(HEADER))
    return rest.select(kind=pl.when(text.str.strip_chars(" \t\0") == "").then(pl.lit("blank")).otherwise(kind))["kind"]


def _plain_records(lines: pl.DataFrame, dialect: Dialect) -> pl.DataFrame:
    n = len(dialect.names)
    found = pl.col("text").str.count_matches(dialect.delimiter, literal=True) + 1
    cut = pl.col("text").str.split_exact(dialect.delimiter, n - 1).struct.rename_fields(dialect.names)
    if n == 1:
        cut = pl.struct(pl.col("text").alias(dialect.names[0]))
    marked = lines.with_columns(_fields=found, _cut=cut).with_columns(
        _problem=pl.when(pl.col("_fields") < n).then(pl.lit("fields_missing")).when(pl.col("_fields") > n).then(
            pl.lit("fields_extra")
        )
    )  # fmt: skip
    bad = pl.col("_problem").is_not_null()
    return marked.select(
        *PLACE,
        "_problem",
        pl.when(bad).then("text").alias("_raw"),
        pl.when(bad).then("_fields").cast(pl.UInt32).alias("_fields"),
        *(pl.when(~bad).then(pl.col("_cut").struct.field(name)).alias(name) for name in dialect.names),
    )


def _quoted_records(lines: pl.DataFrame, dialect: Dialect, max_join: int) -> list[Quoted]:
    """The records that hold a quote, with all lines they take up. Only these are looked at one by one."""
    texts, ends = lines["text"].to_list(), lines["end"].to_list()
    found: list[Quoted] = []
    free = 0
    for row in lines["text"].str.contains(QUOTE, literal=True).arg_true().to_list():
        if row >= free:
            found.append(_read(texts, ends, row, dialect, max_join))
            free = row + found[-1].n_lines
    return found


def _read(texts: Sequence[str], ends: Sequence[str], start: int, dialect: Dialect, max_join: int) -> Quoted:
    """One record from its first line on: more lines are taken while a quoted field is open.

    A line inside that is itself a complete record says that the quote is a stray one; so does the look-ahead's end.
    """
    n, text = len(dialect.names), ""
    for row in range(start, min(start + max_join, len(texts))):
        if row > start and n > 2 and _is_complete(texts[row], dialect):
            break
        text += texts[row] if row > start else texts[row].removeprefix("\ufeff")  # joined files: a BOM inside
        try:
            fields = next(csv.reader([text], delimiter=dialect.delimiter, strict=True))
        except csv.Error as problem:
            if "unexpected end of data" not in str(problem):  # the quote is closed, and text follows
                return Quoted(start, 1, [], "quote_garbage" if row == start else "quote_unterminated")
            text += ends[row]
        else:
            return Quoted(start, row - start + 1, fields, _count_problem(len(fields), n))
    return Quoted(start, 1, [], "quote_unterminated")


def _is_complete(line: str, dialect: Dialect) -> bool:
    """True for a line that is a whole record by itself, with its quotes where they belong."""
    if line.count(QUOTE) % 2:
        return False
    try:
        fields = next(csv.reader([line], delimiter=dialect.delimiter, strict=True), [])
    except csv.Error:
        return False
    return len(fields) == len(dialect.names)


def _count_problem(found: int, n: int) -> str | None:
    return None if found == n else "fields_missing" if found < n else "fields_extra"


def _slow_records(lines: pl.DataFrame, quoted: Sequence[Quoted], dialect: Dialect) -> pl.DataFrame:
    rows = []
    for q in quoted:
        if _is_header(q.fields, dialect):
            continue
        text, size, replaced = joined(lines[q.start : q.start + q.n_lines])
        first = lines.row(q.start, named=True)
        place = (first["_line"], first["_offset"], size, replaced, first["_encoding"])
        counted = len(q.fields) if q.problem in ("fields_missing", "fields_extra") else None
        fields = [None] * len(dialect.names) if q.problem else q.fields
        rows.append((*place, q.problem, text if q.problem else None, counted, *fields))
    schema = {**PLACE, **FAULT, **dict.fromkeys(dialect.names, pl.String())}
    return pl.DataFrame(rows, schema, orient="row")
