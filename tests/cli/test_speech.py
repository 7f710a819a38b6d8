"""How a command speaks: streams, colours, languages, terminals, pipes, signals."""

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest
from commands import CLEANSE, call, environment
from runs import lines, row

ESCAPE = re.compile("\x1b")
CURSOR = re.compile(r"\x1b(?!\[[\d;]*m)|\r")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("speech")
    (folder / ".git").mkdir()
    (folder / "in").mkdir()
    for name in "abc":
        (folder / f"in/{name}.jsonl").write_text(
            lines([row(i) for i in range(30)] + [row(1, title="短")]), encoding="utf-8"
        )
    assert call(folder, "run", "in", "-o", "out").returncode == 0
    return folder


def on_a_terminal(cwd: Path, columns: int, *args: str, **env: str) -> str:
    """What a terminal of so many columns gets."""
    master, slave = pty.openpty()
    os.set_blocking(master, True)
    subprocess.run(["stty", "cols", str(columns)], stdin=slave, check=True)
    process = subprocess.Popen(
        [CLEANSE, *args], cwd=cwd, stdin=slave, stdout=slave, stderr=slave, env=environment(**env)
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the last writer has closed the terminal
            break
        seen += chunk
    os.close(master)
    assert process.wait(60) == 0
    return seen.decode()


@pytest.mark.parametrize(
    ("flags", "env", "out", "err"),
    [
        ([], {}, False, False),
        ([], {"FORCE_COLOR": "1"}, False, False),
        ([], {"FORCE_COLOR": "1", "CI": "true", "GITHUB_ACTIONS": "true"}, False, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_colours_in_a_pipe(here: Path, flags: list[str], env: dict[str, str], out: bool, err: bool) -> None:
    done = call(here, "run", "in", "-o", "colours", *flags, TERM="xterm", **env)
    assert (bool(ESCAPE.search(done.stdout)), bool(ESCAPE.search(done.stderr))) == (out, err)
    assert not CURSOR.search(done.stdout + done.stderr)


def test_json_on_stdout_needs_no_other_flag(here: Path) -> None:
    done = call(here, "run", "in", "-o", "json", "--output-format", "json", FORCE_COLOR="1")
    assert json.loads(done.stdout)["metrics"]["rows.in"] == 93
    assert "stage=decode done rows_in=93 kept=93 rejected=0 seconds=" in done.stderr


def test_logs_as_json_are_an_object_a_line_also_for_errors(here: Path) -> None:
    done = call(here, "run", "in", "-o", "logs", "--log-format", "json")
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"run_started", "stage_done", "run_done"} <= {record["event"] for record in records}
    assert next(r for r in records if r.get("stage") == "check")["rejected"] == 3
    failed = call(here, "run", "nowhere", "-o", "logs", "--log-format", "json")
    assert json.loads(failed.stderr.splitlines()[-1])["id"] == "input-not-found"


def test_the_log_of_the_run_holds_the_call_and_the_times(here: Path) -> None:
    records = [json.loads(line) for line in (here / "out/logs/run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert records[0]["event"] == "run_started"
    assert records[0]["argv"][1:] == ["run", "in", "-o", "out"]
    assert records[-1]["event"] == "run_done"
    assert records[-1]["exit_code"] == 0
    assert records[-1]["peak_mb"] > 0
    parts = [(r["stage"], r["rows_in"], r["cached"]) for r in records if r["event"] == "part_done"]
    assert parts == [("decode", 93, False), ("strip", 93, False), ("check", 93, False)]
    assert {r["stage"] for r in records if r["event"] == "stage_done"} == {
        "decode",
        "strip",
        "check",
        "skew",
        "resample",
        "shard",
    }


def test_twice_quiet_is_silent_and_verbose_lists_passed_gates(here: Path) -> None:
    silent = call(here, "run", "in", "-o", "quiet", "-qq")
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    assert "PASS rows.out 90" in call(here, "gate", "out", "-v").stdout
    assert "PASS" not in call(here, "gate", "out").stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("flags", "env"), [(["--lang", "zh-CN"], {}), ([], {"LC_ALL": "zh_CN.UTF-8"}), ([], {"LANG": "zh"})]
)
def test_chinese_by_flag_or_locale(here: Path, flags: list[str], env: dict[str, str]) -> None:
    done = call(here, "run", "in", "-o", "zh", *flags, **env)
    assert "剔除原因" in done.stdout
    assert "title_short 3" in done.stdout  # reasons are never translated
    assert '<html lang="zh-CN">' in (here / "zh/report.html").read_text(encoding="utf-8")
    assert "标题过短" in call(here, "explain", "title_short", *flags, **env).stdout


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1"])
def test_a_stream_that_cannot_show_a_sign_gets_words(here: Path, encoding: str) -> None:
    done = subprocess.run(
        [CLEANSE, "run", "in", "-o", "coded", "--lang", "zh-CN"], cwd=here, capture_output=True, check=False,
        env=environment(PYTHONIOENCODING=encoding, PYTHONUTF8="0"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"ok decode" in done.stdout


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_a_locale_without_utf8_does_not_end_a_run(here: Path, locale: str) -> None:
    assert call(here, "run", "in", "-o", "locale", LC_ALL=locale).returncode == 0


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_terminal_of_any_width_shows_the_figures(here: Path, columns: int) -> None:
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", on_a_terminal(here, columns, "run", "in", "-o", "tty", TERM="xterm"))
    summary = text[text.index("cleanse 0.1.0") :].replace("\r", "")
    assert re.search(r"✓ check +93 +→ +90", summary)
    assert "PASSED · 93 in → 90 out" in " ".join(summary.split())
    assert all(len(line) <= columns for line in summary.splitlines())


def test_a_terminal_gets_a_bar_and_a_dumb_one_lines(here: Path) -> None:
    assert "\x1b[?25l" in on_a_terminal(here, 80, "run", "in", "-o", "bar", TERM="xterm")
    for more in ({"TERM": "dumb"}, {"TERM": "xterm", "CI": "true"}):
        seen = on_a_terminal(here, 80, "run", "in", "-o", "bar", "--force", **more)
        assert "\x1b[?25l" not in seen
        assert "stage=decode done" in seen


@pytest.mark.parametrize("args", [["show", "out", "-n", "90"], ["explain"], ["config", "show"], ["gate", "out", "-v"]])
def test_a_reader_that_goes_away_is_no_error(here: Path, args: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen([CLEANSE, *args], cwd=here, stdout=write, stderr=subprocess.PIPE, env=environment())
    os.close(write)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("args", "code"),
    [
        pytest.param("run in -o full", 0, id="a run"),
        pytest.param("run in -o full --progress bar", 0, id="a bar"),
        pytest.param("run in -o full --log-format json", 0, id="records"),
        pytest.param("run nowhere -o full", 3, id="an error"),
        pytest.param("run --bogus", 2, id="a mistake"),
        pytest.param("explain usage >/dev/full", 4, id="no room for the result"),
    ],
)
def test_a_log_that_is_full_does_not_change_how_a_call_ends(here: Path, args: str, code: int) -> None:
    command = f"{CLEANSE} {args} 2>/dev/full"
    assert subprocess.run(command, shell=True, cwd=here, env=environment(), check=False).returncode == code


def test_closed_streams_do_not_end_a_run(here: Path) -> None:
    done = subprocess.run(f"{CLEANSE} run in -o closed >&- 2>&-", shell=True, cwd=here, env=environment(), check=False)
    assert done.returncode == 0
    assert (here / "closed/_SUCCESS").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_between_two_parts_and_the_same_command_goes_on(here: Path, number: int, code: int) -> None:
    out = f"signal-{code}"
    args = [CLEANSE, "run", "in", "-o", out, "--workers", "1", "--set", "run.part_mb=0.25", "--progress", "plain"]
    process = subprocess.Popen(
        args, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
    )
    assert process.stderr
    process.stderr.readline()  # the survey has begun
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert "stopping after the current parts; press again to quit now" in said
    assert not (here / out / "_SUCCESS").exists()
    assert call(here, *args[1:]).returncode == 0


def test_nothing_of_the_data_is_a_workflow_command(here: Path) -> None:
    for text in ("x\n::error::y", "a ##[error]b"):
        done = call(here, "explain", text, GITHUB_ACTIONS="true")
        assert done.returncode == 2
        assert not [line for line in done.stderr.splitlines() if line.lstrip().startswith("::") or "##[" in line]
