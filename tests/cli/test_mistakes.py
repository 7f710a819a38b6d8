"""Mistakes of config and usage: each has one message that says what, where, what was there and what to do."""

from pathlib import Path

import pytest
from commands import call

ROW = '{"title": "一个足够长的标题第一号", "正文": "' + "正文" * 30 + '", "label": "天气"}\n'
RUN = ["run", "in", "-o", "o", "--progress", "none"]
LONG = "x" * 300  # characters; more than a file system takes
CONFIG = "config-unknown-key config-type config-duplicate-key config-syntax metric-unknown gate-duplicate".split()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    for name in (".git", "in", "empty", "foreign", "reserved", "hidden"):
        (folder / name).mkdir()
    (folder / "in/a.jsonl").write_text(ROW * 3, encoding="utf-8")
    (folder / "in/b.jsonl").write_text(ROW, encoding="utf-8")
    (folder / "empty/a.jsonl").write_text("")
    (folder / "foreign/notes.txt").write_text("mine")
    (folder / "loop").symlink_to("loop")
    (folder / "reserved/a.csv").write_text("_mine,title\n1,x\n")
    (folder / "latin.yaml").write_bytes("check: {标题: 1}".encode("gbk"))
    (folder / "metrics.json").write_text('{"schema_version": 9, "metrics": {}}')
    return folder


def message(here: Path, config: str | None, args: list[str]) -> tuple[int, list[str]]:
    """Exit code, and stderr by lines without the path of the folder."""
    path = here / "cleanse.yaml"
    path.unlink(missing_ok=True)
    if config is not None:
        path.write_text(config, encoding="utf-8")
    done = call(here, *args)
    assert done.stdout == ""
    return done.returncode, done.stderr.replace(f"{here}/", "").splitlines()


GATE = "version: 1\ngates:\n  - {metric: %s}\n"
FILE = [
    ("check:\n  titel_min: 1\n", "config-unknown-key", "unknown key 'titel_min'", "cleanse.yaml:2:3", "'title_min'?"),
    ("chek: {}\n", "config-unknown-key", "unknown key 'chek'", "cleanse.yaml:1:1", "'check'?"),
    ("check:\n  title_min: ten\n", "config-type", "check.title_min: whole number, got 'ten'", "cleanse.yaml:2:3", "title_min: 10"),
    ("check:\n  title_min: -1\n", "config-type", "check.title_min: greater than or equal to 0, got -1", "cleanse.yaml:2:3", "title_min: 10"),
    ("check:\n  title_min: 61\n", "config-type", "check: title_min 61 is above title_max 60", "cleanse.yaml:1:1", None),
    ("a: 1\na: 2\n", "config-duplicate-key", "'a' is set twice", "cleanse.yaml:2:1, first at 1:1", "remove one"),
    ("check:\n\tx: 1\n", "config-syntax", "a tab cannot indent YAML", "cleanse.yaml:2:1", "use spaces"),
    ("- a\n", "config-syntax", "a config is a mapping", "cleanse.yaml:1:1", "section: then keys below it"),
    ("run: !x 1\n", "config-syntax", "tag !x is not allowed", "cleanse.yaml:1:1", "write plain values"),
    (GATE % "rows.reject_rat, max: 1", "metric-unknown", "unknown metric 'rows.reject_rat'", "cleanse.yaml:3:6", "'rows.reject_rate'?"),
    (GATE % "check.rejected.title_shrt, max: 1", "metric-unknown", "unknown metric 'check.rejected.title_shrt'", "cleanse.yaml:3:6", "'check.rejected.title_short'?"),
    (GATE % "rows.out", "config-type", "gates.0: no bound on rows.out: give one of min, max, max_increase, max_decrease, max_change", "cleanse.yaml:3:5", None),
    (GATE % "rows.out, min: 2, max: 1", "config-type", "gates.0: min 2 is above max 1", "cleanse.yaml:3:5", None),
    (GATE % "rows.out, mix: 2", "config-unknown-key", "unknown key 'mix'", "cleanse.yaml:3:24", "'min'?"),
    (GATE % "rows.out, min: 1, severity: fatal", "config-type", "gates.0.severity: 'error' or 'warn', got 'fatal'", "cleanse.yaml:3:32", None),
    (GATE % "rows.out, max_change: -1", "config-type", "gates.0.max_change: greater than or equal to 0, got -1", "cleanse.yaml:3:24", None),
    (GATE % "rows.out, min: 1}\n  - {metric: rows.out, min: 1", "gate-duplicate", "the gate on rows.out stands twice", "cleanse.yaml:4:6", "remove one"),
    ("report:\n  samples: 5001\n", "config-type", "report.samples: less than or equal to 5000, got 5001", "cleanse.yaml:2:3", "samples: 200"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "id", "what", "where", "help"), FILE)
def test_a_mistake_in_the_file(here: Path, config: str, id: str, what: str, where: str, help: str | None) -> None:
    code, lines = message(here, config, RUN)
    assert code == 2
    help = help or "cleanse config show lists all keys"
    assert lines == [f"error[{id}]: {what}", f"  --> {where}", f"  help: {help}"]


LINE = [
    (["rnu"], 2, "usage", "No such command 'rnu'.", "did you mean 'run'?"),
    ([*RUN, "--titel-col", "x"], 2, "usage", "No such option: --titel-col", "did you mean --label-col, --split-col, --title-col?"),
    (["run"], 2, "usage", "Missing argument 'inputs'.", "cleanse run --help"),
    (["show", "o", "-n", "0"], 2, "usage", "Invalid value for '-n' / '--rows': Input should be greater than or equal to 1", "cleanse show --help"),
    ([*RUN, "--set", "check"], 2, "usage", "--set check: not SECTION.KEY=VALUE", "for example --set check.title_min=8"),
    ([*RUN, "--set", "check.titel_min=1"], 2, "config-unknown-key", "unknown key 'titel_min'", "'title_min'?"),
    ([*RUN, "--write", "xml=a"], 2, "write-format", "--write xml=a: not FORMAT=PATH", "FORMAT: one of text, json, github, junit, markdown"),
    ([*RUN, "--baseline", "nowhere"], 3, "no-baseline", "nowhere is no baseline", "give a run folder or a metrics.json"),
    ([*RUN, "--baseline", "metrics.json"], 3, "no-baseline", "metrics.json is no baseline", "give a run folder or a metrics.json"),
    ([*RUN, "-c", "none.yaml"], 3, "config-unreadable", "cannot read none.yaml: No such file or directory", "check --config"),
    ([*RUN, "-c", "latin.yaml"], 2, "config-syntax", "the file is not UTF-8", "save it as UTF-8"),
    ([*RUN, "--workers", "0"], 2, "config-type", "run.workers: greater than or equal to 1, got 0", 'workers: "auto"'),
    ([*RUN, "--encoding", "gbx"], 2, "config-type", "decode: unknown encoding 'gbx'; did you mean 'gbk'?", None),
    (["run", "x/*.csv", "-o", "o", "--progress", "none"], 3, "input-not-found", "no file matches 'x/*.csv'", "check the path"),
    (["run", "empty", "-o", "o", "--progress", "none"], 3, "input-empty", "no record in the input: every file is empty", "check the path, or pass --allow-empty"),
    ([*RUN, "--body-col", "body"], 3, "column-missing", "no column 'body' in a.jsonl", "--body-col with one of them"),
    ([*RUN, "--group-col", "site"], 3, "column-missing", "no column 'site' in a.jsonl", "--group-col with one of them"),
    ([*RUN, "--tokens-col", "n"], 3, "column-missing", "no column 'n' in a.jsonl", "--tokens-col with one of them"),
    (["run", "reserved", "-o", "o", "--progress", "none"], 3, "column-reserved", "column '_mine' in a.csv: a leading _ is cleanse's own", "rename it before the run"),
    (["run", "in", "-o", "foreign", "--progress", "none"], 2, "out-not-empty", "foreign holds 1 file cleanse did not write", "choose another --out"),
    (["run", "in", "-o", "in/o", "--progress", "none"], 2, "out-in-input", "in/o and in lie in each other", "choose another --out"),
    (["run", "", "-o", "o"], 2, "usage", "an empty path", "name a file or a folder; was a variable not set?"),
    (["run", "in", "-o", ""], 2, "usage", "an empty path", "name a file or a folder; was a variable not set?"),
    (["strip", "", "-o", "o"], 2, "usage", "an empty path", "name a file or a folder; was a variable not set?"),
    (["run", "in", "-o", "s3://"], 2, "uri-invalid", "s3:// names no bucket", "s3://BUCKET/PATH"),
    (["run", "loop", "-o", "o", "--progress", "none"], 3, "input-unreadable", "cannot read loop", "check permissions and file types"),
    (["run", LONG, "-o", "o", "--progress", "none"], 3, "input-unreadable", f"cannot read {LONG}: File name too long", "check the path"),
    (["show", "foreign"], 3, "not-a-run", "foreign is no finished run", "cleanse run INPUT -o OUT makes one"),
    (["gate", "nowhere"], 3, "not-a-run", "nowhere is no finished run", "cleanse run INPUT -o OUT makes one"),
    (["show", "foreign", "--status"], 3, "not-a-run", "foreign is no finished run", "cleanse run INPUT -o OUT makes one"),
    (["explain", "title_shrt"], 2, "explain-unknown", "no reason and no error is called 'title_shrt'", "'title_short'?"),
    (["check", "in", "-o", "o", "--progress", "none"], 3, "input-empty", "no Parquet file in in", "begin with: cleanse decode INPUT… -o DIR"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "code", "id", "what", "help"), LINE)
def test_a_mistake_on_the_command_line(
    here: Path, args: list[str], code: int, id: str, what: str, help: str | None
) -> None:
    got, lines = message(here, None, args)
    assert (got, lines[0]) == (code, f"error[{id}]: {what}")
    assert lines[-1] == f"  help: {help or 'cleanse config show lists all keys'}"
    assert len(lines) <= 4
    assert (here / "foreign/notes.txt").read_text() == "mine"


def test_a_fault_stands_where_it_was_typed(here: Path) -> None:
    args = [*RUN, "--seed", "x", "--label-col", "3", "--set", "decode.limit=-1"]
    assert [line.strip() for line in message(here, None, args)[1] if "-->" in line] == [
        "--> --seed",
        "--> --set decode.limit",
    ]


def test_many_faults_are_counted_beyond_twelve_lines(here: Path) -> None:
    config = "check:\n" + "".join(f"  x{i}: 1\n" for i in range(20))
    _, lines = message(here, config, RUN)
    assert len(lines) <= 13
    assert lines[-1] == "and 17 more"


def test_a_config_file_is_not_read_with_isolated(here: Path) -> None:
    assert message(here, "chek: 1\n", ["explain", "nothing", "--isolated"])[1][0].startswith("error[explain-unknown]")


def test_an_error_that_comes_while_packages_load_is_told_without_a_traceback(tmp_path: Path) -> None:
    rows = "".join(f'{{"title": "第{i}条足够长的标题", "body": "{"正文" * 30}{i}", "label": "a"}}\n' for i in range(30))
    (tmp_path / "a.jsonl").write_text(rows, encoding="utf-8")
    assert call(tmp_path, "decode", "a.jsonl", "-o", "d").returncode == 0
    done = call(tmp_path, "resample", "d", "-o", "r", "--all-train", "--method", "smote", "--features", "svd")
    assert done.returncode == 3
    assert "resample-one-class" in done.stderr
    assert "Traceback" not in done.stderr
