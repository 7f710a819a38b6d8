"""What each column looks like, learnt from the whole corpus; and which rows look as if their values had changed places.

Integers only until `finish`, so that parts merge in any order to the same facts.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.measures.distribution import deviations, quantile

MAX_COLUMNS = 6
MAX_TALLIED = 8  # columns that are counted; which of them are closed shows at the end
MIN_ROWS = 30
BIN = 32  # of ln(1 + characters) to the unit
MAX_VALUE, MAX_SHAPE, MAX_DIFFERENT = 24, 40, 10_000  # characters, characters, values
COVER, ALIKE = 0.85, 0.95  # shares of the rows for a vocabulary, and for one shape with a digit
SENTENCE_END = r"[。！？!?.…]$"
UNKNOWN, NO_PATTERN, MOVED_MIN = -8.0, -10.0, -9.0  # nats
LONG = 4  # times the typical length: no word of a vocabulary, though shifted titles repeat themselves
MIN_SPREAD = 0.12  # of ln(1 + characters)

State = dict[str, dict[str, Any]]
Facts = dict[str, Any]
Floats = NDArray[np.float64]


def tally(frame: pl.DataFrame, columns: Sequence[str]) -> State:
    """Counts of each column: `n`, `lengths` by bin, `ends` (values that end in a sentence mark), `values` and `shapes`
    (None beyond MAX_DIFFERENT). Nulls are not counted.
    """
    return {name: _column(frame[name].drop_nulls().alias("value")) for name in columns}


def _column(values: pl.Series) -> dict[str, Any]:
    sizes = values.str.len_chars()
    bins = ((sizes + 1).cast(pl.Float64).log() * BIN).floor().cast(pl.Int64)
    short = values.filter(sizes < MAX_SHAPE)
    return {
        "n": values.len(),
        "lengths": _counts(bins),
        "ends": int(values.str.tail(1).str.contains(SENTENCE_END).sum()),
        "values": _bounded(_counts(values.filter(sizes <= MAX_VALUE))),
        "shapes": _bounded(_counts(short.str.replace_all(r"\d+", "0"))),
    }


def _counts(values: pl.Series) -> dict[Any, int]:
    table = values.alias("value").value_counts(name="rows")
    return dict(zip(table["value"], table["rows"], strict=True))


def _bounded(counts: dict[Any, int] | None) -> dict[Any, int] | None:
    return counts if counts is not None and len(counts) <= MAX_DIFFERENT else None


def merge(one: State, other: State) -> State:
    """Both added up. What overflowed once stays so, in any order."""
    return {name: _merged(one[name], other[name]) for name in one}


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: one[key] + other[key] for key in ("n", "ends")}
    both["lengths"] = dict(Counter(one["lengths"]) + Counter(other["lengths"]))
    for key in ("values", "shapes"):
        gone = one[key] is None or other[key] is None
        both[key] = None if gone else _bounded(dict(Counter(one[key]) + Counter(other[key])))
    return both


def finish(state: State, label_values: Sequence[str] | None = None) -> Facts:
    """The columns that are judged, with their kind, typical length and vocabulary. `n`: rows that taught it.

    `label_values`: the vocabulary of label, where the user knows it.
    """
    n = max((column["n"] for column in state.values()), default=0)
    found = {name: _learnt(name, column, label_values) for name, column in state.items() if column["n"]}
    roles = [name for name in found if name in ("title", "body", "label")]
    others = [name for name in found if name not in roles and found[name]["kind"] != "text"]
    chosen = [*roles, *others][:MAX_COLUMNS]
    return {"n": n, "columns": {name: found[name] for name in chosen} if n >= MIN_ROWS else {}}


def _learnt(name: str, column: Mapping[str, Any], label_values: Sequence[str] | None) -> dict[str, Any]:
    n = column["n"]
    lengths = sorted(column["lengths"].items())
    center = quantile(lengths, "0.5")
    spread = quantile(deviations(lengths, center), "0.5")
    share = min(0.98, max(0.02, column["ends"] / n))
    look = {"median": (center + 0.5) / BIN, "spread": max(1.4826 * spread / BIN, MIN_SPREAD), "sentences": share}
    if name in ("title", "body"):
        return {"kind": "text", **look}
    longest = LONG * math.expm1(look["median"])
    often = {word for word, rows in (column["values"] or {}).items() if rows >= max(2, 0.002 * n)}
    words = sorted(word for word in often if len(word) <= longest)
    covered = sum(column["values"][word] for word in words) if words else 0
    if name == "label" and label_values:
        return {"kind": "vocab", **look, "words": sorted(label_values)}
    if covered >= COVER * n:
        return {"kind": "vocab", **look, "words": words}
    shape, rows = max((column["shapes"] or {"": 0}).items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return (
        {"kind": "pattern", **look, "shape": shape} if "0" in shape and rows >= ALIKE * n else {"kind": "text", **look}
    )


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

    >>> words = {"kind": "vocab", "median": 1.1, "spread": 0.12, "sentences": 0.02, "words": ["a", "b"]}
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
    for i in vocab:
        size = whole[names[i]].str.len_chars().to_numpy()
        alien |= (scores[i, :, i] < 0) & (size > LONG * math.expm1(looks[i]["median"]))
    verdicts = []
    for row in np.flatnonzero((gain >= margin) | alien):
        best = _best(scores[:, row, :], vocab)
        if best and best[1] - found[row] >= margin:
            move = tuple((names[source], names[to]) for to, source in enumerate(best[0]) if source != to)
            verdicts.append(Verdict(int(whole["_at"][int(row)]), tuple(sorted(move)), float(best[1] - found[row])))
        elif alien[row]:
            verdicts.append(Verdict(int(whole["_at"][int(row)])))
    return verdicts


class _Values(NamedTuple):
    """The values of a column, with ln(1 + characters), and whether they end in a sentence mark."""

    text: pl.Series
    size: Floats
    ends: NDArray[np.bool_]


def _values(text: pl.Series) -> _Values:
    size = np.log1p(text.str.len_chars().to_numpy())
    return _Values(text, size, text.str.tail(1).str.contains(SENTENCE_END).to_numpy())


def _scores(values: Sequence[_Values], look: Mapping[str, Any]) -> Floats:
    """How well the value of each column (second axis) of each row fits a column of that look, in nats."""
    out = np.empty((len(values[0].size), len(values)))
    for i, (text, size, ends) in enumerate(values):
        z = (size - look["median"]) / look["spread"]
        if look["kind"] == "vocab":
            far = UNKNOWN - np.minimum(12.0, np.maximum(0.0, z) ** 2 / 4)
            out[:, i] = np.where(text.is_in(look["words"]).to_numpy(), 0.0, far)
        elif look["kind"] == "pattern":
            shape = text.str.head(MAX_SHAPE).str.replace_all(r"\d+", "0") == look["shape"]
            out[:, i] = np.where(shape.to_numpy(), 0.0, NO_PATTERN)
        else:
            p = np.where(ends, look["sentences"], 1 - look["sentences"])
            out[:, i] = -1.5 * np.log1p(z**2 / 2) - math.log(look["spread"]) + np.log(p)
    return out


def _best(scores: Floats, vocab: Sequence[int]) -> tuple[tuple[int, ...], float] | None:
    """The likeliest other order (for each column, whose value it takes), if it puts a known word into each vocabulary
    and no value where it cannot belong.
    """
    n = len(scores)
    best: tuple[tuple[int, ...], float] | None = None
    for order in permutations(range(n)):
        parts = [float(scores[to, source]) for to, source in enumerate(order)]
        moved = [part for to, part in enumerate(parts) if order[to] != to]
        if not moved or min(moved) <= MOVED_MIN or any(parts[i] < 0 for i in vocab):
            continue
        if best is None or sum(parts) > best[1]:
            best = (order, sum(parts))
    return best
