from collections import Counter
from typing import Any

import polars as pl
import pytest
from counting import cut, facts_of
from tables import records

from cleanse.errors import CleanseError, InputError
from cleanse.settings import ColumnSettings, ResampleSettings, RunSettings, Settings
from cleanse.stage import Outcome
from cleanse.stages import guards, resample, weights


def settings(method: str, seed: int = 42, group: str | None = None, **more: Any) -> Settings:
    chosen: Any = {"method": method, "all_train": "make_split" not in more and group is None, **more}
    return Settings(
        columns=ColumnSettings(group=group), run=RunSettings(seed=seed), resample=ResampleSettings(**chosen)
    )


def whole(frame: pl.DataFrame, s: Settings, parts: int = 1) -> Outcome:
    """The whole stage over a table cut into parts; outcomes put together."""
    tables = cut(frame, parts)
    facts = facts_of(resample.STAGE, tables, s)
    outcomes = [resample.apply(table, s, facts) for table in tables]
    kept, rejected = pl.concat([o.kept for o in outcomes]), pl.concat([o.rejected for o in outcomes])
    return Outcome(kept, rejected, outcomes[0].changed, sum(o.added for o in outcomes))


def corpus(**counts: int) -> pl.DataFrame:
    labels = [label for label, n in counts.items() for _ in range(n)]
    return records({"body": [f"文{i}" for i in range(len(labels))], "label": labels})


def counted(frame: pl.DataFrame) -> dict[str, int]:
    return dict(Counter(frame["label"].to_list()))


@pytest.mark.parametrize(
    ("method", "target", "want"),
    [
        ("under", "equal", {"a": 3, "b": 3, "c": 3}),
        ("under", "ratio:0.1", {"a": 30, "b": 5, "c": 3}),
        ("under", "counts:a=7", {"a": 7, "b": 5, "c": 3}),
        ("over", "equal", {"a": 40, "b": 40, "c": 40}),
        ("over", "ratio:0.3", {"a": 40, "b": 12, "c": 12}),
        ("over", "counts:b=11", {"a": 40, "b": 11, "c": 3}),
        ("mix", "unimax:4", {"a": 18, "b": 18, "c": 12}),
        ("mix", "temperature:0", {"a": 16, "b": 16, "c": 12}),
        ("none", "equal", {"a": 40, "b": 5, "c": 3}),
        ("weights", "equal", {"a": 40, "b": 5, "c": 3}),
    ],
)
def test_each_class_has_exactly_its_target(method: str, target: str, want: dict[str, int]) -> None:
    frame = corpus(a=40, b=5, c=3)
    outcome = whole(frame, settings(method, target=target), parts=3)
    assert counted(outcome.kept) == want
    assert frame.height + outcome.added == outcome.kept.height + outcome.rejected.height


def test_a_target_that_is_a_multiple_draws_nothing() -> None:
    assert counted(whole(corpus(a=4, b=2), settings("over"), parts=2).kept) == {"a": 4, "b": 4}
    assert counted(whole(corpus(a=4, b=4), settings("under")).kept) == {"a": 4, "b": 4}


def test_a_hundred_thousand_classes_are_no_loop_over_rows() -> None:
    frame = pl.concat(
        [corpus(a=3), records({"body": ["x"] * 100_000, "label": [f"c{i}" for i in range(100_000)]}, "b.csv")]
    )
    outcome = whole(frame, settings("under"), parts=2)
    assert (outcome.kept.height, outcome.rejected.height) == (100_001, 2)


@pytest.mark.parametrize("method", ["under", "over"])
def test_the_same_rows_are_chosen_for_any_part_size_and_order(method: str) -> None:
    frame, s = corpus(a=40, b=7), settings(method)
    one = whole(frame, s).kept
    assert one.equals(whole(frame, s, parts=7).kept)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    assert set(one["_id"]) == set(whole(shuffled, s).kept["_id"])
    assert set(one["_id"]) != set(whole(frame, settings(method, seed=7)).kept["_id"])


def test_a_larger_target_contains_the_smaller() -> None:
    small, large = (whole(corpus(a=40, b=4), settings("under", target=t)).kept for t in ("equal", "ratio:0.5"))
    assert set(small["_id"]) <= set(large["_id"])


def test_dropped_rows_are_rejected_with_their_target_and_order_stays() -> None:
    outcome = whole(corpus(a=4, b=1), settings("under"))
    assert outcome.rejected.select("_reason", "_detail").unique().rows() == [("undersampled", "class cut to 1 rows")]
    assert outcome.kept["_record"].is_sorted()
    lone = records({"label": ["a", "b"]})
    with pytest.raises(InputError, match="no train row has label c"):
        whole(lone, settings("under", target="counts:c=1"))


def test_copies_follow_their_parent_and_differ_in_their_id_alone() -> None:
    frame = corpus(a=5, b=2)
    kept = whole(frame, settings("over")).kept
    b = kept.filter(pl.col("label") == "b")
    first, second = frame.filter(pl.col("label") == "b")["_id"]
    assert sorted(b["_id"]) == sorted(
        [first, f"{first}+1", second, f"{second}+1", *set(b["_id"]) & {f"{first}+2", f"{second}+2"}]
    )
    assert b["_record"].is_sorted()
    assert b.drop("_id").unique().height == 2


def test_a_second_run_changes_nothing() -> None:
    for s in (settings("over"), settings("under"), settings("mix", target="unimax:4")):
        once = whole(corpus(a=40, b=5), s).kept
        twice = whole(once, s)
        assert twice.kept.equals(once), s.resample.method
        assert (twice.added, twice.rejected.height) == (0, 0)


def test_rows_without_a_label_and_rows_of_other_splits_pass() -> None:
    frame = records({"label": ["a", "a", "a", "b", None, "a", ""], "split": ["train"] * 5 + ["test", "train"]})
    for method in ("under", "over"):
        outcome = whole(frame, settings(method, all_train=False))
        assert outcome.kept.filter(pl.col("split") == "test").height == 1
        assert outcome.kept.filter(pl.col("label").fill_null("") == "").height == 2
        assert outcome.changed["unlabelled_kept"] == 2


def test_weights_are_those_of_the_train_rows_and_null_elsewhere() -> None:
    frame = records({"label": ["a", "a", "a", "b", "a", None], "split": ["train"] * 4 + ["test", "train"]})
    kept = whole(frame, settings("weights", all_train=False)).kept
    assert kept["sample_weight"].to_list() == [4 / 6] * 3 + [2.0, None, None]
    assert kept.drop("sample_weight").equals(frame)


def test_equal_texts_stay_in_one_split_when_it_is_made() -> None:
    frame = records({"body": [f"t{i % 200}" for i in range(600)], "label": ["a", "b"] * 300})
    s = settings("none", make_split="0.8,0.1,0.1")
    kept = whole(frame, s, parts=4).kept
    assert kept.group_by("body").agg(pl.col("split").n_unique())["split"].max() == 1
    assert 420 < (kept["split"] == "train").sum() < 540
    assert set(kept["split"]) == {"train", "validation", "test"}
    by_group = whole(frame.with_columns(g=pl.col("label")), settings("none", group="g", make_split="0.5,0.5")).kept
    assert by_group.group_by("g").agg(pl.col("split").n_unique())["split"].max() == 1


@pytest.mark.parametrize("shares", ["", "1", "0.9,0.2", "0.9,0.1,0", "a,b", "0.5,0.3,0.1,0.1", "nan,1"])
def test_shares_of_splits_make_a_whole(shares: str) -> None:
    with pytest.raises(ValueError, match="two or three shares above 0 with sum 1"):
        ResampleSettings(make_split=shares)


@pytest.mark.parametrize(
    ("columns", "s", "id", "exit_code"),
    [
        ({"body"}, settings("under"), "resample-no-label", 3),
        ({"label"}, settings("over", all_train=False), "resample-no-split", 3),
        ({"label", "split"}, settings("over", make_split="0.9,0.1"), "resample-has-split", 3),
        ({"label"}, settings("smote"), "resample-no-features", 2),
        ({"label", "body"}, settings("smote", features="cols:body"), "resample-text-feature", 2),
        ({"label", "title"}, settings("smote", features="embedding:title"), "resample-text-feature", 2),
        ({"label", "x"}, settings("smote", features="cols:x,y"), "column-missing", 3),
        ({"label"}, settings("none", transforms={"price": "log1p"}), "column-missing", 3),
    ],
)
def test_what_it_cannot_do_is_said_before_any_work(columns: set[str], s: Settings, id: str, exit_code: int) -> None:
    with pytest.raises(CleanseError) as caught:
        guards.accepts(s, frozenset(columns))
    assert (caught.value.id, caught.value.exit_code) == (id, exit_code)


@pytest.mark.parametrize(("raised", "refused"), [(9_999, False), (10_000, False), (10_001, True)])
def test_smote_refuses_more_classes_than_it_can_raise_with_their_number(raised: int, refused: bool) -> None:
    before = {"largest": 9, **{f"c{i}": 8 for i in range(raised)}}
    if not refused:
        guards.few(before, dict.fromkeys(before, 9))
        return
    with pytest.raises(InputError, match="10,001 classes to raise, smote takes 10,000") as caught:
        guards.few(before, dict.fromkeys(before, 9))
    assert (caught.value.id, caught.value.exit_code) == ("resample-many-classes", 3)


def test_the_bound_of_classes_is_for_smote_alone() -> None:
    frame = records({"label": ["a", "a", *(f"c{i}" for i in range(10_001))]})
    assert len(facts_of(resample.STAGE, [frame], settings("over"))["classes"]["target"]) == 10_002
    with pytest.raises(InputError, match="resample-many-classes"):
        facts_of(resample.STAGE, [frame], settings("smote", features="cols:x"))


@pytest.mark.parametrize(("n", "lines"), [(4, 4), (5, 5), (6, 6), (7, 6)])
def test_a_note_names_five_classes_and_counts_the_others(n: int, lines: int) -> None:
    before = {"a": 100, **{f"c{i}": 1 for i in range(n)}}
    facts = {"classes": {"before": before, "target": dict.fromkeys(before, 100), "capped": []}}
    notes = weights.notes(settings("over"), facts)
    assert len(notes) == lines
    assert (notes[-1] == f"and the same of {n - 5} more classes") == (n > 5)


@pytest.mark.parametrize("method", ["none", "weights"])
def test_what_makes_no_row_needs_no_split(method: str) -> None:
    guards.accepts(settings(method, all_train=False), frozenset({"label"}))


@pytest.mark.parametrize(
    ("frame", "id"),
    [
        pytest.param(corpus(a=3), "resample-one-class", id="one class"),
        pytest.param(records({"label": [None, " "]}), "resample-no-label", id="no label in any row"),
        pytest.param(records({"label": ["a", "b"], "split": ["test"] * 2}), "resample-one-class", id="no train row"),
        pytest.param(
            records({"label": ["a", "b"], "split": ["train", "test"]}).with_columns(pl.Series("_id", ["s:1", "s:1+1"])),
            "resample-leak", id="a copy in test",
        ),
        pytest.param(
            records({"label": ["a", "b", "b", "b"], "split": ["train", "train", "test", "train"]}).with_columns(
                pl.Series("_id", ["s:1", "s:2+1", "s:2", "s:3"])
            ),
            "resample-leak", id="a parent in test",
        ),
        pytest.param(
            records({"label": ["a", "b"], "split": ["train", "dev"], "is_synthetic": [False, True]}),
            "resample-leak", id="a made-up row in validation",
        ),
    ],
)  # fmt: skip
def test_a_corpus_that_cannot_be_evened_out_is_refused(frame: pl.DataFrame, id: str) -> None:
    with pytest.raises(InputError) as caught:
        whole(frame, settings("over", all_train="split" not in frame.columns))
    assert caught.value.id == id


@pytest.mark.parametrize(
    ("method", "target"), [("none", "unimax:4"), ("under", "temperature:0.3"), ("mix", "equal"), ("mix", "ratio:0.1")]
)
def test_a_target_is_for_its_method(method: str, target: str) -> None:
    with pytest.raises(ValueError, match="temperature"):
        ResampleSettings(method=method, target=target)  # type: ignore[arg-type]  # a literal


def test_weights_json_holds_what_a_loss_needs() -> None:
    frame = corpus(a=90, b=10)
    s = settings("none")
    tree: Any = weights.side(s, facts_of(resample.STAGE, [frame], s))["weights.json"]
    assert tree["counts"]["b"] == {"before": 10, "target": 90, "after": 10}
    assert (tree["class_weight"]["b"], tree["focal_alpha"]["b"], tree["epochs"]["b"]) == (5.0, pytest.approx(0.9), 9.0)
    assert tree["interleave"] == {"a": 0.5, "b": 0.5}
    assert tree["log_prior_after"] == tree["log_prior"]
    over = settings("over", max_repeats=4)
    facts = facts_of(resample.STAGE, [frame], over)
    raised: Any = weights.side(over, facts)["weights.json"]
    assert raised["worth"]["b"] == pytest.approx(0.931418, abs=1e-5)
    assert weights.notes(over, facts)[0].startswith("class b ends at 40 rows, 4 times its own: worth 37")


def test_no_labels_leave_empty_weights() -> None:
    s, frame = settings("none"), records({"body": ["x"]})
    tree: Any = weights.side(s, facts_of(resample.STAGE, [frame], s))["weights.json"]
    assert tree["class_weight"] == {}


@pytest.mark.parametrize(
    ("how", "want"),
    [
        ("log1p", [pytest.approx(0.6931, abs=1e-4), pytest.approx(2.3979, abs=1e-4), None, 0.0]),
        ("clip:0.5", [1.0, 1.0, None, -4.0]),
        ("minmax", [0.0, 1.0, None, pytest.approx(-5 / 9)]),
        ("standardise", [-1.0, 1.0, None, pytest.approx(-9.5 / 4.5)]),
        ("bins:2", [0, 1, None, 0]),
    ],
)
def test_a_transform_is_a_new_column_with_parameters_from_train(how: str, want: list[Any]) -> None:
    frame = records({"price": ["1", "10", "x", "-4"], "label": ["a"] * 4, "split": ["train"] * 3 + ["test"]})
    outcome = whole(frame, settings("none", all_train=False, transforms={"price": how}), parts=2)
    assert outcome.kept[f"price_{how.partition(':')[0]}"].to_list() == want
    assert outcome.kept["price"].equals(frame["price"])


def test_a_hash_is_a_number_below_n_for_any_value() -> None:
    frame = records({"user": ["u1", "u2", None, "u1"]})
    found = whole(frame, settings("none", transforms={"user": "hash:8"})).kept["user_hash"].to_list()
    assert found[0] == found[3]
    assert all(0 <= value < 8 for value in found)
    assert found[2] == 0


@pytest.mark.parametrize("how", ["", "clip", "clip:0", "clip:1.1", "clip:x", "bins:1", "bins:x", "hash", "log"])
def test_a_transform_has_a_known_form(how: str) -> None:
    with pytest.raises(ValueError, match="a transform is standardise, minmax, log1p"):
        ResampleSettings(transforms={"price": how})
