"""What the lengths of texts cost a training job: cut at a limit, padding of batches, packing of windows."""

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any

from cleanse.measures import distribution as dist
from cleanse.measures.distribution import Histogram

MISSING, BAD = -1, -2  # in a tally of lengths: rows without a length, rows whose length is no whole number >= 0


def figures(counts: Histogram, hill_k: int | None, limits: Sequence[int], batch: int, windows: Sequence[int]) -> Any:
    """All figures of one column of lengths. `counts` may hold MISSING and BAD; above 65,536 values it is folded."""
    exact = [(value, rows) for value, rows in counts if value >= 0]
    known = {"n": dist.size(exact), **{name: sum(r for v, r in counts if v == code) for name, code in _FAULTS}}
    if not exact:
        return {"available": False, "reason": "empty"}
    folded = dist.fold(exact)
    return {
        "available": True,
        **known,
        "min": exact[0][0],
        "max": exact[-1][0],
        "power_sums": dist.power_sums(exact),
        **dist.moments(exact),
        "log_skewness": dist.log_skewness(folded),
        "exact": folded is exact,
        "quantiles": dist.quantiles(folded),
        "hill": dist.hill(folded, hill_k),
        "mad": dist.mad(folded),
        "tukey": dist.tukey(folded),
        "over": {str(limit): over(folded, limit) for limit in limits},
        "padding": padding(folded, batch),
        "packing": {str(window): packing(folded, window) for window in windows},
    }


_FAULTS = (("missing", MISSING), ("bad", BAD))


def over(counts: Histogram, limit: int) -> dict[str, float | None]:
    """`rows`: share of rows above the limit; `cut`: share of all length that a cut there would lose.

    >>> over([(10, 1), (30, 1)], 20)
    {'rows': 0.5, 'cut': 0.25}
    """
    total = sum(value * rows for value, rows in counts)
    beyond = [(value - limit, rows) for value, rows in counts if value > limit]
    cut = sum(value * rows for value, rows in beyond) / total if total else None
    return {"rows": dist.size(beyond) / dist.size(counts), "cut": cut}


def padding(counts: Histogram, batch: int) -> dict[str, Any]:
    """Share of positions that are padding: of random batches (expected) and of batches of sorted rows.

    `batch`: rows of a batch, cut to the rows there are. The largest of a random batch is at most x with probability
    C(#(rows <= x), B) / C(n, B), in whole numbers. None where all lengths are 0.
    """
    n, total = dist.size(counts), sum(value * rows for value, rows in counts)
    if not total:
        return {"batch": batch, "random": None, "sorted": None, "saving": None}
    width, below, expected, padded = min(batch, n), 0, 0, 0
    for value, rows in counts:
        upto = below + rows
        expected += value * (math.comb(upto, width) - math.comb(below, width))
        padded += value * width * (upto // width - below // width)
        below = upto
    padded += counts[-1][0] * (n % width)
    random = 1 - total * math.comb(n, width) / (n * expected)
    even = (padded - total) / padded
    return {"batch": batch, "random": random, "sorted": even, "saving": random - even}


def packing(counts: Histogram, window: int) -> dict[str, Any]:
    """Best fit decreasing into bins of `window`: bins, their fill, rows that are too long, the fewest bins possible.

    Bins of equal free space are one number, so the cost does not grow with the rows.

    >>> packing([(3, 2), (5, 1), (9, 1)], 8)
    {'bins': 2, 'fill': 0.6875, 'too_long': 1, 'lower_bound': 2}
    """
    free: dict[int, int] = {}
    spaces: list[int] = []  # the keys of `free`, ascending
    bins = 0
    fitting = [(value, rows) for value, rows in counts if value <= window]
    for value, rows in reversed(fitting):
        left = rows if value else 0  # a row of no length needs no place
        while left:
            place = bisect_left(spaces, value)
            if place == len(spaces):
                new = -(-left // (window // value))
                bins += new
                _put(free, spaces, window, new)
                continue
            left -= _fill(free, spaces, spaces[place], value, left)
    used = sum(value * rows for value, rows in fitting)
    too_long = dist.size(counts) - dist.size(fitting)
    fill = used / (bins * window) if bins else None
    return {"bins": bins, "fill": fill, "too_long": too_long, "lower_bound": -(-used // window)}


def _put(free: dict[int, int], spaces: list[int], space: int, n: int) -> None:
    if space not in free:
        insort(spaces, space)
    free[space] = free.get(space, 0) + n


def _fill(free: dict[int, int], spaces: list[int], space: int, value: int, left: int) -> int:
    """Rows of one length that the bins with just this free space take, each bin filled before the next is begun."""
    each = space // value
    full = min(free[space], left // each)
    partial = left - full * each if full < free[space] else 0
    moved = [(space - each * value, full), (space - partial * value, int(partial > 0))]
    free[space] -= full + int(partial > 0)
    if not free[space]:
        del free[space]
        spaces.remove(space)
    for rest, n in moved:
        if n:
            _put(free, spaces, rest, n)
    return full * each + partial
