"""How much the labels of one shard or split differ from all the rest: effect sizes, no p-values."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

WORST = 256  # shards that are named
SMOOTH = 0.5  # rows added to each cell for PSI
Rows = Sequence[Sequence[int]]  # groups × labels; every label has a row somewhere


def drift(tables: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """chi2 without correction, df, cramers_v over all groups; `per`: each against the rest; `worst` by js_distance.

    `tables`: group (shard or split) → label → rows. With a single group or label there is nothing to compare: V is 0,
    `per` is empty where there is no rest.
    """
    names = sorted(name for name, counts in tables.items() if sum(counts.values()))
    labels = sorted({label for counts in tables.values() for label in counts})
    rows = [[tables[name].get(label, 0) for label in labels] for name in names]
    total = [sum(column) for column in zip(*rows, strict=True)]
    per = {}
    if len(names) > 1:
        per = {
            name: against(row, [t - x for t, x in zip(total, row, strict=True)])
            for name, row in zip(names, rows, strict=True)
        }
    ranked = sorted(per, key=lambda name: (-per[name]["js_distance"], name))[:WORST]
    worst = {"name": ranked[0], "js_distance": per[ranked[0]]["js_distance"]} if ranked else None
    chi2 = _chi2(rows)
    return {
        "chi2": chi2,
        "df": (len(names) - 1) * (len(labels) - 1),
        "cramers_v": _cramers_v(chi2, rows),
        "worst": worst,
        "per": {name: per[name] for name in sorted(ranked)},
    }


def _chi2(rows: Rows) -> float:
    """Σ (O − E)²/E = n·(Σ O²/(row·column) − 1)."""
    columns, n = [sum(column) for column in zip(*rows, strict=True)], sum(map(sum, rows))
    parts = (math.fsum(x * x / c for x, c in zip(row, columns, strict=True)) / sum(row) for row in rows)
    return max(0.0, n * (math.fsum(parts) - 1))


def _cramers_v(chi2: float, rows: Rows) -> float:
    """√(χ²/(n·(min(rows, columns) − 1))), 0 where one side has a single value."""
    smaller = min(len(rows), len(rows[0])) - 1
    return math.sqrt(chi2 / (sum(map(sum, rows)) * smaller)) if smaller else 0.0


def against(one: Sequence[int], rest: Sequence[int]) -> dict[str, Any]:
    """One group against another: JS divergence in bits, PSI with half a row in each cell.

    Both: rows by label in one order, at least one row on each side and in each label.

    >>> round(against([1, 3], [3, 1])["psi"], 6), against([2, 2], [5, 5])["js_distance"]
    (0.677838, 0.0)
    """
    p, q, ps, qs = _shares(one, 0), _shares(rest, 0), _shares(one, SMOOTH), _shares(rest, SMOOTH)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    bits = max(0.0, (_bits(p, middle) + _bits(q, middle)) / 2)
    away = [abs(a - b) for a, b in zip(p, q, strict=True)]
    return {
        "rows": sum(one),
        "cramers_v": _cramers_v(_chi2([one, rest]), [one, rest]),
        "jsd_bits": bits,
        "js_distance": math.sqrt(bits),
        "psi": math.fsum((a - b) * math.log(a / b) for a, b in zip(ps, qs, strict=True)),
        "linf": max(away),
        "tv": math.fsum(away) / 2,
    }


def _shares(counts: Sequence[int], smooth: float) -> list[float]:
    n = sum(counts) + smooth * len(counts)
    return [(x + smooth) / n for x in counts]


def _bits(p: Sequence[float], middle: Sequence[float]) -> float:
    return math.fsum(a * math.log2(a / m) for a, m in zip(p, middle, strict=True) if a)
