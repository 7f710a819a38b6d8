import pytest

from cleanse.report.preview import LONGEST, text
from cleanse.stages.strip import Change


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (Change("a:1", "<p>x</p>", "x"), ["a:1", "-<p>x</p>", "+x"]),
        (Change("a:1", "x\n<b>y</b>", "x\ny"), ["a:1", "-<b>y</b>", "+y"]),
        (Change("a:1", "--- <!-- x -->", None), ["a:1", "---- <!-- x -->", "rejected: empty_after_strip"]),
        (Change("a:1", "<b>\x1b[2J", "\x1b[2J"), ["a:1", "-<b>␛[2J", "+␛[2J"]),
        (Change("a:1", "<" + "x" * LONGEST, ""), ["a:1", "-<" + "x" * (LONGEST - 1)]),
    ],
)
def test_a_change_is_shown_as_a_diff_without_hostile_characters(change: Change, lines: list[str]) -> None:
    assert text([change]).split("\n") == lines


def test_no_change_is_said() -> None:
    assert text([]) == "strip would change nothing"
