"""resample: even out the classes of the train rows. Which rows go or repeat follows from the seed and `_id` alone."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from cleanse.errors import InputError
from cleanse.measures.classes import is_label
from cleanse.measures.tally import collected, merge, per_key, tally
from cleanse.sampling import choice, smote, targets
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Outcome, Stage, Vectors, reject
from cleanse.stages import affording, around, growing, guards, splits, thinning, transforms, vectors, weights
from cleanse.table import Schema

SAMPLE_WEIGHT = "sample_weight"
Counts = dict[str, pl.DataFrame]


def count(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Counts:
    """Rows by split, label and whether they are copies; the copies of each parent; made-up rows outside train."""
    label = pl.col("label") if "label" in frame.columns else pl.lit(None, pl.String).alias("label")
    made = pl.col("is_synthetic") if frame.schema.get("is_synthetic") == pl.Boolean() else pl.lit(False)
    narrow = frame.select(
        label,
        splits.decided(frame, settings),
        copy=pl.col("_id").str.contains(splits.COPY, literal=True),
        made=made.fill_null(False),
    )
    parents = frame.filter(narrow["copy"]).select(parent=_parent())
    return collected({"classes": tally(narrow, "split", "label", "copy", "made"), "copies": tally(parents, "parent")})


def _parent() -> pl.Expr:
    return pl.col("_id").str.split(splits.COPY).list.first()


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
        guards.enough(before, rows["label"])
    budget = sum(n for label, n in train.select("label", "rows").iter_rows() if is_label(label))
    target, capped = targets_of(before, budget, settings)
    if settings.resample.method == "smote":
        guards.few(before, target)
    copies = dict(state["copies"].sort("parent").iter_rows())
    return {"before": before, "target": target, "capped": capped, "copies": copies}


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


def draw_few(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`label` and `u` of the rows that may be chosen: of each class of which some rows are and others are not, the
    smallest draws.
    """
    splits.no_parent_outside(frame, settings, facts["classes"]["copies"])
    own = (splits.decided(frame, settings) == "train") & ~frame["_id"].str.contains(splits.COPY, literal=True)
    table = _drawn(frame.filter(own), settings, facts)
    return table.filter(pl.col("u").rank("ordinal").over("label") <= pl.col("extra")).select("label", "u")


def _drawn(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`row`, `label`, draw `u` and `extra`, the rows to choose, of rows in classes of which only some are chosen."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    extra = {label: target[label] % n for label, n in before.items() if target[label] % n}
    cut = [label for label in extra if target[label] < before[label]]
    table = frame.select("_id", "label").with_row_index("row").filter(pl.col("label").is_in(list(extra)))
    is_cut = pl.col("label").is_in(cut)
    purposes: list[tuple[choice.Purpose, pl.Expr]] = [("under", is_cut), ("over", ~is_cut)]
    drawn = []
    for purpose, wanted in purposes:
        part = table.filter(wanted)
        drawn.append(part.with_columns(choice.draws(settings.run.seed, purpose, part["_id"])))
    known = pl.col("label").replace_strict(extra, default=0, return_dtype=pl.Int64).alias("extra")
    return pl.concat(drawn).select("row", "label", "u", known)


def more(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Both states as one. What is above the target is cut in `finish`: a merge must not know it."""
    return pl.concat([one, other])


def cuts(state: pl.DataFrame, settings: Settings, facts: Facts) -> dict[str, int]:
    """label → the largest draw that is chosen, of the classes of which some rows are."""
    before, target = facts["classes"]["before"], facts["classes"]["target"]
    draws = state.group_by("label").agg(pl.col("u").sort()).sort("label")
    return {label: int(u[target[label] % before[label] - 1]) for label, u in draws.iter_rows()}


def uses(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.DataFrame:
    """`uses` of each row: 0 it goes, 1 it stays, 2 it has one copy …; and `have`, the copies that are there already."""
    classes, label, parent = facts["classes"], frame["label"], frame.select(_parent())["_id"]
    copy = parent != frame["_id"]
    train = (splits.decided(frame, settings) == "train") & label.is_in(list(classes["before"]))
    whole = {c: classes["target"][c] // n for c, n in classes["before"].items()}
    found = pl.DataFrame({"train": train.fill_null(False), "copy": copy}).with_columns(
        whole=label.replace_strict(whole, default=1, return_dtype=pl.Int64),
        extra=_chosen(frame, settings, facts),
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


def _chosen(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.Series:
    """1 for a row whose draw is among the smallest of its class, else 0."""
    found = pl.repeat(0, frame.height, dtype=pl.Int64, eager=True)
    table = _drawn(frame, settings, facts)
    cut = pl.col("label").replace_strict(facts["draws"], default=None, return_dtype=pl.UInt64)
    hit = table.filter((pl.col("u") <= cut).fill_null(False))["row"]
    return found.scatter(hit, pl.repeat(1, hit.len(), dtype=pl.Int64, eager=True))


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Rows that go are `undersampled`; copies follow their parent; new columns as asked for. Input order."""
    method = settings.resample.method
    full = frame.with_columns(_added(frame, settings, facts))
    label = frame["label"] if "label" in frame.columns else pl.repeat(None, frame.height, dtype=pl.String, eager=True)
    blank = frame.height - sum(is_label(text) for text in label)
    if method not in ("under", "over", "mix"):
        weighted = full.height - full[SAMPLE_WEIGHT].null_count() if method == "weights" else 0
        return Outcome(full, reject(frame.clear(), "", ""), {"weighted": weighted, "unlabelled_kept": blank})
    if vectors.needed(settings):
        return _thinned(full, frame, settings, facts, blank)
    planned = uses(frame, settings, facts)
    gone = planned["uses"] == 0
    detail = label.replace_strict(facts["classes"]["target"], default=None, return_dtype=pl.Int64)
    rejected = frame.with_columns(_reason=pl.lit("undersampled"), _detail=pl.format("class cut to {} rows", detail))
    kept = _repeated(full.filter(~gone), planned.filter(~gone))
    copied = kept.height - (frame.height - int(gone.sum()))
    changed = {"copied": copied, "unlabelled_kept": blank}
    return Outcome(kept, rejected.filter(gone), changed, added=copied)


def _thinned(full: pl.DataFrame, frame: pl.DataFrame, settings: Settings, facts: Facts, blank: int) -> Outcome:
    """Rows that a cleaning sampler took out of their class."""
    gone = frame["_id"].is_in(facts["dropped"])
    detail = f"taken out by {settings.resample.under_kind}"
    return Outcome(
        full.filter(~gone), reject(frame.filter(gone), thinning.reason(settings), detail), {"unlabelled_kept": blank}
    )


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
    if settings.resample.method in ("under", "over", "mix") and not vectors.needed(settings):
        found.append(Measure("draws", draw_few, more, cuts, columns=splits.read_by_resample))
    return (*found, *vectors.measures(settings), *around.measures(settings), *transforms.measures(settings))


def counted(settings: Settings, facts: Facts) -> Mapping[str, int]:
    """Classes that `max_repeats` holds back, where rows are made."""
    capped = len(facts["classes"]["capped"]) if settings.resample.method in ("over", "mix", "smote") else 0
    return {"classes_capped": capped} if capped else {}


VECTORS = Vectors(
    wanted=vectors.needed,
    prepare=smote.prepare,
    fits=vectors.fits,
    columns=vectors.columns,
    width=vectors.width,
    afford=affording.afford,
    sample=vectors.sample,
    fit=vectors.fit,
    side=vectors.side,
    embed=vectors.embed,
    plan=growing.plan,
    aside=growing.aside,
    pick=growing.pick,
    search=growing.search,
    at_once=around.wanted,
    grow=growing.grow,
    pools=thinning.pools,
    in_pool=thinning.in_pool,
    dropped=thinning.dropped,
    table=vectors.TABLE,
)

STAGE = Stage(
    "resample",
    ("columns", "resample"),
    apply,
    measures=measures,
    accepts=guards.accepts,
    passes=lambda s: s.resample.method in ("none", "smote") and not adds(s, {}),
    adds=adds,
    side=weights.side,
    notes=weights.notes,
    counted=counted,
    vectors=VECTORS,
    light=True,
    draws=True,
    threads=lambda s: s.resample.method == "smote" and not vectors.fits(s),
)
