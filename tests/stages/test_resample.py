from collections import Counter
from typing import Any

import polars as pl
import pytest
from tables import records

from cleanse.errors import InputError
from cleanse.settings import ResampleSettings, RunSettings, Settings
from cleanse.stage import Outcome
from cleanse.stages import resample


def under(frame: pl.DataFrame, parts: int = 1, seed: int = 42, **settings: Any) -> Outcome:
    """The whole stage over a table cut into parts; outcomes put together."""
    s = Settings(run=RunSettings(seed=seed), resample=ResampleSettings("under", **{"all_train": True, **settings}))
    size = -(-frame.height // parts)
    tables = [frame[i : i + size] for i in range(0, frame.height, size)]
    facts: dict[str, Any] = {}
    for measure in resample.STAGE.measures(s):
        states = [measure.tally(table, s, facts) for table in tables]
        while len(states) > 1:
            states = [measure.merge(states[0], states[1]), *states[2:]]
        facts[measure.name] = measure.finish(states[0], s, facts)
    outcomes = [resample.apply(table, s, facts) for table in tables]
    return Outcome(pl.concat([o.kept for o in outcomes]), pl.concat([o.rejected for o in outcomes]))


def corpus(**counts: int) -> pl.DataFrame:
    labels = [label for label, n in counts.items() for _ in range(n)]
    return records({"body": ["文"] * len(labels), "label": labels})


@pytest.mark.parametrize(
    ("target", "want"),
    [
        ("equal", {"a": 3, "b": 3, "c": 3}),
        ("ratio:0.1", {"a": 30, "b": 5, "c": 3}),
        ("ratio:0.75", {"a": 4, "b": 4, "c": 3}),
    ],
)
def test_each_class_keeps_exactly_its_target(target: str, want: dict[str, int]) -> None:
    kept = under(corpus(a=40, b=5, c=3), target=target).kept
    assert Counter(kept["label"].to_list()) == want


def test_the_same_rows_stay_for_any_part_size_and_order() -> None:
    frame = corpus(a=40, b=5)
    one, seven = under(frame).kept, under(frame, parts=7).kept
    shuffled = under(frame.sample(fraction=1, shuffle=True, seed=1)).kept
    assert one.equals(seven)
    assert set(one["_id"]) == set(shuffled["_id"])
    assert set(under(frame, seed=7).kept["_id"]) != set(one["_id"])


def test_a_larger_target_contains_the_smaller() -> None:
    small, large = under(corpus(a=40, b=4), target="equal").kept, under(corpus(a=40, b=4), target="ratio:0.5").kept
    assert set(small["_id"]) <= set(large["_id"])


def test_dropped_rows_are_rejected_with_their_target_and_order_stays() -> None:
    outcome = under(corpus(a=4, b=1))
    assert outcome.rejected.select("_reason", "_detail").unique().rows() == [("undersampled", "class cut to 1 rows")]
    assert outcome.kept["_record"].is_sorted()


def test_rows_without_a_label_and_rows_of_other_splits_pass() -> None:
    frame = records({"label": ["a", "a", "a", "b", None, "a", ""], "split": ["train"] * 5 + ["test", "train"]})
    kept = under(frame, all_train=False).kept
    assert kept.filter(pl.col("split") == "test").height == 1
    assert kept.filter(pl.col("label").fill_null("") == "").height == 2
    assert kept.filter((pl.col("split") == "train") & (pl.col("label") == "a")).height == 1


@pytest.mark.parametrize(
    ("columns", "settings", "id"),
    [
        pytest.param({"body"}, {"all_train": True}, "resample-no-label", id="no label column"),
        pytest.param({"label"}, {}, "resample-no-split", id="no split column"),
    ],
)
def test_what_it_cannot_do_is_said_before_any_work(columns: set[str], settings: dict[str, bool], id: str) -> None:
    with pytest.raises(InputError) as caught:
        resample.accepts(Settings(resample=ResampleSettings("under", **settings)), frozenset(columns))  # type: ignore[arg-type]  # bools
    assert caught.value.id == id


def test_one_class_is_refused() -> None:
    with pytest.raises(InputError, match="1 class in the train rows"):
        under(corpus(a=3))
