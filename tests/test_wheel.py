"""What a user installs: the wheel without extras, in an environment of its own, cleans the samples."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.wheel
def test_the_wheel_without_extras_runs_the_samples(tmp_path: Path) -> None:
    def call(*args: str) -> str:
        done = subprocess.run(args, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", str(ROOT))
    venv.create(tmp_path / "env", with_pip=True)
    (wheel,) = (tmp_path / "dist").glob("cleanse-*.whl")
    call("env/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    out = call(
        "env/bin/cleanse", "run", "-c", str(ROOT / "configs/zh-news.yaml"), str(ROOT / "samples"), "-o", "out", "-q"
    )
    assert " in → " in out
    assert "cleanse.yaml written" in call("env/bin/cleanse", "init", "--profile", "classifier")
    assert "<h2" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert len(list((tmp_path / "out/data").glob("train-*-of-00004.parquet"))) == 4
