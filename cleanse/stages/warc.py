"""WARC as a source: each HTTP response is a record, its body decided by itself with the charset of its own header.

Needs the extra `warc` (fastwarc), which undoes chunks and compression inside a response.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import polars as pl

from cleanse.errors import ConfigError
from cleanse.records.framed import PLACE, Framed, without_faults
from cleanse.stages.cells import cells
from cleanse.stages.reading import Cut
from cleanse.stages.spans import Content

NAMES = ("title", "body", "url")
_TEXT = ("text/", "application/xhtml", "application/xml", "application/json", "application/javascript")


class _Joined:
    """Blocks as a file that can only be read forward: what fastwarc asks of one."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks, self._held, self._at = iter(blocks), b"", 0

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        self._held = self._held or next(self._blocks, b"")
        found, self._held = self._held[:size], self._held[size:]
        self._at += len(found)
        return found


def _responses(blocks: Iterable[bytes]) -> Iterator[Any]:
    """The records of a WARC, None for each that is no HTTP response. Raises OSError where it is no WARC any more."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise ConfigError("extra-missing", "WARC files need fastwarc", "pip install 'cleanse[warc]'") from None
    for record in ArchiveIterator(cast("Any", _Joined(blocks)), parse_http=True, auto_decode="all"):
        yield record if record.record_type == WarcRecordType.response and record.is_http else None


class Found(NamedTuple):
    """Where a WARC may be cut, where the last response begins; why it cannot be read to its end."""

    cuts: tuple[Cut, ...]
    whole: int
    refused: tuple[str, str] | None = None


def survey(content: Content, part_bytes: float) -> Found:
    """One pass over all records."""
    cuts, n, last, refused = [Cut()], 0, 0, None
    try:
        for record in filter(None, _responses(content.blocks())):
            last = record.stream_pos
            if n and last - cuts[-1].offset >= part_bytes:
                cuts.append(Cut(last, records=n))
            n += 1
    except OSError as problem:
        refused = ("bad_archive", f"warc: {problem}, behind byte {last}")
    return Found(tuple(cuts[1:]), last, refused)


def read(blocks: Iterable[bytes], at: Cut, limit: int, counted: Counter[str]) -> Framed:
    """The responses of a span; what else is there is `counted`. `limit`: bytes of a body; a longer one is `too_large`,
    what is no text `unsupported`.
    """
    places, types, bodies, faults = list[tuple[int, str]](), list[str](), list[bytes | None](), list[str | None]()
    for record in _responses(blocks):
        if record is None:
            counted["warc_other"] += 1
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
