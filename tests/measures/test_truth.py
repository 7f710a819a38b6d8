"""65 worked cases: inputs, formula, arithmetic and result of every figure (tests/cases/skew_truth.json)."""

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cleanse.measures import classes, drift, keys, leaks, lengths, shards
from cleanse.measures import distribution as dist
from cleanse.measures.tally import merge, tally
from cleanse.sampling import nearest, packing, smote, targets
from cleanse.stages import mixed

CASES = json.loads((Path(__file__).parent.parent / "cases/skew_truth.json").read_text(encoding="utf-8"))["cases"]


def histogram(values: list[int]) -> dist.Histogram:
    return sorted(Counter(values).items())


def entropy(counts: dict[str, int]) -> dict[str, float]:
    found = classes.balance(counts)
    return {"nats": found["entropy_nats"], "bits": found["entropy_bits"], "evenness": found["evenness"]}


def simpson(counts: dict[str, int]) -> dict[str, float]:
    found = classes.balance(counts)
    return {
        "gini_simpson": found["gini_simpson"],
        "hill2": found["inverse_simpson"],
        "hill1": found["effective_classes"],
    }


def majority_share(counts: dict[str, int]) -> dict[str, Any]:
    share = classes.balance(counts)["majority"]["share"]
    return {"share": share, "over_90_rule": share > 0.9}


def effective(case: dict[str, Any]) -> dict[str, Any]:
    found = classes.effective_number(case["counts"], case["beta"])
    return {"E": {c: each["e"] for c, each in found.items()}, "w": {c: each["w"] for c, each in found.items()}}


def rare(counts: dict[str, int]) -> dict[str, Any]:
    found = classes.balance(counts)
    return {"min_share": found["rarest"]["share"], "limit": 0.1 / len(counts), "flag": bool(found["rare"])}


def moments(values: list[int]) -> dict[str, Any]:
    counts = histogram(values)
    found = dist.moments(counts)
    sums = {f"S{p}": value for p, value in enumerate(dist.power_sums(counts), 1)}
    sd = found["sd"] or 0
    return {"n": dist.size(counts), **sums, "var": sd**2, **found}


def mad(values: list[int]) -> dict[str, Any]:
    found = dist.mad(histogram(values))
    return {**found, "outliers": values_over(values, found["outliers"])}


def tukey(values: list[int]) -> dict[str, Any]:
    found = dist.tukey(histogram(values))
    return {**found, "outliers": values_over(values, found["outliers"]), "far": values_over(values, found["far"])}


def values_over(values: list[int], n: int) -> list[int]:
    """All outliers of these cases are large ones."""
    return sorted(values)[len(values) - n :]


def over(case: dict[str, Any]) -> dict[str, Any]:
    found = lengths.over(histogram(case["lengths"]), case["limit"])
    return {"rows": found["rows"], "tokens_cut": found["cut"]}


def padded(case: dict[str, Any]) -> dict[str, Any]:
    found = lengths.padding(histogram(case["lengths"]), case["batch"])
    mean = sum(case["lengths"]) / len(case["lengths"])
    return {"waste": found["random"], "e_max": mean / (1 - found["random"])}


def file_order(case: dict[str, Any]) -> float:
    """No figure of the report depends on file order: the product sorts or takes the expectation. Formula only."""
    batches = [case["lengths"][i : i + case["batch"]] for i in range(0, len(case["lengths"]), case["batch"])]
    found: float = 1 - sum(case["lengths"]) / sum(len(batch) * max(batch) for batch in batches)
    return found


def spark(sizes: list[int]) -> dict[str, Any]:
    flagged = shards.spark_splits({str(i): size for i, size in enumerate(sizes)})
    return {"median": sorted(sizes)[2], "flags": [str(i) in flagged for i in range(len(sizes))]}


def hashed(case: dict[str, Any]) -> dict[str, Any]:
    rows = [{"key": key, "rows": n, "bytes": 0, "tokens": 0} for key, n in case["key_rows"].items()]
    table = keys.numbered(pl.DataFrame(rows))
    loads, found = keys.loads(table, case["N"])["rows"], keys.figures(table, 100, 100, tokens=False)
    floor = keys.floor(max(case["key_rows"].values()), sum(case["key_rows"].values()), case["N"])
    even = shards.spread(loads)["max_over_mean"]
    known = {"loads": loads, "max_over_mean": even, "hot_key": found["top"][0]["key"], "hot_share": found["hot_share"]}
    return {**known, "slowdown_floor": floor["slowdown_floor"], "salts_needed": floor["salts"]}


def lpt(case: dict[str, Any]) -> dict[str, Any]:
    loads = packing.longest_first(dict(enumerate(case["items"])), case["M"])[1]
    bound = max(-(-sum(case["items"]) // case["M"]), max(case["items"]))
    return {"loads": loads, "makespan": max(loads), "lower_bound": bound}


def karmarkar_karp(items: list[int]) -> int:
    """Not in the product, which places by LPT: the better two-way answer that its bound is compared with."""
    left = sorted(items)
    while len(left) > 1:
        left = sorted([*left[:-2], left[-1] - left[-2]])
    return left[0]


def labels_drift(case: dict[str, list[int]]) -> dict[str, Any]:
    found = drift.drift({name: {str(i): n for i, n in enumerate(counts)} for name, counts in case.items()})
    return {**found, **found["per"]["b"], "cramers_v": found["cramers_v"]}


def leak(case: dict[str, list[str]]) -> dict[str, Any]:
    rows = [("train", text) for text in case["train"]] + [("validation", text) for text in case["val"]]
    frame = pl.DataFrame(rows, ["split", "body"], orient="row")
    table = frame.with_columns(leaks.text_hashes(frame))
    found = leaks.shared_with_train(tally(table, "split", "text").collect(), "text")["validation"]
    return {**found, "keys": sorted(set(case["train"]) & set(case["val"]))}


def merged(case: dict[str, list[int]]) -> dict[str, Any]:
    tables = {name: tally(pl.DataFrame({"value": case[f"part_{name}"]}), "value").collect() for name in ("a", "b")}
    tables["merged"] = merge(tables["a"], tables["b"])
    counts = {name: list(table.sort("value").iter_rows()) for name, table in tables.items()}
    return {name: {**moments_of(each), "min": each[0][0], "max": each[-1][0]} for name, each in counts.items()}


def moments_of(counts: dist.Histogram) -> dict[str, int]:
    return {"n": dist.size(counts), **{f"S{p}": value for p, value in enumerate(dist.power_sums(counts), 1)}}


def temperature(case: dict[str, Any]) -> dict[str, Any]:
    found = targets.temperature(case["counts"], Fraction(str(case["alpha"])), case["budget"])
    p = {label: float(rows / case["budget"]) for label, rows in found.items()}
    return {"p": p, "repeats": {label: float(rows / case["counts"][label]) for label, rows in found.items()}}


def unimax(case: dict[str, Any]) -> dict[str, Any]:
    found = targets.unimax(case["counts"], Fraction(case["epoch_cap"]), case["budget"])
    draws = {label: float(rows) for label, rows in found.items()}
    return {"draws": draws, "unspent": float(case["budget"] - sum(found.values()))}


def repeat_value(case: dict[str, int]) -> dict[str, float]:
    found = targets.worth(case["unique"], Fraction(case["epochs"]))
    return {"effective": found, "of_seen": found / (case["unique"] * case["epochs"])}


def row(case: dict[str, Any]) -> list[float]:
    x = np.array([case["a"], case["b"]], dtype=np.float32)
    found: list[float] = smote.between(x, np.array([0]), np.array([1]), np.array([case["lambda"]]))[0].tolist()
    return found


def category(values: list[str]) -> str:
    names = sorted(set(values))
    return names[int(mixed.majority(np.array([[names.index(value) for value in values]]))[0])]


def goals(case: dict[str, Any]) -> dict[str, Any]:
    n, r = case["counts"], targets.parse(f"ratio:{case['ratio']}")
    full, ratio = targets.over(n, targets.parse("equal")), targets.over(n, r)
    cut = targets.under(n, targets.parse("equal"))
    return {
        "over": {c: full[c] - n[c] for c in n},
        "under": {c: n[c] - cut[c] for c in n},
        "to_ratio": {c: ratio[c] - n[c] for c in n},
    }


FIGURES: dict[str, Callable[[Any], Any]] = {
    "class.ratio": lambda counts: classes.balance(counts)["imbalance_ratio"],
    "class.majority": majority_share,
    "class.entropy": entropy,
    "class.simpson": simpson,
    "class.gini": lambda counts: classes.balance(counts)["gini"],
    "class.balanced_weight": lambda counts: classes.balance(counts)["balanced_weight"],
    "class.effective_number": effective,
    "class.cleanlab_rule": rare,
    "class.logit_adjust": lambda counts: classes.balance(counts)["log_prior"],
    "mix.temperature": temperature,
    "mix.unimax": unimax,
    "mix.repeat_value": repeat_value,
    "len.moments": moments,
    "len.quantiles": lambda values: dist.quantiles(histogram(values)),
    "len.mad": mad,
    "len.iqr": tukey,
    "len.hill": lambda case: dist.hill(histogram(case["lengths"]), case["k"])["alpha"],
    "len.over": over,
    "len.padding.file_order": file_order,
    "len.padding.sorted": lambda case: lengths.padding(histogram(case["lengths"]), case["batch"])["sorted"],
    "len.padding.random_expected": padded,
    "len.packing.bfd": lambda case: lengths.packing(histogram(case["lengths"]), case["window"]),
    "shard.balance": lambda loads: shards.spread(loads),
    "shard.spark_rule": spark,
    "shard.hash": hashed,
    "shard.lpt": lpt,
    "shard.kk2": karmarkar_karp,
    "shard.bounded_load": lambda case: packing.capacity(case["m"], case["n"], case["eps"]),
    "drift.label": labels_drift,
    "leak.exact": leak,
    "merge.moments": merged,
    "smote.row": row,
    "smote.neighbours": lambda rows: nearest.neighbours(np.array(rows, dtype=np.float32), 2).tolist(),
    "smotenc.category": category,
    "balance.targets": goals,
}


def same(got: Any, want: Any, tolerance: float) -> bool:
    """Every figure that is wanted is there; numbers within the case's tolerance."""
    if isinstance(want, dict):
        return all(key in got and same(got[key], value, tolerance) for key, value in want.items())
    if isinstance(want, list):
        return len(got) == len(want) and all(same(g, w, tolerance) for g, w in zip(got, want, strict=True))
    if isinstance(want, float):
        return math.isclose(got, want, rel_tol=1e-9, abs_tol=max(tolerance, 1e-6))
    return bool(got == want)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_a_figure_is_what_its_arithmetic_says(case: dict[str, Any]) -> None:
    kind = next(kind for kind in FIGURES if case["id"] == kind or case["id"].startswith(kind + "."))
    assert same(FIGURES[kind](case["inputs"]), case["expected"], case["abs_tol"]), case["arithmetic"]


def test_no_case_is_left_out() -> None:
    assert len(CASES) == 65
    assert {next(k for k in FIGURES if case["id"].startswith(k)) for case in CASES} == set(FIGURES)
