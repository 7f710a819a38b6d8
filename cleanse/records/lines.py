"""The lines of a text with their place in the source: what every framer starts from."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import polars as pl

SCHEMA = {
    "_line": pl.UInt64(),
    "_offset": pl.UInt64(),
    "_bytes": pl.UInt64(),
    "_replaced": pl.UInt32(),
    "_encoding": pl.String(),  # null: that of the source
    "text": pl.String(),
    "end": pl.String(),  # the line end as it stands in the source: joined with it, lines are the source again
}
Ends = Literal["lf", "cr", "any"]
"""What ends a line: LF or CR LF; CR alone; in tables joined on several systems any of them. `str.splitlines` cuts at
U+2028, too.
"""
HEAD = 1 << 14  # bytes kept of a line that is longer than a record may be


class Huge(NamedTuple):
    """A line that is longer than a record may be: its first HEAD bytes, its size in bytes, and those of its end."""

    head: bytes
    size: int
    end: int


def ends_of(lf: int, cr: int, *, is_table: bool) -> Ends:
    """What ends the lines of a source with so many LF (or CR LF) and so many lone CR.

    >>> ends_of(3, 0, is_table=True), ends_of(0, 3, is_table=True), ends_of(3, 1, is_table=True)
    ('lf', 'cr', 'any')
    """
    if not cr or (lf and not is_table):
        return "lf"
    return "any" if lf else "cr"


def whole_lines(blocks: Iterable[bytes], ends: Ends, limit: int) -> Iterator[bytes | Huge]:
    """The same bytes, cut behind line ends; only the last piece may be without one. A line that goes over a block's
    border and has more than `limit` bytes is a Huge: of it hardly more than that is ever held.
    """
    held, size = list[bytes](), 0  # a line that has not ended: its pieces, of a huge one the head; its bytes so far
    last = b""
    for block in blocks:
        begin = 0
        first = _first_end(block, ends) if size else 0
        if first and size + first > limit:
            end = 2 if (last + block[:first]).endswith(b"\r\n") else 1
            whole = size + first - end
            yield Huge((b"".join(held) + block[:first])[: min(HEAD, whole)], whole, end)
            held, size, begin = [], 0, first
        cut = max(begin, _last_end(block, ends))
        if cut > begin:
            is_whole = not held and cut - begin == len(block)
            yield block if is_whole else b"".join((*held, memoryview(block)[begin:cut]))
            held, size = [], 0
        size, last = size + len(block) - cut, block[-1:]
        held = [*held, block[cut:]] if size <= limit else [b"".join((*held, block[cut:]))[:HEAD]]
    if size > limit:
        yield Huge(b"".join(held)[:HEAD], size, 0)
    elif size:
        yield b"".join(held)


def _last_end(block: bytes, ends: Ends) -> int:
    """The position behind the last line end, 0 for none. A CR at the very end may be half of a CR LF."""
    if ends == "lf":
        return block.rfind(b"\n") + 1
    return max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1)) + 1


def _first_end(block: bytes, ends: Ends) -> int:
    if ends == "lf":
        return block.find(b"\n") + 1
    found = [at + 1 for at in (block.find(b"\n"), block.find(b"\r", 0, len(block) - 1)) if at >= 0]
    return min(found, default=0)


def lines(
    pieces: Sequence[str] | pl.Series,
    replaced: Sequence[int],
    sizes: Sequence[int] | pl.Series | None,
    ends: Sequence[str],
    start: int,
    line: int = 1,
) -> pl.DataFrame:
    """One row a line, columns of SCHEMA.

    `pieces`: the text without `ends`, in order, the last end empty; an empty last piece is no line. `replaced`:
    characters put in by the decoder, per piece. `sizes`: bytes of each piece in the source, or None where characters
    are not in one line with bytes (UTF-16). `start`: bytes before the first piece; `line`: its number.
    """
    n = len(pieces) - (not pieces[-1])
    table = pl.DataFrame(
        {
            "_bytes": pl.Series([None] * n if sizes is None else sizes, dtype=pl.UInt64)[:n],
            "_replaced": pl.Series(replaced, dtype=pl.UInt32)[:n],
            "text": pl.Series(pieces, dtype=pl.String)[:n],
            "end": pl.Series(ends, dtype=pl.String)[:n],
        }
    )
    spans = pl.col("_bytes") + pl.col("end").str.len_bytes()
    placed = table.select(
        pl.int_range(line, line + pl.len(), dtype=pl.UInt64).alias("_line"),
        (start + spans.cum_sum() - spans).cast(pl.UInt64).alias("_offset"),
        "_bytes",
        "_replaced",
        pl.lit(None, pl.String).alias("_encoding"),
        "text",
        "end",
    )
    cr = placed["text"].str.ends_with("\r") & (placed["end"] == "\n")
    if not cr.any():
        return placed
    return placed.with_columns(
        text=pl.when(cr).then(pl.col("text").str.head(-1)).otherwise("text"),
        end=pl.when(cr).then(pl.lit("\r\n")).otherwise("end"),
        _bytes=pl.when(cr).then(pl.col("_bytes") - 1).otherwise("_bytes"),
    )


def joined(table: pl.DataFrame) -> tuple[str, int | None, int]:
    """Several successive lines as one record: its text, its bytes in the source, its replaced characters."""
    rows = table.rows()
    _, last_offset, last_bytes, _, _, last_text, _ = rows[-1]
    text = "".join(row[5] + row[6] for row in rows[:-1]) + last_text
    first_offset = rows[0][1]
    size = None if first_offset is None else last_offset + last_bytes - first_offset
    return text, size, sum(row[3] for row in rows)
