import pytest
from framing import lines_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.records.framed import PLACE
from cleanse.records.lines import lines
from cleanse.records.plain import by_line, by_paragraph

TEXT = st.lists(st.sampled_from(["a", "天", "\n", "\r\n", "\n\n", " ", "\u3000", "\u2028"])).map("".join)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        *[("", []), ("\n \n\u3000\t\n", []), ("a\nb\n", [(1, 0, 3, "a\nb")])],
        ("a\r\nb\r\n\r\nc", [(1, 0, 4, "a\r\nb"), (4, 8, 1, "c")]),
        ("\n\n天\n\n\n \nb\n", [(3, 2, 3, "天"), (7, 10, 1, "b")]),
        pytest.param(" a \n\u3000\n  b", [(1, 0, 3, " a "), (3, 8, 3, "  b")], id="blanks beside text stay"),
    ],
)
def test_runs_of_lines_between_blank_lines_are_records(text: str, want: list[tuple[object, ...]]) -> None:
    records = by_paragraph(lines_of(text))
    assert records.select("_line", "_offset", "_bytes", "body").rows() == want
    assert records.columns == [*PLACE, "body"]


def test_each_line_is_a_record_an_empty_one_too() -> None:
    assert by_line(lines_of("a\n\nb \r\n"))["body"].to_list() == ["a", "", "b "]


def test_a_paragraph_adds_up_replacements_and_has_no_offset_where_its_lines_have_none() -> None:
    records = by_paragraph(lines(["a", "b", "", "c"], [1, 2, 4, 8], None, ["\n", "\n", "\n", ""], 0))
    assert records.select("_offset", "_bytes", "_replaced").rows() == [(None, None, 3), (None, None, 8)]


@settings(deadline=None)
@given(text=TEXT)
def test_every_visible_character_is_in_one_record_which_lies_where_it_says(text: str) -> None:
    for records in (by_line(lines_of(text)), by_paragraph(lines_of(text))):
        assert "".join("".join(records["body"]).split()) == "".join(text.split())
        for offset, size, body in records.select("_offset", "_bytes", "body").iter_rows():
            assert text.encode()[offset : offset + size].decode() == body
