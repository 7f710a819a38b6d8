"""What differs between two runs: settings, numbers, reasons, labels, and the rows that changed sides."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cleanse.report.conclude import differences
from cleanse.report.profile import label_counts
from cleanse.run.finished import Finished
from cleanse.run.tables import scan

N_IDS = 20  # ids named for each kind of change


def compare(a: Finished, b: Finished) -> dict[str, Any]:
    """One tree: `settings` as texts, `metrics` name → [a, b], `labels`, `moved` kind → {rows, ids}, `changed`."""
    labels = [label_counts(run.tree("profile.json")) for run in (a, b)]
    tree: dict[str, Any] = {
        "schema_version": 1,
        "settings": differences(a.manifest["settings"], b.manifest["settings"]),
        "metrics": _pairs(a.metrics(), b.metrics()),
        "labels": _pairs(*labels),
        "moved": moved(_sides(a), _sides(b)),
    }
    tree["changed"] = any(tree[name] for name in ("settings", "metrics", "labels", "moved"))
    return tree


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[Any]]:
    keys = sorted({*one, *other})
    return {key: [one.get(key), other.get(key)] for key in keys if one.get(key) != other.get(key)}


def _sides(run: Finished) -> pl.LazyFrame:
    """`_id` → where the row ended: `kept`, or its reason."""
    kept, rejects = run.outputs("data"), run.outputs("rejects")
    return pl.concat([_ended(kept, pl.lit("kept")), _ended(rejects, pl.col("_reason"))])


def _ended(files: Sequence[Path], end: pl.Expr) -> pl.LazyFrame:
    if not files:
        return pl.LazyFrame(schema={"_id": pl.String, "end": pl.String})
    return scan(files).select("_id", end=end)


def moved(one: pl.LazyFrame, other: pl.LazyFrame) -> dict[str, Any]:
    """`kept → title_short` and the like: how many rows, and the first ids in order. `absent`: not in that run."""
    both = one.join(other, on="_id", how="full", coalesce=True, suffix="_b").select(
        "_id", was=pl.col("end").fill_null("absent"), now=pl.col("end_b").fill_null("absent")
    )
    ways = both.filter(pl.col("was") != pl.col("now")).group_by("was", "now")
    counted = ways.agg(rows=pl.len(), ids=pl.col("_id").sort().head(N_IDS)).sort("was", "now").collect()
    return {f"{row['was']} → {row['now']}": {"rows": row["rows"], "ids": row["ids"]} for row in counted.to_dicts()}
