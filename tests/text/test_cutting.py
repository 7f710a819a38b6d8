import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.text.cutting import cut_at, pieces

PIECES = st.lists(st.sampled_from(["天", "a", "。", "，", "”", " ", "\n", "e\u0301", "👍🏽", "🇨🇳", "👨\u200d👩", "…"]))


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        pytest.param("一二三四。五六七八", 8, 5, id="after a sentence"),
        pytest.param("他说：“好。”他走了很远", 9, 7, id="quotes after the mark"),
        pytest.param("一。二三四五六七八九", 8, 8, id="a sentence that ends too early"),
        pytest.param("一二三四五，六七八九", 8, 6, id="after a comma"),
        pytest.param("one two three four", 11, 8, id="after a blank"),
        pytest.param("一二三四五六七八九", 8, 8, id="at the limit"),
        pytest.param("一二三四五六七👍🏽八", 8, 7, id="not before a skin tone"),
        pytest.param("一二三四五六🇨🇳八", 7, 6, id="not within a flag"),
        pytest.param("一二三四五六e\u0301八", 7, 6, id="not before a mark"),
        pytest.param("3.14159 and so on", 8, 8, id="a point within a number ends nothing"),
    ],
)
def test_a_text_is_cut_where_a_reader_would(text: str, limit: int, cut: int) -> None:
    assert cut_at(text, limit) == cut


@given(parts=PIECES, limit=st.integers(1, 12))
def test_pieces_add_up_and_are_short_and_no_more_than_needed(parts: list[str], limit: int) -> None:
    text = "".join(parts)
    found = pieces(text, limit)
    assert "".join(found) == text
    assert all(found) or not text
    longest = max(map(len, parts), default=0)
    assert all(len(piece) <= max(limit, longest) for piece in found)
    if longest == 1:
        assert len(found) == max(1, -(-len(text) // limit))
