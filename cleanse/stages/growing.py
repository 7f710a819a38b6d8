"""Made-up rows of resample with smote: a class is picked, its neighbours are sought, its blocks are drawn."""

import hashlib
from collections.abc import Iterable, Iterator

import polars as pl

from cleanse.errors import CleanseError, InputError
from cleanse.sampling import choice, nearest, smote
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import mixed, splits
from cleanse.stages.vectors import matrix, whole_table


def plan(settings: Settings, facts: Facts) -> dict[str, int]:
    """label → rows to make up, of the classes that are raised."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    if settings.resample.method != "smote":
        return {}
    return {label: target[label] - n for label, n in sorted(before.items()) if target[label] > n}


def aside(table: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The vectors among those of `embed` that rows are made up between. Not copies: a copy counts for its parent."""
    own = pl.col("label").is_in(list(plan(settings, facts))) & (pl.col("split") == "train")
    return table.filter(own & ~pl.col("_id").str.contains(splits.COPY, literal=True))


def pick(parts: Iterable[pl.DataFrame], label: str, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The different vectors of a class, by `_id`; at most `neighbour_rows`.

    `parts`: tables of `aside`, read twice where they hold more: once for what tells vectors apart, once for those that
    are taken. Raises InputError where they are too few to draw between.
    """
    s = settings.resample
    if facts["classes"]["before"][label] <= s.neighbour_rows:
        parts = [part.filter(pl.col("label") == label) for part in parts]
    named = pl.concat(_named(part.filter(pl.col("label") == label)) for part in parts)
    ids = named.sort("_id").unique("vector", keep="first", maintain_order=True)["_id"]
    if ids.len() > s.neighbour_rows:
        ids = ids.gather(choice.draws(settings.run.seed, "pool", ids).arg_sort()[: s.neighbour_rows])
    _neighbours(label, ids.len(), settings)
    found = pl.concat(part.filter(pl.col("_id").is_in(ids.implode())) for part in parts)
    return found.select("_id", "features", "vectorizer_id").sort("_id")


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    x = matrix(rows)
    return rows.select("_id", vector=pl.Series(smote.names(x), dtype=pl.Binary))


def search(crowd: pl.DataFrame, label: str, start: int, stop: int, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`near`: the neighbours of the rows of a picked class from `start` to `stop`; empty lists where it is copied."""
    k, categories = _neighbours(label, crowd.height, settings), facts.get("mixed", {})
    if not k:
        return pl.DataFrame({"near": [[]] * (stop - start)}, schema={"near": pl.List(pl.Int64)})
    x = matrix(crowd)
    near = nearest.neighbours(mixed.spread(x, categories) if categories else x, k, start, stop)
    return pl.DataFrame({"near": pl.Series(near).arr.to_list()})


def grow(
    crowd: pl.DataFrame, near: pl.DataFrame, label: str, draws: Draws, settings: Settings, facts: Facts
) -> Iterator[pl.DataFrame]:
    """Made-up rows of a picked class, a table of TABLE for each block. `near`: `search` for all its rows."""
    s, ids, categories = settings.resample, crowd["_id"], facts.get("mixed", {})
    x = matrix(crowd)
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
