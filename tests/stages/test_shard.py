from typing import Any

import polars as pl
import pytest
from counting import cut, facts_of
from tables import records

from cleanse.errors import InputError
from cleanse.settings import ColumnSettings, Settings, ShardSettings
from cleanse.stages import shard


def settings(tokens: str | None = None, **more: Any) -> Settings:
    return Settings(columns=ColumnSettings(tokens=tokens), shard=ShardSettings(**more))


def sharded(frame: pl.DataFrame, s: Settings, parts: int = 1) -> tuple[list[dict[str, Any]], pl.Series]:
    facts = facts_of(shard.STAGE, cut(frame, parts), s)
    return facts["shard"]["shards"], shard.route(frame, s, facts)


def corpus(n: int) -> pl.DataFrame:
    return records({
        "body": ["文" * (50 + 7 * i % 90) for i in range(n)],
        "n": [str(1 + 13 * i % 40) for i in range(n)],
        "host": ["hot" if i % 5 == 0 else f"h{i}" for i in range(n)],
    })  # fmt: skip


@pytest.mark.parametrize("by", ["rows", "bytes", "tokens"])
@pytest.mark.parametrize("more", [{}, {"key": "host", "salt": True}], ids=["no key", "a key with a fifth, salted"])
@pytest.mark.parametrize("count", [4, 6, 8])
def test_the_largest_shard_is_within_a_twentieth_of_the_mean(by: str, more: dict[str, Any], count: int) -> None:
    shards, _ = sharded(corpus(1600), settings("n", count=count, by=by, **more))
    loads = [each[by] for each in shards]
    assert 0 < max(loads) * len(loads) <= 1.05 * sum(loads)


@pytest.mark.parametrize(
    "more", [{}, {"key": "host"}, {"key": "host", "salt": True}, {"key": "host", "placement": "ring"}]
)
def test_the_plan_says_where_every_row_goes_for_any_parts(more: dict[str, Any]) -> None:
    frame, s = corpus(100), settings(count=3, **more)
    shards, where = sharded(frame, s)
    assert [(where == i).sum() for i in range(3)] == [each["rows"] for each in shards]
    assert sum(each["bytes"] for each in shards) == frame["body"].str.len_bytes().sum()
    again, there = sharded(frame.reverse(), s, parts=7)
    assert (again, there.reverse().to_list()) == (shards, where.to_list())


def test_rows_of_a_key_stay_together_unless_it_is_salted() -> None:
    frame = corpus(200)
    for salt, n in ((False, 1), (True, 2)):
        s = settings(count=8, by="rows", key="host", salt=salt)
        facts = facts_of(shard.STAGE, [frame], s)
        where = shard.route(frame, s, facts)
        hot = where.filter(frame["host"] == "hot")
        assert hot.n_unique() == n
        assert [note.startswith("key hot is 20.0% of train") for note in shard.notes(s, facts)] == (
            [] if salt else [True]
        )


def test_a_ring_keeps_every_shard_below_its_capacity() -> None:
    frame = records({"body": ["文"] * 800, "host": [f"h{i % 400}" for i in range(800)]})
    shards, _ = sharded(frame, settings(count=8, by="rows", key="host", placement="ring"))
    assert max(each["rows"] for each in shards) <= 125


def test_every_split_has_shards_of_its_own_in_proportion() -> None:
    frame = records({"body": ["文" * 60] * 30, "split": ["train"] * 20 + ["val"] * 9 + ["../x"]})
    shards, _ = sharded(frame, settings(count=2))
    assert [each["file"] for each in shards] == [
        "___x-00000-of-00001.parquet",
        "train-00000-of-00002.parquet",
        "train-00001-of-00002.parquet",
        "validation-00000-of-00001.parquet",
    ]
    assert [each["rows"] for each in shards if each["split"] != "train"] == [1, 9]


def test_without_count_a_shard_has_about_target_mb_of_text() -> None:
    shards, _ = sharded(records({"body": ["x" * 1024] * 1024}), settings(target_mb=0.25))
    assert len(shards) == 4


def test_no_rows_make_one_empty_shard_and_more_shards_than_rows_are_said() -> None:
    empty, where = sharded(corpus(1).clear(), settings())
    assert ([each["rows"] for each in empty], where.len()) == ([0], 0)
    s = settings(count=3)
    assert sorted(each["rows"] for each in sharded(corpus(1), s)[0]) == [0, 0, 1]
    assert shard.notes(s, facts_of(shard.STAGE, [corpus(1)], s))[0].startswith("2 shards have no row")


def test_the_order_inside_follows_from_the_seed_or_is_that_of_the_input() -> None:
    frame = corpus(20)
    one = shard.apply(frame, Settings(), {}).kept
    assert one.equals(shard.apply(frame.reverse(), Settings(), {}).kept)
    assert not one.equals(frame)
    assert shard.apply(frame, settings(order="input"), {}).kept.equals(frame)


def test_by_length_the_rows_of_a_window_are_sorted_and_windows_stay_shuffled() -> None:
    frame, s = corpus(250), settings("n", order="length", batch=2)
    kept = shard.apply(frame, s, {}).kept
    lengths = kept["sample_length"]
    assert lengths.dtype == pl.UInt64
    assert all(lengths[i : i + 100].is_sorted() for i in (0, 100, 200))
    assert not lengths.is_sorted()
    assert sorted(kept["_id"]) == sorted(frame["_id"])
    assert shard.adds(s, {}) == {"sample_length": pl.UInt64()}


@pytest.mark.parametrize("s", [settings(key="x"), settings("x"), settings(by="tokens")])
def test_a_named_column_must_be_there(s: Settings) -> None:
    with pytest.raises(InputError) as caught:
        shard.accepts(s, dict.fromkeys(("_id", "body"), pl.String()))
    assert caught.value.id == "column-missing"


def test_count_and_size_are_two_answers_to_one_question() -> None:
    with pytest.raises(ValueError, match="give one"):
        ShardSettings(count=2, target_mb=1)


def test_shards_json_names_the_files_and_says_null_where_tokens_are_not_counted() -> None:
    s = settings(count=2)
    tree: Any = shard.side(s, facts_of(shard.STAGE, [corpus(50)], s))["shards.json"]
    assert (tree["by"], tree["shards"][0]["tokens"]) == ("bytes", None)
    assert tree["max_over_mean"] >= 1
    assert tree["lower_bound"] >= max(each["bytes"] for each in tree["shards"]) * 0.9
