import polars as pl
import pytest
from framing import lines_of, stretch_of
from hypothesis import given
from hypothesis import strategies as st

from cleanse.records.fields import Surplus, marks, split
from cleanse.records.reading import Dialect, read
from cleanse.records.stretch import Stretch, as_stretch, of_table, of_utf8, together

CSV = Dialect(",")
LINE = st.lists(st.sampled_from(["a", "天", ",", '"', '""', " ", "\t", "\0", "\ufeff", "\u2028"]), max_size=9).map(
    "".join
)


def rows(lines: Stretch) -> list[tuple[object, ...]]:
    return [(lines.text(row), lines.end(row), *lines.place.row(row)) for row in range(lines.height)]


@given(lines=st.lists(LINE), brk=st.sampled_from(["\n", "\r\n", "\r"]), ends=st.booleans(), start=st.integers(0, 9))
def test_bytes_and_strings_give_the_same_lines(lines: list[str], brk: str, ends: bool, start: int) -> None:
    text = brk.join(lines) + brk * ends
    sign = "\r" if brk == "\r" and "\r" in text else "\n"
    found = of_utf8(text.encode(), sign, start, 1)
    assert rows(found) == rows(of_table(lines_of(text, sign, start=start)))
    assert "".join(f"{each}{end}" for each, end, *_ in rows(found)) == text


@given(lines=st.lists(LINE, min_size=1), brk=st.sampled_from(["\n", "\r\n", "\r"]), cut=st.integers(0, 9))
def test_parts_put_together_are_the_whole(lines: list[str], brk: str, cut: int) -> None:
    whole = as_stretch(lines_of(brk.join(lines), "\r" if brk == "\r" else "\n"))
    at = min(cut, whole.height)
    parts = [whole.part(0, at), whole.part(at, whole.height)]
    both = together(parts)
    assert isinstance(both, Stretch)
    assert rows(both) == rows(whole) == rows(parts[0]) + rows(parts[1])


def test_lines_as_strings_stay_strings() -> None:
    table = lines_of("a\nb\n")
    assert isinstance(both := together([table, table]), pl.DataFrame)
    assert both["text"].to_list() == ["a", "b", "a", "b"]


def test_several_lines_have_the_ends_between_them() -> None:
    lines = stretch_of('x,"a\r\nb"\r\ny')
    assert (lines.text(0, 2), lines.span(0, 2)) == ('x,"a\r\nb"', (8, 0))
    assert (lines.text(2), lines.end(2), lines.span(2, 1)) == ("y", "", (1, 0))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        *[("a,b", ""), ("a,b,c", "plain"), ("a,b,c,d", ""), ("a,b,c,", "trailing"), ("a,,c,", ""), (",b,c,", "")],
        *[('"a","b,""","c"', "regular"), ('a,"b",c', "regular"), ('a,b"b,c', ""), ('a,"b,c', ""), ('a,"b" ,c', "")],
        *[("", "blank"), (" \t\0", "blank"), (" ,\t,", "plain"), ("\u3000", ""), ('"",,', "regular")],
    ],
)
def test_what_a_line_is_by_itself(line: str, what: str) -> None:
    found = vars(marks(stretch_of(f"{line}\nx,y,z"), CSV, 3, "alone"))
    assert [name for name, mask in found.items() if mask[0]] == [what] * bool(what)


@pytest.mark.parametrize(("surplus", "lines"), [("none", []), ("alone", ["a,b,"]), ("any", ["a,b,", ",b,", "a,,"])])
def test_where_a_delimiter_too_many_does_no_harm(surplus: Surplus, lines: list[str]) -> None:
    found = marks(stretch_of("a,b,\n,b,\na,,\na,b\na,b,c"), CSV, 2, surplus)
    assert found.trailing.tolist() == [line in lines for line in ("a,b,", ",b,", "a,,", "a,b", "a,b,c")]


@given(lines=st.lists(LINE), brk=st.sampled_from(["\n", "\r\n", "\r"]), n=st.integers(1, 4))
def test_lines_that_are_right_have_the_fields_that_a_plain_reader_finds(lines: list[str], brk: str, n: int) -> None:
    found = stretch_of(brk.join(lines))
    known = marks(found, CSV, n, "none")
    fields = split(found, known.records, CSV, n).rows()
    texts = [found.text(row) for row in range(found.height)]
    assert fields == [
        tuple(read(text, CSV).fields) for text, is_right in zip(texts, known.records, strict=True) if is_right
    ]


@pytest.mark.parametrize("cut", [", ", "，", "\n", "|"])
def test_any_delimiter_cuts(cut: str) -> None:
    n = 1 if cut == "\n" else 2
    lines = stretch_of("".join(f"{cut.join(row)}\n" for row in [("a", "1")[:n], ("天", "")[:n]]))
    known = marks(lines, Dialect(cut), n, "none")
    assert split(lines, known.plain, Dialect(cut), n).rows() == [("a", "1")[:n], ("天", "")[:n]]


def test_sizes_are_made_once_for_each_suspect_asks_for_them() -> None:
    lines = of_utf8(b"a\nbc\n", "\n", 0, 1)
    assert lines.sizes.tolist() == [1, 2]
    assert lines.sizes is lines.sizes
