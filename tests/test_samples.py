"""samples/ is what its script makes, and cleaning it gives the ledger that was worked out by hand."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from make_samples import build

from cleanse.cli import config
from cleanse.run.events import silent
from cleanse.run.manifest import RunManifest
from cleanse.run.whole import whole

ROOT = Path(__file__).parent.parent
EXPECTED = json.loads((Path(__file__).parent / "samples_ledger.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples") / "out"


@pytest.fixture(scope="module")
def made(out: Path) -> RunManifest:
    settings = config.load(ROOT / "configs/zh-news.yaml", isolated=True).settings
    with whole([str(ROOT / "samples")], out, settings, silent) as ran:
        assert ran.manifest
        return ran.manifest


def test_the_script_makes_the_files(made: RunManifest) -> None:
    files = {
        p.relative_to(ROOT / "samples").as_posix(): p.read_bytes() for p in (ROOT / "samples").rglob("*") if p.is_file()
    }
    built = build()
    assert files.keys() == built.keys()
    for name, data in built.items():
        plain = gzip.decompress if name.endswith(".gz") else bytes
        assert plain(files[name]) == plain(data), name


def test_the_ledger_is_the_expected_one(made: RunManifest) -> None:
    assert [entry.as_json() for entry in made.entries] == EXPECTED["entries"]


def test_every_source_has_its_records(made: RunManifest) -> None:
    assert made.records == EXPECTED["records"]


def test_rejects_hold_every_reason_as_often_as_the_ledger_says(made: RunManifest, out: Path) -> None:
    counted = pl.read_parquet(out / "rejects/*.parquet").group_by("_stage", "_reason").len().rows()
    ledger: dict[tuple[str, str], int] = {}
    for entry in made.entries:
        for reason, n in entry.rejected.items():
            ledger[entry.stage, reason] = ledger.get((entry.stage, reason), 0) + n
    assert {(stage, reason): n for stage, reason, n in counted} == ledger


def test_the_samples_show_the_skew_and_the_shards_are_even(made: RunManifest, out: Path) -> None:
    skew = json.loads((out / "stages/4-skew/skew.json").read_text())
    assert {f["id"] for f in skew["findings"]} >= {"class_ratio", "shard_slowdown"}
    sizes = [p["bytes"] for p in json.loads((out / "stages/6-shard/shards.json").read_text())["shards"]]
    assert len(sizes) == 4
    assert max(sizes) <= 1.1 * min(sizes)
