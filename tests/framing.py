"""Texts as tables of lines, and what framing leaves of their bytes, for tests."""

from collections.abc import Callable, Sequence

import polars as pl

from cleanse.records.framed import Framed
from cleanse.records.lines import ends_of, lines
from cleanse.records.stretch import Stretch, of_table

LINE_ENDS = ("\n", "\r\n", "\r")


def lines_of(text: str, brk: str | None = None, *, start: int = 0) -> pl.DataFrame:
    """The lines of a UTF-8 text that begins at byte `start` of its source."""
    kind = ends_of(text.count("\n"), text.count("\r") - text.count("\r\n"), is_table=False)
    brk = brk or ("\r" if kind == "cr" else "\n")
    pieces = text.split(brk)
    ends = [brk] * (len(pieces) - 1) + [""]
    return lines(pieces, [0] * len(pieces), [len(piece.encode()) for piece in pieces], ends, start)


def stretch_of(text: str) -> Stretch:
    """The same lines as bytes."""
    return of_table(lines_of(text))


def gaps(text: str, framed: Framed) -> list[str]:
    """What lies between records and structural lines, in order; fails where two of them share a byte."""
    data, at, found = text.encode(), 0, []
    for offset, size in sorted([*places(framed.records), *places(framed.structural), (len(data), 0)]):
        assert offset >= at, f"byte {offset} is in two spans"
        found.append(data[at:offset].decode())
        at = offset + size
    return [gap for gap in found if gap]


def places(table: pl.DataFrame) -> Sequence[tuple[int, int]]:
    """(offset, bytes) of each row."""
    return table.select("_offset", "_bytes").rows()


def in_blocks(
    lines: pl.DataFrame, sizes: Sequence[int], frame: Callable[[pl.DataFrame, bool], tuple[Framed, int]]
) -> Framed:
    """The lines framed block by block: what a block does not use stands before the next."""
    found, rest, at = [], lines[:0], 0
    for size in [*sizes, lines.height]:
        block = pl.concat([rest, lines[at : at + size]])
        at += size
        framed, used = frame(block, at >= lines.height)
        found.append(framed)
        rest = block[used:]
        if at >= lines.height:
            break
    assert rest.is_empty()
    return Framed(pl.concat(f.records for f in found), pl.concat(f.structural for f in found))
