import polars as pl
import pytest

from cleanse.measures import keys


def table(rows: dict[str | None, int]) -> pl.DataFrame:
    return pl.DataFrame(
        {"key": list(rows), "rows": list(rows.values()), "bytes": [1] * len(rows), "tokens": [0] * len(rows)},
        {"key": pl.String, "rows": pl.Int64, "bytes": pl.Int64, "tokens": pl.Int64},
    )


def test_a_null_key_lies_in_bucket_0_and_is_no_empty_key_in_the_list() -> None:
    counts = keys.numbered(table({None: 3, "": 1, "a": 2}))
    assert keys.loads(counts, 4096)["rows"][0] == 4
    found = keys.figures(counts, 10, 10, tokens=False)
    assert [each["key"] for each in found["top"]] == [None, "a", ""]
    assert (found["distinct"], found["null_rows"], found["hot_share"]) == (3, 3, 0.5)


@pytest.mark.parametrize(("cap", "exact"), [(3, False), (4, True), (5, True)])
def test_keys_above_the_cap_are_said(cap: int, exact: bool) -> None:
    assert keys.figures(keys.numbered(table(dict.fromkeys("abcd", 1))), cap, 2, tokens=False)["exact"] == exact


@pytest.mark.parametrize(
    ("hot", "n", "floor", "salts"), [(5, 32, 1.6, 2), (5, 128, 6.4, 7), (5, 8, 1.0, 1), (25, 4, 1.0, 1)]
)
def test_what_a_hot_key_costs_however_the_rest_is_placed(hot: int, n: int, floor: float, salts: int) -> None:
    assert keys.floor(hot, 100, n) == {"slowdown_floor": floor, "salts": salts}
