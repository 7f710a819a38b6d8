"""Lengths of texts in characters, from exact counts."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

QUANTILES = ("0.01", "0.05", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999")


def quantile(counts: Mapping[int, int], q: str) -> int:
    """Nearest rank: the value at place ⌈q·n⌉ of the sorted list. `counts`: value → rows, at least one row.

    >>> quantile({10: 3, 20: 1}, "0.75"), quantile({10: 3, 20: 1}, "0.76")
    (10, 20)
    """
    rank = -(-Fraction(q) * sum(counts.values()) // 1)
    for value in sorted(counts):
        rank -= counts[value]
        if rank <= 0:
            return value
    raise ValueError("no rows")


def figures(counts: Mapping[int, int], missing: int) -> dict[str, Any]:
    """n, missing, min, max, mean, quantiles. `counts`: characters → rows; without rows only the first two."""
    n = sum(counts.values())
    if not n:
        return {"n": 0, "missing": missing}
    return {
        "n": n,
        "missing": missing,
        "min": min(counts),
        "max": max(counts),
        "mean": sum(value * rows for value, rows in counts.items()) / n,
        "quantiles": {q: quantile(counts, q) for q in QUANTILES},
    }
