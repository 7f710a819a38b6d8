"""resample with smote on disk: two ledgers, two folders, the same bytes for any workers and parts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commands import peak_mib
from tables import records

from cleanse.errors import InputError, MachineError
from cleanse.run import commands, embedding, manifest, vectors
from cleanse.run.events import silent
from cleanse.run.whole import whole
from cleanse.settings import CheckSettings, ResampleSettings, RunSettings, Settings, ShardSettings
from cleanse.stages.vectors import TABLE


def settings(workers: int = 1, features: str = "svd") -> Settings:
    return Settings(
        run=RunSettings(workers=workers),
        check=CheckSettings(title_min=1, body_min=1),
        resample=ResampleSettings("smote", features=features, svd_dim=4, k_neighbors=2, block_rows=4),
        shard=ShardSettings(count=1),
    )


def corpus() -> pl.DataFrame:
    n = 40
    return records({
        "title": [f"第{i}个标题" for i in range(n)],
        "body": [f"正文{'好坏中'[i % 3] * (1 + i % 5)}{i}" for i in range(n)],
        "label": ["b" if i % 5 == 0 else "a" for i in range(n)],
        "split": ["test" if i % 10 == 9 else "train" for i in range(n)],
    })  # fmt: skip


def folder(path: Path, parts: int, frame: pl.DataFrame) -> Path:
    path.mkdir()
    for i in range(parts):
        frame[i * 40 // parts : (i + 1) * 40 // parts].write_parquet(path / f"part-{i:05}.parquet")
    return path


def bytes_of(out: Path, pattern: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / "vectors").glob(pattern))}


@pytest.mark.parametrize(
    ("features", "kind"),
    [("svd", "smote"), ("cols:x,y", "smote"), ("cols:x,y", "borderline"), ("cols:x,y", "adasyn")],
)  # two workers are processes, and threads
def test_vectors_are_the_same_bytes_for_any_workers_parts_and_order(
    tmp_path: Path, features: str, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if features != "svd":  # a process has constants of its own
        monkeypatch.setattr(vectors, "SEARCH_ROWS", 3)
        monkeypatch.setattr(vectors, "GROW_BLOCKS", 2)
    plain = corpus().with_columns(x=pl.int_range(40) % 17 * 0.5, y=pl.int_range(40) % 7)
    mixed = plain.sample(fraction=1, shuffle=True, seed=1)
    for name, parts, frame, workers in (("one", 1, plain, 1), ("three", 3, mixed, 1), ("two", 3, mixed, 2)):
        given = folder(tmp_path / f"in-{name}", parts, frame)
        s = settings(workers, features)
        s = replace(s, resample=replace(s.resample, kind=kind))
        commands.stage("resample", [str(given)], tmp_path / name, s, silent)
        assert not (tmp_path / name / "scatter").exists()
    assert bytes_of(tmp_path / "two", "*") == bytes_of(tmp_path / "three", "*")
    for pattern in ("synthetic-*", "vectorizer.*"):
        assert bytes_of(tmp_path / "one", pattern) == bytes_of(tmp_path / "three", pattern)
    real = [pl.read_parquet(tmp_path / name / "vectors/real-*.parquet").sort("_id") for name in ("one", "three")]
    assert real[0].equals(real[1])


def test_the_ledger_has_a_line_for_vectors_and_text_rows_are_the_very_files(tmp_path: Path) -> None:
    given = folder(tmp_path / "in", 2, corpus())
    result = commands.stage("resample", [str(given)], tmp_path / "out", settings(), silent)
    vector, record = result.entries
    assert (vector.unit, vector.rows_in, vector.added, vector.kept) == ("vector", 40, 20, 60)
    assert (record.unit, record.rows_in, record.added, record.kept) == ("record", 40, 0, 40)
    for part in given.iterdir():
        assert (tmp_path / "out/kept" / part.name).samefile(part)
    made = pl.read_parquet(tmp_path / "out/vectors/synthetic-*.parquet")
    assert (made.height, made.schema, made["split"].unique().to_list()) == (20, pl.Schema(TABLE), ["train"])
    assert len(list((tmp_path / "out/vectors").glob("synthetic-*"))) == 5  # blocks of four
    assert any("SMOTE did not beat them" in note for note in result.notes)


@pytest.mark.parametrize(
    ("method", "repeats", "capped"), [("over", 3, 1), ("over", 4, None), ("smote", 3, 1), ("weights", 3, None)]
)  # b has 8 train rows, a has 28
def test_a_class_that_is_held_back_counts_once_however_many_parts(
    tmp_path: Path, method: Any, repeats: int, capped: int | None
) -> None:
    given = folder(tmp_path / "in", 4, corpus())
    s = replace(settings(), resample=replace(settings().resample, method=method, max_repeats=repeats))
    result = commands.stage("resample", [str(given)], tmp_path / "out", s, silent)
    assert result.entries[-1].changed.get("classes_capped") == capped
    written = json.loads((tmp_path / "out/stage.json").read_text())["entries"][-1]
    assert written["changed"].get("classes_capped") == capped


def test_a_second_run_into_the_same_folder_finds_its_own_files(tmp_path: Path) -> None:
    given = folder(tmp_path / "in", 2, corpus())
    for _ in range(2):
        commands.stage("resample", [str(given)], tmp_path / "out", settings(), silent)


def test_what_is_no_vector_ends_the_stage_before_a_row_is_written(tmp_path: Path) -> None:
    frame = corpus().with_columns(x=pl.Series([1.0] * 39 + [None]))
    given = folder(tmp_path / "in", 1, frame)
    with pytest.raises(InputError, match="first row"):
        commands.stage("resample", [str(given)], tmp_path / "out", settings(features="cols:x"), silent)
    assert not (tmp_path / "out/kept").exists()


def test_a_run_has_vectors_by_split_beside_its_text_and_never_in_it(tmp_path: Path) -> None:
    rows = corpus().select("title", "body", "label", "split").to_dicts()
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    with whole([str(tmp_path / "a.jsonl")], tmp_path / "out", settings(), silent) as ran:
        assert ran.manifest
        manifest.seal(tmp_path / "out", ran.manifest.as_json(), 0)
    data = tmp_path / "out/data"
    assert pl.read_parquet(data / "vectors-train-*.parquet").height == 56
    assert pl.read_parquet(data / "vectors-test-*.parquet")["split"].unique().to_list() == ["test"]
    assert pl.read_parquet(data / "train-*.parquet").height == 36
    assert json.loads((data / "weights.json").read_text())["counts"]["b"] == {"before": 8, "target": 28, "after": 28}
    assert commands.stage("skew", [str(data)], tmp_path / "again", settings(), silent).entries[-1].rows_in == 40


def test_a_part_of_any_size_is_read_a_stretch_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = corpus().with_columns(x=pl.int_range(40) % 17 * 0.5, y=pl.int_range(40) % 7)
    (tmp_path / "in").mkdir()
    frame.write_parquet(tmp_path / "in/part-00000.parquet", row_group_size=16)
    commands.stage("resample", [str(tmp_path / "in")], tmp_path / "whole", settings(features="cols:x,y"), silent)
    for name, size in (("streamed", 0), ("sliced", 1 << 20)):
        monkeypatch.setattr(embedding, "WHOLE_BYTES", size)
        monkeypatch.setattr(embedding, "SLICE_ROWS", 7)
        commands.stage("resample", [str(tmp_path / "in")], tmp_path / name, settings(features="cols:x,y"), silent)
        assert bytes_of(tmp_path / name, "synthetic-*") == bytes_of(tmp_path / "whole", "synthetic-*")
        real = [pl.read_parquet(path) for path in sorted((tmp_path / name / "vectors").glob("real-*"))]
        assert [table.height for table in real] == [7, 7, 7, 7, 7, 5]
        assert pl.concat(real).equals(pl.read_parquet(tmp_path / "whole/vectors/real-*.parquet"))


def test_an_empty_part_has_its_file_of_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "WHOLE_BYTES", 0)
    frame = corpus().with_columns(x=pl.int_range(40) % 17 * 0.5)
    given = folder(tmp_path / "in", 1, frame)
    frame[:0].write_parquet(given / "part-00001.parquet")
    commands.stage("resample", [str(given)], tmp_path / "out", settings(features="cols:x"), silent)
    real = sorted((tmp_path / "out/vectors").glob("real-*"))
    assert [pl.read_parquet(path).height for path in real] == [40, 0]


def test_what_would_take_too_much_memory_is_refused_before_a_vector_is_made(tmp_path: Path) -> None:
    s = replace(settings(), resample=replace(settings().resample, features="embedding:x", memory_mb=1))
    for width in (6000, 7000):  # eight rows to draw between, 20 bytes a number
        given = folder(tmp_path / f"in-{width}", 1, corpus().with_columns(x=pl.Series(wide(width))))
        if width == 6000:
            commands.stage("resample", [str(given)], tmp_path / "out-6000", s, silent)
            continue
        with pytest.raises(MachineError, match=r"8 vectors of 7000 numbers need 0\.0 GiB"):
            commands.stage("resample", [str(given)], tmp_path / "out-7000", s, silent)
    assert not (tmp_path / "out-7000/vectors").exists()


def wide(width: int) -> Any:
    return np.random.default_rng(1).normal(size=(40, width)).astype(np.float32)


def large(path: Path, rows: int) -> Path:
    """One file of one row group of `rows` x 256 numbers; one row in a hundred is of the class to raise."""
    x = np.random.default_rng(1).normal(size=(rows, 256)).astype(np.float32)
    label = ["rare" if i % 100 == 0 else "common" for i in range(rows)]
    frame = records({"label": label, "split": ["train"] * rows}).with_columns(pl.Series("x", x).arr.to_list())
    path.mkdir()
    frame.write_parquet(path / "part-00000.parquet", row_group_size=rows)
    return path


def test_a_part_that_is_four_times_as_large_takes_hardly_more_memory(tmp_path: Path) -> None:
    flags = ["--method", "smote", "--features", "embedding:x", "--target", "ratio:0.02", "--workers", "1"]
    few, many = (
        peak_mib("resample", str(large(tmp_path / f"in-{n}", n * 16_384)), "-o", str(tmp_path / f"out-{n}"), *flags)
        for n in (3, 12)
    )
    assert many - few < 128  # MiB; the vectors that are more are 144, and were held three times
