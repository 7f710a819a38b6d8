import pytest

from cleanse.text.visible import letters


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("aZ19 <>", 2), ("中文é🙂", 4), ("@[`{\x7f", 0)])
def test_letters_are_ascii_letters_and_all_beyond_ascii(text: str, count: int) -> None:
    assert letters(text) == count
