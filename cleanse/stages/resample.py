"""resample: even out the classes of the train rows. Which rows go or repeat follows from the seed and `_id` alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from cleanse.errors import ConfigError, InputError, column_missing
from cleanse.measures.classes import is_label
from cleanse.measures.tally import collected, merge, per_key, tally
from cleanse.sampling import choice, targets
from cleanse.sampling.features import Features
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Outcome, Stage, reject
from cleanse.stages import splits, transforms, vectors, weights
from cleanse.table import Schema

PASSING = ("none", "weights")  # methods that count every row as train where there are no splits
COPY = "+"  # `_id` of a copy: its parent's, this, its number
SAMPLE_WEIGHT = "sample_weight"
Counts = dict[str, pl.DataFrame]


def accepts(settings: Settings, there: frozenset[str]) -> None:
    """Raises where the method cannot work: it must know the train rows, their labels and, for smote, their vectors."""
    s = settings.resample
    if s.method != "none" and "label" not in there:
        raise _no_label(found=", ".join(sorted(name for name in there if not name.startswith("_"))))
    split = splits.column(settings, there)
    if split and s.make_split:
        raise InputError("resample-has-split", f"there is a column '{split}' already", "leave --make-split out")
    if not split and not (s.make_split or s.all_train or s.method in PASSING):
        raise InputError(
            "resample-no-split",
            "no column 'split': resampling before the split copies train rows into validation",
            "--split-col NAME, --make-split 0.9,0.05,0.05, or --all-train when every row is training data",
        )
    for name in (settings.columns.group, *s.transforms):
        if name and name not in there:
            raise column_missing(name, there, "name")
    if s.method == "smote":
        _features(settings, there)


def _no_label(found: str = "") -> InputError:
    help = "--label-col NAME on decode or run, or --method none"
    return InputError("resample-no-label", "no labels: there are no classes to even out", help, found=found)


def _features(settings: Settings, there: frozenset[str]) -> None:
    if settings.resample.features is None:
        raise ConfigError(
            "resample-no-features",
            "smote draws between vectors, and no features are named",
            "--features svd, embedding:COLUMN or cols:A,B",
        )
    for name in Features.parse(settings.resample.features).columns:
        if name in ("title", "body", "label"):
            raise vectors.text_feature(name)
        if name not in there:
            raise column_missing(name, there, "--features")


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Counts:
    """Rows by split, label and whether they are copies; the copies of each parent; made-up rows outside train."""
    label = pl.col("label") if "label" in frame.columns else pl.lit(None, pl.String).alias("label")
    made = pl.col("is_synthetic") if frame.schema.get("is_synthetic") == pl.Boolean() else pl.lit(False)
    narrow = frame.select(
        label,
        splits.decided(frame, settings),
        copy=pl.col("_id").str.contains(COPY, literal=True),
        made=made.fill_null(False),
    )
    parents = frame.filter(narrow["copy"]).select(parent=_parent())
    return collected({"classes": tally(narrow, "split", "label", "copy", "made"), "copies": tally(parents, "parent")})


def _parent() -> pl.Expr:
    return pl.col("_id").str.split(COPY).list.first()


def add(one: Counts, other: Counts) -> Counts:
    """Both states as one."""
    return {name: merge(one[name], other[name]) for name in one}


def finish(state: Counts, settings: Settings, facts: Facts) -> dict[str, Any]:
    """`before` and `target` rows of each class, the classes that were `capped`, the `copies` of each parent.

    A copy counts for its parent: what was raised once is not raised again.
    """
    rows = state["classes"]
    outside = rows.filter((pl.col("split") != "train") & (pl.col("copy") | pl.col("made")))["rows"].sum()
    if outside:
        raise splits.leaked(f"{outside} copies or made-up rows lie outside train")
    train = rows.filter(pl.col("split") == "train")
    own = train.filter(~pl.col("copy")).select("label", "rows")
    before = per_key((label, n) for label, n in own.iter_rows() if is_label(label))
    if settings.resample.method != "none":
        _enough(before, rows)
    budget = sum(n for label, n in train.select("label", "rows").iter_rows() if is_label(label))
    target, capped = targets_of(before, budget, settings)
    copies = dict(state["copies"].sort("parent").iter_rows())
    return {"before": before, "target": target, "capped": capped, "copies": copies}


def _enough(before: Mapping[str, int], rows: pl.DataFrame) -> None:
    if not any(is_label(label) for label in rows["label"]):
        raise _no_label()
    if len(before) < 2:
        raise InputError(
            "resample-one-class",
            f"{len(before)} class in the train rows: nothing to even out",
            "--method none, or check the label column",
            found=", ".join(before),
        )


def targets_of(before: Mapping[str, int], budget: int, settings: Settings) -> tuple[dict[str, int], list[str]]:
    """Rows each class shall have, and the classes that `max_repeats` holds back."""
    s, asked = settings.resample, targets.parse(settings.resample.target)
    unknown = sorted(asked.counts.keys() - before.keys())
    if unknown and before:
        help = "name labels of train rows"
        raise InputError(
            "resample-unknown-label", f"no train row has label {', '.join(unknown)}", help, found=", ".join(before)
        )
    if s.method == "under":
        return targets.under(before, asked), []
    if s.method == "mix":
        made = targets.mix(before, asked, s.budget or budget, s.max_repeats)
        return made, [c for c, n in made.items() if s.max_repeats and n == before[c] * s.max_repeats]
    wanted = targets.over(before, asked)
    made = targets.over(before, asked, s.max_repeats)
    return made, [c for c in made if made[c] < wanted[c]]


def draw_few(frame: pl.DataFrame, settings: Settings, facts: Facts) -> dict[str, pl.Series]:
    """Of each class the smallest draws that may be chosen, UInt64."""
    splits.no_parent_outside(frame, settings, facts["classes"]["copies"])
    return {
        name: choice.smallest(choice.draws(settings.run.seed, purpose, ids), n)
        for name, purpose, ids, n in _drawn(frame, settings, facts)
    }


def _drawn(
    frame: pl.DataFrame, settings: Settings, facts: Facts
) -> Iterator[tuple[str, choice.Purpose, pl.Series, int]]:
    """label, purpose, ids and the number to choose of each class of which some rows and not others are taken."""
    classes = facts["classes"]
    train = frame.filter((splits.decided(frame, settings) == "train") & ~pl.col("_id").str.contains(COPY, literal=True))
    for label, n in classes["before"].items():
        extra = classes["target"][label] % n
        if extra:
            purpose: choice.Purpose = "under" if classes["target"][label] < n else "over"
            yield label, purpose, train.filter(pl.col("label") == label)["_id"], extra


def more(one: dict[str, pl.Series], other: dict[str, pl.Series]) -> dict[str, pl.Series]:
    """Both states as one. What is above the target is cut in `finish`: a merge must not know it."""
    return {name: pl.concat([one[name], other[name]]) for name in one}


def cuts(state: dict[str, pl.Series], settings: Settings, facts: Facts) -> dict[str, int]:
    """label → the largest draw that is chosen, of the classes of which some rows are."""
    classes = facts["classes"]
    extra = {label: classes["target"][label] % classes["before"][label] for label in state}
    return {label: int(choice.smallest(draws, extra[label])[-1]) for label, draws in sorted(state.items())}


def uses(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`uses` of each row: 0 it goes, 1 it stays, 2 it has one copy …; and `have`, the copies that are there already."""
    classes, chosen = facts["classes"], facts.get("draws", {})
    label, parent = frame["label"], frame.select(_parent())["_id"]
    copy = parent != frame["_id"]
    train = (splits.decided(frame, settings) == "train") & label.is_in(list(classes["before"]))
    whole = {c: classes["target"][c] // n for c, n in classes["before"].items()}
    found = pl.DataFrame({"train": train.fill_null(False), "copy": copy}).with_columns(
        whole=label.replace_strict(whole, default=1, return_dtype=pl.Int64),
        extra=_chosen(frame, settings, facts, chosen),
    )
    have = (
        parent.replace_strict(classes["copies"], default=0, return_dtype=pl.Int64) if classes["copies"] else pl.lit(0)
    )
    kept_copy = (pl.col("whole") > 0).cast(pl.Int64)  # of a class that is cut, copies go first
    raised = pl.col("whole") + pl.col("extra")
    return found.select(
        uses=pl.when(~pl.col("train")).then(1).when("copy").then(kept_copy).otherwise(raised),
        have=have,
    )


def _chosen(frame: pl.DataFrame, settings: Settings, facts: Facts, chosen: Mapping[str, int]) -> pl.Series:
    """1 for a row whose draw is among the smallest of its class, else 0."""
    found = pl.repeat(0, frame.height, dtype=pl.Int64, eager=True)
    classes, label = facts["classes"], frame["label"]
    for name, cut in chosen.items():
        at = (label == name).fill_null(False).arg_true()
        purpose: choice.Purpose = "under" if classes["target"][name] < classes["before"][name] else "over"
        u = choice.draws(settings.run.seed, purpose, frame["_id"].gather(at))
        found = found.scatter(at, (u <= cut).cast(pl.Int64))
    return found


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Rows that go are `undersampled`; copies follow their parent; new columns as asked for. Input order."""
    method = settings.resample.method
    full = frame.with_columns(_added(frame, settings, facts))
    label = frame["label"] if "label" in frame.columns else pl.repeat(None, frame.height, dtype=pl.String, eager=True)
    blank = frame.height - sum(is_label(text) for text in label)
    if method not in ("under", "over", "mix"):
        weighted = full.height - full[SAMPLE_WEIGHT].null_count() if method == "weights" else 0
        return Outcome(full, reject(frame.clear(), "", ""), {"weighted": weighted, "unlabelled_kept": blank})
    planned = uses(frame, settings, facts)
    gone = planned["uses"] == 0
    detail = label.replace_strict(facts["classes"]["target"], default=None, return_dtype=pl.Int64)
    rejected = frame.with_columns(_reason=pl.lit("undersampled"), _detail=pl.format("class cut to {} rows", detail))
    kept = _repeated(full.filter(~gone), planned.filter(~gone))
    copied = kept.height - (frame.height - int(gone.sum()))
    changed = {"copied": copied, "unlabelled_kept": blank}
    return Outcome(kept, rejected.filter(gone), changed, added=copied)


def _repeated(frame: pl.DataFrame, planned: pl.DataFrame) -> pl.DataFrame:
    """Each row, and behind it the copies it lacks, numbered on from those there are."""
    if planned.is_empty() or planned["uses"].max() == 1:
        return frame
    wanted = pl.when(pl.col("uses") > 1).then(pl.col("uses") - 1).otherwise(0)
    new = pl.int_ranges(pl.col("have") + 1, wanted + 1)  # empty where there are enough
    numbers = planned.with_row_index("row").with_columns(copy=pl.concat_list(pl.lit(0, pl.Int64), new)).explode("copy")
    repeated = frame[numbers["row"]]
    suffix = numbers.select(pl.when(pl.col("copy") > 0).then(pl.format("+{}", "copy")).otherwise(pl.lit("")))
    return repeated.with_columns((repeated["_id"] + suffix.to_series()).alias("_id"))


def _added(frame: pl.DataFrame, settings: Settings, facts: Facts) -> list[pl.Series]:
    """The columns that are new: split, sample_weight, transforms."""
    s, found = settings.resample, []
    if s.make_split:
        found.append(splits.decided(frame, settings))
    if s.method == "weights":
        weight = weights.class_weight(facts["classes"]["before"])
        of = frame["label"].replace_strict(weight, default=None, return_dtype=pl.Float64)
        train = splits.decided(frame, settings) == "train"
        found.append(
            pl.DataFrame({"w": of, "t": train}).select(pl.when("t").then("w").alias(SAMPLE_WEIGHT))[SAMPLE_WEIGHT]
        )
    return [*found, *transforms.columns(frame, settings, facts)]


def adds(settings: Settings, schema: Schema) -> Schema:
    """The columns that `apply` adds."""
    s = settings.resample
    found: Schema = {"split": pl.String()} if s.make_split else {}
    if s.method == "weights":
        found[SAMPLE_WEIGHT] = pl.Float64()
    return found | transforms.schema(settings)


def measures(settings: Settings) -> tuple[Measure, ...]:
    """Class counts always; draws where some rows of a class are chosen and others are not."""
    found = [Measure("classes", count, add, finish, columns=splits.read_by_resample)]
    if settings.resample.method in ("under", "over", "mix"):
        found.append(Measure("draws", draw_few, more, cuts, columns=splits.read_by_resample))
    return (*found, *vectors.measures(settings), *transforms.measures(settings))


STAGE = Stage(
    "resample",
    ("columns", "resample"),
    apply,
    measures=measures,
    accepts=accepts,
    passes=lambda s: s.resample.method in ("none", "smote") and not adds(s, {}),
    adds=adds,
    side=weights.side,
    notes=weights.notes,
    vectors=vectors.VECTORS,
    light=True,
)
