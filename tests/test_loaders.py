"""The snippets of docs/loaders.md run as written, each where its package is there."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from cleanse.run.events import silent
from cleanse.run.whole import whole
from cleanse.settings import CheckSettings, ResampleSettings, RunSettings, Settings, ShardSettings

PAGE = (Path(__file__).parent.parent / "docs/loaders.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
PACKAGES = [sorted(set(re.findall(r"^(?:import|from) (\w+)", code, re.M))) for code in SNIPPETS]
CASES = list(zip(SNIPPETS, PACKAGES, strict=True))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loaders")
    rows = [{"title": "一个标题", "body": f"正文第{i}条", "label": "ab"[i % 3 == 0]} for i in range(30)]
    (folder / "a.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    settings = Settings(
        run=RunSettings(workers=1),
        check=CheckSettings(title_min=1, body_min=1),
        resample=ResampleSettings("over", all_train=True),
        shard=ShardSettings(count=2),
    )
    with whole([str(folder / "a.jsonl")], folder / "out", settings, silent):
        return folder


@pytest.mark.parametrize(("code", "packages"), CASES, ids=["-".join(p) for p in PACKAGES])
def test_a_snippet_runs_as_written(code: str, packages: list[str], run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in packages:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    monkeypatch.chdir(run)
    monkeypatch.setenv("HF_HOME", str(run / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    known: dict[str, object] = {}
    exec(compile(code, "docs/loaders.md", "exec"), known)
    if "rows" in known and hasattr(known["rows"], "shape"):
        assert known["rows"].shape[0] == 40


def test_data_holds_text_and_weights_and_all_rows(run: Path) -> None:
    names = {path.name for path in (run / "out/data").iterdir()}
    assert names == {"train-00000-of-00002.parquet", "train-00001-of-00002.parquet", "weights.json"}
    rows = pl.read_parquet(run / "out/data/*.parquet")
    assert rows["label"].value_counts().sort("label").rows() == [("a", 20), ("b", 20)]
