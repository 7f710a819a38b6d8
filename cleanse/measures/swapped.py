"""Which rows look as if their values had changed places, by what each column of the corpus looks like."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.measures.roles import COVER, LONG, MAX_SHAPE, SENTENCE_END, Facts

UNKNOWN, NO_PATTERN, MOVED_MIN = -8.0, -10.0, -9.0  # nats

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """What a row looks like: `move` found column → where its value belongs, with the `margin` in nats; or no `move`
    but a label that is none.
    """

    row: int
    move: tuple[tuple[str, str], ...] = ()
    margin: float = 0.0


def judge(frame: pl.DataFrame, facts: Facts, margin: float) -> list[Verdict]:
    """The rows whose values look as if they had changed places, and those with something else in a vocabulary.

    Rows with a null in a judged column are not judged. `margin`: nats by which another order must be likelier.

    >>> words = {"kind": "vocab", "median": 1.1, "spread": 0.12, "sentences": 0.02, "words": ["a", "b"], "cover": 1.0}
    >>> text = {"kind": "text", "median": 4.0, "spread": 0.3, "sentences": 0.98}
    >>> rows = pl.DataFrame({"body": ["x" * 60 + ".", "a"], "label": ["b", "y" * 60 + "."]})
    >>> judge(rows, {"n": 99, "columns": {"body": text, "label": words}}, 6.0)[0].move
    (('body', 'label'), ('label', 'body'))
    """
    names = [name for name in facts["columns"] if name in frame.columns]
    if len(names) < 2 or frame.is_empty():
        return []
    whole = frame.with_row_index("_at").drop_nulls(names)
    looks = [facts["columns"][name] for name in names]
    values = [_values(whole[name]) for name in names]
    scores = np.stack([_scores(values, look) for look in looks])  # column it is placed in, row, value's column
    found = np.einsum("crc->r", scores)
    gain = scores.max(axis=0).sum(axis=1) - found
    vocab = [i for i, look in enumerate(looks) if look["kind"] == "vocab"]
    alien = np.zeros(whole.height, dtype=bool)
    for i in (i for i in vocab if looks[i].get("cover", 1.0) >= COVER):
        size = whole[names[i]].str.len_chars().to_numpy()
        alien |= (scores[i, :, i] < 0) & (size > LONG * math.expm1(looks[i]["median"]))
    rows = np.flatnonzero((gain >= margin) | alien)
    verdicts, looked = list[Verdict](), _best(scores[:, rows], vocab)
    for row, order, score in zip(rows.tolist(), *looked, strict=True):
        if score - found[row] >= margin:
            move = tuple((names[source], names[to]) for to, source in enumerate(order) if source != to)
            verdicts.append(Verdict(int(whole["_at"][row]), tuple(sorted(move)), float(score - found[row])))
        elif alien[row]:
            verdicts.append(Verdict(int(whole["_at"][row])))
    return verdicts


class _Values(NamedTuple):
    """The values of a column, with ln(1 + characters), whether they end in a sentence mark, and their shapes."""

    text: pl.Series
    size: Floats
    ends: NDArray[np.bool_]
    shape: pl.Series


def _values(text: pl.Series) -> _Values:
    size = np.log1p(text.str.len_chars().to_numpy())
    ends = text.str.tail(1).str.contains(SENTENCE_END).to_numpy()
    return _Values(text, size, ends, text.str.head(MAX_SHAPE).str.replace_all(r"\d+", "0"))


def _scores(values: Sequence[_Values], look: Mapping[str, Any]) -> Floats:
    """How well the value of each column (second axis) of each row fits a column of that look, in nats."""
    out = np.empty((len(values[0].size), len(values)))
    for i, (text, size, ends, shape) in enumerate(values):
        z = (size - look["median"]) / look["spread"]
        if look["kind"] == "vocab":
            far = UNKNOWN - np.minimum(12.0, np.maximum(0.0, z) ** 2 / 4)
            out[:, i] = np.where(text.is_in(look["words"]).to_numpy(), 0.0, far)
        elif look["kind"] == "pattern":
            out[:, i] = np.where((shape == look["shape"]).to_numpy(), 0.0, NO_PATTERN)
        else:
            p = np.where(ends, look["sentences"], 1 - look["sentences"])
            out[:, i] = -1.5 * np.log1p(z**2 / 2) - math.log(look["spread"]) + np.log(p)
    return out


def _best(scores: Floats, vocab: Sequence[int]) -> tuple[Integers, Floats]:
    """For each row the likeliest other order (for each column, whose value it takes) that puts a known word into each
    vocabulary and no value where it cannot belong, and how likely it is; −∞ where there is none.
    """
    columns = np.arange(len(scores))
    orders = np.array([*permutations(columns.tolist())][1:])  # the first moves nothing
    parts = scores[columns[:, None], :, orders.T]  # column, order, row
    moved = (columns[:, None] != orders.T)[:, :, None]
    cannot = (moved & (parts <= MOVED_MIN)).any(axis=0) | (parts[[*vocab]] < 0).any(axis=0)
    likely = np.where(cannot, -np.inf, sum(parts))
    best = likely.argmax(axis=0)
    return orders[best], likely.max(axis=0, initial=-np.inf)
