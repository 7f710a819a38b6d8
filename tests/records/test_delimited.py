from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from framing import LINE_ENDS, gaps, in_blocks, lines_of, stretch_of
from hypothesis import given, settings
from hypothesis import strategies as st
from memory import Bytes, read_all

from cleanse.records.delimited import frame
from cleanse.records.framed import FAULT, MAX_RAW, PLACE, STRUCTURAL, Framed
from cleanse.records.layout import Layout, Options, Refused, survey
from cleanse.records.reading import Dialect
from cleanse.records.stretch import of_table
from cleanse.settings import Settings

ABC = Layout(Dialect(","), ("a", "b", "c"), ("a", "b", "c"))
BARE = Layout(Dialect(","), None, ("a", "b", "c"))
HEAD = "a,b,c\n"
TWICE, BLANKS = ["header", "header_repeated"], ["blank", "blank", "header"]
PIECES = ["\n", "\r\n", "\r", " ", "\0", "\u2028", "\ufeff", HEAD, *'a 天 , , " "" ," ", x,y,z "a","b","c"'.split()]
FIELD = st.sampled_from(["", "x", "天,", '"', 'a"b', "p\nq", "a", " "])


def framed(text: str, max_join: int = 64, layout: Layout = ABC) -> Framed:
    lead = ((1, 1, "header"),) if layout.header and text.startswith(HEAD) else ()
    return frame(stretch_of(text), replace(layout, lead=lead), Options(max_join=max_join))[0]


def found(text: str, *refuse: str, **options: Any) -> Framed:
    """The records of a text of which nothing is known."""
    asked, lines = Options(refuse=frozenset(refuse), **options), stretch_of(text)
    layout = survey([lines], asked)
    assert not isinstance(layout, Refused), layout
    return frame(lines, layout, asked)[0]


def clean(found: Framed) -> list[tuple[Any, ...]]:
    """The fields of the records without a problem."""
    return found.records.filter(found.records["_problem"].is_null()).drop(*PLACE, *FAULT).rows()


@pytest.mark.parametrize(
    ("line", "problem", "n"),
    [
        *[("1,2", "fields_missing", 2), ("1,2,3", None, None), ("1,2,3,4", "fields_extra", 4)],
        *[('"1",2', "fields_missing", 2), ('"1",2,3,4', "fields_extra", 4), ('1,"2"x,3', "quote_garbage", None)],
        *[('1,"2" ,3', "quote_garbage", None), ('1,"2', "quote_unterminated", None)],
    ],
)
def test_a_record_that_does_not_fit_keeps_its_text_and_no_fields(line: str, problem: str | None, n: int | None) -> None:
    found = framed(f"{HEAD}{line}\n4,5,6\n")
    row = found.records.row(0, named=True)
    assert (row["_problem"], row["_fields"], row["_raw"]) == (problem, n, line if problem else None)
    assert (row["a"] is None) == (problem is not None)
    assert clean(found)[-1] == ("4", "5", "6")


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        *[(",,", ("", "", "")), ('"","",""', ("", "", "")), (" 1 ,2\t,3", (" 1 ", "2\t", "3"))],
        *[('"1,2","3""4",5', ("1,2", '3"4', "5")), ('5" disk,x"y"z,3"', ('5" disk', 'x"y"z', '3"'))],
        *[("天\u2028气,\x85,\x0b", ("天\u2028气", "\x85", "\x0b")), ("null,NaN,1e5", ("null", "NaN", "1e5"))],
        pytest.param("x" * 200_000 + ',"y",z', ("x" * 200_000, "y", "z"), id="above csv's limit"),
    ],
)
def test_fields_are_what_stands_between_delimiters(line: str, fields: tuple[str, ...]) -> None:
    assert clean(framed(f"{HEAD}{line}\n")) == [fields]


@pytest.mark.parametrize(("n", "ok"), [(2, True), (3, True), (4, False)])
def test_a_quoted_field_spans_at_most_max_join_lines(n: int, ok: bool) -> None:
    text = "\r\n".join(["x"] * n)
    found = framed(f'{HEAD}1,"{text}",3\n4,5,6\n', max_join=3)
    assert clean(found) == [*([("1", text, "3")] if ok else []), ("4", "5", "6")]
    assert (found.records["_problem"][0] == "quote_unterminated") == (not ok)


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        pytest.param(['1,"x,y', "2,p,q"], ["2pq"], id="plain neighbour"),
        pytest.param(['1,"x,y', '2,"p",q', "3,r,s"], ["2pq", "3rs"], id="quoted neighbour"),
        pytest.param(['1,"x', '2,"p",q'], ["2pq"], id="and a field too few"),
        pytest.param(['1,"x', '2,"p"', "3,q"], ["2p", "3q"], id="two columns"),
    ],
)
def test_a_quote_that_never_closes_costs_no_neighbour(lines: list[str], want: list[str]) -> None:
    names = ("a", "b", "c")[: lines[-1].count(",") + 1]
    rows = clean(framed("\n".join(lines), layout=Layout(Dialect(","), None, names)))
    assert ["".join(row) for row in rows][-len(want) :] == want
    assert len(rows) <= len(lines)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        *[("\n \t\na,b,c\n1,2,3\n", BLANKS), ("\0\n\0\na,b,c\n", BLANKS), ("A,b,c\n a, B,c\n", TWICE)],
        *[("a,b,c\n1,2,3\na,b,c\n", TWICE), ("\ufeffa,b,c\n\ufeffa,b,c\n", TWICE), ('"a","b","c"\n"a",b,c\n', TWICE)],
        *[('a,b,c\n"a","b","c"\n', TWICE), ('"a","b","c"\na,b,c\n', TWICE), ('"a",b,c\n\ufeff"a",b,c\n', TWICE)],
        pytest.param("a,b,c\n1,2,3\n4,5,6\nc,a,b\n7,8,9\na,b,c\n", ["header", *["header_reordered"] * 2], id="order"),
    ],
)
def test_a_header_is_no_record_wherever_it_stands(text: str, want: list[str]) -> None:
    structural = found(text, expect=("a", "b", "c")).structural
    assert structural["_kind"].to_list() == want
    assert not {("a", "b", "c"), ("c", "a", "b")} & set(clean(found(text, expect=("a", "b", "c"))))


@pytest.mark.parametrize(("line", "name"), [('"""a""",b', '"a"'), ('a",b', 'a"'), ('"a, ""b""",c', 'a, "b"')])
def test_quotes_in_its_names_do_not_make_a_header_data(line: str, name: str) -> None:
    records = found(f"{line}\n1,2\n").records
    assert (records.columns[-2], records.rows()[0][-2:]) == (name, ("1", "2"))


def test_without_a_header_every_line_is_data_and_inner_names_are_free() -> None:
    assert clean(framed("a,b,c\na,b,c", layout=BARE)) == [("a", "b", "c")] * 2
    for name in ("x", "text", "end", "row", "kind", "标题", "field0"):
        assert clean(found(f'{name}\n1\n""\n')) == [("1",), ("",)]


@pytest.mark.parametrize("text", ["", "\n", HEAD, "a,b,c", " " * MAX_RAW, " " * (MAX_RAW + 1)])
def test_a_text_without_records_makes_empty_tables_of_the_same_shape(text: str) -> None:
    empty = framed(text)
    assert (empty.records.height, empty.records.columns) == (0, [*PLACE, *FAULT, *ABC.names])
    assert dict(empty.structural.schema) == STRUCTURAL
    assert empty.structural["_raw"].to_list() == [line[:MAX_RAW] for line in text.splitlines()]


@pytest.mark.parametrize("data", [b"\0", b"\0\n\0\n", b"\n\xef\xbb\xbf\n1,2\n", b"x,x_2,x\n1,2,3\n"])
def test_an_odd_table_is_surveyed_and_read_without_a_crash(data: bytes) -> None:
    found = read_all(Bytes(data), "a.csv", Settings())
    assert (found.refused is None) == (found.records.height > 0)


@settings(deadline=None)
@given(text=st.lists(st.sampled_from(PIECES)).map("".join), header=st.booleans(), max_join=st.integers(1, 4))
def test_every_byte_is_in_one_record_one_structural_line_or_a_line_end(text: str, header: bool, max_join: int) -> None:
    found = framed(text, max_join, ABC if header else BARE)
    assert set(gaps(text, found)) <= set(LINE_ENDS)
    assert found.records["_line"].is_sorted()


@settings(deadline=None)
@given(
    text=st.lists(st.sampled_from(PIECES), min_size=1).map("".join),
    sizes=st.lists(st.integers(1, 5)),
    max_join=st.integers(1, 4),
)
def test_it_does_not_matter_how_lines_are_cut_into_blocks(text: str, sizes: list[int], max_join: int) -> None:
    lines, options = lines_of(text), Options(max_join=max_join)
    layout = survey([of_table(lines)], options)
    cut = [lines[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes))]
    assert survey(map(of_table, [*cut, lines[sum(sizes) :]]), options) == layout
    if isinstance(layout, Refused):
        return
    whole, _ = frame(of_table(lines), layout, options)
    parts = in_blocks(lines, sizes, lambda block, final: frame(of_table(block), layout, options, final=final))
    assert parts.records.equals(whole.records)
    assert parts.structural.equals(whole.structural)
    assert set(gaps(text, whole)) <= set(LINE_ENDS)


@settings(deadline=None)
@given(rows=st.lists(st.tuples(FIELD, FIELD, FIELD), max_size=5))
def test_rows_written_as_csv_come_back_clean(rows: list[tuple[str, ...]]) -> None:
    quoted = ['"' + '","'.join(field.replace('"', '""') for field in row) + '"' for row in rows]
    assert clean(framed(HEAD + "\n".join(quoted))) == rows


@pytest.mark.parametrize(
    "line", ["short", "1,2", "1,2,3,4", '1,"2"x,3', '"'], ids=["one", "less", "more", "garbage", "open"]
)
def test_a_line_that_does_not_fit_costs_the_same_however_many_there_are(line: str) -> None:
    took = []
    for n in (2_000, 16_000):
        lines = stretch_of(HEAD + f"{line}\n" * n)
        start = process_time()
        frame(lines, replace(ABC, lead=((1, 1, "header"),)), Options())
        took.append(process_time() - start)
    assert took[1] < 24 * took[0]  # eight times as many
