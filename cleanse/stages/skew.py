"""skew: how uneven classes, lengths, features, keys and shards are, and what it costs. Rows pass untouched."""

from collections.abc import Iterator

import polars as pl

from cleanse.errors import column_missing
from cleanse.measures import keys, leaks
from cleanse.measures.lengths import MISSING
from cleanse.measures.tally import collected, merge, tally
from cleanse.settings import Settings
from cleanse.stage import PART, Facts, Measure, Stage
from cleanse.stages import figures, splits
from cleanse.table import TEXTS, Schema

Counts = dict[str, pl.DataFrame]  # tallies by name; `lengths.body.chars` is there where the corpus has a body


def shard_column(settings: Settings) -> str:
    """The column whose value (or hash) says which shard a row is of."""
    kind, _, rest = settings.skew.shard_by.partition(":")
    return {"input": "_source", "part": PART, "hash": rest.rpartition(":")[0]}.get(kind, rest)


def columns(settings: Settings, there: frozenset[str]) -> frozenset[str]:
    """What the count reads of the columns there are."""
    s, c = settings.skew, settings.columns
    wanted = {*TEXTS, "label", c.tokens, *s.keys, *s.features, shard_column(settings)}
    if split := splits.column(settings, there):  # ids and groups only matter between splits
        wanted |= {split, "_id", "is_synthetic", c.group}
    return there & wanted


def accepts(settings: Settings, schema: Schema) -> None:
    """Raises InputError for a named column that is not there."""
    there = frozenset(schema)
    s, c = settings.skew, settings.columns
    flags = {"--key-col": s.keys, "--feature": s.features}
    flags |= {f"--{n}-col": (getattr(c, n) or "",) for n in ("split", "group", "tokens")}
    if s.shard_by.startswith(("column:", "hash:")):
        flags["--shard-by"] = (shard_column(settings),)
    for flag, names in flags.items():
        for name in names:
            if name and name not in there:
                raise column_missing(name, there, flag)


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Counts:
    """The tallies of a part."""
    s, there = settings.skew, frozenset(frame.columns)
    split = splits.column(settings, there)
    tokens = splits.tokens(frame[settings.columns.tokens]) if settings.columns.tokens else None
    narrow = frame.select(
        splits.of(frame, settings) if split else _nothing("split"),
        pl.col("label") if "label" in there else _nothing("label"),
        _shard(frame, settings),
        splits.text_bytes(there).alias("bytes"),
        pl.lit(0, pl.Int64).alias("tokens") if tokens is None else tokens.clip(lower_bound=0),
    )
    state = {"classes": tally(narrow, "split", "label") if split else _of_no_split(narrow)}
    state |= {"shards": tally(narrow, "shard", "label")}
    state |= {f"lengths.{name}": tally(values.to_frame("value"), "value") for name, values in _lengths(frame, tokens)}
    for name in s.keys:
        state[f"keys.{name}"] = tally(narrow.with_columns(splits.text(frame, name).alias("key")), "key")
    for name in s.features:
        state[f"features.{name}"] = tally(splits.text(frame, name).to_frame("value"), "value")
    state |= _between_splits(frame, narrow, settings) if split else {}
    names = pl.DataFrame({"column": sorted(there)}, {"column": pl.String}).with_columns(
        rows=pl.lit(frame.height, pl.Int64)
    )
    return {"columns": names, **collected(state)}


def _nothing(name: str) -> pl.Expr:
    return pl.lit(None, pl.String).alias(name)


def _of_no_split(narrow: pl.DataFrame) -> pl.LazyFrame:
    """The class table without splits: by label alone, which is twice as fast as with a column of nulls."""
    return tally(narrow.drop("split"), "label").select(_nothing("split"), pl.all())


def _lengths(frame: pl.DataFrame, tokens: pl.Series | None) -> Iterator[tuple[str, pl.Series]]:
    for role in TEXTS:
        if role in frame.columns:
            yield f"{role}.chars", frame[role].str.len_chars().cast(pl.Int64).fill_null(MISSING)
    if tokens is not None:
        yield "body.tokens", tokens


def _shard(frame: pl.DataFrame, settings: Settings) -> pl.Series:
    found = splits.text(frame, shard_column(settings)).alias("shard")
    kind, _, n = settings.skew.shard_by.rpartition(":")
    if not kind.startswith("hash:"):
        return found
    return (keys.crcs(found) % int(n)).cast(pl.String).alias("shard")


def _between_splits(frame: pl.DataFrame, narrow: pl.DataFrame, settings: Settings) -> dict[str, pl.LazyFrame]:
    """What may be in two splits: texts, groups, and made-up rows outside train."""
    group, made = settings.columns.group, pl.lit(False)
    if "_id" in frame.columns:
        made |= pl.col("_id").str.contains("+", literal=True)
    if frame.schema.get("is_synthetic") == pl.Boolean():
        made |= pl.col("is_synthetic").fill_null(False)
    table = narrow.select("split").with_columns(frame.select(made=made)["made"], leaks.text_hashes(frame))
    table = table.with_columns(outside=pl.col("made") & (pl.col("split") != "train"))
    state = {"text": tally(table, "split", "text"), "synthetic": tally(table, "outside")}
    if group:
        state["group"] = tally(table.with_columns(splits.text(frame, group).alias("group")), "split", "group")
    return state


def add(one: Counts, other: Counts) -> Counts:
    """Both states as one."""
    return {name: merge(one[name], other[name]) for name in one}


SKEW = Measure("skew", count, add, figures.finish, columns=columns)

STAGE = Stage(
    "skew",
    ("columns", "skew"),
    measures=lambda settings: (SKEW,),
    accepts=accepts,
    passes=lambda settings: True,
    side=figures.side,
    history=True,
    light=True,
)
