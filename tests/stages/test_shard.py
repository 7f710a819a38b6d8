from typing import Any

import polars as pl
import pytest
from tables import records

from cleanse.settings import Settings, ShardSettings
from cleanse.stages import shard


def sharded(frame: pl.DataFrame, **settings: Any) -> tuple[list[dict[str, Any]], pl.Series]:
    s = Settings(shard=ShardSettings(**settings))
    facts = {"shard": shard.finish(shard.count(frame, s, {}), s, {})}
    return facts["shard"]["shards"], shard.route(frame, s, facts)


def corpus(n: int) -> pl.DataFrame:
    return records({"body": ["文" * (50 + 7 * i % 90) for i in range(n)]})


@pytest.mark.parametrize("by", ["rows", "bytes"])
def test_shards_are_within_a_tenth_of_each_other(by: str) -> None:
    shards, _ = sharded(corpus(400), count=4, by=by)
    loads = [each[by] for each in shards]
    assert max(loads) <= 1.1 * min(loads)


def test_the_plan_says_where_every_row_goes() -> None:
    shards, where = sharded(corpus(100), count=3)
    assert [each["file"] for each in shards] == [f"train-0000{i}-of-00003.parquet" for i in range(3)]
    assert [(where == i).sum() for i in range(3)] == [each["rows"] for each in shards]


def test_every_split_has_shards_of_its_own_in_proportion() -> None:
    frame = records({"body": ["文" * 60] * 30, "split": ["train"] * 20 + ["val"] * 9 + ["../x"]})
    shards, _ = sharded(frame, count=2)
    assert [each["file"] for each in shards] == [
        "___x-00000-of-00001.parquet",
        "train-00000-of-00002.parquet",
        "train-00001-of-00002.parquet",
        "validation-00000-of-00001.parquet",
    ]
    assert [each["rows"] for each in shards if each["split"] != "train"] == [1, 9]


def test_without_count_a_shard_has_about_target_mb_of_text() -> None:
    shards, _ = sharded(records({"body": ["x" * 1024] * 1024}), target_mb=0.25)
    assert len(shards) == 4


def test_no_rows_make_one_empty_shard_and_more_shards_than_rows_stay_empty() -> None:
    empty, where = sharded(corpus(1).clear())
    assert ([each["rows"] for each in empty], where.len()) == ([0], 0)
    assert sorted(each["rows"] for each in sharded(corpus(1), count=3)[0]) == [0, 0, 1]


def test_the_order_inside_follows_from_the_seed_alone() -> None:
    frame = corpus(20)
    one = shard.apply(frame, Settings(), {}).kept
    other = shard.apply(frame.reverse(), Settings(), {}).kept
    assert one.equals(other)
    assert not one.equals(frame)
