"""How far a run has moved from its baseline: effect sizes, never p-values. A run against itself gives 0 everywhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from cleanse.measures.drift import against
from cleanse.report.profile import nearest_rank
from cleanse.table import TEXTS

Counts = Mapping[str, int | float]
DECILES = [f"0.{n}" for n in range(1, 10)]
ENCODING = "decode.encoding_share."


def drift(now: Counts, then: Counts, profile: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, float]:
    """`drift.…` from both sides' metrics and profiles; what one side has not measured is absent."""
    found: dict[str, float] = {"drift.encodings.linf": _farthest(_encodings(now), _encodings(then))}
    if reasons := _compared(_reasons(now), _reasons(then)):
        found["drift.reasons.js_distance"] = reasons["js_distance"]
    for role in TEXTS:
        lengths = [each.get("lengths", {}).get("after", {}).get(role) for each in (profile, before)]
        if all(lengths):
            found[f"drift.{role}_chars.psi"] = length_psi(*lengths)
    here, there = ((each.get("labels", {}).get("after") or {}).get("counts") for each in (profile, before))
    if here is not None and there is not None:
        found |= _labels(here, there)
    return found


def _labels(here: Counts, there: Counts) -> dict[str, float]:
    compared = _compared(here, there)
    return {
        **{f"drift.label.{name}": compared[name] for name in ("psi", "js_distance", "linf") if compared},
        "drift.labels_new": len(here.keys() - there.keys()),
        "drift.labels_gone": len(there.keys() - here.keys()),
    }


def _compared(here: Counts, there: Counts) -> dict[str, Any]:
    """The figures of two counts by key; none where a side has no row."""
    if not sum(here.values()) or not sum(there.values()):
        return {}
    keys = sorted(key for key in here.keys() | there.keys() if here.get(key) or there.get(key))
    return against([int(here.get(key, 0)) for key in keys], [int(there.get(key, 0)) for key in keys])


def length_psi(here: Sequence[Sequence[int]], there: Sequence[Sequence[int]]) -> float:
    """PSI over the decile bins of the baseline's lengths. Both: (length, rows) in ascending order, at least one row."""
    edges = sorted({nearest_rank(there, q) for q in DECILES})
    sides = []
    for counts in (here, there):
        sums = dict.fromkeys(map(str, range(len(edges) + 1)), 0)
        for length, rows in counts:
            sums[str(sum(length > edge for edge in edges))] += rows
        sides.append(sums)
    return float(_compared(*sides)["psi"])


def _farthest(here: Counts, there: Counts) -> float:
    """The largest difference of shares, 0 to 1."""
    return max((abs(here.get(key, 0) - there.get(key, 0)) for key in here.keys() | there.keys()), default=0.0)


def _reasons(metrics: Counts) -> Counts:
    reasons = {name: value for name, value in metrics.items() if ".rejected." in name}
    return {"kept": metrics.get("rows.out", 0), **reasons}


def _encodings(metrics: Counts) -> Counts:
    return {name: value for name, value in metrics.items() if name.startswith(ENCODING)}
