"""weights.json: what a loss needs to weigh the classes, as they were and as they are now. Written by every method."""

import math
from collections.abc import Mapping
from fractions import Fraction

from cleanse.measures import classes
from cleanse.sampling.targets import worth
from cleanse.settings import Settings
from cleanse.stage import Facts, Side
from cleanse.stages import transforms

MANY = 16  # epochs of a class above which a person is warned: worth 66 % of fresh rows

NAMED = 5  # classes that a note names


def class_weight(before: Mapping[str, int]) -> dict[str, float]:
    """label → n/(K·n_c), the weight that makes every class count alike.

    >>> class_weight({"a": 90, "b": 10})["b"]
    5.0
    """
    n, k = sum(before.values()), len(before)
    return {label: n / (k * rows) for label, rows in before.items()}


def side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    """weights.json, and transforms.json where transforms were asked for."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    made = settings.resample.method not in ("none", "weights")  # else no row was made and the target is a plan
    found = classes.weights(before) if before else {"effective_number": {}, "log_prior": {}}
    inverse = math.fsum(1 / n for n in before.values())
    epochs = {label: Fraction(target[label], n) for label, n in before.items()}
    total = sum(target.values())
    tree = {
        "schema": "cleanse.weights/1",
        "seed": settings.run.seed,
        "method": settings.resample.method,
        "target": settings.resample.target,
        "counts": {c: {"before": n, "target": target[c], "after": target[c] if made else n} for c, n in before.items()},
        "class_weight": class_weight(before),
        "effective_number": {
            beta: {label: each["w"] for label, each in of.items()} for beta, of in found["effective_number"].items()
        },
        "focal_alpha": {c: 1 / (n * inverse) for c, n in before.items()},
        "log_prior": found["log_prior"],
        "log_prior_after": {c: math.log(target[c] / total) for c in before} if made else found["log_prior"],
        "epochs": {c: float(e) for c, e in epochs.items()},
        "interleave": {c: target[c] / total for c in before},
        "worth": {c: worth(n, epochs[c]) / float(n * epochs[c]) for c, n in before.items()},
    }
    categories: dict[str, Side] = {"vectors/categories.json": facts["mixed"]} if "mixed" in facts else {}
    return {"weights.json": tree, **transforms.side(settings, facts), **categories}


def notes(settings: Settings, facts: Facts) -> list[str]:
    """What a person should know: classes held back by the cap, classes repeated too often, what smote is worth."""
    s, c = settings.resample, facts["classes"]
    found = _some([_held_back(label, c["before"][label], c["target"][label]) for label in c["capped"]])
    if s.method in ("over", "mix"):
        often = [label for label, n in c["before"].items() if c["target"][label] > MANY * n]
        found += _some([f"class {label} repeats more than {MANY} times: see worth in weights.json" for label in often])
    if s.method == "under" and s.under_kind == "nearmiss1":
        found.append("NearMiss-1 fell to macro-F1 .41 to .55 on our sets, where a random cut had .61 to .76")
    if s.method == "smote":
        found.append("class weights and log-prior offsets need no new rows; on our three sets SMOTE did not beat them")
        if s.kind != "smote":
            n = f"{s.neighbour_rows:,}"
            found.append(f"{s.kind} saw at most {n} rows of a class and {n} around it, and tells no parents")
        if s.features == "svd":
            found.append("TF-IDF alone had .03 to .11 more average precision than SVD vectors on our sets")
        found.append(_SNIPPET)
    return found


def _held_back(label: str, n: int, target: int) -> str:
    fresh = worth(n, Fraction(target, n))
    return f"class {label} ends at {target} rows, {target / n:g} times its own: worth {fresh:.0f} fresh ones"


def _some(lines: list[str]) -> list[str]:
    """The first few: there may be a line for each of a hundred thousand classes."""
    more = len(lines) - NAMED
    return [*lines[:NAMED], f"and the same of {more:,} more classes"] if more > 0 else lines


_SNIPPET = """train on the vectors:
    import polars as pl
    from sklearn.linear_model import LogisticRegression
    rows = pl.read_parquet("DIR/vectors/*.parquet").filter(pl.col("split") == "train")
    x = rows["features"].list.to_array(len(rows["features"][0])).to_numpy()
    model = LogisticRegression(max_iter=1000).fit(x, rows["label"].to_numpy())
    print(model.score(x, rows["label"].to_numpy()))"""
