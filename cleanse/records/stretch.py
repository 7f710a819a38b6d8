"""Successive lines of a text as bytes: a string is made of a line only where somebody asks for one. Of most lines of a
table nothing need be known but where they begin, and how many delimiters they hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.records.framed import PLACE

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
CACHED = 1 << 20  # bytes


@dataclass(frozen=True, eq=False)
class Stretch:
    """`utf8`: the lines with their ends; `starts`, `stops`: of each line's text in it; `place`: columns of PLACE, a row
    a line.
    """

    utf8: bytes
    starts: Rows
    stops: Rows
    place: pl.DataFrame

    @property
    def height(self) -> int:
        """Lines."""
        return len(self.starts)

    @property
    def first(self) -> int:
        """The number of the first line."""
        return int(self.place["_line"][0])

    @property
    def numbers(self) -> Rows:
        """The number of each line."""
        return self.place["_line"].to_numpy().astype(np.int64)

    @cached_property
    def sizes(self) -> Rows:
        """Bytes of each line in UTF-8, without its end."""
        return self.stops - self.starts

    def text(self, row: int, n_lines: int = 1) -> str:
        """A line, or several with the ends between them."""
        return self.utf8[self.starts[row] : self.stops[row + n_lines - 1]].decode()

    def end(self, row: int) -> str:
        """What ends a line."""
        return self.utf8[self.stops[row] : self.starts[row + 1] if row + 1 < self.height else None].decode()

    def texts(self, rows: Sequence[int] | Rows) -> pl.Series:
        """Some of the lines."""
        starts, stops = self.starts[rows], self.stops[rows]
        if (starts == stops).all():
            return pl.repeat("", len(starts), eager=True)
        spans = zip(starts.tolist(), stops.tolist(), strict=True)
        return pl.Series("text", [self.utf8[a:b] for a, b in spans], dtype=pl.Binary).cast(pl.String)

    def span(self, row: int, n_lines: int) -> tuple[int | None, int]:
        """Bytes in the source of successive lines with the ends between them, and their replaced characters."""
        some = self.place[row : row + n_lines]
        first, last, size = some["_offset"][0], some["_offset"][-1], some["_bytes"][-1]
        return None if first is None else last + size - first, int(some["_replaced"].sum())

    def counts(self, sign: str) -> Rows:
        """How often an ASCII character stands in each line."""
        if sign.encode() not in self.utf8:
            return np.zeros(self.height, np.int64)
        found = positions(self.utf8, ord(sign))
        return np.searchsorted(found, self.stops) - np.searchsorted(found, self.starts)

    def begins(self, codes: bytes) -> Mask:
        """True for a line that begins with one of these bytes; for an empty one it may be."""
        if not self.utf8:
            return np.zeros(self.height, np.bool_)
        heads = np.frombuffer(self.utf8, np.uint8)[np.minimum(self.starts, len(self.utf8) - 1)]
        return np.isin(heads, list(codes))

    def packed(self, rows: Mask) -> bytes:
        """Some of the lines, an LF between them."""
        has_cr = b"\r" in self.utf8  # one byte is found ten times as fast as two
        if has_cr and self.utf8.count(b"\r") > self.utf8.count(b"\r\n"):
            spans = zip(self.starts[rows].tolist(), self.stops[rows].tolist(), strict=True)
            return b"\n".join(self.utf8[a:b] for a, b in spans)
        edges = np.append(self.starts, len(self.utf8))[np.flatnonzero(np.diff(rows, prepend=False, append=False))]
        runs, view = edges.reshape(-1, 2).tolist(), memoryview(self.utf8)
        data = self.utf8 if rows.all() else b"".join(view[a:b] for a, b in runs)
        return data.replace(b"\r\n", b"\n") if has_cr else data

    def part(self, begin: int, stop: int) -> "Stretch":
        """The lines from `begin` to `stop`."""
        edges = np.append(self.starts, len(self.utf8))
        at, end = edges[begin], edges[stop]
        starts, stops = self.starts[begin:stop] - at, self.stops[begin:stop] - at
        return Stretch(self.utf8[at:end], starts, stops, self.place[begin:stop])


def positions(data: bytes, code: int) -> Rows:
    """Where a byte stands. In steps that fit into a processor's cache.

    >>> positions(b"a,b,", ord(","))
    array([1, 3])
    """
    codes = np.frombuffer(data, np.uint8)
    found = [np.flatnonzero(codes[at : at + CACHED] == code) + at for at in range(0, len(data), CACHED)]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def of_utf8(utf8: bytes, sign: str, offset: int, line: int) -> Stretch:
    """The lines of strict UTF-8 as it lies in the source from byte `offset` on, where line `line` begins.

    `sign`: what ends them, LF (a CR before it belongs to the end) or CR.
    """
    stops = positions(utf8, ord(sign))
    starts = np.append(0, stops + 1)
    if utf8 and not utf8.endswith(sign.encode()):
        stops = np.append(stops, len(utf8))
    starts = starts[: len(stops)]
    if sign == "\n" and b"\r" in utf8:
        before = np.frombuffer(utf8, np.uint8)[np.maximum(stops - 1, 0)] == ord("\r")
        stops = stops - (before & (stops > starts) & (stops < len(utf8)))
    place = pl.DataFrame({"_offset": starts + offset, "_bytes": stops - starts}).select(
        pl.int_range(line, line + pl.len(), dtype=pl.UInt64).alias("_line"),
        pl.col("_offset", "_bytes").cast(pl.UInt64),
        pl.lit(0, pl.UInt32).alias("_replaced"),
        pl.lit(None, pl.String).alias("_encoding"),
    )
    return Stretch(utf8, starts, stops, place)


def of_table(lines: pl.DataFrame) -> Stretch:
    """Lines that are strings already (`records.lines`)."""
    widths = lines.select(text=pl.col("text").str.len_bytes(), end=pl.col("end").str.len_bytes()).cast(pl.Int64)
    text, end = widths["text"].to_numpy(), widths["end"].to_numpy()
    starts = np.append(0, np.cumsum(text + end))[:-1]
    whole = lines.select(pl.concat_str("text", "end")).to_series()
    return Stretch("".join(whole.to_list()).encode(), starts, starts + text, lines.select(*PLACE))


Lines = pl.DataFrame | Stretch
"""Lines as strings (`records.lines.SCHEMA`) or as bytes."""


def as_stretch(lines: Lines) -> Stretch:
    """Lines as bytes, whatever they were."""
    return lines if isinstance(lines, Stretch) else of_table(lines)


def together(tables: Sequence[Lines]) -> Lines:
    """Successive lines as one table, of the kind that they are all of; there must be one."""
    strings = [table for table in tables if isinstance(table, pl.DataFrame)]
    return pl.concat(strings) if strings else _joined([table for table in tables if isinstance(table, Stretch)])


def _joined(stretches: Sequence[Stretch]) -> Stretch:
    if len(stretches) == 1:
        return stretches[0]
    at = np.append(0, np.cumsum([len(each.utf8) for each in stretches]))
    starts = np.concatenate([each.starts + n for each, n in zip(stretches, at, strict=False)])
    stops = np.concatenate([each.stops + n for each, n in zip(stretches, at, strict=False)])
    place = pl.concat([each.place for each in stretches])
    return Stretch(b"".join(each.utf8 for each in stretches), starts, stops, place)
