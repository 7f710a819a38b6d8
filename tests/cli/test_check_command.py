"""`cleanse check` as a shell calls it."""

import json
from pathlib import Path

import pytest
from commands import call
from runs import BODY

LABELS = ("财经", "体育", "健康")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables: in a.csv the last 450 of 1,500 rows have their label and body exchanged, in b.csv 150 do."""
    folder = tmp_path_factory.mktemp("check")
    (folder / ".git").mkdir()
    (folder / "in").mkdir()
    for name, n in (("a", 450), ("b", 150)):
        rows = [(f"第{i}条今年气温比往年偏高", BODY * (3 + i % 9), LABELS[i % 3]) for i in range(1500)]
        rows = [(t, x, b) if i >= 1500 - n else (t, b, x) for i, (t, b, x) in enumerate(rows)]
        (folder / f"in/{name}.csv").write_text("title,body,label\n" + "".join(",".join(row) + "\n" for row in rows))
    return folder


@pytest.mark.parametrize("part_mb", ["64", "0.25"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_source_with_a_block_in_another_order_is_told_by_name(here: Path, part_mb: str, workers: str) -> None:
    out = f"{part_mb}-{workers}"
    how = ["--set", f"run.part_mb={part_mb}", "--set", f"run.workers={workers}"]
    assert call(here, "decode", "in", "-o", f"d-{out}", *how).returncode == 0
    told = (
        "warning: 450 of 1,500 rows of a.csv hold values in the wrong columns: was a block written in another order?\n"
    )
    check = ["check", f"d-{out}", "-o", f"c-{out}", *how, "--progress", "none"]
    for flags, want in (([], told), ([], told), (["-q"], told), (["-qq"], "")):  # the second finds all parts made
        assert call(here, *check, *flags).stderr == want
    (entry,) = json.loads((here / f"c-{out}/stage.json").read_text())["entries"]
    assert entry["changed"] == {"sources_permuted": 1}
    assert entry["rejected"] == {"columns_permuted": 600}
    again = call(here, "check", f"c-{out}", "-o", f"cc-{out}", *how, "--progress", "none")
    assert (again.returncode, again.stderr) == (0, "")


def test_a_run_that_splits_bodies_adds_up(here: Path) -> None:
    sets = [arg for each in ("over_long=split", "over_long_limit=80") for arg in ("--set", f"check.{each}")]
    assert call(here, "run", "in/b.csv", "-o", "r", "--no-report", *sets).returncode == 0
    tree = json.loads((here / "r/stages/4-skew/skew.json").read_text())
    (check,) = (each for each in tree["cleaning"]["stages"] if each["stage"] == "check")
    found = check["labels"]["财经"]
    assert (found["in"], found["lost_share"], check["rows_in"]) == (450, 0.0, 1500)
    assert found["kept"] > 450
