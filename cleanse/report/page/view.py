"""What the sections of the report say: one function a section, each from the documented JSON and Parquet of the run."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from cleanse.report.conclude import differences
from cleanse.report.page import charts
from cleanse.report.page.charts import Chart
from cleanse.report.profile import label_counts, nearest_rank
from cleanse.report.reasons import REASONS
from cleanse.run.finished import Finished
from cleanse.run.store import read_json
from cleanse.run.tables import readable
from cleanse.settings import ReportSettings, Settings
from cleanse.table import TEXTS

MAX_HEAT = 8  # labels of the heat map: more do not fit into its width
QUANTILES = (
    *(("p01", "0.01"), ("p05", "0.05"), ("p25", "0.25"), ("p50", "0.5")),
    *(("p75", "0.75"), ("p95", "0.95"), ("p99", "0.99")),
)
ROWS = ("rows", "行数")


def verdict(run: Finished, log: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Passed or not, the four numbers that matter, and the command to copy."""
    numbers, gate = run.metrics(), run.tree("gate.json")
    begun: Mapping[str, Any] = next((record for record in log if record["event"] == "run_started"), {})
    done: Mapping[str, Any] = next((record for record in log if record["event"] == "work_done"), {})
    return {
        "word": gate.get("verdict", "passed"),
        **{name: numbers.get(f"rows.{name}") for name in ("in", "out", "reject_rate", "sampled_away")},
        "seconds": done.get("seconds"),
        "command": " ".join(["cleanse", *begun.get("argv", [])[1:]]) if begun else None,
        "settings_changed": gate.get("settings_changed", []),
        "baseline": gate.get("baseline"),
    }


def funnel(run: Finished) -> Chart:
    """Rows after each stage."""
    records = [entry for entry in run.entries if entry.unit == "record"]
    rows = [("in", records[0].rows_in), *((entry.stage, entry.kept) for entry in records)]
    return charts.bars("fig-funnel", (("stage", "阶段"), ROWS), rows)


def reasons(run: Finished) -> dict[str, Any]:
    """Reasons by stage, the largest first, in words; the ten sources that lost most."""
    listed: list[dict[str, Any]] = [
        {"stage": entry.stage, "unit": entry.unit, "reason": reason, "rows": n, "about": REASONS.get(reason)}
        for entry in run.entries
        for reason, n in entry.rejected.items()
    ]
    listed.sort(key=lambda each: (-each["rows"], each["reason"], each["stage"]))
    sums = Counter[str]()
    for each in listed:
        sums[each["reason"]] += each["rows"]
    ranked = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    chart = charts.bars("fig-reasons", (("reason", "原因"), ROWS), ranked, "lost") if ranked else None
    return {"chart": chart, "rows": listed, "sources": run.tree("profile.json").get("rejects_by_source", [])}


def lengths(run: Finished) -> dict[str, Any]:
    """Title and body before and after, with the allowed window and the percentiles."""
    found: dict[str, Any] = {}
    tree, check = run.tree("profile.json").get("lengths", {}), run.manifest["settings"]["check"]
    for role in TEXTS:
        before, after = (tree.get(side, {}).get(role, []) for side in ("before", "after"))
        if not before and not after:
            continue
        window = (check.get(f"{role}_min"), check.get(f"{role}_max"))
        ranks = [
            (side, *(nearest_rank(counts, q) for _, q in QUANTILES), counts[-1][0] if counts else None)
            for side, counts in (("before", before), ("after", after))
        ]
        found[role] = {"chart": charts.histogram(f"fig-{role}-length", before, after, window), "ranks": ranks}
    return found


def classes(run: Finished, settings: ReportSettings) -> dict[str, Any]:
    """Labels before and after, with the figures that say how uneven they are."""
    tree = run.tree("profile.json")
    before, after = label_counts(tree, "before"), label_counts(tree, "after")
    names = sorted({*before, *after}, key=lambda label: (-before.get(label, 0), -after.get(label, 0), label))
    if not names:
        return {}
    shown, rest = names[: settings.max_labels], names[settings.max_labels :]
    rows = [(label, before.get(label, 0), after.get(label, 0)) for label in shown]
    if rest:
        sums = [sum(side.get(label, 0) for label in rest) for side in (before, after)]
        rows.append((f"other ({len(rest)})", sums[0], sums[1]))
    head = (("label", "标签"), ("rows before", "清洗前"), ("rows after", "清洗后"))
    numbers = run.metrics()
    figures = {
        name: numbers.get(f"skew.classes.{name}") for name in ("k", "imbalance_ratio", "entropy_bits", "evenness")
    }
    figures |= {"out.imbalance_ratio": numbers.get("out.imbalance_ratio"), "out.labels": numbers.get("out.labels")}
    return {
        "chart": charts.pairs("fig-classes", head, rows),
        "figures": {k: v for k, v in figures.items() if v is not None},
    }


def shards(run: Finished, settings: ReportSettings) -> dict[str, Any]:
    """Source × label as standardised residuals: where a source holds more of a label than all together do."""
    table, numbers = run.stage("skew") / "shards.parquet", run.metrics()
    names = ("max_over_mean", "idle_share")
    figures = {name: numbers.get(f"skew.shards.rows.{name}") for name in names}
    figures["out.shard_max_over_mean"] = numbers.get("out.shard_max_over_mean")
    known = {name: value for name, value in figures.items() if value is not None}
    found: dict[str, Any] = {"chart": None, "figures": known, "findings": _findings(run)}
    if table.exists():
        counts = {(row["shard"], row["label"]): row["rows"] for row in pl.read_parquet(readable(table)).to_dicts()}
        found["chart"] = _heat(counts, settings.max_shards)
    return found


def _findings(run: Finished) -> list[Any]:
    return list(run.tree(f"stages/{run.stage('skew').name}/skew.json").get("findings", []))


def _heat(counts: Mapping[tuple[str, str | None], int], max_shards: int) -> Chart | None:
    sums: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for (shard, label), n in counts.items():
        sums[0][shard] += n
        sums[1][label or ""] += n
    by_shard, by_label = (sorted(each.items(), key=lambda item: (-item[1], item[0])) for each in sums)
    total, labels = sum(sums[0].values()), [label for label, _ in by_label[:MAX_HEAT]]
    if not total:
        return None
    rows = [
        (shard, [residual(counts.get((shard, label or None), 0), n, sums[1][label], total) for label in labels])
        for shard, n in by_shard[:max_shards]
    ]
    names = [label or "–" for label in labels]
    return charts.heat("fig-shards", ("source", "来源"), names, rows)


def residual(n: int, row: int, column: int, total: int) -> float:
    """Standardised residual of a cell: how many standard errors it is from what its row and column suggest.

    Source: Agresti, Categorical Data Analysis, 3.3.1. 0 where a row or a column is the whole table.

    >>> residual(30, 40, 50, 100)
    4.08248290463863
    """
    expected = row * column / total
    spread = expected * (1 - row / total) * (1 - column / total)
    return (n - expected) / math.sqrt(spread) if spread > 0 else 0.0


def resampling(run: Finished) -> dict[str, Any]:
    """Per label in, dropped, added; the method and the seed."""
    weights = read_json(run.stage("resample") / "weights.json") or {}
    counts = weights.get("counts", {})
    rows = [(label, each.get("before", 0), each.get("after", 0)) for label, each in counts.items()]
    rows.sort(key=lambda row: (-row[1], row[0]))
    entry = next((entry for entry in run.entries if entry.stage == "resample" and entry.unit == "record"), None)
    found = {
        "method": run.manifest["settings"]["resample"]["method"],
        "seed": run.manifest["settings"]["run"]["seed"],
        "dropped": entry.n_rejected if entry else 0,
        "added": entry.added if entry else 0,
        "snippet": bool(counts),
    }
    if entry and (entry.n_rejected or entry.added):
        head = (("label", "标签"), ("rows before", "重采样前"), ("rows after", "重采样后"))
        found["chart"] = charts.pairs("fig-resampling", head, rows[:30])
    return found


def provenance(run: Finished, log: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the result follows from: settings that differ from the default, versions, inputs; and the times."""
    times = [(each["stage"], each["seconds"]) for each in log if each["event"] == "stage_done"]
    return {
        "settings": differences(asdict(Settings()), run.manifest["settings"]),
        "versions": run.manifest["versions"],
        "inputs": run.manifest["inputs"],
        "times": times,
    }
