import json
import tracemalloc
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from framing import lines_of
from hypothesis import example, given
from hypothesis import strategies as st

from cleanse.records.framed import Framed
from cleanse.records.jsonkeys import Keys, Seen, keys, see, types_of
from cleanse.records.jsonl import frame, survey
from cleanse.records.jsonshape import MAX_KEYS, MAX_SHAPES, by_shape, learnt, shape_of, values
from cleanse.records.jsonspans import cut
from cleanse.records.jsontext import parse
from cleanse.records.layout import Options

SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.sampled_from(["title", "Title", "正文", "n", "", 'a"b', "^a$", "*", "x.y"])
ROW = st.dictionaries(NAMES, SCALAR, max_size=4)
ODD = (
    "",
    " ",
    '{"n": NaN}',
    '{"n": 1, "n": 1}',
    '{"n": 1, "n": 2}',
    '{"n": [1]}',
    '{"n": "\\ud800"}',
    '{"n": "\\ud83d\\ude00"}',
    '{"n": "\\u0000"}',
    '{"n": 01}',
    '{"n": -0}',
    '{"n": 1E5 }',
    '{"n": 1e400}',
    '{"n": 9223372036854775808}',
    '{"n": "\x01"}',
    '{"n": "\x7f\u2028"}',
    '{"n": "\\x"}',
    '{"n": 1,}',
    '{"n"',
    ": 1}",
    '{"n": 1} {"n": 2}',
    '\ufeff{"n": 1}',
    '{"\\u006e": 1}',
    '{"n": True}',
)


def written(row: dict[str, Any], *, spaced: bool, escaped: bool) -> str:
    return json.dumps(row, ensure_ascii=escaped, separators=(" , ", " : ") if spaced else (",", ":"))


LINE = st.builds(written, ROW, spaced=st.booleans(), escaped=st.booleans()) | st.sampled_from(ODD)


def framed(lines: list[str], known: Keys, options: Options) -> Framed:
    names = {name: name or "empty" for name in known.types}
    types = {
        names[name]: pl.String() if dtype == pl.Null() or name == "title" else dtype
        for name, dtype in known.types.items()
    }
    return frame(lines_of("\n".join(lines), "\n"), known, names, types, options)[0]


@given(st.lists(LINE, max_size=8), st.sampled_from([(), ("title",), ("n", "title")]))
@example(['{"n": "x"}', '{"n": 1}', *ODD], ())
@example(['{"n": 0.5}', '{"n": true}', *ODD], ("n",))
@example(['{"n": 1}', '{"n": 0.5}', '{"n": 1}', '{"n": "x"}'], ())
@example(['{"n": 0.5}', '{"n": 1}', '{"n": null}'], ())
@example(['{"n": 1, "title": "a"}', '{"title": "b", "n": 2}', "{", '{"n": 3, "title": null}'], ("title",))
def test_lines_are_read_by_their_shape_as_they_are_one_by_one(lines: list[str], expect: tuple[str, ...]) -> None:
    options, table = Options(expect), lines_of("\n".join(lines), "\n")
    fast = survey([table[:2], table[2:5], table[5:]], options)
    spans = cut(table, Keys({}), options, final=True).spans
    assert fast == keys(see(Seen(), ((types_of(span.parsed), 1) for span in spans), expect), expect, {})
    by_shapes, one_by_one = (
        framed(lines, known, options) for known in (fast, replace(fast, shapes=(), is_uniform=False))
    )
    assert by_shapes.records.equals(one_by_one.records)
    assert by_shapes.structural.equals(one_by_one.structural)


@given(LINE, st.lists(LINE))
def test_what_has_a_shape_is_an_object_without_any_fault(line: str, others: list[str]) -> None:
    if shape := shape_of(line):
        texts = pl.Series([line, *others], dtype=pl.String)
        same = texts.filter(by_shape(texts, [shape]).is_not_null())
        read = [dict(zip(shape.types, row, strict=True)) for row in zip(*values(same, shape.types), strict=True)]
        assert line in same
        for text, row in zip(same, read, strict=True):
            found = parse(text)
            assert (found.problem, found.repairs, found.n_replaced) == (None, (), 0)
            assert row == found.value


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": "x", "b": null}', ["a", "b"]),
        ('\t{ "标题" : -1.5e3 } ', ["标题"]),
        ('{"a": "{\\"b\\": 1}"}', ["a"]),
        ('{"a": "\\u4e00\\ud83d\\ude00"}', ["a"]),
        *[(json.dumps({f"k{i}": i for i in range(n)}), [f"k{i}" for i in range(n)]) for n in (1, MAX_KEYS)],
    ],
)
def test_a_plain_object_has_the_shape_of_its_keys(text: str, keys: list[str]) -> None:
    shape = shape_of(text)
    assert shape
    assert [*shape.types] == keys


NESTED = ['{"a": {"b": 1}}', '{"a": []}', '{"a": 1, "b": {"a": 1}}']
FAULTY = [
    '{"a": 1, "a": 1}',
    '{"a": "\\ud800"}',
    '{"a": "\t"}',
    '{"a": 1,}',
    '{"a": NaN}',
    '{"a": 1}x',
    "[1]",
    "{}",
    "",
]


@pytest.mark.parametrize("text", [*NESTED, *FAULTY, json.dumps({f"k{i}": i for i in range(MAX_KEYS + 1)})])
def test_what_is_nested_mended_or_too_wide_has_none(text: str) -> None:
    assert shape_of(text) is None


@pytest.mark.parametrize("n", [1, MAX_SHAPES, MAX_SHAPES + 1])
def test_lines_beyond_the_last_shape_are_records_too(n: int) -> None:
    lines = [json.dumps({f"k{i}": i}) for i in range(n)]
    known = survey([lines_of("\n".join(lines), "\n")], Options())
    assert len(known.shapes) == min(n, MAX_SHAPES)
    assert framed(lines, known, Options()).records.height == n


@pytest.mark.parametrize(
    ("lines", "is_uniform"),
    [
        (['{"a": 1}', '{"a": 2}'], True),
        (['{"a": 1}', ""], False),
        (['{"a": 1}', '{"a": "x"}'], False),
        (["", ""], False),
    ],
)
def test_only_lines_that_all_have_the_one_shape_are_uniform(lines: list[str], is_uniform: bool) -> None:
    assert survey([lines_of("\n".join([*lines, ""]), "\n")], Options()).is_uniform is is_uniform


@pytest.mark.parametrize("body", ["天" * 500_000, "天\n" * 250_000])
def test_a_long_line_takes_little_memory_and_is_a_record_as_it_is(body: str) -> None:
    line = json.dumps({"a": body}, ensure_ascii=False)
    tracemalloc.start()
    found, shapes = learnt(pl.Series([line, '{"a": "x"}']), [], [])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(line.encode())
    assert (found.to_list(), len(shapes)) == ([0, 0], 1)
    assert framed([line], survey([lines_of(line, "\n")], Options()), Options()).records["a"].to_list() == [body]
