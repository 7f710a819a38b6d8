import json
from typing import Any

import polars as pl
import pytest
from counting import cut, facts_of
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tables import records

from cleanse.errors import InputError, LedgerError
from cleanse.settings import ColumnSettings, Settings, SkewSettings
from cleanse.stages import figures, skew

TOKENS = ColumnSettings(tokens="n")


def settings(columns: ColumnSettings = ColumnSettings(), **skewed: Any) -> Settings:  # noqa: B008  # frozen
    return Settings(columns=columns, skew=SkewSettings(**skewed))


def report(frame: pl.DataFrame, s: Settings = Settings(), parts: int = 1) -> dict[str, Any]:  # noqa: B008  # frozen
    found: dict[str, Any] = facts_of(skew.STAGE, cut(frame, parts), s)["skew"]["report"]
    return found


def labels(**counts: int) -> pl.DataFrame:
    values = [label for label, n in counts.items() for _ in range(n)]
    return records({"title": ["标题"] * len(values), "body": ["正文字"] * len(values), "label": values})


def grade(id: str, frame: pl.DataFrame, s: Settings = Settings()) -> str | None:  # noqa: B008  # frozen
    return next((f["severity"] for f in report(frame, s)["findings"] if f["id"] == id), None)


@pytest.mark.parametrize(("a", "b", "want"), [(90, 10, "notice"), (91, 9, "warn"), (75, 25, None), (995, 5, "severe")])
def test_a_majority_above_nine_tenths_is_a_warning(a: int, b: int, want: str | None) -> None:
    assert grade("class_majority", labels(a=a, b=b)) == want


def test_four_rows_of_ten_thousand_are_a_severe_share_and_not_none() -> None:
    found = report(labels(a=9996, b=4))
    assert found["classes"]["shares"]["b"] == 0.0004
    assert {f["id"] for f in found["findings"] if f["severity"] == "severe"} >= {"class_majority", "class_rare_rows"}


def test_train_is_judged_where_there_is_a_split() -> None:
    frame = records({"label": ["a"] * 98 + ["b"] * 2 + ["a", "b"] * 50, "split": ["train"] * 100 + ["test"] * 100})
    found = report(frame)
    finding = next(f for f in found["findings"] if f["id"] == "class_majority")
    assert (finding["where"], finding["value"]) == ("/classes/by_split/train/majority/share", 0.98)
    assert finding["cost"].startswith("class a is 98.0% of train: a model that always answers a scores 98.0%")
    assert found["classes"]["imbalance_ratio"] == 148 / 52


FRAME = records({
    "title": ["天气", None, "a/b", "c", "d"],
    "body": ["文", "文文", "", None, "x" * 300],
    "label": ["好", '"', "a/b~", None, " "],
    "split": ["train", "train", "val", "test", None],
    "host": ["a", "a", None, "b", ""],
    "n": ["12 ", "x", "-3", "", None],
    "price": ["1.5", "-2", "0", "9", "7"],
})  # fmt: skip
FULL = settings(
    ColumnSettings(tokens="n", group="host"), keys=("host",), features=("price", "host"), shard_by="hash:host:3"
)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_the_bytes_are_the_same_for_any_order_and_number_of_parts(parts: int) -> None:
    whole = facts_of(skew.STAGE, [FRAME], FULL)
    other = facts_of(skew.STAGE, [*cut(FRAME.reverse(), parts), FRAME[:0]], FULL)
    assert json.dumps(whole) == json.dumps(other)


@hypothesis_settings(deadline=None, max_examples=20)
@given(n=st.lists(st.sampled_from(["a", "b", None]), max_size=12), parts=st.integers(1, 4))
def test_any_partition_gives_the_same_figures(n: list[str | None], parts: int) -> None:
    frame = records({"body": [f"{i % 3}" * (i % 5) for i in range(len(n))], "label": n})
    assert report(frame) == report(frame.reverse(), parts=parts)


def test_tokens_are_whole_numbers_and_what_is_none_is_missing_or_bad() -> None:
    found = report(FRAME, settings(TOKENS))["lengths"]["body"]["tokens"]
    assert (found["n"], found["missing"], found["bad"], found["max"]) == (1, 2, 2, 12)
    floats = records({"body": ["x"] * 3, "n": [1.0, 2.5, None]})
    found = report(floats, settings(TOKENS))["lengths"]["body"]["tokens"]
    assert (found["n"], found["missing"], found["bad"]) == (1, 1, 1)


def test_lengths_are_code_points_and_null_is_missing() -> None:
    found = report(records({"title": ["天气 ", None, "a"], "body": ["x"] * 3}))["lengths"]["title"]["chars"]
    assert (found["n"], found["missing"], found["min"], found["max"]) == (2, 1, 1, 3)


def test_seventy_thousand_lengths_are_folded_in_report_and_table_alike() -> None:
    frame = records({"body": ["x"] * 70_000, "n": list(range(70_000))})
    s = settings(TOKENS)
    found = facts_of(skew.STAGE, [frame], s)
    tokens = found["skew"]["report"]["lengths"]["body"]["tokens"]
    assert (tokens["exact"], tokens["max"], tokens["power_sums"][0]) == (False, 69_999, sum(range(70_000)))
    table = figures.side(s, found)["lengths.parquet"]
    assert isinstance(table, pl.DataFrame)
    rows = table.filter(pl.col("unit") == "tokens")
    assert rows["rows"].sum() == 70_000
    assert rows.filter((pl.col("hi") - pl.col("lo")) > 0.008 * pl.col("hi")).is_empty()


def test_keys_above_the_cap_leave_the_table_with_the_heaviest() -> None:
    frame = records({"body": ["x"] * 1003, "host": ["hot"] * 4 + [f"h{i}" for i in range(999)]})
    s = settings(keys=("host",), keys_cap=10, keys_top=3)
    found = facts_of(skew.STAGE, cut(frame, 3), s)
    table = figures.side(s, found)["keys.parquet"]
    assert isinstance(table, pl.DataFrame)
    assert (table.height, table["rows"].max(), table["error"].sum()) == (10, 4, 0)
    block = found["skew"]["report"]["keys"]["host"]
    assert (block["distinct"], block["exact"], len(block["top"])) == (1000, False, 3)
    assert sum(found["skew"]["report"]["plans"]["host"]["8"]["hash"]["rows"]["loads"]) == 1003


def test_tables_are_sorted_by_what_names_a_row_with_nulls_first() -> None:
    tables = figures.side(FULL, facts_of(skew.STAGE, [FRAME], FULL))
    for name, table in tables.items():
        if isinstance(table, pl.DataFrame):
            by = [column for column in table.columns if table.schema[column] == pl.String()]
            assert table.equals(table.sort(by, maintain_order=True)), name
            assert table.schema == figures.TABLES[name]
    assert isinstance(tables["classes.parquet"], pl.DataFrame)
    assert tables["classes.parquet"]["rows"].sum() == 5


def test_without_tokens_the_tables_say_null_and_not_nought() -> None:
    table = figures.side(Settings(), facts_of(skew.STAGE, [FRAME], Settings()))["classes.parquet"]
    assert isinstance(table, pl.DataFrame)
    assert table["tokens"].null_count() == table.height


@pytest.mark.parametrize(
    ("columns", "path", "reason"),
    [
        ({"body": ["x"]}, ("classes",), "no_label_column"),
        ({"body": ["x"], "label": [None]}, ("classes",), "empty"),
        ({"label": ["a"]}, ("lengths", "body", "chars"), "no_text_column"),
        ({"body": ["x"]}, ("lengths", "body", "tokens"), "no_tokens_column"),
        ({"body": ["x"]}, ("keys",), "no_key_column"),
        ({"body": ["x"]}, ("plans",), "no_key_column"),
        ({"body": ["x"]}, ("drift", "split"), "no_split_column"),
        ({"body": ["x"]}, ("leaks",), "no_split_column"),
        ({"body": ["x"]}, ("cleaning",), "no_run_folder"),
        ({"body": []}, ("classes",), "empty"),
        ({"body": []}, ("shards",), "empty"),
    ],
)
def test_what_cannot_be_measured_says_why_and_nothing_else(
    columns: dict[str, Any], path: tuple[str, ...], reason: str
) -> None:
    block = report(records(columns))
    for step in path:
        block = block[step]
    assert block == {"available": False, "reason": reason}


@pytest.mark.parametrize(("cap", "available"), [(2, False), (3, True)])
def test_a_column_of_names_is_no_column_of_classes(cap: int, available: bool) -> None:
    found = report(records({"label": ["a", "b", "c"]}), settings(labels_cap=cap))
    assert found["classes"]["available"] == available
    assert found["drift"]["shard"]["available"] == available


@pytest.mark.parametrize(
    ("s", "missing"),
    [
        (settings(keys=("hots",)), "hots"),
        (settings(features=("x",)), "x"),
        (settings(ColumnSettings(tokens="m")), "m"),
        (settings(shard_by="column:y"), "y"),
        (settings(shard_by="hash:y:8"), "y"),
    ],
)
def test_a_named_column_that_is_not_there_is_said_with_the_nearest(s: Settings, missing: str) -> None:
    with pytest.raises(InputError, match=f"no column '{missing}'") as caught:
        skew.accepts(s, dict(FRAME.schema))
    assert (caught.value.id, caught.value.exit_code) == ("column-missing", 3)
    assert missing != "hots" or "host" in caught.value.help


@pytest.mark.parametrize("by", ["", "column", "column:", "hash:x", "hash:x:0", "hash:x:4097", "rows", "input:x"])
def test_a_way_to_shard_has_a_known_form(by: str) -> None:
    with pytest.raises(ValueError, match="shard_by is input, part, column:NAME"):
        SkewSettings(shard_by=by)


def test_a_threshold_has_a_known_name() -> None:
    with pytest.raises(ValueError, match="no finding is called class_ration"):
        SkewSettings(thresholds={"class_ration": (1, 2, 3)})


@pytest.mark.parametrize(
    ("by", "loads"),
    [("input", [2, 6]), ("part", [4, 4]), ("column:label", [1, 7]), ("hash:label:8", [7, 1])],
)
def test_a_shard_is_a_source_a_part_a_value_or_a_hash(by: str, loads: list[int]) -> None:
    frame = pl.concat(
        [labels(a=6), records({"title": ["t"] * 2, "body": ["文"] * 2, "label": ["a", "b"]}, source="b.csv")]
    )
    s = settings(shard_by=by)
    table = figures.side(s, facts_of(skew.STAGE, cut(frame, 2), s))["shards.parquet"]
    assert isinstance(table, pl.DataFrame)
    assert sorted(table.group_by("shard").agg(pl.col("rows").sum())["rows"]) == sorted(loads)
    assert report(frame, s, parts=2)["shards"]["rows"]["max"] == max(loads)


def test_a_planned_shard_without_rows_is_empty_and_a_last_round_has_idle_workers() -> None:
    found = report(labels(a=3), settings(shard_by="hash:label:8", workers=5))["shards"]
    assert (found["count"], found["rows"]["empty"], found["remainder_idle"]) == (8, 7, 1 - 8 / 10)


def test_the_same_text_and_group_in_train_and_test_and_made_up_rows_outside_train() -> None:
    frame = records({
        "body": ["x1", "x2", "X 1", "y"], "split": ["train", "train", "test", "test"], "host": ["a", "b", "c", "a"]
    }).with_columns(pl.Series("_id", ["s:1", "s:2", "s:3", "s:3+1"]))  # fmt: skip
    found = report(frame, settings(ColumnSettings(group="host")))
    assert found["leaks"]["text"] == {"test": {"rows": 1, "share": 0.5}}
    assert found["leaks"]["group"] == {"test": {"rows": 1, "share": 0.5}}
    assert found["leaks"]["synthetic_outside_train"] == 1
    assert {"leak_text", "leak_group", "leak_synthetic"} <= {f["id"] for f in found["findings"]}


def cleaned(*history: dict[str, Any]) -> dict[str, Any]:
    counts = skew.count(labels(a=90, b=5), Settings(), {})
    found: dict[str, Any] = figures.finish(counts, Settings(), {"history": list(history)})["report"]
    return found


def test_a_stage_that_takes_only_the_small_class_is_named() -> None:
    check = {"stage": "check", "rows_in": 100, "added": 0, "kept": 95, "lost": {"b": 5}}
    found = cleaned({"stage": "strip", "rows_in": 103, "added": 0, "kept": 100, "lost": {"": 3}}, check)
    assert found["cleaning"]["worst"] == {"stage": "check", "label": "b", "lost_share": 0.5}
    assert [stage["rows_in"] for stage in found["cleaning"]["stages"]] == [103, 100]
    assert found["cleaning"]["stages"][1]["imbalance_ratio_in"] == 9.0
    assert next(f for f in found["findings"] if f["id"] == "cleaning_class_loss")["severity"] == "severe"


def test_what_came_into_a_stage_that_added_rows_is_taken_from_the_stage_before() -> None:
    check = {
        "stage": "check",
        "rows_in": 90,
        "added": 12,
        "kept": 95,
        "lost": {"b": 7},
        "came": {"": 5, "a": 75, "b": 10},
    }
    found = cleaned({"stage": "strip", "rows_in": 90, "added": 0, "kept": 90, "lost": {}}, check)["cleaning"]
    assert found["stages"][1]["labels"]["b"] == {"in": 10, "kept": 5, "lost_share": 0.7}
    assert found["stages"][0]["labels"]["a"] == {"in": 75, "kept": 75, "lost_share": 0.0}


def test_tables_that_do_not_add_up_to_the_ledger_are_a_bug() -> None:
    with pytest.raises(LedgerError, match="check: 99 rows by its tables, 100 by its ledger"):
        cleaned({"stage": "check", "rows_in": 100, "added": 0, "kept": 95, "lost": {"b": 4}})


def test_a_hot_key_is_priced_with_the_numbers_of_the_user() -> None:
    frame = records({"body": ["x"] * 10, "host": ["sina"] * 6 + list("abcd")})
    found = report(frame, settings(keys=("host",), plan_shards=(4,)))
    cost = next(f["cost"] for f in found["findings"] if f["id"] == "key_hot")
    assert cost == "key sina is 60.0% of rows: at 4 shards no hash can beat 2.4 ×"


def test_all_findings_point_at_the_figure_they_judge() -> None:
    found = report(FRAME, FULL)
    for finding in found["findings"]:
        at: Any = found
        for step in finding["where"].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            at = at[int(step)] if isinstance(at, list) else at[step]
        if finding["id"] not in ("key_null", "length_log_skewness"):  # a count as a share; an absolute value
            assert at == finding["value"], finding
