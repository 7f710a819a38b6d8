from typing import Any

import polars as pl
import pytest
from tables import records

from cleanse.settings import ResampleSettings, Settings
from cleanse.stages import resample, thinning, vectors

KINDS = ("nearmiss1", "nearmiss2", "nearmiss3", "tomek", "enn", "cluster")


def settings(kind: str, **more: Any) -> Settings:
    chosen: Any = {"under_kind": kind, "all_train": True, "features": "cols:x,y", "k_neighbors": 2, **more}
    return Settings(resample=ResampleSettings("under", **chosen))


def corpus(n: int = 60, small: int = 8) -> pl.DataFrame:
    """Two clouds that overlap: a large class, and a small one in its middle."""
    labels = ["a"] * n + ["b"] * small
    x = [float(i % 10) for i in range(n)] + [4.2 + 0.1 * i for i in range(small - 1)] + [9.01]
    y = [float(i // 10) for i in range(n)] + [2.1] * (small - 1) + [0.01]  # the last beside a row of the large class
    return records({"label": labels, "x": x, "y": y})


def facts(frame: pl.DataFrame) -> dict[str, Any]:
    before = dict(frame.group_by("label").len().iter_rows())
    return {"classes": {"before": before, "target": dict.fromkeys(before, min(before.values())), "copies": {}}}


def taken(frame: pl.DataFrame, s: Settings) -> list[str]:
    known = facts(frame)
    rows = vectors.embed(frame, s, known, None)
    found = [thinning.dropped(thinning.in_pool(rows, i, s, known), s, known) for i in range(thinning.pools(s, known))]
    return sorted(id for each in found for id in each)


@pytest.mark.parametrize("kind", KINDS)
def test_only_rows_of_the_large_class_go_and_the_order_of_rows_is_without_effect(kind: str) -> None:
    frame = corpus()
    gone = taken(frame, settings(kind))
    assert gone
    assert set(frame.filter(pl.col("_id").is_in(gone))["label"]) == {"a"}
    assert taken(frame.reverse(), settings(kind)) == gone
    if kind in ("nearmiss1", "nearmiss2", "cluster"):
        assert len(gone) == 60 - 8


@pytest.mark.parametrize(("floor", "least"), [(0, 3), (3, 3), (40, 40), (60, 60)])
def test_no_class_falls_below_its_floor(floor: int, least: int) -> None:
    for kind in KINDS:
        assert 60 - len(taken(corpus(), settings(kind, floor=floor))) >= least, kind


def test_every_pool_holds_the_small_class_and_each_large_row_is_in_one() -> None:
    frame, s = corpus(300, 8), settings("tomek", pool_rows=108)
    known = facts(frame)
    rows = vectors.embed(frame, s, known, None)
    pools = [thinning.in_pool(rows, i, s, known) for i in range(thinning.pools(s, known))]
    assert len(pools) == 3
    assert all(pool.filter(pl.col("label") == "b").height == 8 for pool in pools)
    large = pl.concat([pool.filter(pl.col("label") == "a") for pool in pools])["_id"]
    assert sorted(large) == sorted(frame.filter(pl.col("label") == "a")["_id"])


def test_what_goes_is_rejected_with_its_sampler() -> None:
    frame, s = corpus(), settings("nearmiss2")
    known = {**facts(frame), "dropped": taken(frame, s)}
    outcome = resample.apply(frame, s, known)
    assert outcome.rejected["_reason"].unique().to_list() == ["undersampled_nearmiss"]
    assert outcome.kept.height + outcome.rejected.height == frame.height


def test_classes_that_are_even_have_no_pool() -> None:
    assert thinning.pools(settings("enn"), facts(corpus(8, 8))) == 0
