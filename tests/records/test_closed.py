import polars as pl
import pytest

from cleanse.records.closed import MAX_VALUE, Closed, closed, fit

LABELS = Closed("vocabulary", frozenset({"a", "b"}))
NUMBERS = Closed("number")


@pytest.mark.parametrize(
    ("values", "kind", "fits", "fails"),
    [
        pytest.param(["财经", "体育"] * 4, "vocabulary", "财经", "健康", id="labels"),
        pytest.param(["a"] * 17 + ["x", "y", "z"], "vocabulary", "a", "x", id="85 %"),
        pytest.param(["", "", "", "x"] * 3, "vocabulary", "", "y", id="mostly empty"),
        pytest.param(["N01", "N2", "N345", "N6"], "shape", "N77", "M1", id="ids"),
        pytest.param(
            ["2024-11-30", "2024-1-1", "2023-05-06", "1999-12-31"], "shape", "2000-1-2", "1.2.2000", id="dates"
        ),
        pytest.param(["1", "2.5", "-3", "$4,000.00"], "number", "17 %", "1a", id="numbers"),
        pytest.param(["1", "", "", "3", "4"], "number", "", "x", id="numbers, some missing"),
        pytest.param(["http://a/b", "https://c", "www.d.e", "ftp://x"], "link", "http://z", "a b", id="links"),
    ],
)
def test_what_a_column_holds_tells_what_fits(values: list[str], kind: str, fits: str, fails: str) -> None:
    found = closed(pl.Series("count", values))
    assert found is not None
    assert (found.kind, found.fits(fits), found.fits(fails)) == (kind, True, False)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["a"] * 3, id="three rows"),
        pytest.param(["a"] * 16 + ["w", "x", "y", "z"], id="80 %"),
        pytest.param(["a", "b", "c", "d", "e"], id="each value once"),
        pytest.param(["x" * (MAX_VALUE + 1)] * 9, id="long values"),
        pytest.param(["1", "2", "3", "x"] * 9 + ["q"] * 9, id="some numbers"),
    ],
)
def test_anything_may_stand_in_other_columns(values: list[str]) -> None:
    found = closed(pl.Series(values))
    assert found is None or found.kind == "vocabulary"


def test_a_bound_value_is_a_word_and_one_character_more_is_none() -> None:
    assert closed(pl.Series(["x" * MAX_VALUE] * 4)) == Closed("vocabulary", frozenset({"x" * MAX_VALUE}))


@pytest.mark.parametrize(
    ("fields", "columns", "want"),
    [
        (["x", "a"], [None, LABELS], True),
        (["x", "c"], [None, LABELS], False),
        (["x", "y"], [None, None], False),
        (["1"], [NUMBERS, LABELS], True),
        (["1", "a", "b"], [NUMBERS, LABELS], False),
        (["1"], [], False),
    ],
)
def test_a_row_fits_when_something_is_known_and_all_of_it_does(
    fields: list[str], columns: list[Closed | None], want: bool
) -> None:
    assert fit(fields, columns) == want
