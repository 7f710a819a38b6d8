"""Made-up rows of resample with smote: a class is picked, its neighbours are sought, its blocks are drawn."""

import hashlib
from collections.abc import Iterator

import numpy as np
import polars as pl

from cleanse.errors import CleanseError, InputError
from cleanse.sampling import choice, nearest, smote
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import mixed
from cleanse.stages.vectors import matrix, whole_table


def plan(settings: Settings, facts: Facts) -> dict[str, int]:
    """label → rows to make up, of the classes that are raised."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    if settings.resample.method != "smote":
        return {}
    return {label: target[label] - n for label, n in sorted(before.items()) if target[label] > n}


def pick(rows: pl.DataFrame, label: str, settings: Settings) -> pl.DataFrame:
    """The different vectors of a class, by `_id`; at most `neighbour_rows`. `rows`: its real train vectors.

    Raises InputError where they are too few to draw between.
    """
    s, rows = settings.resample, rows.sort("_id")
    first = smote.distinct(matrix(rows, s.memory_mb))
    if len(first) > s.neighbour_rows:
        u = choice.draws(settings.run.seed, "pool", rows["_id"].gather(first))
        first = np.sort(first[u.arg_sort()[: s.neighbour_rows].to_numpy()])
    _neighbours(label, len(first), settings)
    return rows.select("_id", "features", "vectorizer_id")[first]


def search(crowd: pl.DataFrame, label: str, start: int, stop: int, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`near`: the neighbours of the rows of a picked class from `start` to `stop`; empty lists where it is copied."""
    k, categories = _neighbours(label, crowd.height, settings), facts.get("mixed", {})
    if not k:
        return pl.DataFrame({"near": [[]] * (stop - start)}, schema={"near": pl.List(pl.Int64)})
    x = matrix(crowd, settings.resample.memory_mb)
    near = nearest.neighbours(mixed.spread(x, categories) if categories else x, k, start, stop)
    return pl.DataFrame({"near": pl.Series(near).arr.to_list()})


def grow(
    crowd: pl.DataFrame, near: pl.DataFrame, label: str, draws: Draws, settings: Settings, facts: Facts
) -> Iterator[pl.DataFrame]:
    """Made-up rows of a picked class, a table of TABLE for each block. `near`: `search` for all its rows."""
    s, ids, categories = settings.resample, crowd["_id"], facts.get("mixed", {})
    x = matrix(crowd, s.memory_mb)
    table: nearest.Index = near["near"].explode(empty_as_null=False).to_numpy().reshape(len(x), -1)
    name = hashlib.blake2b(f"smote|{label}".encode(), digest_size=32).hexdigest()[:12]
    if table.size:
        blocks = smote.blocks(x, table, label, settings.run.seed, draws, even=s.even)
    else:
        blocks = smote.copies(x, draws)
    for block in blocks:
        start = block.number * s.block_rows + 1
        made = smote.unit(block.vectors) if s.renormalise else block.vectors
        if categories and table.size:
            made = mixed.usual(x, table, block.a, made, categories)
        columns = {
            "_id": pl.select(pl.format(name + ":{}", pl.int_range(start, start + len(made)))).to_series(),
            "features": pl.Series(made).arr.to_list(),
            "parent_a": ids.gather(block.a),
            "parent_b": ids.gather(block.b),
            "lambda": block.lam,
        }
        same = {"label": label, "split": "train", "is_synthetic": True, "block": block.number}
        frame = pl.DataFrame(columns).with_columns(pl.lit(value).alias(column) for column, value in same.items())
        yield whole_table(frame, crowd["vectorizer_id"][0])


def _neighbours(label: str, n: int, settings: Settings) -> int:
    """k of a class of n different vectors; 0: copies, since there is nothing to draw between."""
    s = settings.resample
    if n > s.k_neighbors:
        return s.k_neighbors
    if s.small_class == "error":
        raise small_class(label, n, s.k_neighbors)
    return n - 1 if s.small_class == "shrink" else 0


def small_class(label: str, n: int, k: int) -> CleanseError:
    """The error for a class with too few different vectors."""
    what = f"class {label} has {n} different vectors, {k} neighbours need {k + 1}"
    return InputError("resample-small-class", what, "--small-class shrink or copy, or a smaller --k-neighbors")
