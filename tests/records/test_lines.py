import pytest
from framing import LINE_ENDS, lines_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.records.lines import SCHEMA, joined, line_break, lines

TEXT = st.lists(st.sampled_from(["a", "天", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b", " ", "\ufeff"])).map("".join)


@pytest.mark.parametrize(
    ("text", "want"),
    [("", "\n"), ("a\nb", "\n"), ("a\r\nb", "\n"), ("a\rb", "\r"), ("a\rb\nc", "\n"), ("a\u2028b\x85c\x0bd", "\n")],
)
def test_lf_ends_a_line_and_cr_only_where_there_is_no_lf(text: str, want: str) -> None:
    assert line_break(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        *[("", []), ("\n", [(1, 0, 0, "", "\n")]), ("天\n气", [(1, 0, 3, "天", "\n"), (2, 4, 3, "气", "")])],
        *[("a\r\nb\n", [(1, 0, 1, "a", "\r\n"), (2, 3, 1, "b", "\n")]), ("a\r\r\n", [(1, 0, 2, "a\r", "\r\n")])],
        ("a\rb", [(1, 0, 1, "a", "\r"), (2, 2, 1, "b", "")]),
        pytest.param("a\nb\r", [(1, 0, 1, "a", "\n"), (2, 2, 2, "b\r", "")], id="a last CR is text beside LF"),
    ],
)
def test_where_each_line_lies(text: str, want: list[tuple[object, ...]]) -> None:
    table = lines_of(text)
    assert table.select("_line", "_offset", "_bytes", "text", "end").rows() == want
    assert dict(table.schema) == SCHEMA
    assert lines_of(text, start=3)["_offset"].to_list() == [row[1] + 3 for row in table.rows()]


def test_without_sizes_there_are_no_offsets_but_lines() -> None:
    table = lines(["a\r", "b", ""], [0, 2, 0], None, ["\n", "\n", ""], 2)
    assert table.select("_line", "_offset", "_bytes", "text").rows() == [(1, None, None, "a"), (2, None, None, "b")]
    assert joined(table) == ("a\r\nb", None, 2)


def test_joined_lines_keep_their_ends_inside_and_add_up() -> None:
    table = lines(["a\r", "天", "b", ""], [1, 2, 4, 0], [2, 3, 1, 0], ["\n", "\n", "\n", ""], 9)
    assert joined(table[:1]) == ("a", 1, 1)
    assert joined(table) == ("a\r\n天\nb", 8, 7)


@settings(deadline=None)
@given(text=TEXT)
def test_lines_with_their_ends_are_the_source_again(text: str) -> None:
    table, data = lines_of(text), text.encode()
    assert "".join(line + end for line, end in table.select("text", "end").iter_rows()) == text
    assert set(table["end"][:-1]) <= set(LINE_ENDS)
    for line, offset, size in table.select("text", "_offset", "_bytes").iter_rows():
        assert data[offset : offset + size].decode() == line
