from itertools import pairwise

import pytest
from framing import LINE_ENDS, lines_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.records.lines import SCHEMA, Ends, Huge, ends_of, joined, lines, whole_lines

TEXT = st.lists(st.sampled_from(["a", "天", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b", " ", "\ufeff"])).map("".join)


@pytest.mark.parametrize(
    ("lf", "cr", "text", "table"), [(0, 0, "lf", "lf"), (1, 0, "lf", "lf"), (0, 1, "cr", "cr"), (1, 1, "lf", "any")]
)
def test_lf_ends_a_line_and_cr_only_where_there_is_no_lf_but_in_tables(lf: int, cr: int, text: str, table: str) -> None:
    assert (ends_of(lf, cr, is_table=False), ends_of(lf, cr, is_table=True)) == (text, table)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(("ends", "allowed"), [("lf", b"\n"), ("cr", b"\r"), ("any", b"\r\n")])
def test_blocks_are_cut_behind_line_ends_only(size: int, ends: Ends, allowed: bytes) -> None:
    data = b"a\r\nb\rc\n\nd\re" if ends != "cr" else b"a\rb\r\rc"
    found = list(whole_lines((data[at : at + size] for at in range(0, len(data), size)), ends, 99))
    pieces = [piece for piece in found if isinstance(piece, bytes)]
    assert b"".join(pieces) == data
    assert all(piece[-1] in allowed for piece in pieces[:-1])
    assert not any(one.endswith(b"\r") and other.startswith(b"\n") for one, other in pairwise(pieces))
    assert len(pieces) > 1 or size == 1  # a CR that ends a block may be half of a CR LF


@pytest.mark.parametrize(("n", "is_huge"), [(7, False), (8, False), (9, True), (40, True)])
@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("more", [b"", b"more\n"])
def test_a_line_above_the_limit_is_known_by_its_size_alone(
    n: int, is_huge: bool, size: int, end: bytes, more: bytes
) -> None:
    data = b"x\n" + b"a" * n + end + (more if end else b"")
    limit = 8 + len(end)
    found = list(whole_lines((data[at : at + size] for at in range(0, len(data), size)), "lf", limit))
    huge = [piece for piece in found if isinstance(piece, Huge)]
    assert [(each.size, each.end) for each in huge] == [(n, len(end))] * is_huge
    assert sum(piece.size + piece.end if isinstance(piece, Huge) else len(piece) for piece in found) == len(data)


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
