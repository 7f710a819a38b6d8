"""`cleanse run` in steps, in shares, for nothing and not at all, from outside."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import call
from runs import lines, row


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_text(lines([row(i) for i in range(9)]), encoding="utf-8")
    return tmp_path


def test_the_same_call_again_has_nothing_to_do_and_says_the_same(here: Path) -> None:
    first = call(here, "run", "in", "-o", "out")
    again = call(here, "run", "in", "-o", "out", "--verify")
    assert (first.returncode, again.returncode) == (0, 0)
    assert "nothing to do" in again.stderr
    assert again.stdout.splitlines()[-1] == "PASSED · 9 in → 9 out · 0 rejected · report out/report.html"
    kind = call(here, "run", "in", "-o", "out", "--output-format", "json")
    assert json.loads(kind.stdout)["status"] == "ok"
    assert "nothing to do" in kind.stderr
    (here / "cleanse.yaml").write_text("version: 1\ncheck: {title_min: 11}\n", encoding="utf-8")
    assert "nothing to do" not in call(here, "run", "in", "-o", "out").stderr


def test_a_call_that_died_at_its_start_does_not_stand_in_the_way(here: Path) -> None:
    call(here, "run", "in", "-o", "out", "--no-report")
    manifest = json.loads((here / "out/run.json").read_text())
    (here / "out/run.json").write_text(json.dumps({name: manifest[name] for name in ("cleanse", "schema_version")}))
    again = call(here, "run", "in", "-o", "out", "--no-report")
    assert (again.returncode, "9 in → 9 out" in again.stdout) == (0, True)


def test_a_failed_gate_fails_again(here: Path) -> None:
    args = ("run", "in", "-o", "out", "--no-report", "--set", "check.title_min=100", "--set", "check.title_max=200")
    first, again = call(here, *args), call(here, *args)
    assert (first.returncode, again.returncode) == (1, 1)
    assert "nothing to do" in again.stderr
    assert call(here, *args, "--fail-on", "never").returncode == first.returncode  # an empty result always fails


def test_nothing_heavy_is_loaded_where_there_is_nothing_to_do(here: Path) -> None:
    call(here, "run", "in", "-o", "out", "--no-report")
    code = "import sys; from cleanse.cli.app import main\n"
    code += "sys.argv = ['cleanse', 'run', 'in', '-o', 'out', '--no-report']\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "print(sorted({'polars', 'pyarrow', 'numpy', 'sklearn', 'chardet', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_dry_run_tells_the_plan_and_writes_nothing(here: Path) -> None:
    told = call(here, "run", "in", "-o", "out", "--dry-run")
    assert "1 part, 0 of them decoded already · nothing was written" in told.stdout
    assert not (here / "out").exists()
    call(here, "run", "in", "-o", "out", "--until", "decode")
    tree = json.loads(call(here, "run", "in", "-o", "out", "--dry-run", "--output-format", "json").stdout)
    assert (tree["parts_done"], [each["source"] for each in tree["plan"]["sources"]]) == (1, ["a.jsonl"])


def test_a_run_up_to_a_stage_makes_no_result(here: Path) -> None:
    done = call(here, "run", "in", "-o", "out", "--until", "strip")
    assert (done.returncode, done.stdout) == (0, "9 in → 9 out · 0 rejected · out\n")
    assert "the same command without it finishes the run" in done.stderr
    assert sorted(path.name for path in (here / "out/stages").iterdir()) == ["1-decode", "2-strip", "plan.json"]
    assert json.loads((here / "out/run.json").read_text())["status"] == "interrupted"


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_a_part_that_is_none_is_a_mistake(here: Path, part: str) -> None:
    done = call(here, "run", "in", "-o", "out", "--part", part)
    assert (done.returncode, "K from 1 to N" in done.stderr) == (2, True)
    assert not (here / "out").exists()


def test_steps_in_the_wrong_order_are_a_mistake(here: Path) -> None:
    assert call(here, "run", "in", "-o", "out", "--from", "check", "--until", "strip").returncode == 2


def test_stages_are_skipped_by_one_flag_or_several(here: Path) -> None:
    for flags in (("--skip", "strip", "--skip", "check"), ("--skip", "strip,check")):
        assert call(here, "run", "in", "-o", "out", "--no-report", *flags).returncode == 0
        settings = json.loads((here / "out/run.json").read_text())["settings"]
        assert settings["run"]["skip"] == ["strip", "check"]
    assert call(here, "run", "in", "-o", "out", "--skip", "decode").returncode == 2


def test_without_the_tables_of_stages_the_result_is_the_same(here: Path) -> None:
    call(here, "run", "in", "-o", "whole")
    call(here, "run", "in", "-o", "out", "--no-keep-stages")
    for name in ("run.json", "metrics.json", "profile.json", "gate.json", "README.md"):
        assert (here / "out" / name).read_bytes() == (here / "whole" / name).read_bytes(), name
    assert not list((here / "out/stages").glob("*/kept"))
    assert "nothing to do" in call(here, "run", "in", "-o", "out", "--no-keep-stages").stderr
    assert call(here, "show", "out").returncode == 0
