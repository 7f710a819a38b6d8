"""skew: how uneven classes, lengths and shards are, with what it costs and what mends it. Rows pass untouched."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from cleanse.measures import classes, lengths, shards
from cleanse.measures.tally import Tally, in_order, merge, tally
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Side, Stage
from cleanse.stages import splits

SHARDS = {"shard": pl.String(), **{name: dtype for name, dtype in classes.TABLE.items() if name != "split"}}
LENGTHS = {"role": pl.String(), "unit": pl.String(), "lo": pl.UInt64(), "hi": pl.UInt64(), "rows": pl.UInt64()}
TEXTS = ("title", "body")
GRADES = ("notice", "warn", "severe")
THRESHOLDS = {  # finding → the value above which it is a notice, a warning, severe; specs: skew 5
    "class_majority": (0.75, 0.90, 0.99),
    "class_ratio": (3, 10, 50),
    "shard_slowdown": (1.1, 1.25, 2),
}

State = dict[str, Tally]


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> State:
    """Tallies of a part: `classes`, `shards`, and the lengths of each text role it has."""
    split = splits.of(frame, settings) if splits.column(settings, frame.columns) else None
    label = pl.col("label") if "label" in frame.columns else pl.lit(None, pl.String).alias("label")
    state = {
        "classes": classes.count(frame, split),
        "shards": tally(frame, [pl.col("_source"), label], classes.text_bytes(frame.columns)),
    }
    for role in TEXTS:
        if role in frame.columns:
            state[role] = tally(frame, [pl.col(role).str.strip_chars().str.len_chars()])
    return state


def add(one: State, other: State) -> State:
    """Both states as one."""
    return {name: merge(one.get(name, {}), other.get(name, {})) for name in {**one, **other}}


def finish(state: State, settings: Settings, facts: Facts) -> dict[str, Any]:
    """The tables as rows, and `report`: the tree of skew.json."""
    rows = classes.table(state["classes"])
    shard_rows = [dict(zip(SHARDS, (*key, *sums, None), strict=True)) for key, sums in in_order(state["shards"])]
    length_rows = [
        dict(zip(LENGTHS, (role, "chars", n, n, count), strict=True))
        for role in TEXTS
        for (n,), (count,) in in_order(state.get(role, {}))
        if n is not None
    ]
    report = {
        "schema": "cleanse.skew/1",
        "rows": sum(row["rows"] for row in rows),
        "classes": _classes(rows),
        "lengths": {role: _lengths(state[role]) for role in TEXTS if role in state},
        "shards": _shards(shard_rows),
    }
    report["findings"] = findings(report)
    return {"classes": rows, "shards": shard_rows, "lengths": length_rows, "report": report}


def _classes(rows: list[dict[str, Any]]) -> dict[str, Any]:
    counts = classes.per_label(rows, classes.train_split(rows))
    if not counts:
        return {"available": False, "reason": "no_label_column" if rows else "empty"}
    unlabelled = sum(row["rows"] for row in rows if not (row["label"] or "").strip())
    return {"available": True, "unlabelled": unlabelled, **classes.balance(counts)}


def _lengths(counts: Tally) -> dict[str, Any]:
    known = {int(n): rows for (n,), (rows,) in counts.items() if n is not None}
    return {"chars": lengths.figures(known, counts.get((None,), (0,))[0])}


def _shards(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows:
        return {"available": False, "reason": "empty"}
    loads = {unit: Counter[str]() for unit in ("rows", "bytes")}
    for row in rows:
        for unit, load in loads.items():
            load[row["shard"]] += row[unit]
    return {
        "available": True,
        "by": "input",
        "count": len(loads["rows"]),
        **{unit: shards.spread(list(load.values())) for unit, load in loads.items()},
    }


def findings(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is out of proportion: severe first, then by id. Findings never set the exit code."""
    c, s, found = report["classes"], report["shards"], []
    if c["available"]:
        top = c["majority"]
        found += _finding(
            "class_majority", top["share"], "/classes/majority/share", "share",
            f"class {top['label']} is {top['share']:.1%} of the rows: answering it always scores as much",
        )  # fmt: skip
        found += _finding(
            "class_ratio", c["imbalance_ratio"], "/classes/imbalance_ratio", "ratio",
            f"class {c['rarest']['label']} has 1 row for {c['imbalance_ratio']:.1f} of {top['label']}",
        )  # fmt: skip
    if s["available"] and s["rows"]["max_over_mean"] and s["count"] > 1:
        ratio, idle = s["rows"]["max_over_mean"], s["rows"]["idle_share"]
        found += _finding(
            "shard_slowdown", ratio, "/shards/rows/max_over_mean", "ratio",
            f"the slowest shard takes {ratio:.1f} times the mean: {idle:.0%} of paid worker time is idle",
        )  # fmt: skip
    return sorted(found, key=lambda f: (-GRADES.index(f["severity"]), f["id"]))


FIXES = {
    "class_majority": "cleanse resample IN -o DIR --method under --target ratio:0.1",
    "class_ratio": "cleanse resample IN -o DIR --method under --target ratio:0.1",
    "shard_slowdown": "cleanse shard IN -o DIR --count 8",
}


def _finding(id: str, value: float, where: str, unit: str, cost: str) -> list[dict[str, Any]]:
    hit = [i for i, limit in enumerate(THRESHOLDS[id]) if (value >= limit if id == "class_ratio" else value > limit)]
    if not hit:
        return []
    grade = {"severity": GRADES[hit[-1]], "threshold": THRESHOLDS[id][hit[-1]]}
    return [{"id": id, **grade, "where": where, "value": value, "unit": unit, "cost": cost, "fix": FIXES[id]}]


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """skew.json and the tables that `resample` and people read."""
    found = facts["skew"]
    return {
        "skew.json": found["report"],
        "classes.parquet": pl.DataFrame(found["classes"], classes.TABLE, orient="row"),
        "shards.parquet": pl.DataFrame(found["shards"], SHARDS, orient="row"),
        "lengths.parquet": pl.DataFrame(found["lengths"], LENGTHS, orient="row"),
    }


STAGE = Stage(
    "skew",
    ("columns",),
    measures=lambda settings: (Measure("skew", count, add, finish),),
    passes=lambda settings: True,
    side=side,
)
