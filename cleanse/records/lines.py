"""The lines of a text with their place in the source: what every framer starts from."""

from collections.abc import Sequence
from itertools import accumulate

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


def line_break(text: str) -> str:
    """What ends a line: LF (or CR LF); CR only where a text has no LF. `str.splitlines` cuts at U+2028, too."""
    return "\n" if "\n" in text or "\r" not in text else "\r"


def is_mixed(text: str) -> bool:
    """True when some lines end at a CR alone and others do not: tables joined on several systems."""
    return "\n" in text and text.count("\r") > text.count("\r\n")


def lines(
    pieces: Sequence[str], replaced: Sequence[int], sizes: Sequence[int] | None, ends: Sequence[str], start: int
) -> pl.DataFrame:
    """One row a line, columns of SCHEMA, `_line` from 1.

    `pieces`: the text without `ends`, in order, the last end empty; an empty last piece is no line. `replaced`:
    characters put in by the decoder, per piece. `sizes`: bytes of each piece in the source, or None where characters
    are not in one line with bytes (UTF-16). `start`: bytes before the first piece (a BOM).
    """
    n = len(pieces) - (not pieces[-1])
    spans = [size + len(end) for size, end in zip(sizes, ends, strict=True)] if sizes else []
    offsets = list(accumulate(spans, initial=start))
    table = pl.DataFrame(
        {
            "_line": range(1, n + 1),
            "_offset": offsets[:n] if sizes else [None] * n,
            "_bytes": list(sizes)[:n] if sizes else [None] * n,
            "_replaced": list(replaced)[:n],
            "_encoding": [None] * n,
            "text": list(pieces)[:n],
            "end": list(ends)[:n],
        },
        schema=SCHEMA,
    )
    cr = pl.col("text").str.ends_with("\r") & (pl.col("end") == "\n")
    return table.with_columns(
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
