"""profile.json: what is told of the texts before and after, counted once from narrow columns when a run is sealed.
The gate's drift, the report's charts and the numbers `decode.*`, `text.*`, `out.*` all come from it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import polars as pl

from cleanse.measures.distribution import Histogram, by_bucket, quantile
from cleanse.run.finished import Finished
from cleanse.run.tables import scan
from cleanse.table import TEXTS

MAX_SOURCES = 50  # sources whose decoding is listed, the least certain first
MAX_LABELS = 10_000
MAX_PICKS = 10  # kept rows that the report shows, of each kind


def measure(run: Finished) -> dict[str, Any]:
    """The tree of profile.json. What the run does not have, it leaves out."""
    before, after = run.parts("decode", "kept"), run.outputs("data")
    tree: dict[str, Any] = {"schema_version": 1}
    if before:
        tree |= {"decode": _decoding(scan(before))}
    sides = {"before": before, "after": after}
    texts = {side: measure_texts(scan(files)) for side, files in sides.items() if files}
    tree["lengths"] = {side: lengths for side, (lengths, _) in texts.items()}
    tree["chars"] = {side: chars for side, (_, chars) in texts.items()}
    tree["labels"] = {side: _labels(scan(files)) for side, files in sides.items() if files}
    if after:
        tree["picks"] = {"near": _near(scan(after), run.manifest["settings"]["check"])}
    if before and after:
        was, now, changed = _in_both(scan(before), scan(after))
        tree["chars"] |= {"of_kept_before": was, "of_kept_after": now}
        tree["picks"]["changed"] = changed
    if rejects := run.outputs("rejects"):
        tree["rejects_by_source"] = _ranked(scan(rejects).group_by("_source").len())[:10]
    return tree


def _decoding(table: pl.LazyFrame) -> dict[str, Any]:
    by = table.group_by("_source", "_encoding").agg(
        records=pl.len(),
        confidence=pl.col("_confidence").min().cast(pl.Float64).round(6),
        repaired=pl.col("_repair").is_not_null().sum(),
        misaligned=pl.col("_problem").is_not_null().sum(),
        replaced=pl.col("_replaced").sum(),
    )
    found = by.sort("confidence", "_source", "_encoding", nulls_last=True).collect()
    counts = [(value, n) for value, n in table.group_by(c=pl.col("_confidence").cast(pl.Float64).round(6)).len()
              .drop_nulls().sort("c").collect().iter_rows()]  # fmt: skip
    sums = {name: int(found[name].sum()) for name in ("records", "repaired", "misaligned", "replaced")}
    shares = found.group_by("_encoding").agg(pl.col("records").sum()).rows()
    rest = found[MAX_SOURCES:]
    return {
        **sums,
        "confidence_min": counts[0][0] if counts else None,
        "confidence_p05": nearest_rank(counts, "0.05"),
        "encodings": dict(sorted((str(name), n) for name, n in shares)),
        "sources": found[:MAX_SOURCES].to_dicts(),
        "rest": {"sources": rest.height, **{name: int(rest[name].sum()) for name in sums}},
    }


def measure_texts(table: pl.LazyFrame) -> tuple[dict[str, Histogram], int]:
    """(characters, rows) by bucket of each text role the table has; and all characters of them.

    White space at both ends of a text counts among all characters, not in its length.
    """
    columns, found, total = table.collect_schema().names(), {}, 0
    for role in (role for role in TEXTS if role in columns):
        text = table.select(n=pl.col(role).str.strip_chars().str.len_chars(), all=pl.col(role).str.len_chars())
        counts = text.drop_nulls().group_by("n").agg(pl.len(), pl.col("all").sum()).collect(engine="streaming")
        found[role] = by_bucket(counts.select("n", "len").iter_rows())
        total += int(counts["all"].sum())
    return found, total


def nearest_rank(counts: Sequence[Sequence[Any]], q: str) -> Any:
    """The quantile of (value, rows) in ascending order, as profile.json has them; None without rows.

    >>> nearest_rank([[1, 1], [5, 3], [9, 1]], "0.5"), nearest_rank([], "0.5")
    (5, None)
    """
    return quantile([(value, rows) for value, rows in counts], q) if counts else None


def _labels(table: pl.LazyFrame) -> dict[str, Any] | None:
    if "label" not in table.collect_schema().names():
        return None
    label = pl.col("label").str.strip_chars()
    counted = table.group_by(label=pl.when(label != "").then(label)).len()
    rows = _ranked(counted)
    known = {name: n for name, n in rows if name is not None}
    return {
        "unlabelled": sum(n for name, n in rows if name is None),
        "labels": len(known),
        "counts": dict(list(known.items())[:MAX_LABELS]),
    }


def _ranked(counted: pl.LazyFrame) -> list[list[Any]]:
    """(value, rows), the largest first, equal ones by name."""
    table = counted.collect(engine="streaming")
    return [list(row) for row in table.sort("len", table.columns[0], descending=[True, False]).iter_rows()]


def _sum_chars(table: pl.LazyFrame) -> pl.Expr:
    texts = [role for role in TEXTS if role in table.collect_schema().names()]
    each = [pl.col(role).str.len_chars().fill_null(0).cast(pl.Int64) for role in texts]
    return pl.sum_horizontal(each) if each else pl.lit(0, pl.Int64)


def _near(after: pl.LazyFrame, check: Mapping[str, Any]) -> list[str]:
    """`_id` of the kept rows that lie nearest to the length limits, an equal number for each limit."""
    roles = [role for role in TEXTS if role in after.collect_schema().names()]
    bounds = [(role, check[key]) for role in roles for key in (f"{role}_min", f"{role}_max") if check[key] is not None]
    queries = []
    for role, bound in bounds:
        far = (pl.col(role).str.strip_chars().str.len_chars().cast(pl.Int64) - bound).abs()
        nearest = after.select("_id", far=far).drop_nulls().bottom_k(MAX_PICKS // len(bounds), by=["far", "_id"])
        queries.append(nearest.sort("far", "_id").select("_id"))
    found = pl.collect_all(queries, engine="streaming")
    return list(dict.fromkeys(id for table in found for id in table["_id"]))


def _in_both(before: pl.LazyFrame, after: pl.LazyFrame) -> tuple[int, int, list[str]]:
    """Characters of the rows that came through, as decoded and as they lie in data/, and the rows that lost most."""
    left = before.select("_id", was=_sum_chars(before))
    joined = left.join(after.select("_id", now=_sum_chars(after)), on="_id")
    sums = joined.select(pl.col("was").sum(), pl.col("now").sum())
    lost = joined.select("_id", lost=(pl.col("was") - pl.col("now")).abs()).filter(pl.col("lost") > 0)
    most = lost.sort("lost", "_id", descending=[True, False]).head(MAX_PICKS)
    totals, largest = pl.collect_all([sums, most], engine="streaming")
    was, now = totals.row(0)
    return int(was), int(now), largest["_id"].to_list()


def label_counts(tree: Mapping[str, Any], side: Literal["before", "after"] = "after") -> dict[str, int]:
    """label → rows of a tree of profile.json, the largest first; empty without labels."""
    counts: dict[str, int] = (tree.get("labels", {}).get(side) or {}).get("counts", {})
    return counts


def numbers(tree: Mapping[str, Any]) -> dict[str, int | float]:
    """The figures of profile.json that are numbers of metrics.json. What was not measured is absent."""
    found: dict[str, int | float | None] = {}
    chars, decoding = tree["chars"], tree.get("decode")
    if decoding:
        found |= _decode_numbers(decoding, chars.get("before", 0))
    found |= {f"text.chars_{name}": chars.get(side) for name, side in (("in", "before"), ("out", "after"))}
    if chars.get("of_kept_before"):
        found["text.chars_kept_rate"] = chars["of_kept_after"] / chars["of_kept_before"]
    for role, counts in tree["lengths"].get("after", {}).items():
        figures = {
            name: nearest_rank(counts, q)
            for name, q in (("p05", "0.05"), ("p50", "0.5"), ("p95", "0.95"), ("max", "1"))
        }
        found |= {f"out.{role}_chars.{name}": value for name, value in figures.items()}
    if labels := tree["labels"].get("after"):
        found |= _label_numbers(labels)
    return {name: value for name, value in found.items() if value is not None}


def _decode_numbers(decoding: Mapping[str, Any], chars: int) -> dict[str, int | float | None]:
    n = decoding["records"]
    shares = {f"decode.encoding_share.{name}": rows / n for name, rows in decoding["encodings"].items() if n}
    return {
        "decode.replaced": decoding["replaced"],
        "decode.replaced_rate": decoding["replaced"] / chars if chars else None,
        "decode.confidence_min": decoding["confidence_min"],
        "decode.confidence_p05": decoding["confidence_p05"],
        "decode.repaired_rate": decoding["repaired"] / n if n else None,
        "decode.misaligned_rate": decoding["misaligned"] / n if n else None,
        "decode.encodings": len(decoding["encodings"]),
        **shares,
    }


def _label_numbers(labels: Mapping[str, Any]) -> dict[str, int | float | None]:
    counts, known = list(labels["counts"].values()), sum(labels["counts"].values())
    rows = known + labels["unlabelled"]
    return {
        "out.labels": labels["labels"],
        "out.majority_share": counts[0] / known if known else None,
        "out.imbalance_ratio": counts[0] / counts[-1] if known else None,
        "out.unlabelled_rate": labels["unlabelled"] / rows if rows else None,
    }
