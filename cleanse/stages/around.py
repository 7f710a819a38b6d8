"""Rows made up near other classes (`kind` borderline and adasyn): which rows of these are seen, and what is drawn."""

import numpy as np
import polars as pl

from cleanse.errors import InputError
from cleanse.sampling import border, choice, nearest, smote
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure
from cleanse.stages import splits, vectors

M_NEIGHBORS = 10  # of a row, by which BorderlineSMOTE tells whether it is in danger: imbalanced-learn's default


def wanted(settings: Settings) -> bool:
    """True for the kinds that look at other classes."""
    return settings.resample.method == "smote" and settings.resample.kind != "smote"


def measures(settings: Settings) -> tuple[Measure, ...]:
    """Which rows are seen, where any are."""
    found = Measure("around", draw, lambda one, other: pl.concat([one, other]), cut, columns=splits.read_by_resample)
    return (found,) if wanted(settings) else ()


def draw(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.Series:
    """The smallest draws of the labelled train rows, as many as may be seen. Not of copies."""
    frame = vectors.labelled(frame)
    own = (splits.decided(frame, settings) == "train") & ~frame["_id"].str.contains(splits.COPY, literal=True)
    draws = choice.draws(settings.run.seed, "pool", frame["_id"].filter(own))
    return choice.smallest(draws, settings.resample.neighbour_rows)


def cut(draws: pl.Series, settings: Settings, facts: Facts) -> int | None:
    """The largest draw of a row that is seen; None: all rows are."""
    return choice.largest_of(draws, settings.resample.neighbour_rows)


def seen(ids: pl.Series, settings: Settings, facts: Facts) -> pl.Series:
    """True for the train rows that are seen around any class but their own."""
    if not wanted(settings) or facts["around"] is None:
        return pl.repeat(wanted(settings), ids.len(), eager=True)
    found: pl.Series = choice.draws(settings.run.seed, "pool", ids) <= facts["around"]
    return found


def search(x: nearest.Matrix, k: int, start: int, stop: int, settings: Settings) -> nearest.Index:
    """The neighbours among all that is seen of the rows from `start` to `stop`. `x`: the class, then the others."""
    m = M_NEIGHBORS if settings.resample.kind == "borderline" else k
    return nearest.neighbours(x, min(m, len(x) - 1), start, stop)


def grown(
    x: nearest.Matrix, near: nearest.Index, around: nearest.Index, label: str, n_new: int, settings: Settings
) -> nearest.Matrix:
    """The made-up rows of a class, in one draw. Raises InputError where no row of it is near others."""
    is_borderline = settings.resample.kind == "borderline"
    if not np.any(border.in_danger(around) if is_borderline else border.others(around)):
        which = f"half of its {around.shape[1]} neighbours" if is_borderline else "a neighbour"
        what = f"class {label}: no row has {which} in other classes, and {settings.resample.kind} draws from such rows"
        raise InputError("resample-no-border", what, "--kind smote")
    made = border.borderline if is_borderline else border.adasyn
    return made(x, near, around, smote.seed_of(settings.run.seed, label, 0), n_new)
