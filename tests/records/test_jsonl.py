import json
from typing import Any

import polars as pl
import pytest
from framing import LINE_ENDS, gaps, lines_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.records.framed import Framed
from cleanse.records.jsonl import MAX_DEPTH, Parsed, column_types, frame, parse

PIECES = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\0",
    "\u2028",
    '{"a": 1}',
    '{"a": "天"}',
    '{"a"',
    *'} [ null "\\ud800"'.split(),
]
LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUE = st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=6)


def framed(text: str, names: dict[str, str] | None = None) -> Framed:
    table = lines_of(text, "\n")
    parsed = [parse(line, complete=bool(end)) for line, end in table.select("text", "end").iter_rows()]
    types = column_types(parsed)
    names = names or {name: name for name in types}
    return frame(table, parsed, names, {names[name]: dtype for name, dtype in types.items()})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("{}", {}),
            (' {"": null}\t', {"": None}),
            ('{"标题": "天\\n气"}', {"标题": "天\n气"}),
            ('{"a": 1, "a": 1}', {"a": 1}),
        ],
        *[('{"a": "NaN \\\\ud800"}', {"a": "NaN \\ud800"}), ('{"a": "\\ud83d\\ude00"}', {"a": "😀"})],
    ],
)
def test_an_object_is_its_values(text: str, value: dict[str, Any]) -> None:
    assert parse(text) == parse(text, complete=False) == Parsed(value)


BROKEN = ["", '{"a": 1', '{"a": 1,}', '{"a": 1}{"b": 2}', '{"a": 2}X', "{'a': 1}", '{"a": "\t"}', '{"a": 1}\0']
NONFINITE = ['{"a": NaN}', '{"a": [-Infinity]}', '{"a": 1e999}']
TWICE = ['{"a": 1, "a": 2}', '{"a": [1], "a": [true]}', '{"a": 1, "a": true}', '{"a": {"b": [{"c": 1, "c": null}]}}']


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *[(text, "json_syntax") for text in BROKEN],
        *[(text, "json_not_object") for text in ("[1]", "null", '"a"', "1")],
        *[(text, "json_nonfinite") for text in NONFINITE],
        *[(text, "key_duplicate") for text in TWICE],
        pytest.param('{"a": "' + "[" * 200, "json_syntax", id="brackets in a text that never ends"),
    ],
)
def test_a_line_that_is_no_clean_object_has_a_problem_by_name(text: str, problem: str) -> None:
    assert parse(text) == Parsed(problem=problem)


@pytest.mark.parametrize(("text", "problem"), [('{"a": 1', "json_truncated"), ("[1]", "json_not_object"), ("{}", None)])
def test_a_broken_last_line_without_an_end_is_truncated(text: str, problem: str | None) -> None:
    assert framed(f"{{}}\n{text}").records["_problem"].to_list() == [None, problem]


@pytest.mark.parametrize(
    ("text", "value", "n"),
    [
        *[('{"a": "\\ud83d"}', {"a": "\ufffd"}, 1), ('{"a": "\\uDE00x\\uD83D"}', {"a": "\ufffdx\ufffd"}, 2)],
        *[('{"\\ud800": ["\\ud83d\\ude00"]}', {"\ufffd": ["😀"]}, 1), ('{"a": "\ufffd"}', {"a": "\ufffd"}, 0)],
    ],
)
def test_a_lone_surrogate_becomes_one_counted_replacement(text: str, value: dict[str, Any], n: int) -> None:
    assert parse(text) == Parsed(value, n_replaced=n)


@pytest.mark.parametrize(
    ("values", "dtype", "want"),
    [
        pytest.param(["1", "null"], pl.Int64(), [1, None], id="null says nothing"),
        pytest.param(["1", "0.5"], pl.Float64(), [1.0, 0.5], id="number"),
        pytest.param(["true", "1"], pl.String(), ["true", "1"], id="a clash is text"),
        pytest.param([f"{2**63 - 1}", f"{-(2**63)}"], pl.Int64(), [2**63 - 1, -(2**63)], id="min and max"),
        pytest.param([f"{2**63}"], pl.String(), [f"{2**63}"], id="max+1"),
        pytest.param([f"{-(2**63) - 1}"], pl.String(), [f"{-(2**63) - 1}"], id="min-1"),
        pytest.param(['["天", 1]', '{"b": null}'], pl.String(), ['["天", 1]', '{"b": null}'], id="nested"),
        pytest.param(['""', "null"], pl.String(), ["", None], id="empty and null"),
    ],
)
def test_a_column_has_the_type_of_all_its_values_or_is_text(
    values: list[str], dtype: pl.DataType, want: list[Any]
) -> None:
    found = framed("\n".join(f'{{"a": {value}}}' for value in values))
    assert found.records.select("a").equals(pl.DataFrame({"a": want}, {"a": dtype}))
    assert framed("\n".join(f'{{"a": {value}}}' for value in reversed(values))).records.schema["a"] == dtype


@pytest.mark.parametrize("role", ["title", "body", "label"])
@pytest.mark.parametrize("value", ["1", "true", "[]", "{}", "0.5"])
def test_a_role_that_is_neither_text_nor_null_is_a_mismatch(role: str, value: str) -> None:
    text = f'{{"k": {value}, "n": 1}}\n{{"k": "x"}}\n{{"k": null}}\n{{}}'
    rows = framed(text, {"k": role, "n": "n"}).records.select("_problem", role, "n").rows()
    assert rows == [("type_mismatch", None, None), (None, "x", None), (None, None, None), (None, None, None)]


def test_a_problem_keeps_the_text_of_its_line_and_its_neighbours_keep_their_places() -> None:
    found = framed('{"a": 1}\r\n \t\r\0\n{"a": \n{"a": "\\ud800"}\n')
    assert found.records.select("_line", "_offset", "_bytes", "_replaced", "_problem", "_raw", "a").rows() == [
        (1, 0, 8, 0, None, None, "1"),
        (3, 15, 6, 0, "json_syntax", '{"a": ', None),
        (4, 22, 15, 1, None, None, "\ufffd"),
    ]
    assert found.structural.select("_line", "_kind", "_raw").rows() == [(2, "blank", " \t\r\0")]


def test_nesting_of_any_depth_is_a_value_or_a_problem() -> None:
    for depth in (2, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, *range(700, 1001), 5000):
        found = framed('{"a": ' + "[" * (depth - 1) + '"]}["' + "]" * (depth - 1) + "}")
        assert found.records["_problem"][0] == ("too_deep" if depth > MAX_DEPTH else None), depth


@settings(deadline=None)
@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_byte_is_in_one_record_one_blank_line_or_a_line_end(text: str) -> None:
    found = framed(text)
    assert set(gaps(text, found)) <= set(LINE_ENDS)
    assert found.records.height + found.structural.height == lines_of(text, "\n").height


@settings(deadline=None)
@given(value=st.dictionaries(st.text(), VALUE))
def test_any_json_object_comes_back_as_it_was(value: dict[str, Any]) -> None:
    assert parse(json.dumps(value)) == parse(json.dumps(value, ensure_ascii=False)) == Parsed(value)
