import polars as pl
import pytest

from cleanse.measures.leaks import shared_with_train, text_hash, text_hashes
from cleanse.measures.tally import tally


@pytest.mark.parametrize(
    ("one", "other"),
    [(("Ａ", "b"), ("a", "B ")), ((None, "x"), ("", "x")), (("天 气", None), ("天气", "")), (("ﬁ", "x"), ("FI", "x"))],
    ids=["width and case", "null is empty", "space", "ligature"],
)
def test_texts_that_look_alike_have_one_hash(
    one: tuple[str | None, str | None], other: tuple[str | None, str | None]
) -> None:
    assert text_hash(*one) == text_hash(*other)


def test_title_and_body_do_not_run_together() -> None:
    assert text_hash("a", "b") != text_hash("ab", "")


def test_rows_of_a_split_that_train_has_too() -> None:
    frame = pl.DataFrame({"split": ["train", "test", "test", "dev"], "body": ["x", "X", "y", "z"]})
    table = tally(frame.with_columns(text_hashes(frame)), "split", "text").collect()
    want = {"dev": {"rows": 0, "share": 0.0}, "test": {"rows": 1, "share": 0.5}}
    assert shared_with_train(table, "text") == want
