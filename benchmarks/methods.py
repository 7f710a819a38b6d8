"""What each method of resample does to a classifier: macro-F1 on untouched test rows, the table of docs/resample.md.

    python benchmarks/methods.py CORPUS [--body-col TEXT]

CORPUS: a file with a label and a split of train and test. The classifier is a logistic regression on the SVD vectors
of the rows (fitted on train rows only); of smote on its made-up vectors, too. Each line is a `cleanse resample`.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from cleanse.run.store import read_json

Flags = Sequence[str]
SVD = ("--features", "svd")
METHODS: dict[str, Flags] = {
    "nothing": ("--method", "none"),
    "class weights": ("--method", "weights"),
    "random under": ("--method", "under"),
    **{f"under, {kind}": ("--method", "under", "--under-kind", kind, *SVD) for kind in ("tomek", "enn", "cluster")},
    **{f"under, nearmiss{n}": ("--method", "under", "--under-kind", f"nearmiss{n}", *SVD) for n in (1, 2, 3)},
    "random over": ("--method", "over"),
    "mix unimax:4": ("--method", "mix", "--target", "unimax:4"),
    "mix temperature:0.3": ("--method", "mix", "--target", "temperature:0.3"),
    "SMOTE k=5": ("--method", "smote", *SVD),
    **{f"SMOTE, {kind}": ("--method", "smote", "--kind", kind, *SVD) for kind in ("borderline", "adasyn")},
}
BOTH = "SMOTE k=5"  # the method that leaves a vector of every row
TINY = 1e-300  # a probability that is 0 in float64
OFFSET = "nothing + log-prior offset"


def cleanse(*arguments: str) -> None:
    """Run it; what it says is shown only when it fails."""
    command = [str(Path(sys.executable).with_name("cleanse")), *arguments, "--progress", "none"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def matrix(frame: pl.DataFrame) -> np.ndarray:
    """Vectors as one matrix."""
    return np.array(frame["features"].to_list(), dtype=np.float32)


def trained_on(out: Path, real: pl.DataFrame) -> pl.DataFrame:
    """`features`, `label` and `weight` of the train rows that a method left."""
    kept = pl.read_parquet(out / "kept/*.parquet").filter(pl.col("split") == "train")
    weight = pl.col("sample_weight") if "sample_weight" in kept.columns else pl.lit(1.0)
    rows = kept.select("label", pl.col("_id").str.split("+").list.first(), weight=weight)
    found = rows.join(real.select("_id", "features"), on="_id").sort("_id").select("features", "label", "weight")
    if list((out / "vectors").glob("synthetic-*")):
        made = pl.read_parquet(out / "vectors/synthetic-*.parquet").select("features", "label", weight=1.0)
        found = pl.concat([found, made])
    return found


def scores(out: Path, real: pl.DataFrame) -> list[float]:
    """Macro-F1, and that with the log-prior of weights.json taken from the logits."""
    train, test = trained_on(out, real), real.filter(pl.col("split") == "test")
    model = LogisticRegression(C=10, max_iter=1000)
    model.fit(matrix(train), train["label"].to_list(), sample_weight=train["weight"].to_numpy())
    logits, want = np.log(np.maximum(model.predict_proba(matrix(test)), TINY)), test["label"].to_list()
    weights = read_json(out / "weights.json")
    assert weights  # every method writes them
    prior = np.array([weights["log_prior"][label] for label in model.classes_])
    guesses = (model.classes_[each.argmax(axis=1)] for each in (logits, logits - prior))
    return [float(f1_score(want, guess, average="macro")) for guess in guesses]


def main() -> None:
    """Run all methods and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--body-col", default="body")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        cleanse("decode", given.corpus, "-o", str(tmp / "decoded"), "--body-col", given.body_col)
        for method, flags in METHODS.items():
            cleanse("resample", str(tmp / "decoded"), "-o", str(tmp / method), *flags)
        real = pl.read_parquet(tmp / BOTH / "vectors/real-*.parquet")
        table = {method: (scores(tmp / method, real), trained_on(tmp / method, real).height) for method in METHODS}
    (plain, offset), rows = table["nothing"]
    lines = {"nothing": (plain, rows), OFFSET: (offset, rows)} | {
        method: (found[0], n) for method, (found, n) in table.items() if method != "nothing"
    }
    print("| method | train rows | macro-F1 |\n|---|---|---|")
    for method, (score, n) in lines.items():
        print(f"| {method} | {n:,} | {score:.3f} |")


if __name__ == "__main__":
    main()
