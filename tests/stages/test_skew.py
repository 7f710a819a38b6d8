from typing import Any

import polars as pl
import pytest
from tables import records

from cleanse.settings import Settings
from cleanse.stages import skew


def facts(*frames: pl.DataFrame) -> dict[str, Any]:
    states = [skew.count(frame, Settings(), {}) for frame in frames]
    while len(states) > 1:
        states = [skew.add(states[1], states[0]), *states[2:]]
    return skew.finish(states[0], Settings(), {})


def labels(**counts: int) -> pl.DataFrame:
    values = [label for label, n in counts.items() for _ in range(n)]
    return records({"title": ["标题"] * len(values), "body": ["正文字"] * len(values), "label": values})


def grade(id: str, frame: pl.DataFrame) -> str | None:
    return next((f["severity"] for f in facts(frame)["report"]["findings"] if f["id"] == id), None)


@pytest.mark.parametrize(("a", "b", "want"), [(90, 10, "notice"), (91, 9, "warn"), (75, 25, None), (995, 5, "severe")])
def test_a_majority_above_nine_tenths_is_a_warning(a: int, b: int, want: str | None) -> None:
    assert grade("class_majority", labels(a=a, b=b)) == want


@pytest.mark.parametrize(
    ("a", "b", "want"), [(29, 10, None), (30, 10, "notice"), (99, 10, "notice"), (100, 10, "warn")]
)
def test_the_imbalance_ratio_is_graded(a: int, b: int, want: str | None) -> None:
    assert grade("class_ratio", labels(a=a, b=b)) == want


def test_the_figures_are_exact_for_any_order_and_number_of_parts() -> None:
    frame = labels(b=3, a=1)
    assert facts(frame) == facts(frame[2:], frame[:2]) == facts(*[frame[i : i + 1] for i in range(4)])


def test_the_class_table_has_a_row_a_label_nulls_first() -> None:
    frame = records({"body": ["文", "文文", None], "label": ["b", None, "b"]})
    table = skew.side(Settings(), {"skew": facts(frame)})["classes.parquet"]
    assert isinstance(table, pl.DataFrame)
    assert table.rows() == [(None, None, 1, 6, None), (None, "b", 2, 3, None)]


def test_lengths_are_characters_and_null_is_missing() -> None:
    lengths = facts(records({"title": ["天气 ", None, "a"], "body": ["x"] * 3}))["report"]["lengths"]["title"]["chars"]
    assert (lengths["n"], lengths["missing"], lengths["min"], lengths["max"]) == (2, 1, 1, 2)


def test_a_source_with_half_of_the_rows_is_a_slow_shard() -> None:
    report = facts(labels(a=6), records({"body": ["文"] * 2, "label": ["a", "b"]}, source="b.csv"))["report"]
    assert report["shards"]["rows"]["max_over_mean"] == 1.5
    assert [f["severity"] for f in report["findings"] if f["id"] == "shard_slowdown"] == ["warn"]


def test_a_corpus_without_labels_says_so() -> None:
    assert facts(records({"body": ["文"]}))["report"]["classes"] == {"available": False, "reason": "no_label_column"}
    assert facts(records({"body": ["文"]}).clear())["report"]["classes"]["reason"] == "empty"
