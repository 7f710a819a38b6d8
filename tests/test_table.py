import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory import surveyed

from cleanse import table
from cleanse.errors import InputError
from cleanse.settings import Settings
from cleanse.table import BOOKKEEPING, conform, run_schema, source_hash

INT, FLOAT, TEXT, NULL, LIST = pl.Int64(), pl.Float64(), pl.String(), pl.Null(), pl.List(pl.Int64())
COLUMN = st.tuples(
    st.sampled_from(["a", "title", "标题"]), st.sampled_from([INT, FLOAT, TEXT, NULL, LIST, pl.Boolean()])
)


@pytest.mark.parametrize("source", ["", "a.csv", "数据/天气.csv", "a.zip!/b.csv", "\udcff.csv"])
def test_every_source_name_has_a_hash_of_12_hex_digits(source: str) -> None:
    assert len(source_hash(source)) == 12
    assert int(source_hash(source), 16) != int(source_hash(source + "x"), 16)


@pytest.mark.parametrize("record", [0, 1, 2**40])
def test_an_id_is_the_hash_of_its_source_and_the_record_number(record: int) -> None:
    assert pl.select(table.ids("a.csv", pl.lit(record))).item() == f"80a7f3fdc5b6:{record}"


@pytest.mark.parametrize(
    ("columns", "want"),
    [
        pytest.param([], {}, id="nothing"),
        pytest.param([("z", INT), ("body", NULL), ("title", INT)], {"title": TEXT, "body": TEXT, "z": INT}, id="roles"),
        pytest.param([("n", INT), ("n", FLOAT)], {"n": FLOAT}, id="numbers"),
        pytest.param([("n", INT), ("n", pl.Boolean())], {"n": TEXT}, id="a clash is text"),
        pytest.param([("n", NULL), ("n", LIST)], {"n": LIST}, id="null says nothing"),
        pytest.param([("n", NULL)], {"n": TEXT}, id="only null"),
        pytest.param([("_id", INT), ("x", TEXT)], {"x": TEXT}, id="bookkeeping keeps its type"),
    ],
)
def test_a_run_has_one_schema(columns: list[tuple[str, pl.DataType]], want: dict[str, pl.DataType]) -> None:
    assert list(run_schema(columns).items()) == [*BOOKKEEPING.items(), *want.items()]


@given(columns=st.lists(COLUMN))
def test_types_do_not_depend_on_the_order_of_sources(columns: list[tuple[str, pl.DataType]]) -> None:
    assert run_schema(columns) == run_schema(reversed(columns))


def test_a_table_gets_the_missing_columns_as_null_and_keeps_what_is_beyond_the_schema() -> None:
    frame = pl.DataFrame({"extra": [True], "n": [1], "body": ["x"]})
    found = conform(frame, {"body": TEXT, "label": TEXT, "n": FLOAT})
    assert found.rows(named=True) == [{"body": "x", "label": None, "n": 1.0, "extra": True}]
    assert found.schema["label"] == pl.String
    assert conform(frame.clear(), {"label": TEXT}).columns == ["label", "extra", "n", "body"]


@pytest.mark.parametrize("value", [[1, 2], [], {"a": 1, "b": "天"}, [{"a": None}], 1, 0.5, True], ids=json.dumps)
def test_a_value_in_a_column_of_text_is_its_json(value: Any) -> None:
    found = conform(pl.DataFrame({"x": [value, None]}), {"x": TEXT})["x"].to_list()
    assert [json.loads(text) if text is not None else None for text in found] == [value, None]


@pytest.mark.parametrize("name", ["_y", "_id", "_"])
def test_a_leading_underscore_is_refused_by_name_and_place(name: str) -> None:
    table.check_reserved(["title", "a_b", "标题", ""], "a.csv")
    with pytest.raises(InputError, match=rf"column '{name}' in a\.csv") as caught:
        table.check_reserved(["title", name], "a.csv")
    assert caught.value.id == "column-reserved"
    assert table.user_columns(["title", name, "a_b"]) == ["title", "a_b"]


@pytest.mark.parametrize("names", [["_id"], ["title", *BOOKKEEPING]])
def test_a_table_of_ours_has_ids_and_only_columns_of_the_contract(names: list[str]) -> None:
    assert table.written_by_cleanse(names)
    assert not table.written_by_cleanse([name for name in names if name != "_id"])
    assert not table.written_by_cleanse([*names, "_reason"])


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.csv", b"_id,_line,title\nx:1,7,t\n"), ("a.jsonl", b'{"_id": "x:1", "_line": 7, "title": "t"}\n')],
)
def test_a_table_of_ours_is_read_again_from_parquet_only(name: str, data: bytes) -> None:
    with pytest.raises(InputError, match="column '_id'"):
        surveyed(data, name, Settings())
