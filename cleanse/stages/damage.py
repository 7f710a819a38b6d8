"""Damaged text: what share of a row's title and body is replacement characters, mojibake, controls, runs or symbols.

A cheap question goes to the whole column first; only rows that can hit are looked at closely.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.settings import CheckSettings
from cleanse.text import controls

AT_LEAST = 3  # characters: one odd sign in a short text is no damage
RUN = 10  # equal characters in a row
_HAS_MOJIBAKE = ("锟斤拷|烫烫烫|屯屯屯|Ã|Â|â€|ï»¿",)
_MOJIBAKE = re.compile(r"锟斤拷|烫{3,}|屯{3,}|[ÃÂ][\x80-\xbf]|â€|ï»¿")
_HAS_CONTROL = controls.few([*controls.ASCII, 0x0C, *controls.C1, 0x85])
CONTROL = r"[\x00-\x08\x0B-\x0C\x0E-\x1F\x7F-\u{9F}]"
SYMBOL = r"[^\p{L}\p{M}\p{N}\s]"
CHUNK = 1 << 22  # bytes that are looked at as one array
_SPACES = [*range(9, 14), *range(28, 33)]  # bytes of UTF-8 that are white space
_LEAD, _LEADS = np.uint8(0xE5), 5  # first bytes of U+5000 to U+9FFF, which are letters: the least, and how many

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


class Chunk(NamedTuple):
    """Some texts that are looked at as one array: their bytes, an LF between them, and where each has its."""

    texts: pl.Series
    data: Bytes
    ends: Integers


@dataclass(frozen=True)
class Texts:
    """A column without nulls, and its chunks, which are made once, when they are first asked for."""

    column: pl.Series

    @cached_property
    def chunks(self) -> list[Chunk]:
        """All texts, in their order."""
        return list(_chunks(self.column))


Question = Callable[[Texts], pl.Series]


def shares(frame: pl.DataFrame, roles: Sequence[str], s: CheckSettings) -> dict[str, tuple[pl.Series, float]]:
    """Reason → (share of each row's characters, the limit), for rules that are on; 0 for counts below AT_LEAST, and
    for symbols where few are possible.
    """
    texts = [Texts(frame[role].fill_null("")) for role in roles]
    zero = pl.zeros(frame.height, pl.Int64, eager=True)
    total = sum((text.column.str.len_chars().cast(pl.Int64) for text in texts), zero)
    asked: list[tuple[str, float | None, Question]] = [
        ("text_replacement", s.max_replacement_share, replacement),
        ("text_mojibake", s.max_mojibake_share, mojibake),
        ("text_control", s.max_control_share, control),
        ("text_repeated", s.max_repeated_share, repeated),
    ]
    found = {}
    for reason, limit, count in asked:
        if limit is not None:
            found[reason] = (_share(sum((count(text).cast(pl.Int64) for text in texts), zero), total), limit)
    if s.max_symbol_share is not None:
        n = symbols(texts, total.to_numpy(), s.max_symbol_share)
        found["text_symbols"] = (_share(n, total), s.max_symbol_share)
    return found


def _share(n: pl.Series, total: pl.Series) -> pl.Series:
    return pl.select(pl.when(n >= AT_LEAST).then(n / total).otherwise(0.0)).to_series()


def symbols(texts: Sequence[Texts], total: Integers, limit: float) -> pl.Series:
    """Symbols of each row in all its `texts`; 0 for rows of so many hanzi that the share is within the limit anyway.

    `total`: characters of each row.

    >>> symbols([Texts(pl.Series(["★★★好", "★★★好好好好好"]))], np.array([4, 8]), 0.5).to_list()
    [3, 0]
    """
    counts, hanzi = np.zeros(len(total), np.int64), np.zeros(len(total), np.int64)
    for text in texts if len(total) else ():
        hanzi += np.concatenate([_hanzi(chunk) for chunk in text.chunks])
    rows = np.flatnonzero(hanzi <= total * (1 - limit))
    for text in texts if len(rows) else ():
        counts[rows] += text.column[rows].str.count_matches(SYMBOL).to_numpy()
    return pl.Series(counts)


def _hanzi(chunk: Chunk) -> Integers:
    """How many characters of each text are hanzi, those before U+5000 left out: a bit for each byte that begins one."""
    bits = np.append(np.packbits((chunk.data - _LEAD) < _LEADS), np.uint8(0))  # below the least it wraps around
    before = np.append(0, np.cumsum(np.bitwise_count(bits), dtype=np.int64))
    at, rest = np.divmod(chunk.ends - 1, 8)
    until: Integers = before[at] + np.bitwise_count(bits[at] >> (8 - rest).astype(np.uint8))
    return np.diff(until, prepend=0)


def replacement(texts: Texts) -> pl.Series:
    """U+FFFD of each text."""
    return _counted(texts, ["\ufffd"], lambda some: some.str.count_matches("\ufffd", literal=True))


def mojibake(texts: Texts) -> pl.Series:
    """Characters of each text that lie in well-known mojibake."""
    return _counted(texts, _HAS_MOJIBAKE, lambda some: [sum(map(len, _MOJIBAKE.findall(text))) for text in some])


def control(texts: Texts) -> pl.Series:
    """Control characters of each text."""
    return _counted(texts, _HAS_CONTROL, lambda some: some.str.count_matches(CONTROL))


def _counted(texts: Texts, signs: Sequence[str], count: Callable[[pl.Series], pl.Series | list[int]]) -> pl.Series:
    """A count for the few texts in which one of the patterns is found; 0 for all others."""
    column = texts.column
    held = column.to_frame("text").select_seq(pl.any_horizontal(pl.col("text").str.contains(sign) for sign in signs))
    rows = held.to_series().arg_true()
    counts = pl.zeros(column.len(), pl.Int64, eager=True)
    return counts.scatter(rows, pl.Series(count(column.gather(rows)), dtype=pl.Int64)) if len(rows) else counts


def repeated(texts: Texts) -> pl.Series:
    """Characters of each text in runs of RUN and more that are no white space.

    >>> repeated(Texts(pl.Series(["哈" * 12 + "好", "a" * 9, " " * 50, ""]))).to_list()
    [12, 0, 0, 0]
    """
    counts = [_repeated(chunk) for chunk in texts.chunks]
    return pl.Series(np.concatenate(counts) if counts else [], dtype=pl.Int64)


def _chunks(texts: pl.Series) -> Iterator[Chunk]:
    group = texts.str.len_bytes().cast(pl.Int64).cum_sum() // CHUNK
    for part in pl.DataFrame({"text": texts, "group": group}).partition_by("group"):
        text = part["text"]
        data = np.frombuffer(text.str.join("\n").cast(pl.Binary).item(), np.uint8)
        yield Chunk(text, data, np.cumsum(text.str.len_bytes().to_numpy().astype(np.int64) + 1))


def _repeated(chunk: Chunk) -> Integers:
    """`repeated` of a chunk: closely only at texts that may hold a run."""
    counts = np.zeros(len(chunk.ends), np.int64)
    rows = np.flatnonzero(np.bincount(np.searchsorted(chunk.ends, _in_runs(chunk.data), side="right")))
    counts[rows] = _runs(chunk.texts[rows]) if len(rows) else 0
    return counts


def _in_runs(data: Bytes) -> Integers:
    """Places within what may be runs, in UTF-8: in one of RUN characters of `width` bytes, 9 × `width` successive bytes
    are those `width` further on, and so are two neighbours among each (4 × `width`)th byte and all between them.
    """
    found = []
    for width in range(1, 5):
        step, n = (RUN - 1) // 2 * width, len(data) - width
        same = data[:n:step] == data[width::step]
        at = np.flatnonzero(same[1:] & same[:-1]) * step
        for ahead in range(1, step):
            at = at[data[at + ahead] == data[at + ahead + width]]
        found.append(at[~np.isin(data[at], _SPACES)])
    return np.concatenate(found)


def _runs(texts: pl.Series) -> Integers:
    """Characters in long runs, per text: all texts as one array, each with one character of its own at the end."""
    codes = np.frombuffer(("\n".join(texts.to_list()) + "\n").encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    lengths = np.diff(np.append(starts, len(codes)))
    ends = np.cumsum(texts.str.len_chars().to_numpy().astype(np.int64) + 1)
    out, long = np.zeros(len(ends), np.int64), lengths >= RUN
    for start, length in zip(starts[long], lengths[long], strict=True):
        if not chr(codes[start]).isspace():
            out[np.searchsorted(ends, start, side="right")] += length
    return out
