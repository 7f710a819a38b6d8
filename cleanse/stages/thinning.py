"""resample by the cleaning samplers: pools of train vectors, and which rows of the large classes go."""

import polars as pl

from cleanse.sampling import choice, cleaning
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages.vectors import matrix


def reason(settings: Settings) -> str:
    """The reason of a row that goes: `undersampled_tomek` and so on."""
    return f"undersampled_{settings.resample.under_kind.rstrip('123')}"


def _cut(facts: Facts) -> dict[str, tuple[int, int]]:
    """label → train rows and target, of the classes that may lose rows."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    return {label: (n, target[label]) for label, n in before.items() if target[label] < n}


def pools(settings: Settings, facts: Facts) -> int:
    """Pools of at most `pool_rows` rows; the classes that are not cut are in each of them."""
    if settings.resample.method != "under" or not _cut(facts):
        return 0
    large: int = sum(n for n, _ in _cut(facts).values())
    small: int = sum(facts["classes"]["before"].values()) - large
    return -(-large // max(1, settings.resample.pool_rows - small))


def pool_size(settings: Settings, facts: Facts) -> int:
    """Rows of a pool, about: the draws decide. 0 where there are none."""
    n, large = pools(settings, facts), sum(rows for rows, _ in _cut(facts).values())
    return sum(facts["classes"]["before"].values()) - large + -(-large // n) if n else 0


def in_pool(rows: pl.DataFrame, pool: int, settings: Settings, facts: Facts) -> pl.DataFrame:
    """The train vectors of a pool: all of small classes, of large ones those whose draws fall into it."""
    train, n = rows.filter(pl.col("split") == "train"), pools(settings, facts)
    u = choice.draws(settings.run.seed, "pool", train["_id"])
    large = train["label"].is_in(list(_cut(facts)))
    return train.filter(~large | (u // -(-choice.SPACE // n) == pool) if n > 1 else pl.lit(True))


def dropped(rows: pl.DataFrame, settings: Settings, facts: Facts) -> list[str]:
    """`_id` of the rows of a pool that go. No class falls below k + 1 rows or `floor`, whatever a sampler says."""
    s, rows = settings.resample, rows.sort("_id")
    counts = dict(rows.group_by("label").len().iter_rows())
    least = max(s.k_neighbors + 1, s.floor)
    goal = {c: min(counts[c], max(least, counts[c] * t // n)) for c, (n, t) in _cut(facts).items() if c in counts}
    if not goal or len(counts) < 2 or s.under_kind == "random":
        return []
    stay = cleaning.survivors(matrix(rows), rows["label"].to_list(), s.under_kind, goal, settings.run.seed)
    table = rows.select("_id", "label").with_row_index("row")
    gone = table.filter(~pl.col("row").is_in(stay.tolist()) & pl.col("label").is_in(list(goal)))
    return [
        id
        for label in goal
        for id in _spared(gone.filter(pl.col("label") == label)["_id"], counts[label] - least, settings)
    ]


def _spared(ids: pl.Series, most: int, settings: Settings) -> list[str]:
    """At most `most` of them, those of the largest draws."""
    order = choice.draws(settings.run.seed, "under", ids).arg_sort(descending=True)
    found: list[str] = ids.gather(order[: max(0, most)]).sort().to_list()
    return found
