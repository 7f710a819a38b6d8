"""How uneven the classes are. Source of the formulas: any text on class imbalance; exact until the last division."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from cleanse.measures.tally import Tally, in_order, tally

TABLE = {
    "split": pl.String(),
    "label": pl.String(),
    "rows": pl.UInt64(),
    "bytes": pl.UInt64(),
    "tokens": pl.UInt64(),  # null: no column of token counts
}


def count(frame: pl.DataFrame, split: pl.Series | None) -> Tally:
    """(split, label) → (rows, bytes of title and body in UTF-8). `split`: of each row, None where there is none."""
    none = pl.lit(None, pl.String)
    by = none if split is None else pl.lit(split)
    label = pl.col("label") if "label" in frame.columns else none
    return tally(frame, [by.alias("split"), label.alias("label")], text_bytes(frame.columns))


def text_bytes(columns: Sequence[str]) -> pl.Expr:
    """Bytes of title and body of each row in UTF-8; null counts 0."""
    present = [
        pl.col(role).str.len_bytes().fill_null(0).cast(pl.Int64) for role in ("title", "body") if role in columns
    ]
    return pl.sum_horizontal(present) if present else pl.lit(0, pl.Int64)


def table(counts: Tally) -> list[dict[str, Any]]:
    """The class table as rows of TABLE, sorted by split and label, nulls first."""
    return [dict(zip(TABLE, (*key, *sums, None), strict=True)) for key, sums in in_order(counts)]


def train_split(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The split by which classes are judged: `train` where there is one, else the whole table (None)."""
    return "train" if any(row["split"] == "train" for row in rows) else None


def per_label(rows: Sequence[Mapping[str, Any]], split: str | None) -> dict[str, int]:
    """Rows of each label: of one split, or with None of the whole table. Null and blank labels are no classes."""
    counts: dict[str, int] = {}
    for row in rows:
        if (split is None or row["split"] == split) and (row["label"] or "").strip():
            counts[row["label"]] = counts.get(row["label"], 0) + row["rows"]
    return counts


def balance(counts: Mapping[str, int]) -> dict[str, Any]:
    """Figures over labels with at least one row: `k`, shares, majority, rarest, imbalance ratio max/min (>= 1).

    `counts`: label → rows, each >= 1; at least one label.

    >>> figures = balance({"a": 9996, "b": 4})
    >>> figures["shares"]["b"], figures["imbalance_ratio"]
    (0.0004, 2499.0)
    """
    n = sum(counts.values())
    largest = max(sorted(counts), key=lambda label: counts[label])
    rarest = min(sorted(counts), key=lambda label: counts[label])
    shares = {label: counts[label] / n for label in sorted(counts)}
    return {
        "rows": n,
        "k": len(counts),
        "counts": {label: counts[label] for label in sorted(counts)},
        "shares": shares,
        "majority": {"label": largest, "rows": counts[largest], "share": shares[largest]},
        "rarest": {"label": rarest, "rows": counts[rarest], "share": shares[rarest]},
        "imbalance_ratio": counts[largest] / counts[rarest],
    }
