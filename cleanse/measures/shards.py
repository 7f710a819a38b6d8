"""How uneven shards are: what a synchronous job pays for its largest one."""

from collections.abc import Sequence
from typing import Any


def spread(loads: Sequence[int]) -> dict[str, Any]:
    """sum, mean, min, max, `max_over_mean` (>= 1) and `idle_share` 1 − mean/max (0–1), None when every load is 0.

    `loads`: at least one shard, in any one unit.

    >>> figures = spread([100, 20, 20, 20])
    >>> figures["max_over_mean"], figures["idle_share"]
    (2.5, 0.6)
    """
    total, largest, n = sum(loads), max(loads), len(loads)
    return {
        "sum": total,
        "mean": total / n,
        "min": min(loads),
        "max": largest,
        "max_over_mean": largest * n / total if total else None,
        "idle_share": (largest * n - total) / (largest * n) if total else None,
    }
