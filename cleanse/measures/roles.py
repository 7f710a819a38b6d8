"""What each column looks like, learnt from the whole corpus.

Integers only until `finish`, so that parts merge in any order to the same facts.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from cleanse.measures import exchanged
from cleanse.measures.distribution import deviations, quantile

MAX_COLUMNS = 6
MAX_TALLIED = 8  # columns that are counted; which of them are closed shows at the end
MIN_ROWS = 30
BIN = 32  # of ln(1 + characters) to the unit
MAX_VALUE, MAX_SHAPE, MAX_DIFFERENT = 24, 40, 10_000  # characters, characters, values
COVER, ALIKE = 0.85, 0.95  # shares of the rows for a vocabulary, and for one shape with a digit
LEAST_COVER = 0.5  # of the rows, where the others are longer than any word: what stands there may be of other columns
SENTENCE_END = r"[。！？!?.…]$"
LONG = 4  # times the typical length: no word of a vocabulary, though shifted titles repeat themselves
MIN_SPREAD = 0.12  # of ln(1 + characters)

State = dict[str, dict[str, Any]]
Facts = dict[str, Any]


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


def _bounded(counts: dict[Any, int]) -> dict[Any, int] | None:
    return counts if len(counts) <= MAX_DIFFERENT else None


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
    there = _before({name: column for name, column in state.items() if column["n"]})
    found = {name: _learnt(name, column, label_values) for name, column in there.items()}
    roles = [name for name in found if name in ("title", "body", "label")]
    others = [name for name in found if name not in roles and found[name]["kind"] != "text"]
    chosen = [*roles, *others][:MAX_COLUMNS]
    return {"n": n, "columns": {name: found[name] for name in chosen} if n >= MIN_ROWS else {}}


def _before(state: State) -> State:
    """The columns as they were before values of title and body changed places: else the longer of many exchanged rows
    would make each column look like both.
    """
    if not {"title", "body"} <= state.keys():
        return state
    title, body = state["title"], state["body"]
    k = exchanged.share(title, body)
    return {**state, "title": exchanged.undone(title, body, k), "body": exchanged.undone(body, title, k)}


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
        return {"kind": "vocab", **look, "words": sorted(label_values), "cover": 1.0}
    brief = sum(rows for at, rows in column["lengths"].items() if at <= math.log1p(longest) * BIN)
    if covered >= COVER * brief and covered >= LEAST_COVER * n:
        return {"kind": "vocab", **look, "words": words, "cover": covered / n}
    shape, rows = max((column["shapes"] or {"": 0}).items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return (
        {"kind": "pattern", **look, "shape": shape} if "0" in shape and rows >= ALIKE * n else {"kind": "text", **look}
    )
