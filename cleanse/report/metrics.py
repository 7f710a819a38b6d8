"""metrics.json: one flat object of finite numbers, from the ledger and the stages' files. What was not measured is
absent: never null, never 0.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cleanse.ledger import Entry
from cleanse.measures.shards import spread
from cleanse.report import profile
from cleanse.run.finished import Finished

CLEANING = ("decode", "strip", "check")
MAX_SHARES = 200  # labels whose share is a number of its own
# lists and maps by label, shard or value: figures of data, not of the run
LEFT_OUT = (
    "findings",
    "plans",
    "per",
    "by_split",
    "counts",
    "shares",
    "balanced_weight",
    "effective_number",
    "log_prior",
    "labels",
)


def metrics(run: Finished, profiled: Mapping[str, Any]) -> dict[str, int | float]:
    """Name → number, sorted by name. `profiled`: the tree of profile.json."""
    found = {
        "bytes.in": sum(each["bytes"] for each in run.manifest["inputs"]),
        **_rows(run.entries),
        **profile.numbers(profiled),
        **_shards(run.tables("data")),
    }
    skew = run.tree(f"{run.stage('skew').relative_to(run.out)}/skew.json")
    found |= dict(_flat("skew", skew)) | _of_skew(skew)
    return {name: found[name] for name in sorted(found) if math.isfinite(found[name])}


def _rows(entries: Sequence[Entry]) -> dict[str, int | float]:
    files = [entry for entry in entries if entry.unit == "file"]
    records = [entry for entry in entries if entry.unit == "record"]
    found: dict[str, int | float] = {}
    for entry in files:
        found |= {"files.in": entry.rows_in, "files.kept": entry.kept, "files.rejected": entry.n_rejected}
    found |= {
        "rows.in": records[0].rows_in,
        "rows.added": sum(entry.added for entry in records),
        "rows.rejected": sum(entry.n_rejected for entry in records),
        "rows.out": records[-1].kept,
        "rows.sampled_away": sum(entry.n_rejected for entry in records if entry.stage == "resample"),
    }
    if found["rows.in"]:
        dropped = sum(entry.n_rejected for entry in records if entry.stage in CLEANING)
        found["rows.reject_rate"] = dropped / found["rows.in"]
    for entry in records:
        found |= {f"{entry.stage}.{name}": getattr(entry, name) for name in ("rows_in", "added", "kept")}
        found[f"{entry.stage}.rejected"] = entry.n_rejected
        if entry.rows_in:
            found[f"{entry.stage}.reject_rate"] = entry.n_rejected / entry.rows_in
    for entry in entries:
        for kind in ("rejected", "changed"):
            for name, n in getattr(entry, kind).items():
                full = f"{entry.stage}.{kind}.{name}"
                found[full] = found.get(full, 0) + n
    return found


def _shards(outputs: Sequence[Mapping[str, Any]]) -> dict[str, int | float]:
    """How many files data/ holds, and how uneven they are in rows."""
    slowest = spread([each["rows"] for each in outputs])["max_over_mean"] if outputs else None
    return {"out.shards": len(outputs), **({} if slowest is None else {"out.shard_max_over_mean": slowest})}


def _of_skew(skew: Mapping[str, Any]) -> dict[str, int | float]:
    if not skew:
        return {}
    grades = [finding["severity"] for finding in skew.get("findings", [])]
    found: dict[str, int | float] = {f"skew.findings.{g}": grades.count(g) for g in ("notice", "warn", "severe")}
    shares = skew.get("classes", {}).get("shares", {})
    largest = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:MAX_SHARES]
    return found | {f"skew.classes.shares.{label}": share for label, share in largest}


def _flat(path: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, int | float]]:
    for key, value in tree.items():
        if key in LEFT_OUT:
            continue
        if isinstance(value, Mapping):
            yield from _flat(f"{path}.{key}", value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{path}.{key}", value
