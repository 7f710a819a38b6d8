"""shard: files of equal size, rows in an order that the seed decides. No row is dropped or changed."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from cleanse.errors import column_missing
from cleanse.measures import keys
from cleanse.measures.shards import spread
from cleanse.measures.tally import collected, merge, tally
from cleanse.sampling import choice, packing
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Outcome, Side, Stage, reject
from cleanse.stages import splits
from cleanse.table import Schema

WINDOW = 50  # batches that are sorted by length together: enough for even batches, little enough to stay shuffled
LENGTH = "sample_length"


def unit_of(settings: Settings) -> str:
    """What is made even: as asked for, else tokens where they are counted, else bytes."""
    return settings.shard.by or ("tokens" if settings.columns.tokens else "bytes")


def accepts(settings: Settings, schema: Schema) -> None:
    """Raises InputError for a named column that is not there."""
    there = frozenset(schema)
    for name, flag in ((settings.shard.key, "--key"), (settings.columns.tokens, "--tokens-col")):
        if name and name not in there:
            raise column_missing(name, there, flag)
    if settings.shard.by == "tokens" and not settings.columns.tokens:
        raise column_missing("tokens", there, "--tokens-col")


def columns(settings: Settings, there: frozenset[str]) -> frozenset[str]:
    """What the counts read: ids, splits, the key, and the texts for their size."""
    wanted = {"_id", "title", "body", splits.column(settings, there), settings.columns.tokens, settings.shard.key}
    return there & wanted


def count_keys(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """Loads by split and key."""
    key = splits.text(frame, settings.shard.key or "").alias("key")
    table = splits.sizes(frame, settings).with_columns(splits.of(frame, settings), key)
    return collected({"keys": tally(table, "split", "key")})["keys"]


def hot_keys(counts: pl.DataFrame, settings: Settings, facts: Facts) -> list[dict[str, Any]]:
    """Keys above an even load: split, key, share, the slowdown they force, and into how many pieces they are cut."""
    unit, found = unit_of(settings), []
    loads = {str(split): int(load) for split, load in counts.group_by("split").agg(pl.col(unit).sum()).iter_rows()}
    sizes = {str(split): int(n) for split, n in counts.group_by("split").agg(pl.col("bytes").sum()).iter_rows()}
    for row in counts.sort(["split", unit, "key"], descending=[False, True, False]).iter_rows(named=True):
        n = _n_shards(loads[row["split"]], max(loads.values()), sizes[row["split"]], settings)
        if n * row[unit] > loads[row["split"]]:
            price = keys.floor(row[unit], loads[row["split"]], n)
            pieces = price["salts"] if settings.shard.salt else 1
            share = row[unit] / loads[row["split"]]
            found.append(
                {"split": row["split"], "key": row["key"], "share": share, "shards": n, **price, "pieces": pieces}
            )
    return found


def units(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`split` and `unit` of each row. Rows of one unit share a shard: a bucket of draws or keys, a piece of a key."""
    split, u = splits.of(frame, settings), choice.draws(settings.run.seed, "shard", frame["_id"])
    if settings.shard.key is None:
        return pl.DataFrame({"split": split, "unit": (u // packing.BUCKET_WIDTH).cast(pl.Int64)})
    key = splits.text(frame, settings.shard.key)
    unit = (keys.crcs(key) % keys.BUCKETS).cast(pl.Int64)
    first = keys.BUCKETS
    for hot in facts["keys"]:
        at = ((split == hot["split"]) & key.eq_missing(pl.Series([hot["key"]], dtype=pl.String))).arg_true()
        piece = u.gather(at) // -(-choice.SPACE // hot["pieces"]) if hot["pieces"] > 1 else None
        if piece is not None:
            unit = unit.scatter(at, piece.cast(pl.Int64) + first)
        first += hot["pieces"]
    return pl.DataFrame({"split": split, "unit": unit})


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """Loads by split and unit."""
    table = units(frame, settings, facts).hstack(splits.sizes(frame, settings))
    return collected({"units": tally(table, "split", "unit")})["units"]


def finish(counts: pl.DataFrame, settings: Settings, facts: Facts) -> dict[str, Any]:
    """`shards`: file, split, loads of each; `of`: split → unit → number of its shard; `lower_bound` of the largest."""
    unit = unit_of(settings)
    tables = {str(split): table.sort("unit") for (split,), table in counts.group_by("split")} or {"train": counts}
    heaviest = max(int(table[unit].sum()) for table in tables.values())
    plan: dict[str, Any] = {"shards": [], "of": {}, "lower_bound": 0}
    for split, table in sorted(tables.items()):
        loads = dict(table.select("unit", unit).iter_rows())
        n = _n_shards(sum(loads.values()), heaviest, int(table["bytes"].sum()), settings)
        where = _placed(loads, n, settings)
        plan["of"][split] = {str(name): len(plan["shards"]) + where[name] for name in sorted(where)}
        plan["lower_bound"] = max(plan["lower_bound"], -(-sum(loads.values()) // n), *loads.values())
        plan["shards"] += list(_shards(split, table, where, n))
    return plan


def _placed(loads: Mapping[int, int], n: int, settings: Settings) -> dict[int, int]:
    if settings.shard.key is not None and settings.shard.placement == "ring":
        return packing.ring(loads, n, settings.shard.slack)
    return packing.longest_first(loads, n)[0]


def _shards(split: str, table: pl.DataFrame, where: Mapping[int, int], n: int) -> Iterator[dict[str, Any]]:
    numbers = pl.Series([where[name] for name in table["unit"]], dtype=pl.Int64)
    sums = table.group_by(numbers.alias("shard")).agg(pl.col("rows", "bytes", "tokens").sum())
    known = {row["shard"]: row for row in sums.iter_rows(named=True)}
    for shard in range(n):
        loads = {name: known[shard][name] if shard in known else 0 for name in ("rows", "bytes", "tokens")}
        yield {"file": f"{split}-{shard:05}-of-{n:05}.parquet", "split": split, **loads}


def _n_shards(load: int, heaviest: int, n_bytes: int, settings: Settings) -> int:
    """Shards of a split: `count` for the heaviest and in proportion for others, else one for each `target_mb`."""
    if settings.shard.count:
        return max(1, -(-load * settings.shard.count // heaviest)) if heaviest else settings.shard.count
    return max(1, math.ceil(n_bytes / (settings.shard.target_mb * 2**20)))


def route(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.Series:
    """The number of the shard that each row goes to, UInt32."""
    plan = [(split, int(unit), at) for split, of in facts["shard"]["of"].items() for unit, at in of.items()]
    table = pl.DataFrame(plan, {"split": pl.String, "unit": pl.Int64, "shard": pl.UInt32}, orient="row")
    return units(frame, settings, facts).join(table, ["split", "unit"], "left", maintain_order="left")["shard"]


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """The rows of one shard in their order: shuffled by their draws, as read, or in batches of like length."""
    order, ordered = settings.shard.order, frame
    if order != "input":
        u = choice.draws(settings.run.seed, "shard", frame["_id"])
        ordered = frame.with_columns(_u=u).sort("_u", "_id").drop("_u")
    if order == "length":
        lengths = splits.sizes(ordered, settings)["tokens" if unit_of(settings) == "tokens" else "bytes"]
        window = pl.int_range(pl.len()) // (WINDOW * settings.shard.batch)
        ordered = ordered.with_columns(lengths.cast(pl.UInt64).alias(LENGTH), _window=window)
        ordered = ordered.sort("_window", LENGTH, maintain_order=True).drop("_window")
    return Outcome(ordered, reject(ordered.clear(), "", ""))


def adds(settings: Settings, schema: Schema) -> Schema:
    """The column that `apply` adds for order length."""
    return {LENGTH: pl.UInt64()} if settings.shard.order == "length" else {}


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """shards.json: what each file holds, and how even the files of the least even split are."""
    plan, unit = facts["shard"], unit_of(settings)
    known = settings.columns.tokens is not None
    shards = [shard if known else {**shard, "tokens": None} for shard in plan["shards"]]
    even = [spread([s[unit] for s in plan["shards"] if s["split"] == split]) for split in plan["of"]]
    worst = max(even, key=lambda each: each["max_over_mean"] or 0, default=spread([0]))
    tree = {"schema": "cleanse.shards/1", "seed": settings.run.seed, "by": unit, "shards": shards}
    tree |= {"max_over_mean": worst["max_over_mean"], "idle_share": worst["idle_share"]}
    return {"shards.json": {**tree, "lower_bound": plan["lower_bound"], "hot_keys": facts.get("keys", [])}}


def notes(settings: Settings, facts: Facts) -> list[str]:
    """Shards without rows, and keys that no placement can help."""
    empty = sum(shard["rows"] == 0 for shard in facts["shard"]["shards"])
    found = [f"{empty} shards have no row: --count is above what there is to share out"] if empty else []
    for hot in facts.get("keys", []):
        if hot["slowdown_floor"] > 1 + settings.shard.slack and hot["pieces"] == 1:
            key = "null" if hot["key"] is None else hot["key"]
            cost = f"no placement on {hot['shards']} shards is better than {hot['slowdown_floor']:.1f} × the mean"
            found.append(f"key {key} is {hot['share']:.1%} of {hot['split']}: {cost}; --salt cuts it in {hot['salts']}")
    return found


def measures(settings: Settings) -> tuple[Measure, ...]:
    """Hot keys where rows are kept together by key, then the loads that are packed."""
    by_key = (Measure("keys", count_keys, merge, hot_keys, columns=columns),) if settings.shard.key else ()
    return (*by_key, Measure("shard", count, merge, finish, columns=columns))


STAGE = Stage(
    "shard",
    ("columns", "shard"),
    apply,
    measures=measures,
    accepts=accepts,
    route=route,
    outputs=lambda facts: [shard["file"] for shard in facts["shard"]["shards"]],
    adds=adds,
    side=side,
    notes=notes,
    light=True,
    draws=True,
)
