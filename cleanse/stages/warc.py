"""WARC as a source: each HTTP response is a record, its body decided by itself with the charset of its own header.

Needs the extra `warc` (fastwarc), which undoes chunks and compression inside a response.
"""

import io
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from cleanse.errors import ConfigError
from cleanse.records.framed import PLACE, Framed, without_faults
from cleanse.stages.cells import cells
from cleanse.stages.reading import Content, Cut

NAMES = ("title", "body", "url")
_TEXT = ("text/", "application/xhtml", "application/xml", "application/json", "application/javascript")


class _Joined(io.RawIOBase):
    """Blocks as a file that can only be read forward."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks, self._held = iter(blocks), b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        self._held = self._held or next(self._blocks, b"")
        n = min(len(target), len(self._held))
        target[:n], self._held = self._held[:n], self._held[n:]
        return n


def _responses(blocks: Iterable[bytes]) -> Iterator[Any]:
    """The records of a WARC, None for each that is no HTTP response. Raises OSError where it is no WARC any more."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise ConfigError("extra-missing", "WARC files need fastwarc", "pip install 'cleanse[warc]'") from None
    for record in ArchiveIterator(io.BufferedReader(_Joined(blocks)), parse_http=True, auto_decode="all"):
        yield record if record.record_type == WarcRecordType.response and record.is_http else None


def survey(content: Content, part_bytes: float) -> tuple[tuple[Cut, ...], int]:
    """Where it may be cut, and how many records it has that are no response."""
    cuts, n, n_other = [Cut()], 0, 0
    for record in _responses(content.blocks()):
        if record is None:
            n_other += 1
        elif record.stream_pos - cuts[-1].offset >= part_bytes:
            cuts.append(Cut(record.stream_pos, records=n))
        n += record is not None
    return tuple(cuts[1:]), n_other


def read(blocks: Iterable[bytes], at: Cut, limit: int) -> Framed:
    """The responses of a span. `limit`: bytes of a body; a longer one is `too_large`, what is no text `unsupported`."""
    places, types, bodies, faults = list[tuple[int, str]](), list[str](), list[bytes | None](), list[str | None]()
    for record in _responses(blocks):
        if record is None:
            continue
        kind = (record.http_content_type or "text/html").lower()
        body = record.reader.read(limit + 1)
        faults.append(None if kind.startswith(_TEXT) else "unsupported")
        faults[-1] = "too_large" if len(body) > limit else faults[-1]
        places.append((at.offset + record.stream_pos, record.headers.get("WARC-Target-URI")))
        types.append(record.http_headers.get("Content-Type") or "")
        bodies.append(None if faults[-1] else body)
    found = cells(bodies, types).rename({"text": "body"})
    fault, kinds = pl.Series("_problem", faults, pl.String), pl.Series("_raw", types, pl.String)
    placed = pl.DataFrame(places, {"_offset": PLACE["_offset"], "url": pl.String()}, orient="row")
    table = pl.concat([placed, found], how="horizontal").with_columns(
        pl.coalesce(fault, "_problem"), pl.when(fault.is_not_null()).then(kinds).otherwise("_raw").alias("_raw")
    )
    return without_faults(table.with_columns(title=pl.lit(None, pl.String)))
