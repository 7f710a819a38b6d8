"""How uneven shards are: what a synchronous job pays for its largest one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

SPARK_BYTES = 256 << 20  # bytes; Spark 3 splits a partition above this and above SPARK_FACTOR medians
SPARK_FACTOR = 5
TINY = 4  # a shard below mean / TINY is tiny


def gini(loads: Sequence[int]) -> float:
    """Gini coefficient 2·Σ i·x_(i)/(K·Σ x) − (K + 1)/K over ascending loads; 0 is even. At least one load above 0.

    >>> gini([100, 20, 20, 20])
    0.375
    """
    total, k = sum(loads), len(loads)
    return (2 * sum(i * x for i, x in enumerate(sorted(loads), 1)) - (k + 1) * total) / (k * total)


def spread(loads: Sequence[int]) -> dict[str, Any]:
    """Sum, mean, min, max, and what the largest costs: `max_over_mean` (>= 1), `idle_share` 1 − mean/max (0–1), `cv`,
    `gini`. Ratios are None when every load is 0. `loads`: at least one shard, in any one unit.

    >>> figures = spread([100, 20, 20, 20])
    >>> figures["max_over_mean"], figures["idle_share"], figures["max_over_median"]
    (2.5, 0.6, 5.0)
    """
    total, largest, n = sum(loads), max(loads), len(loads)
    median = sorted(loads)[(n - 1) // 2]  # nearest rank
    return {
        "sum": total,
        "mean": total / n,
        "min": min(loads),
        "max": largest,
        "median": median,
        "max_over_mean": largest * n / total if total else None,
        "idle_share": (largest * n - total) / (largest * n) if total else None,
        "cv": math.sqrt(n * sum(x**2 for x in loads) - total**2) / total if total else None,
        "gini": gini(loads) if total else None,
        "max_over_median": largest / median if median else None,
        "empty": sum(x == 0 for x in loads),
        "tiny": sum(x * n * TINY < total for x in loads),
    }


def spark_splits(sizes: Mapping[str, int]) -> list[str]:
    """Shards that Spark would split in a join: above SPARK_BYTES and above five medians (here the middle two averaged).

    `sizes`: shard → bytes.
    """
    ordered = sorted(sizes.values())
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    median = max(1, sum(middle) // len(middle)) if middle else 1
    return [name for name, size in sorted(sizes.items()) if size > SPARK_BYTES and size > SPARK_FACTOR * median]


def remainder_idle(n_shards: int, workers: int) -> float:
    """Share of worker time lost when shards are dealt in rounds: 1 − S/(W·⌈S/W⌉).

    >>> remainder_idle(9, 8)
    0.4375
    """
    return 1 - n_shards / (workers * -(-n_shards // workers))
