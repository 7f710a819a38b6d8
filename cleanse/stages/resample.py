"""resample: cut classes to their targets. Which rows stay follows from the seed and `_id`, not from parts or order."""

import math
from collections.abc import Mapping
from heapq import nsmallest
from typing import Any

import polars as pl

from cleanse.errors import InputError
from cleanse.measures import classes
from cleanse.measures.tally import Tally, merge
from cleanse.sampling import choice, targets
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Outcome, Side, Stage
from cleanse.stages import splits

State = dict[str, list[int]]


def accepts(settings: Settings, columns: frozenset[str]) -> None:
    """Raises InputError where the method cannot work: it must know the train rows and their labels."""
    if settings.resample.method == "none":
        return
    if "label" not in columns:
        raise InputError(
            "resample-no-label",
            "no label column: there are no classes to even out",
            "--label-col NAME on decode or run, or --method none",
            found=", ".join(sorted(name for name in columns if not name.startswith("_"))),
        )
    if splits.column(settings, list(columns)) is None and not settings.resample.all_train:
        raise InputError(
            "resample-no-split",
            "no column 'split': resampling before the split changes validation rows as well",
            "--split-col NAME, or --all-train when every row is training data",
        )


def _targets(settings: Settings, facts: Facts) -> dict[str, tuple[int, int]]:
    """label → (train rows, rows to keep). Raises InputError below two classes."""
    rows = facts["classes"]
    counts = classes.per_label(rows, None if settings.resample.all_train else "train")
    if len(counts) < 2:
        raise InputError(
            "resample-one-class",
            f"{len(counts)} class in the train rows: nothing to even out",
            "--method none, or check the label column",
            found=", ".join(counts),
        )
    kept = targets.under(counts, settings.resample.target)
    return {label: (n, kept[label]) for label, n in counts.items()}


def smallest(frame: pl.DataFrame, settings: Settings, facts: Facts) -> State:
    """The draws of the rows that may stay: of each class to be cut, the smallest ones up to its target."""
    train = frame.filter(_train(frame, settings))
    cut = {label: keep for label, (n, keep) in _targets(settings, facts).items() if keep < n}
    found: State = {}
    for label, keep in cut.items():
        ids = train.filter(pl.col("label") == label)["_id"]
        found[label] = nsmallest(keep, choice.draws(settings.run.seed, "under", ids).to_list())
    return found


def _train(frame: pl.DataFrame, settings: Settings) -> pl.Series:
    if settings.resample.all_train:
        return pl.repeat(True, frame.height, dtype=pl.Boolean, eager=True)
    return splits.of(frame, settings) == "train"


def add(one: State, other: State) -> State:
    """Both states as one. Longer than the target is cut in `finish`: a merge must not know it."""
    return {label: one.get(label, []) + other.get(label, []) for label in {**one, **other}}


def finish(state: State, settings: Settings, facts: Facts) -> dict[str, Any]:
    """`cuts`: label → the largest draw that stays; `counts`: label → [before, target]."""
    counts = _targets(settings, facts)
    cuts = {label: sorted(draws)[counts[label][1] - 1] for label, draws in sorted(state.items())}
    return {"cuts": cuts, "counts": {label: list(counts[label]) for label in sorted(counts)}}


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Rows up to their class's cut stay, in input order; the rest is `undersampled`."""
    cuts, counts = facts["under"]["cuts"], facts["under"]["counts"]
    capped = frame.with_columns(_u=choice.draws(settings.run.seed, "under", frame["_id"])).with_columns(
        _cut=pl.col("label").replace_strict(cuts, default=None, return_dtype=pl.UInt64)
    )
    over = (_train(frame, settings) & (pl.col("_u") > pl.col("_cut"))).fill_null(False)
    target = pl.col("label").replace_strict({k: v[1] for k, v in counts.items()}, default=None, return_dtype=pl.Int64)
    detail = pl.format("class cut to {} rows", target)
    rejected = capped.filter(over).with_columns(_reason=pl.lit("undersampled"), _detail=detail).drop("_u", "_cut")
    blank = frame["label"].fill_null("").str.strip_chars() == ""
    return Outcome(capped.filter(~over).drop("_u", "_cut"), rejected, {"unlabelled_kept": int(blank.sum())})


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """weights.json: what a loss needs to weigh the classes as they were before, and as they are now."""
    before = classes.per_label(
        facts["classes"], None if settings.resample.all_train else classes.train_split(facts["classes"])
    )
    after = {**before, **{label: keep for label, (_, keep) in facts.get("under", {"counts": {}})["counts"].items()}}
    n, k = sum(before.values()), len(before)
    return {
        "weights.json": {
            "schema": "cleanse.weights/1",
            "seed": settings.run.seed,
            "method": settings.resample.method,
            "target": settings.resample.target,
            "counts": {c: {"before": before[c], "after": after[c]} for c in sorted(before)},
            "class_weight": {c: n / (k * before[c]) for c in sorted(before)},
            "log_prior": {c: math.log(before[c] / n) for c in sorted(before)},
        }
    }


def _count_classes(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Tally:
    return classes.count(frame, splits.of(frame, settings) if splits.column(settings, frame.columns) else None)


def _class_table(state: Tally, settings: Settings, facts: Facts) -> list[dict[str, Any]]:
    return classes.table(state)


CLASSES = Measure("classes", _count_classes, merge, _class_table, saved="classes.parquet")
UNDER = Measure("under", smallest, add, finish)

STAGE = Stage(
    "resample",
    ("columns", "resample"),
    apply,
    measures=lambda settings: (CLASSES,) if settings.resample.method == "none" else (CLASSES, UNDER),
    accepts=accepts,
    passes=lambda settings: settings.resample.method == "none",
    side=side,
)
