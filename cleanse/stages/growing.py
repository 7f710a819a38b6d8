"""Made-up rows of resample with smote: a class is picked, its neighbours are sought, its blocks are drawn."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import polars as pl

from cleanse.errors import CleanseError, InputError
from cleanse.sampling import choice, nearest, smote
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import around, mixed, splits
from cleanse.stages.vectors import matrix, whole_table


def plan(settings: Settings, facts: Facts) -> dict[str, int]:
    """label → rows to make up, of the classes that are raised."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    if settings.resample.method != "smote":
        return {}
    return {label: target[label] - n for label, n in sorted(before.items()) if target[label] > n}


def aside(table: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The vectors among those of `embed` that rows are made up between, and those that may stand around them (column
    `around`). Not copies: a copy counts for its parent.
    """
    own = table.filter((pl.col("split") == "train") & ~pl.col("_id").str.contains(splits.COPY, literal=True))
    return own.with_columns(around=around.seen(own["_id"], settings, facts)).filter(
        pl.col("label").is_in(list(plan(settings, facts))) | pl.col("around")
    )


def pick(parts: Iterable[pl.DataFrame], label: str, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The different vectors of a class, by `_id`, at most `neighbour_rows`; then those around it that are seen.

    `parts`: tables of `aside`, read twice where they hold more: once for what tells vectors apart, once for those that
    are taken. Raises InputError where they are too few to draw between.
    """
    s, found = settings.resample, pl.col("label") == label
    if facts["classes"]["before"][label] <= s.neighbour_rows:
        parts = [part.filter(found | pl.col("around")) for part in parts]
    named = pl.concat(_named(part.filter(found)) for part in parts)
    ids = named.sort("_id").unique("vector", keep="first", maintain_order=True)["_id"]
    if ids.len() > s.neighbour_rows:
        ids = ids.gather(choice.draws(settings.run.seed, "pool", ids).arg_sort()[: s.neighbour_rows])
    _neighbours(label, ids.len(), settings)
    taken = pl.col("_id").is_in(ids.implode()) | (pl.col("around") & ~found)
    rows = pl.concat(part.filter(taken).select("_id", "label", "features", "vectorizer_id") for part in parts)
    return rows.sort(~found, "_id")


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    x = matrix(rows)
    return rows.select("_id", vector=pl.Series(smote.names(x), dtype=pl.Binary))


def search(crowd: pl.DataFrame, label: str, start: int, stop: int, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The neighbours of the rows of a picked class from `start` to `stop`: `near` in the class, and `around` among all
    that is seen, where the kind asks for them. Empty lists where rows are copied.
    """
    own = crowd.filter(pl.col("label") == label) if around.wanted(settings) else crowd
    k, categories = _neighbours(label, own.height, settings), facts.get("mixed", {})
    if not k:
        return pl.DataFrame({"near": [[]] * (stop - start)}, schema={"near": pl.List(pl.Int64)})
    x = matrix(own)
    near = nearest.neighbours(mixed.spread(x, categories) if categories else x, k, start, stop)
    found = {"near": near}
    if around.wanted(settings):
        found["around"] = around.search(matrix(crowd), k, start, stop, settings)
    return pl.DataFrame({name: pl.Series(table).arr.to_list() for name, table in found.items()})


class Drawn(NamedTuple):
    """Made-up rows of one table: the number of its `block`, of its `first` row, what is `told` of their parents."""

    block: int
    first: int
    vectors: nearest.Matrix
    told: dict[str, Any]


def grow(
    crowd: pl.DataFrame, near: pl.DataFrame, label: str, draws: Draws, settings: Settings, facts: Facts
) -> Iterator[pl.DataFrame]:
    """Made-up rows of a picked class, a table of TABLE for each of `draws`. `near`: `search` for all its rows."""
    name = hashlib.blake2b(f"smote|{label}".encode(), digest_size=32).hexdigest()[:12]
    found = _untold if "around" in near.columns else _told
    for drawn in found(crowd, near, label, draws, settings, facts):
        numbers = pl.int_range(drawn.first, drawn.first + len(drawn.vectors))
        columns = {
            "_id": pl.select(pl.format(name + ":{}", numbers)).to_series(),
            "features": pl.Series(drawn.vectors).arr.to_list(),
            **drawn.told,
        }
        same = {"label": label, "split": "train", "is_synthetic": True, "block": drawn.block}
        frame = pl.DataFrame(columns).with_columns(pl.lit(value).alias(column) for column, value in same.items())
        yield whole_table(frame, crowd["vectorizer_id"][0])


def _told(
    crowd: pl.DataFrame, near: pl.DataFrame, label: str, draws: Draws, settings: Settings, facts: Facts
) -> Iterator[Drawn]:
    """Rows whose parents are known."""
    own, s, categories = crowd.head(near.height), settings.resample, facts.get("mixed", {})
    x, ids, table = matrix(own), own["_id"], _index(near["near"])
    if table.size:
        blocks = smote.blocks(x, table, label, settings.run.seed, draws, even=s.even)
    else:
        blocks = smote.copies(x, draws)
    for block in blocks:
        made = _sized(block.vectors, settings)
        if categories and table.size:
            made = mixed.usual(x, table, block.a, made, categories)
        told = {"parent_a": ids.gather(block.a), "parent_b": ids.gather(block.b), "lambda": block.lam}
        yield Drawn(block.number, block.number * s.block_rows + 1, made, told)


def _untold(
    crowd: pl.DataFrame, near: pl.DataFrame, label: str, draws: Draws, settings: Settings, facts: Facts
) -> Iterator[Drawn]:
    """Rows of one draw, in tables as large as those of many."""
    own, seen = _index(near["near"]), _index(near["around"])
    made = around.grown(matrix(crowd), own, seen, label, draws.n_new, settings)
    for number in draws.numbers:
        first = number * draws.rows
        yield Drawn(0, first + 1, _sized(made[first : first + draws.rows], settings), {})


def _index(lists: pl.Series) -> nearest.Index:
    table: nearest.Index = lists.explode(empty_as_null=False).to_numpy().reshape(len(lists), -1)
    return table


def _sized(made: nearest.Matrix, settings: Settings) -> nearest.Matrix:
    return smote.unit(made) if settings.resample.renormalise else made


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
