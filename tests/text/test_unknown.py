import pytest

from cleanse.text.unknown import without_ended


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *[("<lead>a</lead>", "a"), ("<LEAD x='1'>a</lead >", "a"), ("<T>a", "<T>a"), ("", ""), ("</x>", "")],
        *[("<b>a</b>", "<b>a</b>"), ("<x<y></x>", "<x<y>"), ("<a1.b>c</a1.b><c>", "c<c>")],
    ],
)
def test_only_names_with_an_end_tag_in_the_text_are_tags(before: str, after: str) -> None:
    assert without_ended(before) == after
