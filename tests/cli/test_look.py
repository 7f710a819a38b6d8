"""show, diff, explain, init, config and doctor, from outside."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import call
from runs import lines, row

HOSTILE = ["=A+1", "+A1", "-A1", "@SUM(1)", "\t=A1", "\r=A1", "\x1b[31m\u202e", '体育,"x"\n']


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("look")
    (folder / ".git").mkdir()
    (folder / "in").mkdir()
    rows = [row(i) for i in range(9)] + [row(1, title=text, label=text) for text in HOSTILE]
    (folder / "in/a.jsonl").write_text(lines(rows), encoding="utf-8")
    for out, more in (("a", []), ("b", ["--set", "check.title_min=2", "--seed", "7"])):
        assert call(folder, "run", "in", "-o", out, "--no-report", *more).returncode == 0
    return folder


def test_rejected_rows_come_first_then_kept_ones(here: Path) -> None:
    found = json.loads(call(here, "show", "a", "-n", "99", "--output-format", "json").stdout)
    reasons = [each["_reason"] for each in found]
    assert len(found) == 17
    assert reasons == [reason for reason in reasons if reason] + [None] * reasons.count(None)
    some = call(here, "show", "a", "--reason", "title_short", "-n", "2", "--output-format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["_reason"] for line in some] == ["title_short"] * 2
    assert call(here, "show", "a", "--stage", "strip").stdout == ""
    assert call(here, "show", "a", "--reason", "title_shrt").returncode == 2


def test_a_spreadsheet_runs_no_cell_and_loses_no_text(here: Path) -> None:
    text = call(here, "show", "a", "-n", "99", "--output-format", "csv").stdout
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert not [cell for each in rows for cell in each.values() if cell and cell[0] in "=+-@\t\r"]
    assert {text if text[0] not in "=+-@\t\r" else f"'{text}" for text in HOSTILE} <= {each["title"] for each in rows}


def test_text_on_a_terminal_is_harmless(here: Path) -> None:
    text = call(here, "show", "a", "-n", "99").stdout
    assert not set(text) & set("\x1b\u202e\t\r")
    assert "title_short  check  a.jsonl:10  " in text
    assert "  detail 7 characters, at least 10" in text


def test_one_row_through_every_stage(here: Path) -> None:
    id = json.loads(call(here, "show", "a", "-n", "1", "--output-format", "jsonl").stdout)["_id"]
    found = json.loads(call(here, "show", "a", "--id", id, "--output-format", "json").stdout)
    assert [(each["_at"], each["_kind"]) for each in found] == [
        ("decode", "kept"),
        ("strip", "kept"),
        ("check", "rejected"),
    ]
    assert call(here, "show", "a", "--id", "nobody:1").returncode == 3


def test_status_is_told_from_the_log_also_from_a_torn_one(here: Path) -> None:
    lines = call(here, "show", "a", "--status").stdout.splitlines()
    assert lines[0] == "not running: ok"
    assert "event=run_done exit_code=0" in lines[-1]
    log = here / "b/logs/run.jsonl"
    log.write_text(log.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    assert "event=work_done" in call(here, "show", "b", "--status").stdout.splitlines()[-1]


def test_a_run_does_not_differ_from_itself(here: Path) -> None:
    done = call(here, "diff", "a", "a", "--fail-on-change")
    assert (done.returncode, done.stdout) == (0, "no difference\n")


def test_two_runs_differ_in_settings_numbers_labels_and_rows(here: Path) -> None:
    done = call(here, "diff", "a", "b", "--output-format", "json", "--fail-on-change")
    tree = json.loads(done.stdout)
    assert done.returncode == 1
    assert tree["settings"] == ["check.title_min 10 → 2", "run.seed 42 → 7"]
    assert tree["metrics"]["check.kept"] == [9, 17]
    assert tree["labels"]["=A+1"] == [None, 1]
    (way,) = tree["moved"]
    assert (way, tree["moved"][way]["rows"]) == ("title_short → kept", 8)
    text = call(here, "diff", "a", "b").stdout
    assert "settings  check.title_min 10 → 2" in text
    assert not set(text) & set("\x1b\u202e")


def test_explain_says_it_in_words_and_lists_all(here: Path) -> None:
    assert call(here, "explain", "title_short").stdout.splitlines()[0] == "title_short  (reason; check)"
    assert call(here, "explain", "disk-full").stdout.splitlines()[0] == "disk-full  (error; exit 4)"
    listed = json.loads(call(here, "explain", "--output-format", "json").stdout)
    assert len(listed) > 80
    assert listed["body_short"]["zh"] == "正文过短"


@pytest.mark.parametrize("profile", ["default", "zh-news", "classifier", "gate"])
def test_init_writes_a_config_that_loads(here: Path, tmp_path: Path, profile: str) -> None:
    done = call(tmp_path, "init", "--profile", profile)
    assert done.stdout == "cleanse.yaml written; next: cleanse config check, then cleanse run INPUT -o out\n"
    assert call(tmp_path, "config", "check").stdout == f"{tmp_path}/cleanse.yaml: ok\n"
    again = call(tmp_path, "init", "--profile", profile)
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, "error[init-exists]: cleanse.yaml is there already")
    assert call(tmp_path, "init", "--force").returncode == 0


def test_init_proposes_columns_and_limits_of_a_file(tmp_path: Path) -> None:
    body = "正文" * 30
    rows = "".join(f"{'题' * (8 + i % 5)},{body},x\n" for i in range(200))
    (tmp_path / "a.csv").write_text(f"题目,内容,分类\n{rows}", encoding="utf-8")
    assert call(tmp_path, "init", "--from", "a.csv").returncode == 0
    config = json.loads(call(tmp_path, "config", "show", "--output-format", "json").stdout)["config"]
    assert config["columns"]["title"] == "题目"
    assert config["columns"]["body"] == "内容"
    assert (config["check"]["title_min"], config["check"]["title_max"], config["check"]["body_min"]) == (8, 12, 60)


def test_doctor_says_what_is_here(here: Path) -> None:
    found = json.loads(call(here, "doctor", "--output-format", "json").stdout)
    assert found["packages"].keys() >= {"polars", "pyarrow", "typer"}
    assert found["working_folder_writable"] is True
    assert "cpus" in call(here, "doctor").stdout


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


@pytest.mark.parametrize("damage", [Path.unlink, cut])
@pytest.mark.parametrize("table", ["data", "rejects"])
def test_a_run_whose_tables_are_lost_says_so(
    here: Path, tmp_path: Path, table: str, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(here / "a", tmp_path / "a")
    (path,) = (tmp_path / "a" / table).glob("*-of-*.parquet")
    damage(path)
    for command in (["show", "a", "-n", "99"], ["report", "a"], ["diff", "a", "a"]):
        done = call(tmp_path, *command)
        assert (done.returncode, done.stderr.splitlines()[0]) == (3, "error[not-a-run]: a is no finished run")
        assert path.name in done.stderr


def test_a_report_needs_neither_stages_nor_log(here: Path, tmp_path: Path) -> None:
    shutil.copytree(here / "a", tmp_path / "a")
    shutil.rmtree(tmp_path / "a/stages")
    (tmp_path / "a/logs/run.jsonl").write_text("no JSON\n")
    assert call(tmp_path, "report", "a").returncode == 0
    assert "logs/run.jsonl" in call(tmp_path, "show", "a", "--status").stderr


def test_a_manifest_that_misses_its_entries_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"cleanse": "1", "schema_version": 1, "outputs": []}')
    for command in (["gate", "."], ["report", "."], ["diff", ".", "."]):
        assert call(tmp_path, *command).returncode == 3
