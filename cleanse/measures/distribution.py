"""Figures of a distribution from exact counts: moments, quantiles, outliers, the tail. Floats only at the very end."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

Histogram = Sequence[tuple[int, int]]  # (value, rows >= 1), values ascending
V = TypeVar("V")  # of a value: a whole number, or a float where only its place counts

QUANTILES = ("0.01", "0.05", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999")
MAX_DISTINCT = 65_536  # values; above, a histogram is folded
FINE = 256  # values below have a bucket each
PER_OCTAVE_BITS = 7  # 128 buckets an octave: at most 0.79 % wide
MIN_TAIL = 10  # rows of Hill's estimate, at least


def size(counts: Histogram) -> int:
    """Rows."""
    return sum(rows for _, rows in counts)


def bucket(value: int) -> tuple[int, int]:
    """The first and last value of the log bucket that holds `value` >= 0.

    >>> bucket(255), bucket(256), bucket(1001)
    ((255, 255), (256, 257), (1000, 1003))
    """
    shift = max(0, value.bit_length() - 1 - PER_OCTAVE_BITS) if value >= FINE else 0
    low = value >> shift << shift
    return low, low + (1 << shift) - 1


def fold(counts: Histogram) -> Histogram:
    """The counts themselves up to MAX_DISTINCT values, else by log bucket, each standing for its last value."""
    return counts if len(counts) <= MAX_DISTINCT else by_bucket(counts)


def by_bucket(counts: Iterable[tuple[int, int]]) -> Histogram:
    """Rows by the last value of each log bucket; `counts` in any order.

    >>> by_bucket([(257, 4), (256, 1), (3, 1)])
    [(3, 1), (257, 5)]
    """
    found: dict[int, int] = {}
    for value, rows in counts:
        last = bucket(value)[1]
        found[last] = found.get(last, 0) + rows
    return sorted(found.items())


def quantile(counts: Sequence[tuple[V, int]], q: str) -> V:
    """Nearest rank: the value at place ⌈q·n⌉ of the sorted rows; q is exact, a decimal or a fraction, 0 <= q <= 1.

    `counts`: (value, rows >= 1), values ascending. Raises ValueError without rows.

    >>> quantile([(10, 3), (20, 1)], "0.75"), quantile([(10, 3), (20, 1)], "0.76")
    (10, 20)
    """
    rank = -(-Fraction(q) * sum(rows for _, rows in counts) // 1)
    for value, rows in counts:
        rank -= rows
        if rank <= 0:
            return value
    raise ValueError("no rows")


def power_sums(counts: Histogram) -> list[int]:
    """S1 to S4 as whole numbers of any length: rows of a million characters pass 64 bits in the fourth.

    >>> power_sums([(10, 3), (20, 1)])
    [50, 700, 11000, 190000]
    """
    return [sum(value**p * rows for value, rows in counts) for p in (1, 2, 3, 4)]


def moments(counts: Histogram, scale: int = 1) -> dict[str, float | None]:
    """mean, sd, skewness g1, excess_kurtosis of the population. `scale`: values are so many times too large.

    Skewness and kurtosis are None where all values are equal. Exact until the last division.

    >>> moments([(2, 1), (4, 1)])["sd"]
    1.0
    """
    n = size(counts)
    s1, s2, s3, s4 = power_sums(counts)
    m2 = n * s2 - s1**2
    m3 = n**2 * s3 - 3 * n * s1 * s2 + 2 * s1**3
    m4 = n**3 * s4 - 4 * n**2 * s1 * s3 + 6 * n * s1**2 * s2 - 3 * s1**4
    return {
        "mean": s1 / (n * scale),
        "sd": math.sqrt(m2) / (n * scale),
        "skewness": m3 / m2**1.5 if m2 else None,
        "excess_kurtosis": m4 / m2**2 - 3 if m2 else None,
    }


def log_skewness(counts: Histogram) -> float | None:
    """g1 of ln x over x > 0: 0 for a log-normal. None where there is no spread."""
    logs = [(math.log(value), rows) for value, rows in counts if value > 0]
    if len(logs) < 2:
        return None
    n = sum(rows for _, rows in logs)
    mean = math.fsum(x * rows for x, rows in logs) / n
    m2, m3 = (math.fsum((x - mean) ** p * rows for x, rows in logs) / n for p in (2, 3))
    return float(m3 / m2**1.5)


def hill(counts: Histogram, k: int | None) -> dict[str, Any]:
    """Tail index alpha = k / Σ ln(x_i / x_(n-k)) of the k largest (None: 1 % of the rows, at least MIN_TAIL).

    Below 2 the variance is infinite, below 1 the mean. None for too few rows, a base of 0, or no tail.
    Source: Hill 1975.
    """
    n = size(counts)
    k = k or max(MIN_TAIL, -(-n // 100))
    top, left = [], k
    for value, rows in reversed(counts):
        if not left:
            break
        top.append((value, min(rows, left)))
        left -= top[-1][1]
    base = quantile(counts, f"{n - k}/{n}") if n > k else 0
    if base <= 0:
        return {"k": k, "alpha": None}
    total = math.fsum(math.log(value / base) * rows for value, rows in reversed(top))
    return {"k": k, "alpha": k / total if total else None}


def deviations(counts: Histogram, center: int) -> Histogram:
    """Rows by their distance from `center`.

    >>> deviations([(1, 1), (2, 5), (3, 2)], 2)
    [(0, 5), (1, 3)]
    """
    away: dict[int, int] = {}
    for value, rows in counts:
        away[abs(value - center)] = away.get(abs(value - center), 0) + rows
    return sorted(away.items())


def mad(counts: Histogram, scale: int = 1) -> dict[str, Any]:
    """Median absolute deviation; outliers: 0.6745·|x − median|/MAD > 3.5, None where MAD is 0."""
    median = quantile(counts, "0.5")
    away = deviations(counts, median)
    deviation = quantile(away, "0.5")
    far = _rows(away, lambda d: 6745 * d > 35000 * deviation) if deviation else None
    share = None if far is None else far / size(counts)
    return {"median": _unit(median, scale), "mad": _unit(deviation, scale), "outliers": far, "share": share}


def tukey(counts: Histogram, scale: int = 1) -> dict[str, Any]:
    """Quartile fences at 1.5 (outliers) and 3 (far) interquartile ranges."""
    q1, q3 = quantile(counts, "0.25"), quantile(counts, "0.75")
    iqr = q3 - q1
    outliers = _rows(counts, lambda x: 2 * x < 2 * q1 - 3 * iqr or 2 * x > 2 * q3 + 3 * iqr)
    far = _rows(counts, lambda x: x < q1 - 3 * iqr or x > q3 + 3 * iqr)
    lo, hi = (q1 - 1.5 * iqr) / scale, (q3 + 1.5 * iqr) / scale
    quartiles = {"q1": _unit(q1, scale), "q3": _unit(q3, scale), "iqr": _unit(iqr, scale)}
    return {**quartiles, "lo": lo, "hi": hi, "outliers": outliers, "far": far, "share": outliers / size(counts)}


def quantiles(counts: Histogram, scale: int = 1) -> dict[str, int | float]:
    """Those of QUANTILES by name."""
    return {q: _unit(quantile(counts, q), scale) for q in QUANTILES}


def _unit(value: int, scale: int) -> int | float:
    return value if scale == 1 else value / scale


def _rows(counts: Iterable[tuple[int, int]], hit: Callable[[int], bool]) -> int:
    return sum(rows for value, rows in counts if hit(value))
