"""Vectors of numbers and categories: categories become numbers of their own, and made-up rows take the usual one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from cleanse.errors import ConfigError
from cleanse.measures import features
from cleanse.measures.tally import collected, merge, tally
from cleanse.sampling import nearest
from cleanse.sampling.features import Features
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure
from cleanse.stages import splits

Counts = dict[str, pl.DataFrame]
Categories = dict[str, list[str] | None]  # column → its values in order; None: numbers


def names(settings: Settings) -> tuple[str, ...]:
    """The columns of `mixed` features, none for others."""
    found = Features.parse(settings.resample.features or "svd")
    return found.columns if found.kind == "mixed" else ()


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Counts:
    """Values of each column."""
    return collected({name: tally(splits.text(frame, name).to_frame("value"), "value") for name in names(settings)})


def add(one: Counts, other: Counts) -> Counts:
    """Both states as one."""
    return {name: merge(one[name], other[name]) for name in one}


def finish(state: Counts, settings: Settings, facts: Facts) -> Categories:
    """Which columns are numbers, and the values of the others."""
    found: Categories = {}
    for name, counts in state.items():
        numeric = features.figures(counts, None).get("kind") == "number"
        values = counts["value"].fill_null("").unique().sort().to_list()
        found[name] = None if numeric else values
    if None not in found.values():
        raise ConfigError("resample-no-features", "mixed features hold no number to draw between", "name one")
    return found


def columns(settings: Settings, there: frozenset[str]) -> frozenset[str]:
    """What the count reads."""
    return there & {*names(settings)}


def measures(settings: Settings) -> tuple[Measure, ...]:
    """One measure where features are mixed."""
    return (Measure("mixed", count, add, finish, columns=columns),) if names(settings) else ()


def embed(frame: pl.DataFrame, categories: Mapping[str, list[str] | None]) -> pl.Series:
    """Numbers as they are, a category as its place among all values of its column."""
    found = []
    for name, values in categories.items():
        text = splits.text(frame, name)
        if values is None:
            found.append(text.str.strip_chars().cast(pl.Float32, strict=False))
        else:
            found.append(text.fill_null("").replace_strict(values, range(len(values)), return_dtype=pl.Float32))
    return frame.select(features=pl.concat_list(found))["features"]


def spread(x: nearest.Matrix, categories: Mapping[str, Any]) -> nearest.Matrix:
    """Rows in a space where two categories are as far apart as the median deviation of the numbers (SMOTE-NC)."""
    numeric = [i for i, values in enumerate(categories.values()) if values is None]
    apart = float(np.median(x[:, numeric].std(axis=0))) / 2**0.5
    parts = [x[:, numeric]]
    for i, values in enumerate(categories.values()):
        if values is not None:
            codes = np.unique(x[:, i])  # only what the class has: other values are far from all alike
            parts.append((x[:, i : i + 1] == codes).astype(np.float32) * np.float32(apart))
    return np.hstack(parts)


def usual(
    x: nearest.Matrix, near: nearest.Index, a: nearest.Index, made: nearest.Matrix, categories: Mapping[str, Any]
) -> nearest.Matrix:
    """`made` rows with the most frequent category of the neighbours of `a` in place of what lies between two codes."""
    found = made.copy()
    for i, values in enumerate(categories.values()):
        if values is not None:
            found[:, i] = majority(x[near[a], i])
    return found


def majority(codes: Any) -> Any:
    """The most frequent value of each row, a tie to the smallest.

    >>> majority(np.array([[0, 1, 1, 0, 2]])).tolist()
    [0]
    """
    ordered = np.sort(codes, axis=1)
    times = (ordered[:, :, None] == ordered[:, None, :]).sum(axis=2)
    return np.take_along_axis(ordered, times.argmax(axis=1)[:, None], axis=1)[:, 0]
