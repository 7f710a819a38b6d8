"""Delimited text and JSON as `decode` reads them: what must be known of a whole source, then its records by blocks."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict

import polars as pl

from cleanse.records import delimited, jsonl, layout
from cleanse.records.framed import Framed
from cleanse.records.jsonkeys import Keys
from cleanse.records.layout import Layout, Options, Refused
from cleanse.records.names import roles
from cleanse.settings import Settings

Shape = Layout | Keys
DELIMITED = ("csv", "tsv")


def survey(kind: str, tables: Iterable[pl.DataFrame], settings: Settings) -> Shape | Refused:
    """What must be known of a source of this format, from all its lines (`records.lines`), table by table in order."""
    asked = options(kind, settings)
    return layout.survey(tables, asked) if kind in DELIMITED else jsonl.survey(tables, asked)


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
    lines: pl.DataFrame,
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
        framed, used = delimited.frame(lines, shape, asked, final=final)
        return Framed(framed.records.rename(dict(names)), framed.structural), used
    return jsonl.frame(lines, shape, names, types, asked, final=final, width=width)
