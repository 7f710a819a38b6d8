from itertools import pairwise

import polars as pl
import pytest
from framing import lines_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cleanse.records.framed import Framed
from cleanse.records.layout import Refused
from cleanse.settings import DecodeSettings, Settings
from cleanse.stages import tables

CSV = [
    "\n",
    "\n",
    "a,b,c\n",
    '1,"x\ny",3\n',
    '1,"x\n',
    '2,"p",q\n',
    "1,2\n",
    "1,2,3,4\n",
    "total\n",
    '"',
    "b,a,c\n",
    "x",
]
JSON = [
    "\n",
    '{"a": 1}\n',
    '{"a"\n',
    ': "x"}\n',
    '{"b": [1,\n',
    "2]}\n",
    "[",
    "]\n",
    ",",
    '{"a": 1} {"a": 2}\n',
    "{",
    "}",
]
S = Settings(decode=DecodeSettings(max_join_lines=3))


def framed(lines: pl.DataFrame, shape: tables.Shape, kind: str) -> Framed:
    types = tables.columns(shape, S)
    return tables.frame(lines, shape, {name: name for name in types}, types, tables.options(kind, S))[0]


def check_pieces(kind: str, text: str, sizes: list[int]) -> None:
    """Pieces of a text, cut where it may be, must give the records of the whole, and their numbers."""
    lines = lines_of(text, "\n")
    at = [0, *[sum(sizes[: i + 1]) for i in range(len(sizes))], lines.height]
    batches = [lines[a:b] for a, b in pairwise(at)]
    shape = tables.survey(kind, batches, S)
    if isinstance(shape, Refused):
        return
    check_starts(lines, shape, kind, list(tables.starts(batches, shape, tables.options(kind, S))))
    if shape.starts is not None:  # the survey knows some already
        check_starts(lines, shape, kind, list(shape.starts))


def check_starts(lines: pl.DataFrame, shape: tables.Shape, kind: str, starts: list[tuple[int, int]]) -> None:
    whole = framed(lines, shape, kind)
    borders = [0, *(line - 1 for line, _ in starts), lines.height]
    parts = [framed(lines[a:b], shape, kind) for a, b in pairwise(borders)]
    assert pl.concat(part.records for part in parts).equals(whole.records)
    assert pl.concat(part.structural for part in parts).equals(whole.structural)
    assert [n for _, n in starts] == [int((whole.records["_line"] < line).sum()) for line, _ in starts]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BLOCK", 1)


@settings(deadline=None, max_examples=200)
@given(text=st.lists(st.sampled_from(CSV), min_size=1).map("".join), sizes=st.lists(st.integers(1, 6)))
@example(text='a,b,c\n1,"x\n2,3,4\n5,6,7\n8,9,0\n', sizes=[2, 1, 1])
@example(text="a,b,c\n1,2,3\ntotal\n1,2,3\n", sizes=[3, 1])
@example(text='"total\n"', sizes=[1])
@example(text='\n\n\n\n\n1,"x\ny",3\ntotal\n\n\na,b,c\n', sizes=[4, 6])
@example(text="\n\n\n\n\n\na,b,c\ntotal\n\n\na,b,c\n", sizes=[1, 3, 6])
@example(text='"\n1,2\n', sizes=[])
def test_delimited_text_may_be_cut_where_it_says(text: str, sizes: list[int]) -> None:
    check_pieces("csv", text, sizes)


@settings(deadline=None, max_examples=200)
@given(text=st.lists(st.sampled_from(JSON), min_size=1).map("".join), sizes=st.lists(st.integers(1, 6)))
@example(text='{"a"\n: 1}\n{"a": 1}\n', sizes=[1, 1, 1])
def test_json_may_be_cut_where_it_says(text: str, sizes: list[int]) -> None:
    check_pieces("jsonl", text, sizes)


def test_a_long_table_has_many_cuts() -> None:
    lines = lines_of("id,text\n" + "".join(f'{i},"some\ntext"\n' for i in range(500)))
    shape = tables.survey("csv", [lines], S)
    assert not isinstance(shape, Refused)
    batches = [lines[i : i + 41] for i in range(0, lines.height, 41)]
    assert len(list(tables.starts(batches, shape, tables.options("csv", S)))) > 5
