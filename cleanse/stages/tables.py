"""Delimited text and JSON as `decode` reads them: what must be known of a whole source, then its records by blocks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial

import polars as pl

from cleanse.records import delimited, jsonl, jsonspans, layout
from cleanse.records.framed import Framed
from cleanse.records.jsonkeys import Keys
from cleanse.records.layout import Layout, Options, Refused
from cleanse.records.names import roles
from cleanse.records.stretch import Lines, Stretch, as_stretch, together
from cleanse.settings import Settings

Shape = Layout | Keys
DELIMITED = ("csv", "tsv")
BLOCK = 8 << 20  # bytes of text that are looked at at once, where a source may be cut


def survey(kind: str, tables: Iterable[Lines], settings: Settings) -> Shape | Refused:
    """What must be known of a source of this format, from all its lines, table by table in order."""
    asked = options(kind, settings)
    if kind in DELIMITED:
        return layout.survey((as_stretch(table) for table in tables), asked)
    return jsonl.survey((table for table in tables if isinstance(table, pl.DataFrame)), asked)


def options(kind: str, settings: Settings) -> Options:
    """What the user says of tables; a .tsv has tabs."""
    s = settings.decode
    delimiter = "\t" if s.delimiter == "auto" and kind == "tsv" else s.delimiter
    mapped, refuse = asdict(settings.columns), frozenset(s.refuse)
    return Options(s.expect or (), delimiter, s.quote, s.escape, s.header, refuse, s.max_join_lines, mapped)


def columns(shape: Shape, settings: Settings) -> dict[str, pl.DataType]:
    """The source's columns by their own names, with their types; a role is text."""
    if isinstance(shape, Layout):
        return dict.fromkeys(shape.names, pl.String())
    found = roles(list(shape.types), asdict(settings.columns))
    return {name: pl.String() if name in found else dtype for name, dtype in shape.types.items()}


def frame(
    lines: Lines,
    shape: Shape,
    names: Mapping[str, str],
    types: Mapping[str, pl.DataType],
    asked: Options,
    *,
    final: bool = True,
    width: Callable[[str], int] = jsonl.utf8,
) -> tuple[Framed, int]:
    """The records of a block of lines, and how many lines were used: the rest belongs before the next block.

    `names`: own name → name in the table, `types`: of the latter. `final`: the source ends with the block. `width`:
    how many bytes a text takes in the source.
    """
    if isinstance(shape, Layout):
        framed, used = delimited.frame(as_stretch(lines), shape, asked, final=final)
        return Framed(framed.records.rename(dict(names)), framed.structural), used
    assert isinstance(lines, pl.DataFrame)
    return jsonl.frame(lines, shape, names, types, asked, final=final, width=width)


def starts(tables: Iterable[Lines], shape: Shape, asked: Options) -> Iterator[tuple[int, int]]:
    """The first lines of tables before which a source may be cut, with the number of records before them.

    `tables`: all lines, table by table in order. Framing from there on, and up to there, gives the same records.
    """
    held: list[Lines] = []
    firsts, size, n_records = list[int](), 0, 0
    for table in tables:
        if not table.height:
            continue
        held.append(table)
        place = table.place if isinstance(table, Stretch) else table
        firsts.append(place["_line"][0])
        size += int(place["_bytes"].sum()) + table.height  # a blank line is an end of a line
        if size >= BLOCK:
            lines = together(held)
            found, n, used = _settled(lines, shape, asked, firsts)
            yield from ((line, n_records + before) for line, before in found)
            rest = lines.part(used, lines.height) if isinstance(lines, Stretch) else lines[used:]
            held, firsts, size, n_records = [rest], [], 0, n_records + n


def _settled(
    lines: Lines, shape: Shape, asked: Options, firsts: Iterable[int]
) -> tuple[list[tuple[int, int]], int, int]:
    """Those of the lines `firsts` before which a text may be cut, with the records before; all records, lines used."""
    if isinstance(shape, Layout):
        firsts = [line for line in firsts if line not in shape.lead_lines]  # a header may have several lines
        cut = delimited.scan(as_stretch(lines), shape, asked, final=False)
        used, before = cut.consumed, partial(delimited.records_before, cut, asked)
    else:
        assert isinstance(lines, pl.DataFrame)
        spans = jsonspans.cut(lines, shape, asked, final=False)
        used, before = spans.consumed, partial(jsonspans.records_before, spans, shape)
    numbers = (lines.place if isinstance(lines, Stretch) else lines)["_line"]
    rows = [(line, int(numbers.search_sorted(line))) for line in firsts]
    found = [(line, before(row)) for line, row in rows if row <= used]
    return [(line, n) for line, n in found if n is not None], before(used, sure=True) or 0, used
