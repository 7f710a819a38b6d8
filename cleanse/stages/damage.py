"""Damaged text: what share of a row's title and body is replacement characters, mojibake, controls, runs or symbols.

A cheap question goes to the whole column first; only rows that can hit are looked at closely.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from cleanse.settings import CheckSettings

AT_LEAST = 3  # characters: one odd sign in a short text is no damage
RUN = 10  # equal characters in a row
MOJIBAKE = ["锟斤拷", "烫烫烫", "屯屯屯", "Ã", "Â", "â€", "ï»¿"]
_MOJIBAKE = re.compile(r"锟斤拷|烫{3,}|屯{3,}|[ÃÂ][\x80-\xbf]|â€|ï»¿")
CONTROL = r"[\x00-\x08\x0B-\x0C\x0E-\x1F\x7F-\u{9F}]"
SYMBOL = r"[^\p{L}\p{M}\p{N}\s]"
CHUNK = 1 << 22  # characters that are looked at as one array

Question = Callable[[pl.Series], pl.Series]


def shares(frame: pl.DataFrame, roles: Sequence[str], s: CheckSettings) -> dict[str, tuple[pl.Series, float]]:
    """Reason → (share of each row's characters, the limit), for rules that are on; 0 for counts below AT_LEAST."""
    texts = [frame[role].fill_null("") for role in roles]
    total = sum((text.str.len_chars().cast(pl.Int64) for text in texts), pl.zeros(frame.height, pl.Int64, eager=True))
    asked: list[tuple[str, float | None, Question]] = [
        ("text_replacement", s.max_replacement_share, lambda text: text.str.count_matches("\ufffd", literal=True)),
        ("text_mojibake", s.max_mojibake_share, mojibake),
        ("text_control", s.max_control_share, lambda text: text.str.count_matches(CONTROL)),
        ("text_repeated", s.max_repeated_share, repeated),
        ("text_symbols", s.max_symbol_share, lambda text: text.str.count_matches(SYMBOL)),
    ]
    found = {}
    for reason, limit, count in asked:
        if limit is not None:
            zero = pl.zeros(frame.height, pl.Int64, eager=True)
            n = sum((count(text).cast(pl.Int64) for text in texts), zero)
            share = pl.select(pl.when(n >= AT_LEAST).then(n / total).otherwise(0.0).alias(reason)).to_series()
            found[reason] = (share, limit)
    return found


def mojibake(texts: pl.Series) -> pl.Series:
    """Characters of each text that lie in well-known mojibake."""
    rows = texts.str.contains_any(MOJIBAKE).arg_true()
    counts = pl.zeros(texts.len(), pl.Int64, eager=True)
    return counts.scatter(rows, [sum(map(len, _MOJIBAKE.findall(text))) for text in texts.gather(rows)])


def repeated(texts: pl.Series) -> pl.Series:
    """Characters of each text in runs of RUN and more that are no white space.

    >>> repeated(pl.Series(["哈" * 12 + "好", "a" * 9, " " * 50, ""])).to_list()
    [12, 0, 0, 0]
    """
    sizes = texts.str.len_chars().cast(pl.Int64)
    group = (sizes.cum_sum() // CHUNK).to_numpy()
    borders = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), texts.len()]
    parts = [_runs(texts[a:b], sizes[a:b].to_numpy()) for a, b in pairwise(borders)]
    return pl.Series(np.concatenate(parts) if parts else [], dtype=pl.Int64)


def _runs(
    texts: pl.Series, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Characters in long runs, per text: all texts as one array, each with one character of its own at the end."""
    codes = np.frombuffer(("\n".join(texts.to_list()) + "\n").encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    out = np.zeros(len(sizes), dtype=np.int64)
    if not _may_run(codes):
        return out
    starts = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    lengths = np.diff(np.append(starts, len(codes)))
    long = lengths >= RUN
    begins = np.concatenate(([0], np.cumsum(sizes + 1)[:-1])) if len(sizes) else np.zeros(0, dtype=np.int64)
    for start, length in zip(starts[long], lengths[long], strict=True):
        if not chr(codes[start]).isspace():
            out[np.searchsorted(begins, start, side="right") - 1] += length
    return out


def _may_run(codes: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> bool:
    """True when a run may be there: one of RUN characters covers two neighbours among each (RUN / 2)th character."""
    step = RUN // 2
    probe = codes[::step]
    at = np.flatnonzero(probe[1:] == probe[:-1]) * step
    return bool(np.logical_and.reduce([codes[at + k] == codes[at] for k in range(1, step)]).any())
