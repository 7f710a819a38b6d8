"""Closed columns: those of which one can tell whether a value belongs there. A repair must fit them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

MAX_VALUE = 24  # characters of a value that may be a word of a vocabulary
MAX_VOCABULARY = 10_000
COVER = 0.85  # of the rows hold words of the vocabulary, each met twice or more
ALIKE = 0.95  # of the rows have the one shape, are numbers, or links
MIN_ROWS = 4
NUMBER = r"^[+-]?[$€£¥]?\d[\d,.]*(?:[eE][+-]?\d+)?\s?%?$"
LINK = r"^(?:https?://|ftp://|www\.)\S+$"
_NUMBER, _LINK, _DIGITS = re.compile(NUMBER), re.compile(LINK), re.compile(r"\d+")


@dataclass(frozen=True)
class Closed:
    """What the values of a column look like. `values`: the vocabulary; `shape`: with each run of digits as 0."""

    kind: Literal["number", "link", "shape", "vocabulary"]
    values: frozenset[str] = frozenset()
    shape: str = ""

    def fits(self, value: str) -> bool:
        """True for a value like those met; an empty one only where such were met."""
        if value in self.values:
            return True
        if self.kind == "number":
            return bool(_NUMBER.match(value))
        if self.kind == "link":
            return bool(_LINK.match(value))
        return self.kind == "shape" and _DIGITS.sub("0", value) == self.shape


def learn(columns: Sequence[pl.Series], is_open: Sequence[bool]) -> tuple[Closed | None, ...]:
    """For each column what its values look like, None where they may be anything.

    `columns`: values of the rows that are right beyond doubt; `is_open`: those that are never closed (title, body).
    """
    return tuple(None if free else closed(column) for column, free in zip(columns, is_open, strict=True))


def closed(column: pl.Series) -> Closed | None:
    """What the values of one column look like.

    >>> closed(pl.Series(["财经", "体育", "财经", "体育"])).kind, closed(pl.Series(["N01", "N2", "N3", "N4"])).shape
    ('vocabulary', 'N0')
    """
    n, column = column.len(), column.alias("value")
    if n < MIN_ROWS:
        return None
    empty = int((column == "").sum())
    often = frozenset([""] if empty > 1 else [])
    filled = column.filter(column != "")
    for kind, pattern in (("number", NUMBER), ("link", LINK)):
        if filled.len() and filled.str.contains(pattern).sum() >= ALIKE * filled.len():
            return Closed(kind, often)  # type: ignore[arg-type]  # a Literal in a loop
    shapes = filled.str.replace_all(r"\d+", "0").value_counts(sort=True)
    if filled.len() and "0" in (shape := shapes[0, 0]) and shapes[0, 1] >= ALIKE * filled.len():
        return Closed("shape", often, shape)
    words = column.filter(column.str.len_chars() <= MAX_VALUE).value_counts()
    words = words.filter(pl.col("count") > 1)
    if words["count"].sum() >= COVER * n and words.height <= MAX_VOCABULARY:
        return Closed("vocabulary", frozenset(words[:, 0].to_list()))
    return None


def fit(fields: Sequence[str], columns: Sequence[Closed | None]) -> bool:
    """True when every field of a closed column fits it, and there is one. Of less fields than columns: the first."""
    if len(fields) > len(columns):
        return False
    known = [(field, column) for field, column in zip(fields, columns, strict=False) if column]
    return bool(known) and all(column.fits(field) for field, column in known)
