"""From the bytes of a source to tables of its lines: block by block, so that memory does not grow with the source."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from cleanse.records.framed import FAULT, MAX_RAW, PLACE
from cleanse.records.lines import HEAD, Ends, Huge, lines, whole_lines
from cleanse.records.stretch import Lines, of_table, of_utf8, positions
from cleanse.text import codecs
from cleanse.text.encoding import Decision

_ANY, _ANY_BYTES = re.compile("\r\n|\n|\r"), re.compile(b"\r\n|\n|\r")
_BREAK: dict[Ends, str] = {"lf": "\n", "cr": "\r"}
_UTF8 = getincrementaldecoder("utf-8")
_BOM, _LATER_BOM = "\ufeff", re.compile("(?m)^\ufeff")
_FFFD = "\ufffd".encode()
HUGE = {**PLACE, **FAULT}
_NO_HUGE = pl.DataFrame(schema=HUGE)


class Cut(NamedTuple):
    """A place between two records: its byte, the number of the line that begins there, the records before it."""

    offset: int = 0
    line: int = 1
    records: int = 0


class Batch(NamedTuple):
    """Successive lines (`records.lines.SCHEMA`, or as bytes), and those among them that are longer than a record may be
    (columns of HUGE). Characters: BOMs taken off line starts, U+FFFD that stood in the source.
    """

    lines: Lines
    huge: pl.DataFrame
    bom_removed: int
    fffd: int
    at: Cut  # where it begins; `records` is not known here


class Whole(NamedTuple):
    """A source that is one record: its text, or the head of one that `is_huge`; U+FFFD put in; its place in the
    source, None where characters are not in one line with bytes. BOMs and U+FFFD as in Batch.
    """

    text: str
    replaced: int
    offset: int | None
    bytes: int | None
    bom_removed: int = 0
    fffd: int = 0
    is_huge: bool = False


def batches(blocks: Iterable[bytes], decision: Decision, ends: Ends, at: Cut, limit: int) -> Iterator[Batch]:
    """The lines from `at` on as tables, where `blocks` begin. `limit`: bytes of a line."""
    return _batches(blocks, decision, ends, at, limit, _batch)


def stretches(blocks: Iterable[bytes], decision: Decision, ends: Ends, at: Cut, limit: int) -> Iterator[Batch]:
    """The same lines as bytes."""
    return _batches(blocks, decision, ends, at, limit, _stretch)


def _batches(
    blocks: Iterable[bytes],
    decision: Decision,
    ends: Ends,
    at: Cut,
    limit: int,
    made: Callable[[bytes, Decision, Ends, int, int], Batch],
) -> Iterator[Batch]:
    line, offset = at.line, at.offset
    for piece in whole_lines(blocks, ends, limit):
        if isinstance(piece, Huge):
            none = made(b"", decision, ends, line, offset)
            yield none._replace(huge=_huge(piece, decision, line, offset))
            line, offset = line + 1, offset + piece.size + piece.end
            continue
        batch = made(piece, decision, ends, line, offset)
        yield batch
        line, offset = line + batch.lines.height, offset + len(piece)


def _stretch(data: bytes, decision: Decision, ends: Ends, line: int, offset: int) -> Batch:
    """Lines as bytes. Where nothing is odd, they are those of the source."""
    if data and decision.encoding == "utf-8" and ends != "any" and is_utf8(data):
        lines = of_utf8(data, _BREAK[ends], offset, line)
        if not lines.texts(np.flatnonzero(lines.begins(_BOM.encode()[:1]))).str.starts_with(_BOM).any():
            fffd = data.count(_FFFD) if _holds(data, _FFFD) else 0
            return Batch(lines, _NO_HUGE, 0, fffd, Cut(offset, line))
    odd = _batch(data, decision, ends, line, offset)
    assert isinstance(odd.lines, pl.DataFrame)
    return odd._replace(lines=of_table(odd.lines))


def _holds(data: bytes, sign: bytes) -> bool:
    """True when a character of three bytes stands somewhere; nearly always none does, and its first byte tells."""
    codes, found = np.frombuffer(data, np.uint8), positions(data, sign[0])
    return bool(((codes[found + 1] == sign[1]) & (codes[found + 2] == sign[2])).any())


def _batch(data: bytes, decision: Decision, ends: Ends, line: int, offset: int) -> Batch:
    """One table of lines. Where nothing is odd, polars cuts the UTF-8 of all of them at once."""
    names: Sequence[str] | None = None
    utf8 = data if decision.encoding == "utf-8" else b""
    pieces = _valid_lines(utf8, ends)
    if pieces is None:
        if "+" in decision.encoding and ends == "lf":
            text, names = codecs.decode_lines(data, decision.encoding)
        else:
            text = _marked(data, decision)
        pieces = None if codecs.is_marked(text) else _valid_lines(utf8 := text.encode(), ends)
    if pieces is None:
        return _odd_batch(text, data, decision, ends, line, offset)
    breaks = [_BREAK[ends]] * (len(pieces) - 1) + [""]
    sizes = pieces.str.len_bytes() if utf8 is data else _sizes(data, ends)
    table = lines(
        pieces, [0] * len(pieces), None if codecs.is_transcoded(decision.encoding) else sizes, breaks, offset, line
    )
    return _finished(table, names, _fffd(pieces), Cut(offset, line))


def _valid_lines(utf8: bytes, ends: Ends) -> pl.Series | None:
    """The lines of strict UTF-8, None where it is none, or where line ends are mixed."""
    if not utf8 or ends == "any":
        return None
    if ends == "lf" and b"\r" not in utf8:  # twice as fast; it would take a CR before an LF for part of the end
        return _whole_lines(utf8)
    text = _valid(utf8)
    return None if text is None else text.str.split(_BREAK[ends]).explode()


def _whole_lines(utf8: bytes) -> pl.Series | None:
    """The same for text without a CR; the last piece is what stands behind the last LF."""
    try:
        found = pl.read_lines(utf8, name="text").to_series()
    except pl.exceptions.PolarsError:
        return None
    return found.append(pl.Series([""])) if utf8.endswith(b"\n") else found


def _valid(utf8: bytes) -> pl.Series | None:
    """Strict UTF-8 as one text, None where it is none."""
    try:
        return pl.Series("text", [utf8], dtype=pl.Binary).cast(pl.String)
    except pl.exceptions.PolarsError:
        return None


def is_utf8(data: bytes) -> bool:
    """True for strict UTF-8: five times as fast as Python's own decoder, for no text is made."""
    return _valid(data) is not None


def n_bytes(data: bytes, byte: bytes, begin: int, end: int) -> int:
    """How often a byte stands between two places: `bytes.count`, two to four times as fast."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8)[begin:end] == ord(byte)))


def _sizes(data: bytes, ends: Ends) -> pl.Series:
    """The bytes of each line, without its end."""
    return pl.Series(np.diff(positions(data, ord(_BREAK[ends])), prepend=-1, append=len(data)) - 1)


def _fffd(pieces: pl.Series) -> int:
    """How many U+FFFD there are; nearly all texts have none, which is asked first."""
    odd = pieces.filter(pieces.str.contains("\ufffd", literal=True))
    return int(odd.str.count_matches("\ufffd", literal=True).sum())


def _odd_batch(text: str, data: bytes, decision: Decision, ends: Ends, line: int, offset: int) -> Batch:
    """One table of lines from a text with marks, or with mixed line ends."""
    if ends == "any":
        pieces, breaks = _ANY.split(text), [*_ANY.findall(text), ""]
        sizes = pl.Series(list(map(len, _ANY_BYTES.split(data))))
    else:
        pieces, sizes = text.split(_BREAK[ends]), _sizes(data, ends)
        breaks = [_BREAK[ends]] * (len(pieces) - 1) + [""]
    settled = [codecs.settle(piece) for piece in pieces]
    together = len(sizes) == len(pieces) and not codecs.is_transcoded(decision.encoding)
    replaced = [n for _, n in settled]
    table = lines([t for t, _ in settled], replaced, sizes if together else None, breaks, offset, line)
    return _finished(table, None, text.count("\ufffd"), Cut(offset, line))


def _finished(table: pl.DataFrame, names: Sequence[str] | None, fffd: int, at: Cut) -> Batch:
    """With the encodings of a mixed source, without BOMs at line starts."""
    if names:
        table = table.with_columns(_encoding=pl.Series(names[: table.height], dtype=pl.String))
    n_bom = int(table["text"].str.starts_with(_BOM).sum())
    if n_bom:
        table = table.with_columns(pl.col("text").str.strip_prefix(_BOM))
    return Batch(table, _NO_HUGE, n_bom, fffd, at)


def _huge(piece: Huge, decision: Decision, line: int, offset: int) -> pl.DataFrame:
    known = not codecs.is_transcoded(decision.encoding)
    raw, n = _head(piece.head, decision)
    row = {
        "_line": line,
        "_offset": offset if known else None,
        "_bytes": piece.size if known else None,
        "_replaced": n,
        "_problem": "too_large",
        "_raw": raw,
    }
    return pl.DataFrame([row], schema=HUGE)


def _head(data: bytes, decision: Decision) -> tuple[str, int]:
    """What is shown of a text that is too large, and how many of its characters are U+FFFD put in."""
    if codecs.is_transcoded(decision.encoding):
        return codecs.settle(_UTF8("surrogatepass").decode(data)[:MAX_RAW])  # its last character may be cut
    return codecs.settle(_marked(data, decision)[:MAX_RAW])


def whole_text(blocks: Iterable[bytes], decision: Decision, size: int, limit: int) -> Whole:
    """All of a source as one record; only its beginning when `size`, its bytes, is above `limit`."""
    known = not codecs.is_transcoded(decision.encoding)
    offset, length = (decision.bom, size - decision.bom) if known else (None, None)
    if size > limit:
        head, n = _head(next(iter(blocks))[:HEAD], decision)
        return Whole(head, n, offset, length, is_huge=True)
    marked = _marked(b"".join(blocks), decision)
    text, n = codecs.settle(marked)
    mended, n_bom = _LATER_BOM.subn("", text) if _BOM in text else (text, 0)
    return Whole(mended, n, offset, length, bom_removed=n_bom, fffd=marked.count("\ufffd"))


def _marked(data: bytes, decision: Decision) -> str:
    if codecs.is_transcoded(decision.encoding):
        return data.decode("utf-8", "surrogatepass")
    return codecs.decode_marked(data, decision.encoding)
