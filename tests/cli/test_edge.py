"""What an exception of a task becomes at the edge: a message, an exit code, a crash file without data."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from deeds import Deed, PanicError, do

from cleanse.cli.edge import guarded
from cleanse.cli.screen import Screen
from cleanse.errors import MachineError
from cleanse.run.engines.local import Processes
from cleanse.run.engines.supervisor import Supervised
from cleanse.run.store import writing

GIVEN: dict[str, Any] = {
    "quiet": 0,
    "verbose": 0,
    "color": "never",
    "progress": "none",
    "log_format": "text",
    "lang": "en",
}


@pytest.mark.parametrize(
    ("errno", "code", "id"),
    [
        pytest.param(28, 4, "disk-full", id="no space"),
        pytest.param(24, 4, "open-files", id="too many open files"),
        pytest.param(12, 4, "no-memory", id="no memory"),
        pytest.param(11, 70, "bug", id="a stream that does not wait"),
        pytest.param(5, 70, "bug", id="any other"),
    ],
)
def test_an_errno_of_the_machine_is_exit_4(errno: int, code: int, id: str, capsys: pytest.CaptureFixture[str]) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        raise OSError(errno, "what the system says")

    assert guarded(body, GIVEN) == code
    assert f"error[{id}]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "bug",
    [
        OSError("Too many open files (os error 24)"),
        RuntimeError(
            'PanicException: called on an Err value: Os { code: 24, kind: Uncategorized, message: "Too many" }'
        ),
    ],
    ids=["of polars", "a panic"],
)
def test_a_number_in_the_text_of_an_error_is_its_errno(bug: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        raise bug

    assert guarded(body, GIVEN) == 4
    assert "error[open-files]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("errno", "id"), [(28, "disk-full"), (24, "open-files"), (13, "out-not-writable"), (5, "out-not-writable")]
)
def test_what_hinders_writing_is_told_by_its_errno(errno: int, id: str, tmp_path: Path) -> None:
    with pytest.raises(MachineError) as caught, writing(tmp_path):
        raise OSError(errno, "what the system says")
    assert caught.value.id == id


def test_a_thread_that_cannot_begin_is_exit_4(capsys: pytest.CaptureFixture[str]) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        raise RuntimeError("can't start new thread")

    assert guarded(body, GIVEN) == 4
    assert "error[no-processes]" in capsys.readouterr().err


def test_a_panic_for_lack_of_memory_is_exit_4(capsys: pytest.CaptureFixture[str]) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        raise PanicError

    assert guarded(body, GIVEN) == 4
    assert "error[no-memory]" in capsys.readouterr().err


def test_the_crash_file_shows_where_in_a_worker_it_was_and_no_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        engine = Supervised(Processes(2))
        try:
            engine.map(do, [Deed(n, str(tmp_path), "value error") for n in range(2)], lambda done: None)
        finally:
            engine.close()
        return 0

    (tmp_path / "logs").mkdir()
    assert guarded(body, {**GIVEN, "out": tmp_path}) == 70
    (path,) = re.findall(r"--> (\S+)", capsys.readouterr().err)
    text = Path(path).read_text()
    assert ", in act\n" in text
    assert "ValueError: final" not in text


def test_a_crash_without_room_for_its_file_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(given: Mapping[str, Any], screen: Screen) -> int:
        raise ValueError

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert guarded(body, GIVEN) == 70
    assert capsys.readouterr().err == "error[bug]: ValueError in cleanse\n  help: report it\n"
