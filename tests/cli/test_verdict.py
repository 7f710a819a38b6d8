"""A run is judged in it, and again without it: same bytes, every format, markers, baselines, the data set card."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import duckdb
import pandas
import polars as pl
import pytest
from commands import call
from runs import lines, row

from cleanse.run import locks

GATES = """version: 1
gates:
  - {metric: rows.reject_rate, max: 0.01, why: "short titles"}
  - {metric: rows.out, max_decrease: 0.05}
  - {metric: drift.label.psi, max: 0.1, severity: warn}
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verdict")
    (folder / ".git").mkdir()
    (folder / "in").mkdir()
    (folder / "in/a.jsonl").write_text(lines([row(i) for i in range(20)] + [row(1, title="短")]), encoding="utf-8")
    (folder / "cleanse.yaml").write_text(GATES, encoding="utf-8")
    (folder / "failed.txt").write_text(call(folder, "run", "in", "-o", "out").stdout, encoding="utf-8")
    call(folder, "run", "in", "-o", "good", "--isolated")
    return folder


def test_a_failed_gate_is_exit_1_and_no_success(here: Path) -> None:
    text = (here / "failed.txt").read_text(encoding="utf-8")
    line = "✗ FAIL rows.reject_rate 0.047619047619  limit max 0.01  (0.047619047619 is above 0.01)"
    assert f"{line}  cleanse.yaml:3  short titles" in text
    assert text.splitlines()[-1].startswith("FAILED 1 of 4 gates · 21 in → 20 out · 1 rejected · ")
    assert (here / "out/_FAILED").exists()
    assert not (here / "out/_SUCCESS").exists()
    assert json.loads((here / "out/run.json").read_text())["status"] == "gate_failed"
    assert pl.read_parquet(here / "out/data/*.parquet").height == 20  # a bad verdict deletes nothing


def test_judging_again_gives_the_same_bytes_with_and_without_the_config(here: Path) -> None:
    names = ("gate.json", "metrics.json", "run.json")
    before = [(here / "out" / name).read_bytes() for name in names]
    for more in ([], ["--isolated"], ["-c", "cleanse.yaml"]):
        assert call(here, "gate", "out", *more).returncode == 1
        assert [(here / "out" / name).read_bytes() for name in names] == before


def test_fail_on_never_passes_and_swaps_the_marker(here: Path) -> None:
    assert call(here, "gate", "out", "--fail-on", "never").returncode == 0
    assert [(here / "out" / name).exists() for name in ("_SUCCESS", "_FAILED")] == [True, False]
    assert call(here, "gate", "out").returncode == 1
    assert [(here / "out" / name).exists() for name in ("_SUCCESS", "_FAILED")] == [False, True]


def test_a_run_against_itself_has_no_drift_and_names_settings_that_differ(here: Path) -> None:
    done = call(here, "run", "in", "-o", "again", "--baseline", "good", "--set", "check.title_max=70", "-q")
    assert done.returncode == 1
    numbers = json.loads((here / "again/metrics.json").read_text())["metrics"]
    drift = {name: value for name, value in numbers.items() if name.startswith("drift.")}
    assert len(drift) == 9
    assert set(drift.values()) == {0}
    assert json.loads((here / "again/gate.json").read_text())["settings_changed"] == ["check.title_max 60 → 70"]
    assert "check.title_max 60 → 70" in (here / "again/report.html").read_text(encoding="utf-8")


def test_a_folder_in_which_a_run_goes_on_is_not_judged(here: Path) -> None:
    before = {name: (here / "out" / name).read_bytes() for name in ("run.json", "gate.json", "metrics.json")}
    with locks.locked(here / "out"):
        assert call(here, "gate", "out").returncode == 4
    assert before == {name: (here / "out" / name).read_bytes() for name in before}
    assert call(here, "gate", "nowhere").returncode == 3
    assert not (here / "nowhere").exists()


def test_without_a_baseline_its_gates_are_skipped_with_one_warning(here: Path) -> None:
    done = call(here, "gate", "out")
    assert done.stderr == "warning: no baseline: gates that compare with one were skipped\n"
    skipped = [g["metric"] for g in json.loads((here / "out/gate.json").read_text())["gates"] if g["result"] == "skip"]
    assert skipped == ["rows.out", "drift.label.psi"]


def test_every_format_on_stdout_and_by_write(here: Path) -> None:
    formats = ("text", "json", "github", "junit", "markdown")
    call(here, "gate", "out", *(f"--write={kind}=w.{kind}" for kind in formats))
    for kind in formats[1:]:
        assert call(here, "gate", "out", "--output-format", kind).stdout == (here / f"w.{kind}").read_text(
            encoding="utf-8"
        )
    assert json.loads((here / "w.json").read_text(encoding="utf-8"))["exit_code"] == 1
    assert len(list(ET.parse(here / "w.junit").iter("testcase"))) == 4
    title = "::error title=cleanse gate rows.reject_rate,file=cleanse.yaml,line=3"
    assert (here / "w.github").read_text() == f"{title}::0.047619047619 is above 0.01\n"
    assert "| fail | rows\\.reject\\_rate |" in (here / "w.markdown").read_text(encoding="utf-8")
    assert (here / "w.text").read_text(encoding="utf-8").startswith("✗ FAIL rows.reject_rate")


def test_on_github_annotations_and_a_summary_are_added(here: Path) -> None:
    done = call(here, "gate", "out", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(here / "step.md"))
    assert "::error title=cleanse gate rows.reject_rate" in done.stdout
    assert (here / "step.md").read_text(encoding="utf-8").startswith("## cleanse: failed")


def test_an_empty_list_of_gates_is_allowed_and_says_so(here: Path) -> None:
    (here / "none.yaml").write_text("version: 1\ngates: []\n")
    done = call(here, "run", "in", "-o", "none", "-c", "none.yaml")
    assert done.returncode == 0
    assert "warning: no gates: only an empty result can fail this run" in done.stderr


def test_a_metrics_json_with_nan_is_no_run(here: Path) -> None:
    path = here / "good/metrics.json"
    whole = path.read_text()
    path.write_text(whole.replace('"bytes.in": ', '"bytes.in": NaN, "x": '))
    assert call(here, "gate", "good").returncode == 3
    path.write_text(whole)


def test_no_row_is_fine_where_it_is_allowed(here: Path) -> None:
    (here / "void").mkdir()
    (here / "void/a.jsonl").write_text("")
    assert call(here, "run", "void", "-o", "v1", "--isolated").returncode == 3
    done = call(here, "run", "void", "-o", "v2", "--isolated", "--allow-empty")
    assert done.returncode == 0, done.stderr
    assert (here / "v2/_SUCCESS").exists()


def test_the_folder_is_a_data_set_for_three_libraries(here: Path, tmp_path: Path) -> None:
    import datasets

    loaded = datasets.load_dataset(str(here / "good"), cache_dir=str(tmp_path))
    assert {name: split.num_rows for name, split in loaded.items()} == {"train": 20}
    assert datasets.load_dataset(str(here / "good"), "rejects", cache_dir=str(tmp_path))["train"].num_rows == 1
    with duckdb.connect() as database:
        assert database.execute(f"select count(*) from '{here}/good/data/*.parquet'").fetchall() == [(20,)]
    parts = [pandas.read_parquet(path) for path in (here / "good/data").glob("train-*.parquet")]
    assert sum(map(len, parts)) == 20
