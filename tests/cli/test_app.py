"""The command line from outside: exit codes, messages, streams."""

import json
import re
from pathlib import Path

import pytest
from commands import call
from docs_tables import declared

from cleanse.cli import catalogue
from cleanse.cli.app import COMMANDS

HEAVY = {"polars", "pyarrow", "numpy", "scipy", "sklearn", "imblearn", "jinja2", "pydantic", "chardet"}
ROW = '{"title": "一个足够长的标题第%d号", "body": "' + "正文" * 30 + '", "label": "%s"}\n'


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "in").mkdir()
    rows = [ROW % pair for pair in enumerate(("天气", "天气", "体育"))]
    (tmp_path / "in/a.jsonl").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_top_level_help_names_commands_and_exit_codes_and_imports_nothing_heavy(here: Path) -> None:
    done = call(here, "--help", PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if "import time:" in line}
    assert done.returncode == 0
    assert not imported & HEAVY
    for word in ("run", "decode", "strip", "check", "skew", "resample", "shard", "config", "130", "143", "70"):
        assert word in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_the_shared_options(here: Path, name: str) -> None:
    done = call(here, name, "-h")
    assert done.returncode == 0
    for word in ("--config", "--set", "--quiet", "Example"):
        assert word in done.stdout


def test_the_version_is_one_line(here: Path) -> None:
    assert call(here, "-V").stdout == call(here, "--version").stdout == "cleanse 0.1.0\n"


def test_a_run_ends_with_the_funnel_on_stdout_and_talks_on_stderr(here: Path) -> None:
    done = call(here, "run", "in", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        r"PASSED · 3 in → 3 out · 0 rejected · [\d.]+ s · report out/report.html", done.stdout.splitlines()[-1]
    )
    assert "stage=decode done rows_in=3" in done.stderr
    assert json.loads((here / "out/metrics.json").read_text())["metrics"]["rows.out"] == 3


def test_quiet_once_leaves_the_last_line_twice_nothing(here: Path) -> None:
    once, twice = call(here, "run", "in", "-o", "a", "-q"), call(here, "run", "in", "-o", "b", "-qq")
    assert (len(once.stdout.splitlines()), once.stderr) == (1, "")
    assert (twice.stdout, twice.stderr, twice.returncode) == ("", "", 0)


def test_no_row_left_is_exit_1_and_fail_on_never_does_not_change_that(here: Path) -> None:
    done = call(here, "run", "in", "-o", "out", "--set", "check.body_min=1000", "--fail-on", "never")
    assert done.returncode == 1
    assert "FAIL rows.out 0  limit min 1" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("FAILED 1 of 4 gates")
    assert (here / "out/_FAILED").exists()
    assert json.loads((here / "out/run.json").read_text())["status"] == "gate_failed"


def test_flags_of_a_stage_are_its_settings(here: Path) -> None:
    assert call(here, "decode", "in", "-o", "d").returncode == 0
    done = call(here, "check", "d", "-o", "c", "--title-min", "0", "--title-max", "5", "--body-min", "0")
    assert done.stdout == "3 in → 0 out · 3 rejected · c\n"


ERRORS = [
    pytest.param(
        "check:\n  titel_min: 1\n", ["run", "in", "-o", "o"], 2, ["cleanse.yaml:2:3", "'title_min'?"], id="unknown key"
    ),
    pytest.param(
        "check:\n  title_min: ten\n", ["run", "in", "-o", "o"], 2, ["check.title_min", "'ten'"], id="wrong type"
    ),
    pytest.param("check:\n  title_min: 70\n", ["run", "in", "-o", "o"], 2, ["above title_max"], id="min above max"),
    pytest.param(
        None, ["run", "in", "-o", "o", "--set", "check.titel_min=1"], 2, ["titel_min", "title_min"], id="--set"
    ),
    pytest.param(None, ["run", "in", "-o", "o", "--encoding", "gbx"], 2, ["gbx", "gbk"], id="unknown encoding"),
    pytest.param(
        None, ["run", "nowhere/*.csv", "-o", "o"], 3, ["input-not-found", "nowhere/*.csv"], id="missing input"
    ),
    pytest.param(
        None, ["run", "in", "-o", "o", "--title-col", "x"], 3, ["no column 'x' in a.jsonl", "body"], id="column"
    ),
    pytest.param(None, ["run", "in", "-o", "in/o"], 2, ["out-in-input"], id="output in input"),
    pytest.param(None, ["run", "in", "-o", "foreign/notes.txt/o"], 4, ["out-not-writable"], id="parent is a file"),
    pytest.param(None, ["run", "in", "-o", "foreign"], 2, ["out-not-empty", "notes.txt"], id="foreign folder"),
    pytest.param(None, ["resample", "in", "-o", "o"], 3, ["input-empty", "cleanse decode"], id="no Parquet"),
    pytest.param(None, ["run", "in", "-o", "o", "-c", "none.yaml"], 3, ["none.yaml"], id="no config"),
]


@pytest.mark.parametrize(("config", "args", "code", "words"), ERRORS)
def test_a_mistake_is_one_message_with_a_way_out(
    here: Path, config: str | None, args: list[str], code: int, words: list[str]
) -> None:
    (here / "foreign").mkdir()
    (here / "foreign/notes.txt").write_text("mine")
    if config:
        (here / "cleanse.yaml").write_text(config)
    done = call(here, *args)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert re.search(r"^error\[", done.stderr, re.M)
    assert "help: " in done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert (here / "foreign/notes.txt").read_text() == "mine"


def test_a_misspelt_option_and_command_get_a_suggestion(here: Path) -> None:
    option, command = call(here, "run", "in", "-o", "o", "--titel-col", "x"), call(here, "rnu")
    assert (option.returncode, command.returncode) == (2, 2)
    assert "--title-col" in option.stderr
    assert "run" in command.stderr


def test_config_show_says_where_each_value_comes_from(here: Path) -> None:
    (here / "cleanse.yaml").write_text("check:\n  title_min: 8\n")
    done = call(here, "config", "show", "--output-format", "json", "--set", "check.title_max=80")
    shown = json.loads(done.stdout)
    assert shown["config"]["check"]["title_min"] == 8
    assert shown["origin"]["check.title_max"] == "flag"
    assert shown["origin"]["check.title_min"].endswith("cleanse.yaml:2")
    assert shown["origin"]["check.body_min"] == "default"


def test_config_check_and_schema(here: Path) -> None:
    assert call(here, "config", "check").returncode == 0
    schema = json.loads(call(here, "config", "schema").stdout)
    assert schema["$defs"]["CheckSettings"]["properties"]["title_min"]["description"] == "characters; null: no bound"


def test_hostile_names_do_not_reach_the_terminal(here: Path) -> None:
    (here / "in/\x1b[31mred.jsonl").write_text('{"_x": 1}\n')
    done = call(here, "run", "in", "-o", "o")
    assert done.returncode == 3
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_no_two_options_of_a_command_share_a_name(name: str) -> None:
    flags = [flag for each in catalogue.parameters(name) for decl in declared(each) for flag in decl.split("/")]
    assert sorted(set(flags)) == sorted(flags)
    names = [each.name for each in catalogue.parameters(name)]
    assert len(set(names)) == len(names)
