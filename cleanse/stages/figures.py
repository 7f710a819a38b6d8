"""The figures of skew: its merged counts become skew.json, as one tree, and the tables that others read."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from cleanse.errors import LedgerError
from cleanse.measures import classes, drift, features, keys, leaks, lengths, shards
from cleanse.measures import distribution as dist
from cleanse.measures.findings import findings
from cleanse.measures.tally import in_order, per_key
from cleanse.sampling.packing import longest_first
from cleanse.settings import Settings
from cleanse.stage import Facts, Side
from cleanse.stages import splits
from cleanse.table import TEXTS

Counts = Mapping[str, pl.DataFrame]
Block = dict[str, Any]
_TEXT, _COUNT = pl.String(), pl.UInt64()
LOADS = {"rows": _COUNT, "bytes": _COUNT, "tokens": _COUNT}
TABLES = {
    "classes.parquet": {"split": _TEXT, "label": _TEXT, **LOADS},
    "shards.parquet": {"shard": _TEXT, "label": _TEXT, **LOADS},
    "lengths.parquet": {"role": _TEXT, "unit": _TEXT, "lo": _COUNT, "hi": _COUNT, "rows": _COUNT},
    "keys.parquet": {"column": _TEXT, "key": _TEXT, **LOADS, "error": _COUNT},
}


def missing(reason: str) -> Block:
    """A block that could not be measured, and why."""
    return {"available": False, "reason": reason}


def finish(counts: Counts, settings: Settings, facts: Facts) -> Block:
    """`report`: the tree of skew.json; and the tables by file name, as columns."""
    there = frozenset(counts["columns"]["column"])
    report = {
        "schema": "cleanse.skew/1",
        "rows": int(counts["classes"]["rows"].sum()),
        "columns": _columns(there, settings),
        **(_blocks if counts["classes"].height else _empty)(counts, settings, facts, there),
    }
    report["findings"] = findings(report, settings.skew.thresholds)
    tables = {name: table.to_dict(as_series=False) for name, table in _tables(counts, settings).items()}
    return {"report": report, "tables": tables}


def _columns(there: frozenset[str], settings: Settings) -> Block:
    named = {role: role if role in there else None for role in ("title", "body", "label")}
    s = settings.skew
    more = {"split": splits.column(settings, there), "tokens": settings.columns.tokens}
    return {**named, **more, "keys": list(s.keys), "features": list(s.features), "shard_by": s.shard_by}


def _blocks(counts: Counts, settings: Settings, facts: Facts, there: frozenset[str]) -> Block:
    s = settings.skew
    return {
        "classes": _classes(counts["classes"], settings, there),
        "lengths": _lengths(counts, settings),
        "features": {name: features.figures(counts[f"features.{name}"], s.hill_k) for name in sorted(s.features)},
        "shards": _shards(counts["shards"], settings),
        **_keys(counts, settings),
        "drift": {
            "shard": _drift(counts["shards"], "shard", settings, there),
            "split": _drift(counts["classes"], "split", settings, there),
        },
        "leaks": _leaks(counts, settings),
        "cleaning": _cleaning(counts["classes"], facts.get("history")),
    }


def _empty(counts: Counts, settings: Settings, facts: Facts, there: frozenset[str]) -> Block:
    nothing = missing("empty")
    names = ("classes", "features", "shards", "keys", "plans", "leaks", "cleaning")
    texts = {role: {"chars": nothing, "tokens": nothing} for role in TEXTS}
    return {**dict.fromkeys(names, nothing), "lengths": texts, "drift": {"shard": nothing, "split": nothing}}


def per_label(counts: pl.DataFrame) -> dict[str, int]:
    """label → rows; null and blank labels are no classes."""
    return per_key((label, n) for label, n in counts.select("label", "rows").iter_rows() if classes.is_label(label))


def _no_labels(n_labels: int, settings: Settings, there: frozenset[str]) -> Block | None:
    if "label" not in there:
        return missing("no_label_column")
    if not n_labels:
        return missing("empty")
    return missing("too_many_labels") if n_labels > settings.skew.labels_cap else None


def _classes(table: pl.DataFrame, settings: Settings, there: frozenset[str]) -> Block:
    labels = per_label(table)
    if problem := _no_labels(len(labels), settings, there):
        return problem
    rows, n = sum(labels.values()), int(table["rows"].sum())
    by_split = {
        split: per_label(table.filter(pl.col("split") == split))
        for split in sorted(table["split"].drop_nulls().unique())
    }
    head = {
        "available": True,
        "column": "label",
        "rows": rows,
        "unlabelled": n - rows,
        "unlabelled_share": (n - rows) / n,
    }
    return {**head, **classes.balance(labels), "by_split": {name: _split(of) for name, of in by_split.items() if of}}


def _split(labels: Mapping[str, int]) -> Block:
    found = classes.balance(labels)
    judged = ("k", "counts", "imbalance_ratio", "majority", "rarest", "evenness", "effective_classes")
    majority = found["majority"]["share"]
    return {"rows": sum(labels.values()), **{name: found[name] for name in judged}, "majority_share": majority}


def _lengths(counts: Counts, settings: Settings) -> Block:
    s = settings.skew
    found: Block = {}
    for role in TEXTS:
        found[role] = {"chars": missing("no_text_column"), "tokens": missing("no_tokens_column")}
        for unit in found[role]:
            if table := _histogram(counts, f"lengths.{role}.{unit}"):
                found[role][unit] = lengths.figures(table, s.hill_k, s.limits, s.batch, s.windows)
    return found


def _histogram(counts: Counts, name: str) -> dist.Histogram:
    return list(counts[name].sort("value").iter_rows()) if name in counts else []


def _loads(table: pl.DataFrame, by: str, settings: Settings) -> dict[str, dict[str, int]]:
    """unit → shard → load; tokens only where they are counted. A null name is the empty one."""
    units = keys.UNITS if settings.columns.tokens else keys.UNITS[:2]
    sums = table.group_by(pl.col(by).fill_null("")).agg(pl.col(units).sum()).sort(by)
    return {unit: dict(sums.select(by, unit).iter_rows()) for unit in units}


def _shards(table: pl.DataFrame, settings: Settings) -> Block:
    s = settings.skew
    loads = _loads(table, "shard", settings)
    if s.shard_by.startswith("hash:"):  # a planned shard is there without rows, too
        names = [str(number) for number in range(int(s.shard_by.rpartition(":")[2]))]
        loads = {unit: {name: of.get(name, 0) for name in names} for unit, of in loads.items()}
    n = len(loads["rows"])
    units: Block = {unit: missing("no_tokens_column") for unit in keys.UNITS}
    for unit, of in loads.items():
        splits_of = shards.spark_splits(of) if unit == "bytes" else []
        units[unit] = {"available": True, **shards.spread(list(of.values())), "spark_splits": splits_of}
    idle = shards.remainder_idle(n, s.workers) if s.workers else None
    return {"available": True, "by": s.shard_by, "count": n, **units, "workers": s.workers, "remainder_idle": idle}


def _keys(counts: Counts, settings: Settings) -> Block:
    """The blocks `keys` and `plans`."""
    s, tokens = settings.skew, settings.columns.tokens is not None
    if not s.keys:
        return {"keys": missing("no_key_column"), "plans": missing("no_key_column")}
    tables = {name: keys.numbered(counts[f"keys.{name}"]) for name in sorted(s.keys)}
    return {
        "keys": {name: keys.figures(table, s.keys_cap, s.keys_top, tokens=tokens) for name, table in tables.items()},
        "plans": {name: _plans(table, settings) for name, table in tables.items()},
    }


def _plans(table: pl.DataFrame, settings: Settings) -> Block:
    """By number of shards: loads when keys are hashed, and when their virtual buckets are packed."""
    buckets, rows = keys.loads(table, keys.BUCKETS), table["rows"].to_list()
    found: Block = {}
    for n in sorted(settings.skew.plan_shards):
        hashed = keys.loads(table, n)
        plan: dict[str, Block] = {"hash": {}, "lpt": {}}
        for unit in keys.UNITS:
            known = unit != "tokens" or settings.columns.tokens
            for way, loads in (("hash", hashed[unit]), ("lpt", _packed(buckets[unit], n))):
                plan[way][unit] = _planned(loads, buckets[unit]) if known else missing("no_tokens_column")
        found[str(n)] = {**plan, **keys.floor(max(rows), sum(rows), n)}
    return found


def _packed(buckets: list[int], n: int) -> list[int]:
    return longest_first({place: load for place, load in enumerate(buckets) if load}, n)[1]


def _planned(loads: list[int], buckets: list[int]) -> Block:
    even = shards.spread(loads)
    bound = max(-(-sum(loads) // len(loads)), max(buckets))
    return {"loads": loads, **{f: even[f] for f in ("max_over_mean", "idle_share")}, "lower_bound": bound}


def _drift(table: pl.DataFrame, by: str, settings: Settings, there: frozenset[str]) -> Block:
    if by == "split" and splits.column(settings, there) is None:
        return missing("no_split_column")
    if problem := _no_labels(len(per_label(table)), settings, there):
        return problem
    groups = {str(name or ""): per_label(of) for (name,), of in table.group_by(by)}
    return {"available": True, **drift.drift(groups)}


def _leaks(counts: Counts, settings: Settings) -> Block:
    if "text" not in counts:
        return missing("no_split_column")
    found: Block = {"available": True, "text": leaks.shared_with_train(counts["text"], "text")}
    known = "group" in counts
    found["group"] = (
        leaks.shared_with_train(counts["group"].drop_nulls("group"), "group") if known else missing("no_key_column")
    )
    outside = counts["synthetic"].filter("outside")["rows"].sum()
    return {**found, "synthetic_outside_train": int(outside)}


def _cleaning(table: pl.DataFrame, history: list[Block] | None) -> Block:
    """What each earlier stage took of each class. Raises LedgerError where the tables do not add up to the ledger."""
    if not history:
        return missing("no_run_folder")
    kept, n = per_label(table), int(table["rows"].sum())
    stages: list[Block] = []
    for past in reversed(history):
        lost = {label: rows for label, rows in past["lost"].items() if classes.is_label(label)}
        came = {label: kept.get(label, 0) + lost.get(label, 0) for label in sorted({*kept, *lost})}
        if "came" in past:
            came = {label: rows for label, rows in past["came"].items() if classes.is_label(label)}
        n_in = n + sum(past["lost"].values()) - past["added"]
        if n_in != past["rows_in"] or n != past["kept"]:
            what = f"{past['stage']}: {n_in} rows by its tables, {past['rows_in']} by its ledger"
            raise LedgerError("ledger-unbalanced", what, "this is a bug in cleanse: report it with the run.json")
        labels = {
            label: {"in": rows, "kept": kept.get(label, 0), "lost_share": lost.get(label, 0) / rows}
            for label, rows in came.items()
        }
        ratios = {"imbalance_ratio_in": _ratio(came), "imbalance_ratio_kept": _ratio(kept)}
        stages.insert(0, {"stage": past["stage"], "rows_in": n_in, "kept": n, "labels": labels, **ratios})
        kept, n = came, n_in
    every = [(-c["lost_share"], stage["stage"], label) for stage in stages for label, c in stage["labels"].items()]
    loss, stage, label = min(every, default=(0, None, None))
    return {
        "available": True,
        "stages": stages,
        "worst": {"stage": stage, "label": label, "lost_share": -loss} if loss else None,
    }


def _ratio(labels: Mapping[str, int]) -> float | None:
    there = [rows for rows in labels.values() if rows]
    return max(there) / min(there) if there else None


def _tables(counts: Counts, settings: Settings) -> dict[str, pl.DataFrame]:
    """The four tables, sorted by what identifies a row, nulls first."""
    hist = []
    for name in sorted(name for name in counts if name.startswith("lengths.")):
        _, role, unit = name.split(".")
        known = [(value, rows) for value, rows in _histogram(counts, name) if value >= 0]
        folded = dist.fold(known)
        ends = [dist.bucket(value) if folded is not known else (value, value) for value, _ in folded]
        hist += [(role, unit, *end, rows) for end, (_, rows) in zip(ends, folded, strict=True)]
    kept = [
        keys.ranked(counts[f"keys.{name}"]).head(settings.skew.keys_cap).with_columns(column=pl.lit(name), error=0)
        for name in sorted(settings.skew.keys)
    ]
    found = {
        "classes.parquet": in_order(counts["classes"]),
        "shards.parquet": in_order(counts["shards"]),
        "lengths.parquet": pl.DataFrame(hist, TABLES["lengths.parquet"], orient="row"),
        "keys.parquet": pl.concat([pl.DataFrame(schema=TABLES["keys.parquet"]), *_typed(kept, "keys.parquet")]).sort(
            "column", "key"
        ),
    }
    if settings.columns.tokens is None:
        found = {n: t.with_columns(tokens=None) if "tokens" in t.columns else t for n, t in found.items()}
    return {name: _typed([table], name)[0] for name, table in found.items()}


def _typed(tables: list[pl.DataFrame], name: str) -> list[pl.DataFrame]:
    return [table.select(pl.col(c).cast(t) for c, t in TABLES[name].items()) for table in tables]


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """skew.json, and the tables that `resample`, `shard` and people read."""
    found = facts["skew"]
    tables = {name: pl.DataFrame(found["tables"][name], schema) for name, schema in TABLES.items()}
    return {"skew.json": found["report"], **tables}
