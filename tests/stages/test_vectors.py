import io
from typing import Any

import numpy as np
import polars as pl
import pytest
from counting import cut
from growing import grown as grown_of
from tables import records

from cleanse.errors import CleanseError
from cleanse.sampling import choice
from cleanse.settings import ResampleSettings, Settings
from cleanse.stages import vectors

FACTS: dict[str, Any] = {"classes": {"copies": {}}}


def settings(features: str = "cols:x,y", **more: Any) -> Settings:
    return Settings(resample=ResampleSettings("smote", all_train=True, features=features, **more))


def real(points: list[tuple[float, float]], **more: Any) -> pl.DataFrame:
    frame = records({"x": [p[0] for p in points], "y": [p[1] for p in points], "label": ["b"] * len(points)})
    return vectors.embed(frame, settings(**more), FACTS, None)


def grown(points: list[tuple[float, float]], n: int = 10, label: str = "b", **more: Any) -> pl.DataFrame:
    return grown_of(real(points).with_columns(label=pl.lit(label)), label, n, settings(**more), FACTS)


SPREAD = [(float(i), float(i * i % 7)) for i in range(9)]


def test_a_made_up_row_lies_between_its_parents() -> None:
    table = real(SPREAD)
    place = dict(table.select("_id", "features").iter_rows())
    made = grown(SPREAD)
    assert made.schema == vectors.TABLE
    for row in made.iter_rows(named=True):
        a, b = (np.float32(place[row[f"parent_{side}"]]) for side in "ab")
        assert row["parent_a"] != row["parent_b"]
        assert row["features"] == pytest.approx(a + row["lambda"] * (b - a), abs=1e-6)
    assert made["_id"].is_unique().all()


def test_the_order_of_rows_is_without_effect_and_fewer_rows_are_a_prefix() -> None:
    table = real(SPREAD)
    shuffled = table.sample(fraction=1, shuffle=True, seed=3)
    one, other = (grown_of(t, "b", 20, settings(block_rows=7), FACTS) for t in (table, shuffled))
    assert one.equals(other)
    assert grown(SPREAD, 8, block_rows=7).equals(one[:8])
    assert one["block"].to_list() == [0] * 7 + [1] * 7 + [2] * 6


def test_two_classes_draw_different_rows() -> None:
    assert grown(SPREAD, label="b")["lambda"].to_list() != grown(SPREAD, label="c")["lambda"].to_list()


def test_equal_vectors_count_once_so_that_no_copy_is_made() -> None:
    made = grown([point for point in SPREAD for _ in range(8)], 50)
    assert made.filter(pl.col("parent_a") == pl.col("parent_b")).is_empty()
    assert made["parent_a"].n_unique() <= 9


@pytest.mark.parametrize(("n", "small", "want"), [
    (6, "error", 5), (5, "shrink", 4), (2, "shrink", 1), (5, "copy", 0), (1, "shrink", 0), (1, "copy", 0)
])  # fmt: skip
def test_a_small_class_has_fewer_neighbours_or_copies(n: int, small: str, want: int) -> None:
    made = grown(SPREAD[:n], small_class=small)
    assert (made["lambda"] == 0).all() == (want == 0)
    assert made.height == 10


@pytest.mark.parametrize(
    "points", [SPREAD[:1], SPREAD[:2], SPREAD[:5], [(1.0, 1.0)] * 50], ids=["1", "2", "k", "all equal"]
)
def test_too_few_different_vectors_are_an_error_unless_asked(points: list[tuple[float, float]]) -> None:
    with pytest.raises(CleanseError) as caught:
        grown(points)
    assert (caught.value.id, caught.value.exit_code) == ("resample-small-class", 3)


def test_even_uses_every_parent_equally_often() -> None:
    counts = grown(SPREAD, 21, even=True, block_rows=8)["parent_a"].value_counts()["count"]
    assert counts.max() - counts.min() <= 1  # type: ignore[operator]  # integers


def test_renormalised_rows_have_length_one() -> None:
    made = np.array(grown(SPREAD[1:], renormalise=True)["features"].to_list())
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("values", "features", "id"),
    [
        pytest.param([[1.0, 2.0], None], "embedding:x", "resample-bad-vector", id="null"),
        pytest.param([[1.0, 2.0], [1.0, None]], "embedding:x", "resample-bad-vector", id="null inside"),
        pytest.param([[1.0, 2.0], [1.0, float("nan")]], "embedding:x", "resample-bad-vector", id="nan"),
        pytest.param([[1.0, 2.0], [1.0, float("inf")]], "embedding:x", "resample-bad-vector", id="infinite"),
        pytest.param([[1.0, 2.0], [1.0]], "embedding:x", "resample-bad-vector", id="unequal lengths"),
        pytest.param(["one", "two"], "cols:x", "resample-text-feature", id="text"),
        pytest.param([["a"], ["b"]], "embedding:x", "resample-text-feature", id="list of text"),
        pytest.param(["1", None], "cols:x", "resample-bad-vector", id="a number and nothing"),
    ],
)
def test_what_is_no_vector_is_named(values: list[Any], features: str, id: str) -> None:
    frame = records({"label": ["a", "b"]}).with_columns(pl.Series("x", values))
    with pytest.raises(CleanseError) as caught:
        vectors.embed(frame, settings(features), FACTS, None)
    assert caught.value.id == id
    if id == "resample-bad-vector":
        assert frame["_id"][1] in caught.value.what


def test_one_number_a_row_is_no_embedding_and_the_way_out_is_named() -> None:
    with pytest.raises(CleanseError, match="one number a row") as caught:
        vectors.embed(records({"label": ["a"], "x": [1.5]}), settings("embedding:x"), FACTS, None)
    assert (caught.value.id, caught.value.help) == ("resample-bad-vector", "--features cols:x")


def test_above_the_bound_the_parents_are_those_of_the_smallest_draws() -> None:
    made = grown(SPREAD, 200, neighbour_rows=7)
    assert made["parent_a"].n_unique() == 7


def test_texts_become_vectors_that_no_order_changes() -> None:
    frame = records({"body": [f"天气{'好' * (i % 4)}第{i}天" for i in range(30)], "label": ["a", "b"] * 15})
    s, facts = settings("svd", svd_dim=4), {**FACTS, "fit": None}
    one = vectors.fit([vectors.sample(frame, s, facts)], s)
    halves = [vectors.sample(part, s, facts) for part in (frame[20:], frame[:20].reverse())]
    assert vectors.fit(halves, s) == one
    table = vectors.embed(frame, s, facts, one)
    assert table["features"].list.len().unique().to_list() == [4]
    lengths = np.linalg.norm(np.array(table["features"].to_list()), axis=1)
    assert lengths == pytest.approx(1, abs=1e-3)
    assert (np.array(table["features"].to_list()) * 2**15 % 1 == 0).all()
    apart = pl.concat([vectors.embed(part, s, facts, one) for part in (frame[:7], frame[7:])])
    assert apart.equals(table)
    assert table["vectorizer_id"][0] == apart["vectorizer_id"][0]


@pytest.mark.parametrize(("rows", "want"), [(1, 1), (7, 7), (8, 8), (9, 8)])
@pytest.mark.parametrize("parts", [1, 3])
def test_svd_is_fitted_on_the_smallest_draws_only(rows: int, want: int, parts: int) -> None:
    frame, s = records({"body": list("abcdefgh")}), settings("svd", svd_fit_rows=rows)
    drawn = pl.concat(vectors.draw_fit(part, s, {}) for part in cut(frame, parts))
    known = {"fit": vectors.cut(drawn, s, {})}
    ids = [np.load(io.BytesIO(vectors.sample(part, s, known)))["ids"] for part in cut(frame, parts)]
    u = choice.draws(42, "pool", frame["_id"])
    assert sorted(np.concatenate(ids)) == sorted(frame["_id"].gather(u.arg_sort()[:want]))
