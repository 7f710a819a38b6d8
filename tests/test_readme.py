"""The commands of the README do what it says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def commands(marker: str) -> list[str]:
    """The indented command lines of the README that contain `marker`, comments cut off, continued lines joined."""
    text = README.replace("\\\n", " ")
    return [
        re.sub(r"\s+#.*", "", line).strip() for line in text.splitlines() if line.startswith("    ") and marker in line
    ]


def test_the_plain_command_cleans_the_samples(tmp_path: Path) -> None:
    (command,) = commands(".venv/bin/cleanse run")
    words = command.replace(".venv/bin/cleanse", str(BIN / "cleanse")).replace("-o out", f"-o {tmp_path}/out").split()
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"in → [\d,]+ out", done.stdout.splitlines()[-1])
    assert pl.read_parquet(tmp_path / "out/rejects/*.parquet").height > 0


def test_the_six_commands_in_a_row_work_as_written(tmp_path: Path) -> None:
    (tmp_path / "raw").symlink_to(ROOT / "samples")
    rows = [c for c in commands("cleanse ") if re.match(r"cleanse (decode|strip|check|skew|resample|shard) ", c)]
    assert len(rows) == 6
    for row in rows:
        done = subprocess.run(
            [BIN / "cleanse", *row.split()[1:], "-q"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (row, done.stderr)
    assert len(list((tmp_path / "f/kept").glob("*.parquet"))) == 4


def test_the_files_that_it_names_are_there() -> None:
    for target in re.findall(r"\]\(([\w/.]+)\)", README):
        assert (ROOT / target).exists(), target


def test_make_targets_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_figures_it_shows_are_those_of_the_samples(name: str) -> None:
    ledger = json.loads((ROOT / "tests/samples_ledger.json").read_text(encoding="utf-8"))["entries"]
    records = [(e["stage"], e["rows_in"], e["kept"]) for e in ledger if e["unit"] == "record"]
    text = (ROOT / name).read_text(encoding="utf-8").replace(",", "")
    shown = re.findall(r"✓ (\w+) +(\d+) +→ +(\d+)", text)
    assert [(stage, int(before), int(after)) for stage, before, after in shown] == records
    n_rejected = sum(sum(e["rejected"].values()) for e in ledger if e["unit"] == "record")
    last = rf" · {records[0][1]} (in|输入) → {records[-1][2]} (out|输出) · {n_rejected} (rejected|剔除) "
    assert re.search(last, text)
