"""What is out of proportion in a skew report: how bad, what it costs in the user's own numbers, the command for it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cleanse.measures.keys import UNITS
from cleanse.measures.thresholds import GRADES, THRESHOLDS, Limits, grade

Tree = Mapping[str, Any]
_SPLIT_AGAIN = "cleanse resample IN -o DIR --make-split 0.9,0.05,0.05"
LEAST_LOST = 5  # rows of a class: fewer are chance, or every class of one bad row would be a severe finding
MAX_NAME = 40  # characters of a label, key or source in a sentence


class Candidate(NamedTuple):
    """A figure that may be a finding. `where`: its JSON pointer."""

    id: str
    where: str
    value: float | None
    cost: str
    fix: str


def findings(report: Tree, changed: Mapping[str, Limits]) -> list[dict[str, Any]]:
    """All findings of a skew report, severe first, then by id and place. They never set the exit code."""
    found = []
    for each in _candidates(report):
        graded = None if each.value is None else grade(each.id, each.value, changed)
        if graded:
            head = {"id": each.id, "severity": graded[0], "where": each.where, "value": each.value}
            tail = {"unit": THRESHOLDS[each.id].unit, "threshold": graded[1], "cost": each.cost, "fix": each.fix}
            found.append(head | tail)
    return sorted(found, key=lambda f: (-GRADES.index(f["severity"]), f["id"], f["where"]))


def pointer(*steps: str) -> str:
    """A JSON pointer (RFC 6901).

    >>> pointer("keys", "a/b~")
    '/keys/a~1b~0'
    """
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _there(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("available", True) is not False


def _named(block: Tree) -> Iterator[tuple[str, Tree]]:
    """The available blocks of a map of columns."""
    return ((name, each) for name, each in block.items() if isinstance(each, Mapping) and _there(each))


def _candidates(report: Tree) -> Iterator[Candidate]:
    for part in (_classes, _lengths, _features, _keys, _shards, _drift, _leaks, _cleaning):
        yield from part(report)


def brief(name: str) -> str:
    """A label or key within a sentence: a shifted column makes whole bodies of them."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def _classes(report: Tree) -> Iterator[Candidate]:
    c, of = report["classes"], "the rows"
    at: tuple[str, ...] = ("classes",)
    if not _there(c):
        return
    ratio, share, unlabelled = c["imbalance_ratio"], c["majority"]["share"], c["unlabelled_share"]
    if "train" in c["by_split"]:
        c, at, of = c["by_split"]["train"], ("classes", "by_split", "train"), "train"
        ratio, share = c["imbalance_ratio"], c["majority"]["share"]
    top, low = brief(c["majority"]["label"]), brief(c["rarest"]["label"])
    weigh, under = (f"cleanse resample IN -o DIR --method {m}" for m in ("weights", "under --target ratio:0.1"))
    yield Candidate("class_majority", pointer(*at, "majority", "share"), share,
        f"class {top} is {share:.1%} of {of}: a model that always answers {top} scores {share:.1%}", weigh)  # fmt: skip
    yield Candidate("class_ratio", pointer(*at, "imbalance_ratio"), ratio,
        f"class {low} has 1 row for {ratio:.1f} of {top}: a loss hardly sees it", weigh)  # fmt: skip
    yield Candidate("class_rare_rows", pointer(*at, "rarest", "rows"), c["rarest"]["rows"],
        f"class {low} has {c['rarest']['rows']:,} rows: an error rate on it cannot be told from chance",
        "cleanse resample IN -o DIR --method over --max-repeats 4")  # fmt: skip
    yield Candidate("class_evenness", pointer(*at, "evenness"), c["evenness"],
        f"{c['k']} classes are worth {c['effective_classes']:.1f} even ones", under)  # fmt: skip
    yield Candidate("class_single", pointer(*at, "k"), c["k"],
        f"{top} is the only class: there is nothing to learn", "--label-col NAME on cleanse decode")  # fmt: skip
    yield Candidate("class_unlabelled", "/classes/unlabelled_share", unlabelled,
        f"{report['classes']['unlabelled']:,} rows have no label: no classifier can use them",
        "--label-col NAME on cleanse decode, or take them out")  # fmt: skip


def _lengths(report: Tree) -> Iterator[Candidate]:
    for role, units in report["lengths"].items():
        unit = "tokens" if _there(units["tokens"]) else "chars"
        if _there(units[unit]):
            yield from _length(role, unit, units[unit])


def _length(role: str, unit: str, c: Tree) -> Iterator[Candidate]:
    at = ("lengths", role, unit)
    cut, by_length = "cleanse check IN -o DIR --body-max N", "cleanse shard IN -o DIR --order length"
    alpha, log_skew, share = c["hill"]["alpha"], c["log_skewness"], c["tukey"]["share"]
    if alpha is not None:
        moment = "mean" if alpha < 1 else "variance"
        yield Candidate("length_tail", pointer(*at, "hill", "alpha"), alpha,
            f"the tail of {role} lengths (alpha {alpha:.2f}) has no finite {moment}: averages move with every crawl",
            cut)  # fmt: skip
    if log_skew is not None:
        yield Candidate("length_log_skewness", pointer(*at, "log_skewness"), abs(log_skew),
            f"{role} lengths are lopsided even as logarithms ({log_skew:.2f}): two kinds of text are mixed",
            cut)  # fmt: skip
    yield Candidate("length_outliers", pointer(*at, "tukey", "share"), share,
        f"{share:.1%} of {role} lengths lie outside {c['tukey']['lo']:g} to {c['tukey']['hi']:g} {unit}",
        cut)  # fmt: skip
    if role == "body":
        yield from _cost_of_body(at, unit, c, by_length)


def _cost_of_body(at: tuple[str, ...], unit: str, c: Tree, by_length: str) -> Iterator[Candidate]:
    limit = max(c["over"], key=int, default=None)
    if limit is not None:
        rows, cut = c["over"][limit]["rows"], c["over"][limit]["cut"]
        split = "split long texts before training, or a longer context"
        yield Candidate("length_over", pointer(*at, "over", limit, "rows"), rows,
            f"{rows:.1%} of rows do not fit {limit} {unit}", split)  # fmt: skip
        yield Candidate("length_cut", pointer(*at, "over", limit, "cut"), cut,
            f"a context of {limit} {unit} cuts {cut or 0:.1%} of all text", split)  # fmt: skip
    waste, saving = c["padding"]["random"], c["padding"]["saving"]
    if saving is not None and saving > 0.2:  # else sorting would not help: nothing to advise
        yield Candidate("padding", pointer(*at, "padding", "random"), waste,
            f"random batches of {c['padding']['batch']} waste {waste:.1%} of positions, sorted ones "
            f"{c['padding']['sorted']:.1%}", by_length)  # fmt: skip


def _features(report: Tree) -> Iterator[Candidate]:
    for name, c in _named(report["features"]):
        tame = f"resample.transforms in the config: {name}: {c['suggest'][0]}" if c["suggest"] else "look at the column"
        if c["kind"] == "number":
            yield Candidate("feature_outliers", pointer("features", name, "tukey", "share"), c["tukey"]["share"],
                f"{c['tukey']['share']:.1%} of {name} lie outside the fences: they rule every mean", tame)  # fmt: skip
            yield Candidate("feature_zero", pointer("features", name, "zero_share"), c["zero_share"],
                f"{c['zero_share']:.1%} of {name} are 0: the column says little", tame)  # fmt: skip
        yield Candidate("key_id_like", pointer("features", name, "distinct_share"), c["distinct_share"],
            f"{c['distinct']:,} values of {name} in {c['n']:,} rows: a model learns rows by name", tame)  # fmt: skip


def _keys(report: Tree) -> Iterator[Candidate]:
    for name, c in _named(report["keys"]):
        hot, plans = c["top"][0], report["plans"][name]
        n = min(plans, key=int, default=None)
        beat = f": at {n} shards no hash can beat {plans[n]['slowdown_floor']:.1f} ×" if n else ""
        salt = f"cleanse shard IN -o DIR --key {name} --salt"
        key = "null" if hot["key"] is None else brief(hot["key"])
        yield Candidate("key_hot", pointer("keys", name, "hot_share"), c["hot_share"],
            f"key {key} is {c['hot_share']:.1%} of rows{beat}", salt)  # fmt: skip
        yield Candidate("key_null", pointer("keys", name, "null_rows"), c["null_rows"] / report["rows"],
            f"{c['null_rows']:,} rows have no {name}: engines put them all in one partition", salt)  # fmt: skip


def _shards(report: Tree) -> Iterator[Candidate]:
    s = report["shards"]
    if not _there(s):
        return
    units = [unit for unit in UNITS if _there(s[unit]) and s[unit]["max_over_mean"] is not None]
    if s["count"] > 1 and units:
        unit = max(units, key=lambda unit: s[unit]["max_over_mean"])
        slow, idle, cv = (s[unit][name] for name in ("max_over_mean", "idle_share", "cv"))
        fix = f"cleanse shard IN -o DIR --count {min(s['count'], 64)} --by {unit}"
        cost = f"the slowest shard takes {slow:.1f} × the mean {unit}: {idle:.0%} of paid worker time is idle"
        yield Candidate("shard_slowdown", pointer("shards", unit, "max_over_mean"), slow, cost, fix)
        yield Candidate("shard_idle", pointer("shards", unit, "idle_share"), idle, cost, fix)
        yield Candidate("shard_cv", pointer("shards", unit, "cv"), cv,
            f"{unit} of shards differ by {cv:.0%} of their mean", fix)  # fmt: skip
    if s["remainder_idle"] is not None:
        yield Candidate("shard_remainder", "/shards/remainder_idle", s["remainder_idle"],
            f"{s['count']} shards on {s['workers']} workers: {s['remainder_idle']:.0%} of the last round is idle",
            f"cleanse shard IN -o DIR --count {s['workers'] * max(1, round(s['count'] / s['workers']))}")  # fmt: skip


def _drift(report: Tree) -> Iterator[Candidate]:
    for name, c in _named(report["drift"]):
        fix = "cleanse shard IN -o DIR" if name == "shard" else _SPLIT_AGAIN
        yield Candidate("drift_v", pointer("drift", name, "cramers_v"), c["cramers_v"],
            f"labels depend on the {name} (V {c['cramers_v']:.2f}): one is no sample of all", fix)  # fmt: skip
        if c["worst"]:
            worst = c["worst"]["name"]
            for id, figure in (("drift_js", "js_distance"), ("drift_psi", "psi")):
                value = c["per"][worst][figure]
                yield Candidate(id, pointer("drift", name, "per", worst, figure), value,
                    f"{name} {brief(worst)} has other labels than the rest ({figure} {value:.2f})", fix)  # fmt: skip


def _leaks(report: Tree) -> Iterator[Candidate]:
    if not _there(report["leaks"]):
        return
    for what, name in (("text", "the same text"), ("group", "a group")):
        for where, c in _named(report["leaks"][what]):
            yield Candidate(f"leak_{what}", pointer("leaks", what, where, "share"), c["share"],
                f"{c['rows']:,} rows of {where} ({c['share']:.1%}) have {name} that train has: scores are too good",
                _SPLIT_AGAIN)  # fmt: skip
    n = report["leaks"]["synthetic_outside_train"]
    yield Candidate("leak_synthetic", "/leaks/synthetic_outside_train", n,
        f"{n:,} made-up rows lie outside train: scores on them mean nothing", "resample after the split")  # fmt: skip


def _cleaning(report: Tree) -> Iterator[Candidate]:
    if not _there(report["cleaning"]):
        return
    for number, stage in enumerate(report["cleaning"]["stages"]):
        overall = 1 - stage["kept"] / stage["rows_in"] if stage["rows_in"] else 0
        for label, c in stage["labels"].items():
            if c["in"] - c["kept"] >= LEAST_LOST and c["lost_share"] > 2 * overall:
                yield Candidate("cleaning_class_loss",
                    pointer("cleaning", "stages", str(number), "labels", label, "lost_share"), c["lost_share"],
                    f"{stage['stage']} took {c['lost_share']:.1%} of class {brief(label)}, {overall:.1%} of all rows",
                    f"cleanse show OUT --stage {stage['stage']}")  # fmt: skip
