from typing import Any

import numpy as np
import polars as pl
import pytest
from tables import records

from cleanse.errors import MachineError
from cleanse.settings import ResampleSettings, Settings
from cleanse.stages import affording, vectors


def settings(method: Any = "smote", **more: Any) -> Settings:
    return Settings(resample=ResampleSettings(method, features="embedding:x", memory_mb=1, **more))


def facts(rare: int, common: int, **more: Any) -> dict[str, Any]:
    target = {"rare": common, "common": common} if rare < common else {"rare": rare, "common": common}
    return {"classes": {"before": {"rare": rare, "common": common}, "target": target}, **more}


@pytest.mark.parametrize(
    ("rare", "width", "refused"),
    [
        pytest.param(819, 64, False, id="819 x 64 x 20 bytes are just below a MiB"),
        pytest.param(820, 64, True, id="and this is just above"),
        pytest.param(1, 52_428, False, id="one long row"),
        pytest.param(1, 52_429, True, id="one longer row"),
        pytest.param(10_000, 0, False, id="no vectors"),
        pytest.param(20_000, 64, False, id="no class to raise"),
    ],
)
def test_the_largest_class_to_raise_must_fit(rare: int, width: int, refused: bool) -> None:
    given = (width, settings(), facts(rare, 20_000))
    if not refused:
        affording.afford(*given)
        return
    with pytest.raises(MachineError, match=rf"{rare} vectors of {width} numbers need 0.0 GiB.* allows 1 MiB") as caught:
        affording.afford(*given)
    assert (caught.value.id, caught.value.exit_code) == ("resample-too-large", 4)


def test_no_class_counts_more_than_the_rows_that_are_drawn_between() -> None:
    affording.afford(64, settings(neighbour_rows=819), facts(15_000, 20_000))
    with pytest.raises(MachineError, match="820 vectors"):
        affording.afford(64, settings(neighbour_rows=820), facts(15_000, 20_000))


@pytest.mark.parametrize(("values", "refused"), [(1023, False), (1024, False), (1025, True)])
def test_a_category_is_a_number_for_each_of_its_values(values: int, refused: bool) -> None:
    s, known = settings(k_neighbors=2), facts(64, 100, mixed={"x": None, "c": [str(i) for i in range(values)]})
    if not refused:
        affording.afford(2, s, known)
        return
    with pytest.raises(MachineError, match="64 rows with 1025 category values"):
        affording.afford(2, s, known)


@pytest.mark.parametrize(("n_new", "refused"), [(1044, False), (1045, False), (1046, True)])
def test_rows_made_near_others_count_with_what_is_seen_around_them(n_new: int, refused: bool) -> None:
    """73 numbers a row: 20 bytes each for 100 rows of the class and 200 of others, 8 for those that are made."""
    known = {"classes": {"before": {"a": 100, "b": 5000}, "target": {"a": 100 + n_new, "b": 5000}}}
    s = settings(kind="adasyn", neighbour_rows=200)
    if not refused:
        affording.afford(73, s, known)
        return
    with pytest.raises(MachineError, match="the rows drawn at borders"):
        affording.afford(73, s, known)
    affording.afford(73, settings(neighbour_rows=200), known)  # in blocks


def test_a_pool_of_a_cleaning_sampler_must_fit_and_smaller_pools_do() -> None:
    known = {"classes": {"before": {"a": 100, "b": 9000}, "target": {"a": 100, "b": 100}}}
    with pytest.raises(MachineError, match=r"9100 vectors of 64 numbers need 0\.0 GiB"):
        affording.afford(64, settings("under", under_kind="tomek"), known)
    affording.afford(64, settings("under", under_kind="tomek", pool_rows=800), known)


@pytest.mark.parametrize(
    ("column", "want"),
    [
        pytest.param(pl.Series([[1.0, 2.0, 3.0]]), 3, id="list"),
        pytest.param(pl.Series([None, [1.0, 2.0]]), 2, id="the first that is there"),
        pytest.param(pl.Series([None], dtype=pl.List(pl.Float32)), 0, id="none"),
        pytest.param(pl.Series([], dtype=pl.List(pl.Float32)), 0, id="no rows"),
        pytest.param(pl.Series(np.zeros((1, 4))), 4, id="array"),
        pytest.param(pl.Series([], dtype=pl.Array(pl.Float32, 4)), 4, id="array without rows"),
        pytest.param(pl.Series(["text"]), 1, id="text"),
    ],
)
def test_the_numbers_of_a_vector_are_seen_in_the_first_rows(column: pl.Series, want: int) -> None:
    frame = records({"label": ["a"] * len(column)}).with_columns(column.alias("x"))
    assert vectors.width(frame, settings()) == want


@pytest.mark.parametrize(("features", "want"), [("svd", 7), ("cols:a,b", 2), ("mixed:a,b,c", 3)])
def test_the_numbers_of_a_vector_are_known_where_they_are_asked_for(features: str, want: int) -> None:
    s = Settings(resample=ResampleSettings("smote", features=features, svd_dim=7))
    assert vectors.width(pl.DataFrame(), s) == want
