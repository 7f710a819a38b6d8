import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.report.safe import MAX, safe, safe_lines

HARMLESS = ["", " ", "天气，很好。", "[red]x[/red]", "👩\u200d💻", "é\u0301", "\u3000", "::error::", "a\\b"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("\x1b[31m\0", "␛[31m␀"),
        ("a\nb\tc\r", "a␊b␉c␍"),
        ("\x7f\x9b", r"\u007f\u009b"),
        ("\u061c\u200e\u202egnp.exe\u2066\u2069", r"\u061c\u200e\u202egnp.exe\u2066\u2069"),
        ("\u2028\u2029\ufeff\udcff.csv", r"\u2028\u2029\ufeff\udcff.csv"),
    ],
)
def test_what_steers_a_terminal_becomes_a_sign(text: str, want: str) -> None:
    assert safe(text) == want


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert safe(text) == safe_lines(text) == text


@pytest.mark.parametrize(("n", "want"), [(MAX - 1, "天" * 199), (MAX, "天" * 200), (MAX + 1, "天" * 199 + "…")])
def test_a_value_is_cut_at_its_limit_and_a_message_is_not(n: int, want: str) -> None:
    assert safe("天" * n) == want
    assert safe_lines("天" * n) == "天" * n


@given(text=st.text(st.characters(codec=None)))  # lone surrogates, too: bytes of file names
def test_nothing_hostile_passes_and_a_second_time_changes_nothing(text: str) -> None:
    shown = safe(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert len(shown) <= MAX
    assert safe(shown) == shown
    assert safe_lines(text).count("\n") == text.count("\n")
