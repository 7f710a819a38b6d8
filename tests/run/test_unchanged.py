"""A run with nothing to do is known by the state of files alone; whatever has changed is work to do."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cleanse.run.sources import find
from cleanse.run.unchanged import remember, stamp, unchanged


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A run folder, as far as it counts here, and its input."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("text")
    (tmp_path / "settings.yaml").write_text("version: 1")
    out = tmp_path / "out"
    (out / "data").mkdir(parents=True)
    (out / "data/x.parquet").write_bytes(b"rows")
    read = {source: stamp(source.path) for source in find([str(tmp_path / "in")], out, 9)}
    remember(out, "call", read, [str(tmp_path / "settings.yaml")], 9)
    (out / "run.json").write_text('{"status": "ok"}')
    (out / "_SUCCESS").touch()
    return out


def same(out: Path, call: str = "call", *, verify: bool = False) -> bool:
    return unchanged(out, call, [str(out.parent / "in")], verify=verify)


def test_the_same_call_on_the_same_files_has_nothing_to_do(ran: Path) -> None:
    assert same(ran)
    assert same(ran, verify=True)
    (ran / "logs/run.jsonl").write_text("a log grows")
    assert same(ran)


def touched(path: Path) -> None:
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda out: touched(out.parent / "in/a.txt"), id="a source is newer"),
        pytest.param(lambda out: (out.parent / "in/b.txt").touch(), id="a source more"),
        pytest.param(lambda out: (out.parent / "in/a.txt").rename(out.parent / "in/c.txt"), id="another name"),
        pytest.param(lambda out: (out.parent / "settings.yaml").write_text("version: 1 "), id="a file of the call"),
        pytest.param(lambda out: (out / "data/x.parquet").write_bytes(b"row"), id="an output is cut"),
        pytest.param(lambda out: (out / "data/x.parquet").unlink(), id="an output is gone"),
        pytest.param(lambda out: (out / "data/mine.parquet").touch(), id="a foreign file"),
        pytest.param(lambda out: (out / "run.json").unlink(), id="no manifest"),
        pytest.param(lambda out: (out / "run.json").write_text("{}"), id="no status"),
        pytest.param(lambda out: (out / "run.json").write_text('{"status": "interrupted"}'), id="a later call died"),
        pytest.param(lambda out: (out / "run.json").write_text('{"status": "error"}'), id="a later call failed"),
        pytest.param(lambda out: (out / "_SUCCESS").unlink(), id="it never ended"),
        pytest.param(lambda out: (out / "_FAILED").touch(), id="two verdicts"),
        pytest.param(lambda out: (out / "logs/call.json").write_text("{"), id="no whole memory"),
        pytest.param(lambda out: (out / "logs/call.json").write_text('{"call": "call"}'), id="not all of it"),
        pytest.param(lambda out: (out / "data/y").symlink_to("nowhere"), id="a link to nothing"),
    ],
)
def test_a_change_is_seen(ran: Path, change: Callable[[Path], object]) -> None:
    change(ran)
    assert not same(ran)


def test_a_run_that_failed_its_gate_is_whole(ran: Path) -> None:
    (ran / "run.json").write_text('{"status": "gate_failed"}')
    assert same(ran)


def test_another_call_has_work_to_do(ran: Path) -> None:
    assert not same(ran, "other")
    assert not unchanged(ran.parent / "nowhere", "call", [str(ran.parent / "in")], verify=False)


def test_a_byte_that_has_turned_is_seen_with_verify_only(ran: Path) -> None:
    (ran / "data/x.parquet").write_bytes(b"Rows")
    assert same(ran)
    assert not same(ran, verify=True)
