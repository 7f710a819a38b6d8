from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.classes import TABLE, balance, count, per_label, table
from cleanse.measures.tally import Tally

TRAIN: Tally = {("train", "b"): (4, 9), ("train", "a"): (1, 3), ("train", None): (8, 0), ("train", " \u3000"): (16, 0)}
COUNTS: Tally = {**TRAIN, ("test", "a"): (2, 0), (None, ""): (32, 0)}


@pytest.mark.parametrize(
    ("columns", "split", "want"),
    [
        pytest.param({"label": ["a", None]}, None, {(None, "a"): (1, 0), (None, None): (1, 0)}, id="no text"),
        pytest.param({"label": ["a"] * 2, "title": ["天", None]}, None, {(None, "a"): (2, 3)}, id="UTF-8 bytes"),
        pytest.param({"title": ["天", ""], "body": ["x", None]}, None, {(None, None): (2, 4)}, id="no split, no label"),
        pytest.param({"s": ["train", None]}, "s", {("train", None): (1, 0), (None, None): (1, 0)}, id="null split"),
    ],
)
def test_rows_and_bytes_of_each_class(columns: dict[str, list[Any]], split: str | None, want: Tally) -> None:
    frame = pl.DataFrame(columns)
    assert count(frame, frame[split] if split else None) == want
    assert count(frame.clear(), frame[split].clear() if split else None) == {}


def test_the_table_is_sorted_with_nulls_first_and_has_no_tokens_yet() -> None:
    rows = table(COUNTS)
    assert all(list(row) == list(TABLE) for row in rows)
    assert [row["label"] for row in rows] == ["", "a", None, " \u3000", "a", "b"]
    assert tuple(rows[-1].values()) == ("train", "b", 4, 9, None)


@pytest.mark.parametrize(("split", "want"), [(None, {"a": 3, "b": 4}), ("train", {"a": 1, "b": 4}), ("dev", {})])
def test_null_and_blank_labels_are_no_classes(split: str | None, want: dict[str, int]) -> None:
    assert per_label(table(COUNTS), split) == want


def test_ties_go_to_the_first_name_and_one_class_is_even() -> None:
    found = balance({"b": 2, "a": 2, "d": 1, "c": 1})
    assert (found["majority"]["label"], found["rarest"]["label"], found["imbalance_ratio"]) == ("a", "c", 2.0)
    assert balance({"天": 7})["imbalance_ratio"] == 1.0


@given(counts=st.dictionaries(st.text(max_size=2), st.integers(1, 10**12), min_size=1))
def test_figures_do_not_depend_on_order_and_shares_make_a_whole(counts: dict[str, int]) -> None:
    found = balance(counts)
    assert found == balance(dict(reversed(counts.items())))
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert found["imbalance_ratio"] >= 1
