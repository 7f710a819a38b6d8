import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.stages import damage

LISTS = st.lists(st.lists(st.sampled_from(["哈" * 4, "a" * 6, "\n", " " * 12, "哈", "好", "-" * 10])).map("".join))


def column(texts: list[str]) -> damage.Texts:
    return damage.Texts(pl.Series(texts, dtype=pl.String))


def by_hand(text: str) -> int:
    n = at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        n += (end - at) * (end - at >= damage.RUN and not text[at].isspace())
        at = end
    return n


@given(texts=LISTS)
def test_runs_are_counted_in_each_text_alone(texts: list[str]) -> None:
    assert damage.repeated(column(texts)).to_list() == [by_hand(text) for text in texts]


def test_long_columns_are_looked_at_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["哈" * n for n in range(40)]
    whole = damage.repeated(column(texts))
    monkeypatch.setattr(damage, "CHUNK", 64)
    assert damage.repeated(column(texts)).equals(whole)


@given(texts=st.lists(st.text(st.sampled_from("好★龥一a\n\U00020000"))))
def test_symbols_are_counted_where_they_may_be_too_many(texts: list[str]) -> None:
    total = np.array([len(text) for text in texts], np.int64)
    stars = [text.count("★") for text in texts]
    known = [sum("\u5000" <= char <= "\u9fff" for char in text) for text in texts]
    found = damage.symbols([column(texts)], total, 0.5).to_list()
    assert found == [n if hanzi <= len(text) / 2 else 0 for n, hanzi, text in zip(stars, known, texts, strict=True)]


@pytest.mark.parametrize(
    ("text", "n"),
    [("锟斤拷锟斤拷", 6), ("烫烫", 0), ("烫烫烫烫", 4), ("屯屯屯", 3), ("Ã©Â°", 4), ("Ãx", 0), ("â€œï»¿", 5)],
)
def test_mojibake_is_known_by_its_look(text: str, n: int) -> None:
    assert damage.mojibake(column([text, "天气"])).to_list() == [n, 0]
