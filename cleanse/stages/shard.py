"""shard: files of equal size, rows in an order that the seed decides. No row is dropped or changed."""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from cleanse.measures.classes import text_bytes
from cleanse.measures.shards import spread
from cleanse.measures.tally import Tally, merge, tally
from cleanse.sampling import choice, packing
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Outcome, Side, Stage, reject
from cleanse.stages import splits


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Tally:
    """(split, bucket) → (rows, bytes)."""
    table = frame.with_columns(_u=_draws(frame, settings), _split=splits.of(frame, settings))
    return tally(table, [pl.col("_split"), pl.col("_u") // packing.BUCKET_WIDTH], text_bytes(frame.columns))


def _draws(frame: pl.DataFrame, settings: Settings) -> pl.Series:
    return choice.draws(settings.run.seed, "shard", frame["_id"])


def finish(state: Tally, settings: Settings, facts: Facts) -> dict[str, Any]:
    """`shards`: file, split, rows, bytes of each; `of`: split → bucket → number of its shard."""
    found: dict[str, dict[int, tuple[int, ...]]] = {} if state else {"train": {}}
    for (split, bucket), counts in sorted(state.items()):
        found.setdefault(str(split), {})[int(bucket or 0)] = counts
    unit = 0 if settings.shard.by == "rows" else 1
    loads = {split: {b: counts[unit] for b, counts in buckets.items()} for split, buckets in found.items()}
    heaviest = max(sum(load.values()) for load in loads.values())
    shards: list[dict[str, Any]] = []
    of: dict[str, dict[str, int]] = {}
    for split, load in loads.items():
        n = _n_shards(sum(load.values()), heaviest, sum(counts[1] for counts in found[split].values()), settings)
        where, _ = packing.longest_first(load, n)
        of[split] = {str(bucket): len(shards) + where[bucket] for bucket in sorted(where)}
        sums = [[0, 0] for _ in range(n)]
        for bucket, shard in where.items():
            sums[shard] = [sums[shard][i] + found[split][bucket][i] for i in (0, 1)]
        shards += [
            {"file": f"{split}-{shard:05}-of-{n:05}.parquet", "split": split, "rows": rows, "bytes": size}
            for shard, (rows, size) in enumerate(sums)
        ]
    return {"shards": shards, "of": of}


def _n_shards(load: int, heaviest: int, n_bytes: int, settings: Settings) -> int:
    """Shards of a split: `count` for the heaviest and in proportion for others, else one for each `target_mb`."""
    if settings.shard.count:
        return max(1, -(-load * settings.shard.count // heaviest)) if heaviest else settings.shard.count
    return max(1, math.ceil(n_bytes / (settings.shard.target_mb * 2**20)))


def route(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.Series:
    """The number of the shard that each row goes to, UInt32."""
    plan = facts["shard"]["of"]
    where = {(split, int(bucket)): shard for split, buckets in plan.items() for bucket, shard in buckets.items()}
    keys = frame.select(splits.of(frame, settings), bucket=_draws(frame, settings) // packing.BUCKET_WIDTH)
    return pl.Series("shard", [where[key] for key in keys.iter_rows()], pl.UInt32)


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """The rows of one shard in the order of their draws: a shuffle that any engine repeats."""
    ordered = frame.with_columns(_u=_draws(frame, settings)).sort("_u", "_id").drop("_u")
    return Outcome(ordered, reject(ordered.clear(), "", ""))


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """shards.json: what each file holds, and how even they are."""
    shards = facts["shard"]["shards"]
    even = spread([shard[settings.shard.by] for shard in shards])
    plan = {"schema": "cleanse.shards/1", "seed": settings.run.seed, "by": settings.shard.by, "shards": shards}
    return {"shards.json": {**plan, "max_over_mean": even["max_over_mean"], "idle_share": even["idle_share"]}}


STAGE = Stage(
    "shard",
    ("columns", "shard"),
    apply,
    measures=lambda settings: (Measure("shard", count, merge, finish),),
    route=route,
    outputs=lambda facts: [shard["file"] for shard in facts["shard"]["shards"]],
    side=side,
)
