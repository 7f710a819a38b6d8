"""metrics.json: one flat object of finite numbers, from the ledger and the stages' facts. What was not measured is
absent.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cleanse.run.manifest import RunManifest
from cleanse.run.runner import StageResult

CLEANING = ("decode", "strip", "check")
NOT_FLAT = (  # lists, plans and maps by label, split or shard of skew.json
    *("findings", "counts", "plans", "per", "by_split", "labels"),
    *("balanced_weight", "effective_number", "log_prior"),
)


def metrics(manifest: RunManifest, results: Sequence[StageResult]) -> dict[str, int | float]:
    """Name → number, sorted by name. Names: specs of the gate."""
    files = manifest.entries[0]
    records = [entry for entry in manifest.entries if entry.unit == "record"]
    found: dict[str, int | float] = {
        "files.in": files.rows_in,
        "files.kept": files.kept,
        "files.rejected": files.n_rejected,
        "bytes.in": sum(planned.source.size for planned in manifest.plan.sources),
        "rows.in": records[0].rows_in,
        "rows.added": sum(entry.added for entry in records),
        "rows.rejected": sum(entry.n_rejected for entry in records),
        "rows.out": records[-1].kept,
        "rows.sampled_away": sum(entry.n_rejected for entry in records if entry.stage == "resample"),
    }
    dropped = sum(entry.n_rejected for entry in records if entry.stage in CLEANING)
    if found["rows.in"]:
        found["rows.reject_rate"] = dropped / found["rows.in"]
    for entry in records:
        for name in ("rows_in", "added", "kept"):
            found[f"{entry.stage}.{name}"] = getattr(entry, name)
        found[f"{entry.stage}.rejected"] = entry.n_rejected
    for entry in manifest.entries:
        found |= {f"{entry.stage}.rejected.{reason}": n for reason, n in entry.rejected.items()}
        found |= {f"{entry.stage}.changed.{what}": n for what, n in entry.changed.items()}
    skew: Mapping[str, Any] = next((result.facts["skew"]["report"] for result in results if result.name == "skew"), {})
    return dict(sorted({**found, **dict(_flat("skew", skew))}.items()))


def _flat(path: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, int | float]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and key not in NOT_FLAT:
            yield from _flat(f"{path}.{key}", value)
        elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield f"{path}.{key}", value
