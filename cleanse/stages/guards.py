"""What `resample` refuses, each with the way out: no labels, no split, one class, features that are none."""

from collections.abc import Mapping

import polars as pl

from cleanse.errors import ConfigError, InputError, column_missing
from cleanse.measures.classes import is_label
from cleanse.sampling.features import Features
from cleanse.settings import Settings
from cleanse.stages import splits, vectors

MOST_RAISED = 10_000  # classes: each is a search of its own, and the label column of so many is hardly one
PASSING = ("none", "weights")  # methods that count every row as train where there are no splits


def accepts(settings: Settings, there: frozenset[str]) -> None:
    """Raises where the method cannot work: it must know the train rows, their labels and, for smote, their vectors."""
    s = settings.resample
    if s.method != "none" and "label" not in there:
        raise _no_label(found=", ".join(sorted(name for name in there if not name.startswith("_"))))
    split = splits.column(settings, there)
    if split and s.make_split:
        raise InputError("resample-has-split", f"there is a column '{split}' already", "leave --make-split out")
    if not split and not (s.make_split or s.all_train or s.method in PASSING):
        raise InputError(
            "resample-no-split",
            "no column 'split': resampling before the split copies train rows into validation",
            "--split-col NAME, --make-split 0.9,0.05,0.05, or --all-train when every row is training data",
        )
    for name in (settings.columns.group, *s.transforms):
        if name and name not in there:
            raise column_missing(name, there, "name")
    if vectors.needed(settings):
        _features(settings, there)


def _no_label(found: str = "") -> InputError:
    help = "--label-col NAME on decode or run, or --method none"
    return InputError("resample-no-label", "no labels: there are no classes to even out", help, found=found)


def _features(settings: Settings, there: frozenset[str]) -> None:
    if settings.resample.features is None:
        raise ConfigError(
            "resample-no-features",
            "smote and the cleaning samplers work on vectors, and no features are named",
            "--features svd, embedding:COLUMN, cols:A,B or mixed:A,B",
        )
    for name in Features.parse(settings.resample.features).columns:
        if name in ("title", "body", "label"):
            raise vectors.text_feature(name)
        if name not in there:
            raise column_missing(name, there, "--features")


def enough(before: Mapping[str, int], labels: pl.Series) -> None:
    """Raises InputError without a label, or with fewer than two classes in the train rows."""
    if not any(is_label(label) for label in labels):
        raise _no_label()
    if len(before) < 2:
        raise InputError(
            "resample-one-class",
            f"{len(before)} class in the train rows: nothing to even out",
            "--method none, or check the label column",
            found=", ".join(before),
        )


def few(before: Mapping[str, int], target: Mapping[str, int]) -> None:
    """Raises InputError where smote would have to raise more classes than it can in a useful time."""
    raised = sum(target[label] > n for label, n in before.items())
    if raised > MOST_RAISED:
        raise InputError(
            "resample-many-classes",
            f"{raised:,} classes to raise, smote takes {MOST_RAISED:,}",
            "--method weights or over, or check the label column",
        )
