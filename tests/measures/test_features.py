import polars as pl
import pytest

from cleanse.measures.features import figures


def counts(*values: str | None) -> pl.DataFrame:
    return (
        pl.DataFrame({"value": values}, {"value": pl.String})
        .group_by("value")
        .agg(pl.len().cast(pl.Int64).alias("rows"))
    )


@pytest.mark.parametrize(("bad", "kind"), [(1, "number"), (2, "category")])
def test_a_column_is_a_number_when_nine_in_ten_are(bad: int, kind: str) -> None:
    found = figures(counts(*["1"] * (10 - bad), *["x"] * bad), None)
    assert found["kind"] == kind
    assert found["bad"] == (bad if kind == "number" else 0)


def test_decimals_are_exact_and_what_is_no_finite_number_is_bad() -> None:
    found = figures(counts(*["0.1"] * 30, " -2 ", "nan", "inf", "9e12", None, " "), None)
    assert (found["n"], found["missing"], found["bad"], found["negatives"]) == (31, 2, 3, 1)
    assert (found["min"], found["max"], found["quantiles"]["0.5"]) == (-2.0, 0.1, 0.1)


def test_a_column_of_names_of_rows_is_hashed_and_one_of_zeros_is_cut_in_bins() -> None:
    assert figures(counts(*"abcdefgh"), None)["suggest"] == ["hash:1024"]
    assert "bins:10" in figures(counts(*["0"] * 9, "5"), None)["suggest"]


def test_the_most_frequent_values_come_first_and_no_value_is_said() -> None:
    assert figures(counts("b", "a", "b"), None)["top"][0] == {"value": "b", "rows": 2, "share": 2 / 3}
    assert figures(counts(None), None) == {"available": False, "reason": "empty"}
