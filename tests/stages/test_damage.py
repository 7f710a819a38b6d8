import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.stages import damage

TEXTS = st.lists(st.lists(st.sampled_from(["哈" * 4, "a" * 6, "\n", " " * 12, "哈", "好", "-" * 10])).map("".join))


def by_hand(text: str) -> int:
    n = at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        n += (end - at) * (end - at >= damage.RUN and not text[at].isspace())
        at = end
    return n


@given(texts=TEXTS)
def test_runs_are_counted_in_each_text_alone(texts: list[str]) -> None:
    assert damage.repeated(pl.Series(texts, dtype=pl.String)).to_list() == [by_hand(text) for text in texts]


def test_long_columns_are_looked_at_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pl.Series(["哈" * n for n in range(40)])
    whole = damage.repeated(texts)
    monkeypatch.setattr(damage, "CHUNK", 64)
    assert damage.repeated(texts).equals(whole)


@pytest.mark.parametrize(
    ("text", "n"),
    [("锟斤拷锟斤拷", 6), ("烫烫", 0), ("烫烫烫烫", 4), ("屯屯屯", 3), ("Ã©Â°", 4), ("Ãx", 0), ("â€œï»¿", 5)],
)
def test_mojibake_is_known_by_its_look(text: str, n: int) -> None:
    assert damage.mojibake(pl.Series([text, "天气"])).to_list() == [n, 0]
