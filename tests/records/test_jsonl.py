import json
from typing import Any

import polars as pl
import pytest
from framing import gaps, in_blocks, lines_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.records.framed import Framed
from cleanse.records.jsonkeys import Keys
from cleanse.records.jsonl import frame, survey
from cleanse.records.jsontext import MAX_DEPTH, Parsed, parse
from cleanse.records.layout import Options

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


def surveyed(text: str, *refuse: str, expect: tuple[str, ...] = ()) -> tuple[pl.DataFrame, Keys, Options]:
    options, table = Options(expect, refuse=frozenset(refuse)), lines_of(text, "\n")
    return table, survey([table], options), options


def framed(text: str, names: dict[str, str] | None = None, *refuse: str, expect: tuple[str, ...] = ()) -> Framed:
    table, keys, options = surveyed(text, *refuse, expect=expect)
    names = names or {name: name for name in keys.types}
    return frame(table, keys, names, {names[name]: dtype for name, dtype in keys.types.items()}, options)[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("{}", {}),
            (' {"": null}\t', {"": None}),
            ('{"标题": "天\\n气"}', {"标题": "天\n气"}),
        ],
        *[('{"a": "NaN \\\\ud800"}', {"a": "NaN \\ud800"}), ('{"a": "\\ud83d\\ude00"}', {"a": "😀"})],
    ],
)
def test_an_object_is_its_values(text: str, value: dict[str, Any]) -> None:
    assert parse(text) == parse(text, complete=False) == Parsed(value)


BROKEN = ["", '{"a": 1', '{"a": 1}{"b": 2}', '{"a": 2}X', "{'a': 1}", '{"a": 1}\0', '{"a": 1,,}', "// {}", "{a: 1}"]
NONFINITE = ['{"a": NaN}', '{"a": [-Infinity]}', '{"a": 1e999}']
SAME, BEHIND = '{"a": 1, "a": 1', ("}{", "} x", ", b}", ', "c": ', ', "c": 1' + "0" * 5000 + "}", '}{"b": 1} x')
TWICE = ['{"a": 1, "a": 2}', '{"a": [1], "a": [true]}', '{"a": 1, "a": true}', '{"a": {"b": [{"c": 1, "c": null}]}}']


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *[(text, "json_syntax") for text in BROKEN],
        *[(text, "json_not_object") for text in ("[1]", "null", '"a"', "1")],
        *[(text, "json_nonfinite") for text in NONFINITE],
        *[(SAME + more, "json_syntax") for more in BEHIND],
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


@pytest.mark.parametrize("values", ["1, {}2", "1, {}1"])
def test_keys_that_are_one_without_their_surrogates_stand_twice(values: str) -> None:
    text = '{"\\ud800": ' + values.format('"\\udfff": ') + "}"
    assert (parse(text).problem, parse('{"b": {"a": ' + text + "}}").problem) == ("key_duplicate", "key_duplicate")


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


MENDED = [
    ('{"a": "x,}",}', "x,}", "json_trailing_comma"),
    ('{"a": "x"},', "x", "json_trailing_comma"),
    ('{"a": "x\ty"}', "x\ty", "json_control_char"),
    ('{"a": "x\ty",}', "x\ty", "json_control_char+json_trailing_comma"),
    ('{"a": "x", "a": "x"}', "x", "key_duplicate_same"),
    ('{"a": "x", "a": "x",}', "x", "json_trailing_comma+key_duplicate_same"),
    ('{"a": "x", "a": "x"},', "x", "json_trailing_comma+key_duplicate_same"),
    ('{"a": "x\ty", "a": "x\ty"}', "x\ty", "json_control_char+key_duplicate_same"),
    ('{"a": "x", "a": "x", "": "\t"}', "x", "json_control_char+key_duplicate_same"),
    ('{"a": "x\0"}', "x", "nul_stripped"),
    ('{"a": "x\ny"}', "x\ny", "lines_joined"),
    ('{\n"a"\n:\n"x"\n}', "x", "lines_joined"),
]


@pytest.mark.parametrize(("text", "value", "code"), MENDED)
def test_what_is_beyond_doubt_is_mended_and_noted(text: str, value: str, code: str) -> None:
    found = framed(f'{text}\n{{"a": "z"}}').records
    assert found.select("a", "_repair", "_problem").rows() == [(value, code, None), ("z", None, None)]


@pytest.mark.parametrize(("text", "value", "code"), [case for case in MENDED if "nul_stripped" not in case])
def test_a_repair_that_is_refused_is_a_problem(text: str, value: str, code: str) -> None:
    problem = "key_duplicate" if code == "key_duplicate_same" else "json_syntax"
    assert framed(f"{text}\n{{}}", None, *code.split("+")).records["_problem"][0] == problem


@pytest.mark.parametrize(("n", "problem"), [(7, None), (8, "json_syntax")])
def test_a_broken_object_is_joined_with_a_few_lines_but_never_beyond_the_next(n: int, problem: str | None) -> None:
    text = '{"a": "' + "x\n" * n + '"}'
    assert framed(f"{text}\n{{}}").records["_problem"][0] == problem
    assert framed('{"a": "x\n{"a": "y"}\n"}\n').records["_problem"].to_list() == ["json_syntax", None, "json_syntax"]


def test_several_objects_on_a_line_are_records_of_their_own() -> None:
    found = framed('{"a": "天"}{"a": "2"} , {"a": 3,}\n').records
    assert found.select("_line", "_offset", "_bytes", "a", "_repair").rows() == [
        (1, 0, 12, "天", "objects_split"),
        (1, 12, 13, "2", "objects_split"),
        (1, 25, 9, "3", "json_trailing_comma+objects_split"),
    ]
    assert framed('{"a": 1} {"b": 2}', None, "objects_split").records["_problem"].to_list() == ["json_truncated"]


@pytest.mark.parametrize(
    ("text", "rows", "kinds"),
    [
        ('[{"a": "x"}, {"a": "y"}]', [(1, 1, 10, "x"), (1, 13, 10, "y")], [(0, 1), (23, 1)]),
        ('[\n{"a": "x"},\n{"a": "y"}\n]\n', [(2, 2, 10, "x"), (3, 14, 10, "y")], [(0, 1), (25, 1)]),
        ('[{\n "a": "天"\n}, {"a": "y"}]', [(1, 1, 15, "天"), (3, 18, 10, "y")], [(0, 1), (28, 1)]),
    ],
)
def test_an_array_is_its_objects(text: str, rows: list[tuple[Any, ...]], kinds: list[tuple[int, int]]) -> None:
    found = framed(text)
    assert found.records.select("_line", "_offset", "_bytes", "a").rows() == rows
    assert found.structural.select("_offset", "_bytes").rows() == kinds
    assert set(found.structural["_kind"]) == {"json_bracket"}


def test_a_broken_object_of_an_array_costs_itself() -> None:
    assert framed('[{"a": 1},\n{"a" 2},\n{"a": 3}]').records["_problem"].to_list() == [None, "json_syntax", None]


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ('{"Title": "x", "body": "y"}', ("x", "key_case", None)),
        ('{"标题": "x", "body": "y"}', ("x", "key_alias", None)),
        ('{"titel": "x", "body": "y"}', (None, None, "key_missing")),
        ('{"Title": "x", "TITLE": "y", "body": "y"}', (None, None, "key_missing")),
        ('{"title": null, "body": "y"}', (None, None, "value_null")),
        ('{"title": 1, "body": null}', (None, None, "type_mismatch")),
        ('{"body": "y"}', (None, None, "key_missing")),
    ],
)
def test_expected_keys_are_found_by_case_and_list_never_by_likeness(line: str, want: tuple[str | None, ...]) -> None:
    text = '{"title": "t", "body": "b"}\n' * 2 + line
    found = framed(text, expect=("title", "body")).records
    assert found.select("title", "_repair", "_problem").row(2) == want
    refused = framed(text, None, "key_case", "key_alias", expect=("title", "body")).records["_problem"][2]
    assert refused == (want[2] or "key_missing")


def test_two_keys_of_one_object_are_two_columns_however_alike() -> None:
    found = framed('{"title": "t", "Title": "T"}\n{"Title": "U"}')
    assert found.records.select("title", "Title", "_repair").rows() == [("t", "T", None), (None, "U", None)]


def test_objects_over_many_lines_are_found_by_their_brackets() -> None:
    rows = [{"title": f"t{i}", "body": "x", "tags": ["a", {"b": i}], "more": {"c": [1, 2]}} for i in range(5)]
    text = "\n".join(json.dumps(row, indent=2) for row in rows)
    records = framed(text).records
    assert records["title"].to_list() == [row["title"] for row in rows]
    assert records["_repair"].to_list() == ["lines_joined"] * 5
    assert records["_problem"].null_count() == 5
    broken = framed(text.replace('"t1"', "t1")).records
    assert broken["_problem"].to_list() == [None, "json_syntax", None, None, None]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{\n"a": 1\n}', "spread"),
        ('\n {\n\n  "a": 1\n}', "spread"),
        ('{"a": 1}\n{\n"a": 2}', "lines"),
        ("{\n}", "lines"),
        ("{", "lines"),
        ('[\n{\n"a": 1}]', "array"),
        ("[1]", "lines"),
    ],
)
def test_the_beginning_of_a_text_tells_how_its_objects_stand(text: str, form: str) -> None:
    assert surveyed(text)[1].form == form
    assert surveyed(text, "lines_joined")[1].form == form.replace("spread", "lines")


@settings(deadline=None)
@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_byte_is_in_one_record_one_blank_line_or_a_line_end(text: str) -> None:
    assert all(not gap.strip("\r\n ,") for gap in gaps(text, framed(text)))


@settings(deadline=None)
@given(
    text=st.lists(st.sampled_from([*PIECES, "[", ",", "{\n", "}\n"])).map("".join),
    array=st.booleans(),
    sizes=st.lists(st.integers(1, 5)),
)
def test_it_does_not_matter_how_lines_are_cut_into_blocks(text: str, array: bool, sizes: list[int]) -> None:
    table, keys, options = surveyed("[{" * array + text)
    cut = [table[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes))]
    assert survey([*cut, table[sum(sizes) :]], options) == keys
    names = {name: name for name in keys.types}
    whole, _ = frame(table, keys, names, keys.types, options)
    parts = in_blocks(table, sizes, lambda block, final: frame(block, keys, names, keys.types, options, final=final))
    assert parts.records.equals(whole.records)
    assert parts.structural.equals(whole.structural)
    assert all(not gap.strip("\r\n ,\t") for gap in gaps("[{" * array + text, whole))


@settings(deadline=None)
@given(value=st.dictionaries(st.text(), VALUE))
def test_any_json_object_comes_back_as_it_was(value: dict[str, Any]) -> None:
    assert parse(json.dumps(value)) == parse(json.dumps(value, ensure_ascii=False)) == Parsed(value)


@pytest.mark.parametrize(("n", "problem"), [(4095, None), (4096, None), (4097, "too_many_fields")])
def test_an_object_of_too_many_keys_makes_no_columns(n: int, problem: str | None) -> None:
    wide = json.dumps({f"k{i}": i for i in range(n)})
    records = framed(f'{wide}\n{{"k1": 5}}\n').records
    assert records["_problem"].to_list() == [problem, None]
    assert ("k2" in records.columns) == (problem is None)
    assert records["k1"].to_list() == [None if problem else 1, 5]


def test_keys_behind_the_first_4096_of_a_source_make_no_columns_and_none_is_lost_unseen() -> None:
    text = "".join(json.dumps({"a": i, f"k{i}": i}) + "\n" for i in range(4097)) + '{"a": 7, "k0": 8}\n'
    found = framed(text).records
    assert found["_problem"].to_list() == [None] * 4095 + ["too_many_fields"] * 2 + [None]
    assert found["_raw"].drop_nulls().to_list() == ['{"a": 4095, "k4095": 4095}', '{"a": 4096, "k4096": 4096}']
    assert (found["a"][-1], found["k0"][-1]) == (7, 8)


def test_two_other_spellings_of_one_key_are_no_choice_of_ours() -> None:
    text = '{"body": "x"}\n' * 3 + '{"Body": "y"}\n{"Body": "y", "BODY": "z"}\n'
    found = framed(text).records
    assert found.select("body", "_problem", "_raw").rows() == [
        *[("x", None, None)] * 3,
        ("y", None, None),
        (None, "key_duplicate", '{"Body": "y", "BODY": "z"}'),
    ]


def test_blank_lines_before_the_first_object_have_no_shape() -> None:
    options, tables = Options(), [lines_of(text, "\n") for text in ("\n", '{"a": null}\n')]
    keys = survey(tables, options)
    assert not keys.is_uniform
    assert frame(pl.concat(tables), keys, {"a": "a"}, keys.types, options)[0].records["a"].to_list() == [None]


PIECES = [
    "{",
    "}",
    '"a"',
    ":",
    "1",
    ",",
    "[",
    "]",
    "x",
    " ",
    "\t",
    '"\\ud800"',
    '"\\ud801"',
    "NaN",
    '"b',
    '{"a":1',
    "0" * 5000,
]


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_whatever_stands_there_is_an_object_or_a_problem(text: str) -> None:
    found = parse(text)
    assert not (found.problem and found.value)


ONE_A_LINE = ['{"a": 1, "b": "x"}', '{"a": 2, "b": "y"', '{"a": 3, "b": [', '{"a": 4, "b": "z"}', '{"a": 5, "b": {}}']
PRETTY = '[\n  {\n    "a": 1\n  },\n  {\n    "a": 2,\n  {\n    "a": 3\n  }\n]\n'
NESTED_TYPO = '[\n{"a": 1,\n "b": [\n  {"a": 8},\n  {"a": 9}\n ],\n "c": x},\n{"a": 2}\n]\n'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("[\n" + ",\n".join(ONE_A_LINE) + "\n]\n", [1, None, None, 4, 5], id="one a line"),
        pytest.param("[\n" + ",\n".join(ONE_A_LINE[1::2]) + "\n]\n", [None, 4], id="the array's end closes it"),
        pytest.param("[" + ",\n".join(ONE_A_LINE) + "]", [1, None, None, 4, 5], id="brackets beside them"),
        pytest.param(PRETTY, [1, None, 3], id="over several lines"),
        pytest.param(NESTED_TYPO, [None, 2], id="objects within a broken one"),
    ],
)
def test_an_object_of_an_array_that_is_cut_costs_no_other(text: str, values: list[int | None]) -> None:
    found = framed(text).records
    assert found["a"].to_list() == values
    assert [problem is None for problem in found["_problem"]] == [value is not None for value in values]
