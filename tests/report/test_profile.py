"""What is told of the texts before and after: counted once, absent where it was not measured."""

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from runs import made_run

from cleanse.report import card, profile
from cleanse.report.conclude import differences
from cleanse.report.names import known
from cleanse.run.finished import Finished, finished


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return finished(made_run(tmp_path_factory.mktemp("profile")))


def test_numbers_are_those_of_the_tables(run: Finished) -> None:
    numbers = run.metrics()
    data = pl.read_parquet(run.out / "data/*.parquet")
    decoded = pl.read_parquet(run.out / "stages/1-decode/kept/*.parquet")
    lengths = sorted(data["title"].str.strip_chars().str.len_chars())
    assert numbers["out.title_chars.max"] == lengths[-1]
    assert numbers["out.title_chars.p50"] == lengths[math.ceil(len(lengths) / 2) - 1]
    assert (
        numbers["text.chars_out"] == data.select(pl.col("title", "body").str.len_chars().sum()).sum_horizontal().item()
    )
    assert numbers["decode.misaligned_rate"] == pytest.approx(decoded["_problem"].is_not_null().mean())
    assert numbers["decode.encodings"] == decoded["_encoding"].n_unique()
    both = decoded.join(data, on="_id", suffix="_after")
    was, now = (
        [int(both[f"{role}{end}"].str.len_chars().sum()) for role in ("title", "body")] for end in ("", "_after")
    )
    assert numbers["text.chars_kept_rate"] == pytest.approx(sum(now) / sum(was))
    counts = [n for _, n in data["label"].value_counts().iter_rows()]
    assert numbers["out.imbalance_ratio"] == pytest.approx(max(counts) / min(counts))


def test_every_number_has_a_known_name_and_is_finite(run: Finished) -> None:
    numbers = run.metrics()
    assert [name for name in numbers if not known(name)] == []
    assert list(numbers) == sorted(numbers)
    assert all(math.isfinite(value) for value in numbers.values())


def test_picked_rows_are_kept_ones(run: Finished) -> None:
    picks = run.tree("profile.json")["picks"]
    ids = set(pl.read_parquet(run.out / "data/*.parquet")["_id"])
    assert 0 < len(picks["changed"]) <= profile.MAX_PICKS
    assert {id for kind in picks.values() for id in kind} <= ids


@pytest.mark.parametrize(
    ("kind", "absent"),
    [("no labels", "out.labels"), ("no rows out", "out.title_chars.p50"), ("plain text", "out.title_chars.p50")],
)
def test_what_was_not_measured_is_absent(tmp_path: Path, kind: str, absent: str) -> None:
    numbers = finished(made_run(tmp_path, kind)).metrics()
    assert absent not in numbers
    assert "rows.in" in numbers


def test_the_card_has_a_config_for_each_kind_of_table(run: Finished) -> None:
    def named(*paths: str) -> list[dict[str, Any]]:
        return card.configs(Finished(run.out, {"outputs": [{"path": path} for path in paths]}))

    train, test = "data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"
    odd, vectors = "data/my-split-00000-of-00001.parquet", "data/vectors-train-00000-of-00001.parquet"
    default, rejects = named(test, train, odd)
    assert default["config_name"] == "default"
    assert [(each["split"], each["path"]) for each in default["data_files"]] == [
        *[("train", "data/train-*.parquet"), ("test", "data/test-*.parquet"), ("my_split", "data/my-split-*.parquet")]
    ]
    assert rejects == {"config_name": "rejects", "data_files": "rejects/*.parquet"}
    assert named(train, vectors)[-1] == {"config_name": "vectors", "data_files": "data/vectors-*.parquet"}


def test_settings_that_differ_are_named_but_not_those_of_the_judgement() -> None:
    then = {"check": {"title_min": 8, "rules": []}, "gates": [1], "report": {"samples": 1}}
    now = {"check": {"title_min": 10, "rules": ()}, "gates": [], "report": {"samples": 2}, "skew": {"batch": 32}}
    assert differences(then, now) == ["check.title_min 8 → 10", "skew None → {'batch': 32}"]
