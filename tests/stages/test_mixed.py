from typing import Any

import numpy as np
import polars as pl
import pytest
from counting import cut, facts_of
from growing import grown
from tables import records

from cleanse.errors import CleanseError
from cleanse.settings import ResampleSettings, Settings
from cleanse.stages import affording, mixed, resample, vectors


def settings(**more: Any) -> Settings:
    return Settings(resample=ResampleSettings("smote", all_train=True, features="mixed:x,c", k_neighbors=2, **more))


def corpus() -> pl.DataFrame:
    n = 24
    return records({
        "x": [str(i % 8 + 0.5 * (i % 3)) for i in range(n)],
        "c": [["red", "green", None][i % 3] for i in range(n)],
        "label": ["b" if i % 4 == 0 else "a" for i in range(n)],
    })  # fmt: skip


def test_made_up_rows_have_categories_that_are_there_and_numbers_between_their_parents() -> None:
    frame, s = corpus(), settings()
    known = facts_of(resample.STAGE, cut(frame, 3), s)
    assert known["mixed"] == {"x": None, "c": ["", "green", "red"]}
    table = vectors.embed(frame, s, known, None)
    place = dict(table.select("_id", "features").iter_rows())
    rows = table.filter(pl.col("label") == "b")
    for made in grown(rows, "b", 12, s, known).iter_rows(named=True):
        a, b = place[made["parent_a"]], place[made["parent_b"]]
        assert made["features"][0] == pytest.approx(a[0] + made["lambda"] * (b[0] - a[0]), abs=1e-6)
        assert made["features"][1] in {0.0, 1.0, 2.0}


def test_a_tie_of_categories_goes_to_the_smallest() -> None:
    assert mixed.majority(np.array([[2, 1, 1, 2, 0], [3, 3, 0, 0, 0], [5, 4, 6, 7, 8]])).tolist() == [1, 0, 4]


def test_two_categories_are_apart_by_the_median_deviation_of_the_numbers() -> None:
    x = np.array([[0.0, 0], [2.0, 1], [0.0, 1]], dtype=np.float32)
    wide = mixed.spread(x, {"x": None, "c": ["u", "v"]})
    assert np.linalg.norm(wide[0] - wide[2]) == pytest.approx(x[:, 0].std())


def test_ninety_two_thousand_categories_are_refused_before_memory_is_taken() -> None:
    n = 92_000
    frame = records({"x": ["1.5"] * n, "c": [f"c{i}" for i in range(n)], "label": ["b"] * 40_000 + ["a"] * 52_000})
    known = facts_of(resample.STAGE, [frame], settings())
    with pytest.raises(CleanseError, match=r"40000 rows with 92000 category values need 54.8 GiB") as caught:
        affording.afford(2, settings(), known)
    assert (caught.value.id, caught.value.exit_code) == ("resample-too-large", 4)


def test_categories_alone_have_nothing_to_draw_between() -> None:
    frame = records({"x": ["u", "v"], "c": ["u", "v"], "label": ["a", "b"]})
    with pytest.raises(CleanseError, match="hold no number"):
        facts_of(resample.STAGE, [frame], settings())
