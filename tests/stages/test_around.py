from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from counting import cut, facts_of
from tables import records

from cleanse.errors import CleanseError
from cleanse.sampling.targets import Draws
from cleanse.settings import ResampleSettings, Settings
from cleanse.stages import growing, resample, vectors

N = 60


def settings(kind: str, **more: Any) -> Settings:
    chosen: Any = {"kind": kind, "all_train": True, "features": "cols:x,y", "k_neighbors": 3, "block_rows": 8, **more}
    return Settings(resample=ResampleSettings("smote", **chosen))


def corpus(apart: float = 0) -> pl.DataFrame:
    """One row of three is of class b; `apart`: how far that lies from the others."""
    x, y = np.random.default_rng(3).normal(size=(2, N)).astype(np.float32)
    label = ["b" if i % 3 == 0 else "a" for i in range(N)]
    return records({"x": x + np.float32(apart) * (np.arange(N) % 3 == 0), "y": y, "label": label})


def made(frame: pl.DataFrame, s: Settings, parts: int = 1) -> pl.DataFrame:
    """The rows of class b as run/ has them made."""
    facts = facts_of(resample.STAGE, cut(frame, parts), s)
    real = [vectors.embed(part, s, facts, None) for part in cut(frame, parts)]
    crowd = growing.pick([growing.aside(part, s, facts) for part in real], "b", s, facts)
    n, n_new = crowd.filter(pl.col("label") == "b").height, growing.plan(s, facts)["b"]
    near = pl.concat(growing.search(crowd, "b", i, min(i + 7, n), s, facts) for i in range(0, n, 7))
    return pl.concat(growing.grow(crowd, near, "b", Draws(n_new, 8, range(-(-n_new // 8))), s, facts))


KINDS = pytest.mark.parametrize("kind", ["borderline", "adasyn"])


@KINDS
def test_rows_are_as_many_as_asked_for_and_no_parents_are_told(kind: str) -> None:
    table = made(corpus(), settings(kind))
    assert table.schema == vectors.TABLE
    assert table["_id"].n_unique() == table.height == 20
    assert table.select("parent_a", "parent_b", "lambda").null_count().row(0) == (20, 20, 20)
    assert table["block"].to_list() == [0] * 20
    assert not table.equals(made(corpus(), settings("smote")))


@KINDS
@pytest.mark.parametrize("rows", [N, 15], ids=["all rows are seen", "some are"])
def test_order_and_parts_are_without_effect(kind: str, rows: int) -> None:
    frame, s = corpus(), settings(kind, neighbour_rows=rows)
    one = made(frame, s)
    assert made(frame.sample(fraction=1, shuffle=True, seed=5), s, 3).equals(one)


@KINDS
def test_another_seed_draws_other_rows(kind: str) -> None:
    s = settings(kind)
    assert not made(corpus(), s).equals(made(corpus(), replace(s, run=replace(s.run, seed=1))))


@KINDS
def test_a_class_that_is_near_no_other_is_an_error_and_the_way_out_is_named(kind: str) -> None:
    with pytest.raises(CleanseError, match="class b: no row has") as caught:
        made(corpus(apart=100), settings(kind))
    assert (caught.value.id, caught.value.exit_code, caught.value.help) == ("resample-no-border", 3, "--kind smote")


@pytest.mark.parametrize(("rows", "want"), [(10, 10), (20, 20), (59, 59), (60, 60), (61, 60)])
def test_no_more_than_the_smallest_draws_are_seen(rows: int, want: int) -> None:
    frame, s = corpus(), settings("borderline", neighbour_rows=rows)
    facts = facts_of(resample.STAGE, cut(frame, 4), s)
    aside = growing.aside(vectors.embed(frame, s, facts, None), s, facts)
    assert aside["around"].sum() == want
    crowd, others = growing.pick([aside], "b", s, facts), aside.filter(pl.col("around") & (pl.col("label") == "a"))
    assert crowd["label"].to_list() == ["b"] * min(rows, 20) + ["a"] * others.height


def test_equal_vectors_of_the_class_count_once_and_of_others_as_often_as_they_are_there() -> None:
    frame = corpus()
    twice, s = pl.concat([frame, frame.with_columns(pl.col("_id") + "x")]), settings("borderline")
    facts = facts_of(resample.STAGE, [twice], s)
    crowd = growing.pick([growing.aside(vectors.embed(twice, s, facts, None), s, facts)], "b", s, facts)
    assert crowd["label"].to_list() == ["b"] * 20 + ["a"] * 80


@KINDS
def test_rows_of_other_splits_copies_and_rows_without_a_label_are_not_seen(kind: str) -> None:
    s = settings(kind, all_train=False)
    frame = corpus().with_columns(split=pl.lit("train"))
    odd = frame.head(3).with_columns(
        pl.Series("_id", ["t:1", frame["_id"][1] + "+1", "n:1"]),
        pl.Series("label", ["a", "a", None]),
        split=pl.Series(["test", "train", "train"]),
    )
    assert made(pl.concat([frame, odd]), s).equals(made(frame, s))


@KINDS
def test_a_class_of_few_rows_is_copied_where_that_is_asked_for(kind: str) -> None:
    frame = corpus().filter((pl.col("label") == "a") | (pl.int_range(N) < 9))
    table = made(frame, settings(kind, small_class="copy"))
    assert (table["lambda"] == 0).all()
    assert table["parent_a"].n_unique() == 3
    assert made(frame, settings(kind, small_class="shrink")).height == table.height


@KINDS
@pytest.mark.parametrize("more", [{"even": True}, {"features": "mixed:x,y"}], ids=["even", "mixed"])
def test_what_these_kinds_cannot_do_is_said_at_once(kind: str, more: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"kind {kind}"):
        settings(kind, **more)
