"""Transforms that resample applies where asked: a new column each, parameters from train rows, the source stays."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from cleanse.measures import distribution as dist
from cleanse.measures import features
from cleanse.measures.keys import crcs
from cleanse.measures.tally import collected, merge, tally
from cleanse.sampling.transforms import Transform, transform
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Side
from cleanse.stages import splits
from cleanse.table import Schema

Counts = dict[str, pl.DataFrame]


def _name(column: str, how: Transform) -> str:
    return f"{column}_{how.kind}"


def _asked(settings: Settings) -> dict[str, Transform]:
    return {column: transform(how) for column, how in sorted(settings.resample.transforms.items())}


def schema(settings: Settings) -> Schema:
    """The new columns."""
    kinds = {"bins": pl.UInt32(), "hash": pl.UInt32()}
    return {_name(column, how): kinds.get(how.kind, pl.Float64()) for column, how in _asked(settings).items()}


def _numbers(frame: pl.DataFrame, column: str) -> pl.Series:
    return splits.text(frame, column).str.strip_chars().cast(pl.Float64, strict=False)


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Counts:
    """Values of each column in the train rows."""
    train = frame.filter(splits.decided(frame, settings) == "train")
    return collected({name: tally(splits.text(train, name).to_frame("value"), "value") for name in _asked(settings)})


def add(one: Counts, other: Counts) -> Counts:
    """Both states as one."""
    return {name: merge(one[name], other[name]) for name in one}


def finish(state: Counts, settings: Settings, facts: Facts) -> dict[str, Any]:
    """column → kind and parameters."""
    return {name: {"kind": how.kind, **_parameters(state[name], how)} for name, how in _asked(settings).items()}


def _parameters(counts: pl.DataFrame, how: Transform) -> dict[str, Any]:
    known = features.millionths(counts)
    if how.kind == "hash":
        return {"n": how.n}
    if how.kind == "log1p" or not known:
        return {}
    if how.kind == "standardise":
        moments = dist.moments(known, features.SCALE)
        return {"mean": moments["mean"], "sd": moments["sd"]}
    if how.kind == "minmax":
        return {"min": known[0][0] / features.SCALE, "max": known[-1][0] / features.SCALE}
    if how.kind == "clip":
        return {"max": dist.quantile(known, how.quantile) / features.SCALE}
    edges = [dist.quantile(known, f"{i}/{how.n}") / features.SCALE for i in range(1, how.n)]
    return {"edges": sorted(set(edges))}


def columns(frame: pl.DataFrame, settings: Settings, facts: Facts) -> list[pl.Series]:
    """The new columns of a part; a value that is no number stays null."""
    found = []
    for column, how in _asked(settings).items():
        new = crcs(splits.text(frame, column)) % how.n if how.kind == "hash" else _applied(frame, column, facts)
        found.append(new.cast(schema(settings)[_name(column, how)]).alias(_name(column, how)))
    return found


def _applied(frame: pl.DataFrame, column: str, facts: Facts) -> pl.Series:
    x: pl.Series = _numbers(frame, column)
    known: dict[str, Any] = facts["transforms"][column]
    if known["kind"] == "log1p":
        return x.clip(lower_bound=0).log1p()
    if len(known) == 1:  # no train row has a number
        return x
    if known["kind"] == "standardise":
        return (x - float(known["mean"])) / (float(known["sd"]) or 1.0)
    if known["kind"] == "minmax":
        return (x - float(known["min"])) / (float(known["max"] - known["min"]) or 1.0)
    if known["kind"] == "clip":
        return x.clip(upper_bound=known["max"])
    return (
        pl.select(pl.sum_horizontal((x > edge).cast(pl.UInt32) for edge in known["edges"]))
        .to_series()
        .set(x.is_null(), None)
    )


def measures(settings: Settings) -> tuple[Measure, ...]:
    """One measure where transforms are asked for."""
    if not settings.resample.transforms:
        return ()
    return (Measure("transforms", count, add, finish, columns=splits.read_by_resample),)


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """transforms.json: what to do to rows of later data."""
    return (
        {"transforms.json": {"schema": "cleanse.transforms/1", **facts["transforms"]}} if "transforms" in facts else {}
    )
