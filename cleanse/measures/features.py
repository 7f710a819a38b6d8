"""Columns beside the text: numbers with a long tail, categories with a hot value, and what would tame them."""

from typing import Any

import polars as pl

from cleanse.measures import distribution as dist

SCALE = 10**6  # numbers are counted in millionths, so that their sums are exact
LARGEST = 9 * 10**12  # a number beyond is bad: its millionths leave 64 bits
NUMBER_SHARE = 0.9  # of the present values of a column that must be numbers; below, it is text
TOP = 10  # values that are named
ID_LIKE = 0.5  # distinct share above which values are as good as names of rows


def figures(counts: pl.DataFrame, hill_k: int | None) -> dict[str, Any]:
    """Figures of one column. `counts`: `value` (text, null = missing) and `rows`, at least one row."""
    present = counts.filter(pl.col("value").str.strip_chars() != "")
    rows, n = int(counts["rows"].sum()), int(present["rows"].sum())
    if not n:
        return {"available": False, "reason": "empty"}
    parsed = millionths(present)
    numeric = dist.size(parsed)
    known = {"available": True, "kind": "number", "n": n, "missing": rows - n, "bad": 0}
    distinct: dict[str, Any] = {
        "distinct": present.height,
        "distinct_share": present.height / n,
        "top": _top(present, n),
    }
    if numeric < NUMBER_SHARE * n:
        suggest = ["hash:1024"] if distinct["distinct_share"] > ID_LIKE else []
        return {**known, "kind": "category", **distinct, "suggest": suggest}
    found = numbers(parsed, hill_k)
    return {**known, "n": numeric, "bad": n - numeric, **distinct, "suggest": suggestions(found), **found}


def millionths(counts: pl.DataFrame) -> dist.Histogram:
    """The values that are numbers, in millionths. `counts`: `value` (text) and `rows`."""
    number = pl.col("value").str.strip_chars().cast(pl.Float64, strict=False)
    fits = counts.select(number, "rows").filter(pl.col("value").is_finite() & (pl.col("value").abs() < LARGEST))
    sums = fits.group_by((pl.col("value") * SCALE).round().cast(pl.Int64)).agg(pl.col("rows").sum())
    return [(value, rows) for value, rows in sums.sort("value").iter_rows()]


def _top(present: pl.DataFrame, n: int) -> list[dict[str, Any]]:
    ranked = present.sort(["rows", "value"], descending=[True, False]).head(TOP)
    return [{"value": value, "rows": rows, "share": rows / n} for value, rows in ranked.iter_rows()]


def numbers(counts: dist.Histogram, hill_k: int | None) -> dict[str, Any]:
    """Figures of numbers that were counted in millionths."""
    n, zeros = dist.size(counts), sum(rows for value, rows in counts if value == 0)
    moments = dist.moments(counts, SCALE)
    return {
        "zeros": zeros,
        "zero_share": zeros / n,
        "negatives": sum(rows for value, rows in counts if value < 0),
        "min": counts[0][0] / SCALE,
        "max": counts[-1][0] / SCALE,
        **{name: moments[name] for name in ("mean", "sd", "skewness")},
        "quantiles": dist.quantiles(counts, SCALE),
        "hill": dist.hill(counts, hill_k),
        "mad": dist.mad(counts, SCALE),
        "tukey": dist.tukey(counts, SCALE),
    }


def suggestions(found: dict[str, Any]) -> list[str]:
    """Transforms that `resample` can apply: advice, never done unasked. `found`: figures of `numbers`."""
    heavy = (found["hill"]["alpha"] or 9) < 2
    advice = {
        "clip:0.999": heavy,
        "log1p": (heavy or (found["skewness"] or 0) > 2) and not found["negatives"],
        "bins:10": found["zero_share"] > 0.5,
        "standardise": found["sd"] > 0 and not heavy,
    }
    return [name for name, good in advice.items() if good]
