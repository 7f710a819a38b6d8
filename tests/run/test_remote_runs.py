"""Input and output on a store that speaks S3: the same bytes as on a disk, after any death; errors in words."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import call
from runs import GIVEN, usual
from s3_server import KEYS, Store

from cleanse.cli import again
from cleanse.cli.progress import recording
from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError, InputError, MachineError
from cleanse.report import conclude
from cleanse.run import leases, manifest
from cleanse.run.finished import finished
from cleanse.run.places import place
from cleanse.settings import CheckSettings, Settings

CLOCKED = ("logs/run.jsonl", "logs/call.json", "report.html")  # hold times or what only this machine knows
SETS = ["resample.method=under", "resample.target=ratio:0.5", "resample.all_train=true", "run.part_mb=0.25"]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on a disk, of the same files."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "in").mkdir()
    for name, text in usual().items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    assert run(folder / "in", folder / "out") == 0
    return folder


def run(given: object, out: object, *sets: str, **more: Any) -> int:
    asked = {**GIVEN, "run__verify": None, "set_": [*SETS, *sets], "with_report": True, **more}
    asked |= {"inputs": [str(given)], "out": place(str(out))}
    return again.run(asked, Screen(asked, {}))


def on_disk(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def same(found: dict[str, bytes], wanted: dict[str, bytes]) -> bool:
    assert found.keys() == wanted.keys()
    return {k: v for k, v in found.items() if k not in CLOCKED} == {k: v for k, v in wanted.items() if k not in CLOCKED}


def test_shares_find_there_what_the_others_have_found(s3: Store, local: Path) -> None:
    for part in ("1/2", "2/2"):
        assert run(local / "in", s3.uri("bucket/shares"), part=part) == 0
    kept = {name: text for name, text in s3.objects("bucket/shares").items() if name.startswith("stages/surveys/")}
    assert kept
    assert not any(KEYS["AWS_SECRET_ACCESS_KEY"].encode() in text for text in kept.values())
    assert run(local / "in", s3.uri("bucket/shares")) == 0
    assert same(s3.objects("bucket/shares"), on_disk(local / "out"))


@pytest.mark.parametrize(("is_far", "out_is_far"), [(True, True), (True, False), (False, True)])
def test_the_bytes_are_those_of_a_local_run(
    s3: Store, local: Path, tmp_path: Path, is_far: bool, out_is_far: bool
) -> None:
    given, out = s3.uri("bucket/in") if is_far else local / "in", s3.uri("bucket/o1") if out_is_far else tmp_path / "o1"
    assert run(given, out) == 0
    found = s3.objects("bucket/o1") if out_is_far else on_disk(tmp_path / "o1")
    assert same(found, on_disk(local / "out"))
    assert not [name for name, content in found.items() if b"s3cr3t" in content or b"endpoint_override" in content]
    s3.files.delete_dir_contents("bucket/o1", missing_dir_ok=True)


def test_the_log_tells_how_the_run_went(s3: Store) -> None:
    assert run(s3.uri("bucket/in"), s3.uri("bucket/o2")) == 0
    log = s3.read("bucket/o2/logs/run.jsonl").decode()
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert (events[0], events[-1], events.count("stage_done")) == ("run_started", "run_done", 6)


def test_the_log_is_whole_when_a_call_ends_early(s3: Store) -> None:
    log, screen = place(s3.uri("bucket/early/run.jsonl")), Screen(GIVEN, {})
    s3.puts = []
    with pytest.raises(InputError), recording(screen, log) as recorder:  # noqa: PT012  # it is left half way
        recorder.record("claimed")
        recorder.record("tasks_started", work="carry", tasks=2)
        recorder.record("worker_died")
        assert len(s3.puts) == 1
        raise InputError("input-changed", "a.csv changed", "run again")
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert (events, len(s3.puts)) == (["run_started", "claimed", "tasks_started", "worker_died"], 2)


def test_a_run_with_nothing_to_do_writes_nothing(s3: Store) -> None:
    uri = s3.uri("bucket/in")
    assert run(uri, s3.uri("bucket/o3")) == 0
    before, s3.puts = s3.objects("bucket/o3"), []
    assert run(uri, s3.uri("bucket/o3")) == 0
    assert run(uri, s3.uri("bucket/o3"), run__verify=True) == 0
    assert s3.puts == []
    s3.write("bucket/in/b.csv", usual()["b.csv"].replace("财经", "教育").encode())
    assert run(uri, s3.uri("bucket/o3")) == 0
    assert s3.objects("bucket/o3") != before
    s3.write("bucket/in/b.csv", usual()["b.csv"].encode())


def test_what_verify_finds_damaged_is_made_again(s3: Store, local: Path) -> None:
    assert run(s3.uri("bucket/in"), s3.uri("bucket/o4")) == 0
    (name,) = (name for name in s3.sizes("bucket/o4") if name.startswith("stages/3-check/kept/"))
    s3.write(f"bucket/o4/{name}", bytes(s3.sizes("bucket/o4")[name]))
    assert run(s3.uri("bucket/in"), s3.uri("bucket/o4"), run__verify=True) == 0
    assert same(s3.objects("bucket/o4"), on_disk(local / "out"))


@pytest.mark.parametrize("write", [1, 2, 3, 9, 14, 23, 38, 62])
def test_a_run_goes_on_after_a_put_that_died_half_way(
    s3: Store, local: Path, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    out = f"bucket/dead{write}"
    s3.puts, s3.dies_at = [], write
    with pytest.raises(MachineError) as caught:
        run(s3.uri("bucket/in"), s3.uri(out))
    assert caught.value.id == "remote-failed"
    s3.puts, s3.dies_at = [], None
    monkeypatch.setattr(leases, "STALE", -1.0)  # ten minutes later
    done = {f"{out}/{name}" for name in s3.sizes(out) if "/markers/part-" in name}
    assert done or write < 14
    assert run(s3.uri("bucket/in"), s3.uri(out)) == 0
    assert same(s3.objects(out), on_disk(local / "out"))
    assert not done & set(s3.puts)


def test_a_stage_command_reads_and_writes_there(s3: Store, local: Path) -> None:
    steps = [("decode", "bucket/in"), ("strip", "bucket/s/decode"), ("check", "bucket/s/strip")]
    for name, given in steps:
        done = call(local, name, s3.uri(given), "-o", s3.uri(f"bucket/s/{name}"), "--isolated", **KEYS)
        assert (done.returncode, done.stderr.count("s3cr3t")) == (0, 0), done.stderr
    found = s3.objects("bucket/s/check")
    local_parts = on_disk(local / "out/stages/3-check")
    parts = [name for name in local_parts if name.startswith(("kept/", "rejected/"))]
    assert parts
    assert [name for name in parts if found[name] != local_parts[name]] == []
    (local / "near").mkdir()
    done = call(local, "check", s3.uri("bucket/s/strip"), "-o", "near/check", "--isolated", **KEYS)
    assert done.returncode == 0, done.stderr
    assert (local / "near/check/kept/part-00000.parquet").read_bytes() == found["kept/part-00000.parquet"]


def test_two_workers_and_those_who_read_a_run(s3: Store, local: Path) -> None:
    sets = [word for each in SETS for word in ("--set", each)]
    out, here = s3.uri("bucket/o5"), local / "out"
    done = call(local, "run", s3.uri("bucket/in"), "-o", out, "--isolated", "--workers", "2", *sets, **KEYS)
    assert done.returncode == 0, done.stderr
    assert "report s3://bucket/o5/report.html" in done.stdout
    assert {n: c for n, c in s3.objects("bucket/o5").items() if n.startswith(("data/", "rejects/"))} == {
        n: c for n, c in on_disk(here).items() if n.startswith(("data/", "rejects/"))
    }
    for command in (
        ["diff", str(here), out],
        ["gate", out, "--isolated", "--baseline", out],
        ["report", out, "--isolated", "--html", s3.uri("bucket/page/report.html")],
        ["show", out, "--reason", "title_short", "--output-format", "json"],
        ["show", out, "--status"],
    ):
        done = call(local, *command, **KEYS)
        assert done.returncode == 0, (command, done.stderr)
        assert "s3cr3t" not in done.stdout + done.stderr
        if command[0] == "show":
            assert re.search("title_short|run_done", done.stdout)
        if command[0] == "diff":
            assert done.stdout == "no difference\n"
    assert b"<html" in s3.read("bucket/page/report.html")
    assert b"s3cr3t" not in s3.read("bucket/o5/gate.json")


def test_no_manifest_holds_a_secret() -> None:
    settings = Settings(
        check=CheckSettings(roles_from="s3://k:s3cr3t@b/roles.json"), baseline="s3://k:s3cr3t@b/last?region=x"
    )
    assert manifest.head(settings)["settings"]["baseline"] == "s3://b/last"
    assert manifest.stage_head("check", settings)["settings"]["check"]["roles_from"] == "s3://b/roles.json"


def test_output_in_the_input_is_refused(s3: Store) -> None:
    for given, out in (("bucket/in", "bucket/in/out"), ("bucket/in", "bucket/in"), ("bucket/in/a.jsonl", "bucket/in")):
        with pytest.raises(ConfigError, match="lie in each other") as caught:
            run(s3.uri(given), f"s3://{out}?endpoint_override=127.0.0.1:{s3.port}&scheme=http")
        assert "s3cr3t" not in str(caught.value)


def test_a_missing_bucket_is_told_before_any_work(s3: Store) -> None:
    with pytest.raises(MachineError, match="cannot write s3://no-such-bucket/out: there is no such bucket"):
        run(s3.uri("bucket/in"), s3.uri("no-such-bucket/out"))


def test_foreign_files_are_left_alone(s3: Store) -> None:
    s3.write("bucket/o6/notes.txt", b"mine")
    with pytest.raises(ConfigError, match="s3://bucket/o6 holds 1 file cleanse did not write"):
        run(s3.uri("bucket/in"), s3.uri("bucket/o6"))
    assert s3.objects("bucket/o6") == {"notes.txt": b"mine"}


def test_who_is_not_let_in_is_told_so(s3: Store, local: Path) -> None:
    s3.denies = True
    with pytest.raises(InputError, match="cannot read s3://bucket/in: access denied"):
        run(s3.uri("bucket/in"), s3.uri("bucket/o7"))
    with pytest.raises(MachineError, match="cannot write s3://bucket/o7: access denied"):
        run(local / "in", s3.uri("bucket/o7"))


def test_who_reads_a_run_is_told_so_too(s3: Store) -> None:
    s3.denies = True
    with pytest.raises(InputError, match="s3://bucket/o1 is no finished run\n  found: access denied"):
        finished(place(s3.uri("bucket/o1")))
    with pytest.raises(InputError, match="s3://bucket/o1 is no baseline\n  found: access denied"):
        conclude.read_baseline(s3.uri("bucket/o1"))
