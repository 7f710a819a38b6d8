"""How far a run has moved from its baseline: effect sizes, never p-values. A run against itself gives 0 everywhere."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cleanse.report.profile import nearest_rank

Counts = Mapping[str, float]
DECILES = [n / 10 for n in range(1, 10)]
ENCODING = "decode.encoding_share."


def drift(
    now: Mapping[str, float], then: Mapping[str, float], profile: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, float]:
    """`drift.…` from both sides' metrics and profiles; what one side has not measured is absent."""
    found = {
        "drift.reasons.js_distance": js_distance(_reasons(now), _reasons(then)),
        "drift.encodings.linf": linf(_encodings(now), _encodings(then)),
    }
    for role in ("title", "body"):
        lengths = [each.get("lengths", {}).get("after", {}).get(role) for each in (profile, before)]
        if all(lengths):
            found[f"drift.{role}_chars.psi"] = length_psi(*lengths)
    here, there = ((each.get("labels", {}).get("after") or {}).get("counts") for each in (profile, before))
    if here is not None and there is not None:
        found |= _labels(here, there)
    return found


def _labels(here: Counts, there: Counts) -> dict[str, float]:
    return {
        "drift.label.psi": psi(here, there),
        "drift.label.js_distance": js_distance(here, there),
        "drift.label.linf": linf(_shares(here), _shares(there)),
        "drift.labels_new": len(here.keys() - there.keys()),
        "drift.labels_gone": len(there.keys() - here.keys()),
    }


def psi(here: Counts, there: Counts) -> float:
    """Population stability index, >= 0: Σ (p − q)·ln(p/q) over the union of keys, +0.5 per key on both sides.

    >>> psi({"a": 1, "b": 3}, {"a": 1, "b": 3})
    0.0
    >>> round(psi({"a": 1, "b": 3}, {"a": 3, "b": 1}), 6)
    0.677838
    """
    keys = sorted(here.keys() | there.keys())
    p, q = (_shares({key: side.get(key, 0) + 0.5 for key in keys}) for side in (here, there))
    return sum((p[key] - q[key]) * math.log(p[key] / q[key]) for key in keys)


def js_distance(here: Counts, there: Counts) -> float:
    """Root of the Jensen–Shannon divergence in bits, 0 to 1.

    >>> js_distance({"a": 1}, {"b": 1}), js_distance({"a": 2}, {"a": 7})
    (1.0, 0.0)
    """
    p, q = _shares(here), _shares(there)
    if not p or not q:
        return 0.0 if bool(p) == bool(q) else 1.0

    def half(one: Counts, other: Counts) -> float:
        return sum(v * math.log2(2 * v / (v + other.get(key, 0))) for key, v in sorted(one.items()) if v)

    return math.sqrt(max(0.0, (half(p, q) + half(q, p)) / 2))


def linf(here: Counts, there: Counts) -> float:
    """The largest difference of shares, 0 to 1.

    >>> linf({"a": 0.5, "b": 0.5}, {"a": 0.25, "c": 0.75})
    0.75
    """
    return max((abs(here.get(key, 0) - there.get(key, 0)) for key in here.keys() | there.keys()), default=0.0)


def length_psi(here: Sequence[Sequence[int]], there: Sequence[Sequence[int]]) -> float:
    """PSI over the decile bins of the baseline's lengths. Both: (length, rows) in ascending order."""
    edges = sorted({nearest_rank(there, q) for q in DECILES})

    def binned(counts: Sequence[Sequence[int]]) -> Counts:
        sums = dict.fromkeys(map(str, range(len(edges) + 1)), 0.0)
        for length, rows in counts:
            sums[str(sum(length > edge for edge in edges))] += rows
        return sums

    return psi(binned(here), binned(there))


def _shares(counts: Counts) -> dict[str, float]:
    total = sum(counts.values())
    return {key: value / total for key, value in sorted(counts.items())} if total else {}


def _reasons(metrics: Mapping[str, float]) -> Counts:
    reasons = {name: value for name, value in metrics.items() if ".rejected." in name}
    return {"kept": metrics.get("rows.out", 0), **reasons}


def _encodings(metrics: Mapping[str, float]) -> dict[str, float]:
    return dict(_suffixed(metrics, ENCODING))


def _suffixed(metrics: Mapping[str, float], prefix: str) -> Iterator[tuple[str, float]]:
    for name, value in metrics.items():
        if name.startswith(prefix):
            yield name.removeprefix(prefix), value
