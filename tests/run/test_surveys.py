"""Calls that make shares of a run look at each source once, and never take over what no longer holds."""

import hashlib
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cleanse.errors import InputError
from cleanse.run import manifest, owned, sources, surveys
from cleanse.run.engines.local import Inline
from cleanse.run.events import silent
from cleanse.run.extent import WHOLE, Extent
from cleanse.run.sources import Source
from cleanse.run.whole import whole
from cleanse.settings import ColumnSettings, ResampleSettings, RunSettings, Settings

RUN = RunSettings(workers=1, part_mb=0.25)
SETTINGS = Settings(run=RUN, resample=ResampleSettings("none"))
NAMES = [f"{letter}.csv" for letter in "abcdef"]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Six tables, two of them to a group."""
    folder = tmp_path / "raw"
    folder.mkdir()
    for name in NAMES:
        rows = (f"第{i}天公园散步的小小记录,{'今天天气很好。' * 40},天气\n" for i in range(140))
        (folder / name).write_text("标题,正文,标签\n" + "".join(rows), encoding="utf-8")
    return folder


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the sources that were looked at, as they are."""
    names, before = list[str](), surveys._examined

    def examined(source: Source, *more: Any) -> surveys.Planned:
        names.append(source.name)
        return before(source, *more)

    monkeypatch.setattr(surveys, "_examined", examined)
    return names


def run(raw: Path, out: Path, settings: Settings = SETTINGS, extent: Extent = WHOLE) -> None:
    with whole([str(raw)], out, settings, silent, extent=extent) as ran:
        if ran.manifest:
            manifest.seal(out, ran.manifest.as_json(), 0)


def results(out: Path) -> dict[str, bytes]:
    files = [*out.glob("data/*"), *out.glob("rejects/*"), out / "run.json", out / "stages/plan.json"]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def kept(out: Path) -> list[Path]:
    return sorted((out / owned.SURVEYS).glob("*"))


def test_shares_of_a_run_look_at_each_source_once(raw: Path, tmp_path: Path, looked: list[str]) -> None:
    run(raw, tmp_path / "whole")
    looked.clear()
    out = tmp_path / "out"
    for k in (2, 1, 3):
        run(raw, out, extent=Extent(share=(k, 3)))
    run(raw, out)
    assert sorted(looked) == NAMES
    assert looked[:2] == NAMES[2:4]  # its own share comes first
    assert results(out) == results(tmp_path / "whole")
    assert not kept(out)


def test_a_run_by_one_call_leaves_no_surveys(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "out", extent=Extent(last="check"))
    assert not (tmp_path / "out" / owned.SURVEYS).exists()


@pytest.mark.parametrize("share", [(1, 1), (1, 2), (2, 2), (3, 4), (7, 9)])
def test_the_order_of_sources_is_that_of_a_run(raw: Path, share: tuple[int, int]) -> None:
    found = surveys.surveyed(sources.find([str(raw)], None, 9), SETTINGS, Inline(), None, share)
    assert [planned.source.name for planned in found] == NAMES


def test_a_source_that_has_changed_is_looked_at_again(raw: Path, tmp_path: Path, looked: list[str]) -> None:
    out = tmp_path / "out"
    run(raw, out, extent=Extent(share=(1, 2)))
    with (raw / "c.csv").open("a", encoding="utf-8") as file:
        file.write("短,今天,天气\n")
    looked.clear()
    run(raw, out)
    assert looked == NAMES[2:4]
    run(raw, tmp_path / "whole")
    assert results(out) == results(tmp_path / "whole")


@pytest.mark.parametrize(
    ("settings", "extent"),
    [
        (replace(SETTINGS, run=replace(RUN, verify=True)), WHOLE),
        (SETTINGS, Extent(force=True)),
        (replace(SETTINGS, columns=ColumnSettings(title="正文", body="标题")), WHOLE),
    ],
    ids=["verify", "force", "other settings"],
)
def test_what_was_found_is_not_always_taken_over(
    raw: Path, tmp_path: Path, looked: list[str], settings: Settings, extent: Extent
) -> None:
    run(raw, tmp_path / "out", extent=Extent(share=(1, 2)))
    looked.clear()
    run(raw, tmp_path / "out", settings, extent)
    assert looked == NAMES


class _Evil:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, ("evil",)


def _sealed(data: bytes) -> bytes:
    return hashlib.sha256(data).digest() + data


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[:40] + b"?" + data[41:],
        lambda data: _sealed(pickle.dumps(_Evil())),
        lambda data: _sealed(b"ccleanse.run.store\ncommit\n."),
        lambda data: _sealed(b"no pickle"),
    ],
    ids=["empty", "cut off", "damaged", "a call of another module", "a function of ours", "something else"],
)
def test_a_survey_that_is_none_is_made_again(
    raw: Path, tmp_path: Path, looked: list[str], monkeypatch: pytest.MonkeyPatch, spoil: Callable[[bytes], bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    run(raw, tmp_path / "out", extent=Extent(share=(1, 2)))
    first = kept(tmp_path / "out")[0]
    first.write_bytes(spoil(first.read_bytes()))
    looked.clear()
    run(raw, tmp_path / "out", extent=Extent(share=(2, 2)))
    assert len(looked) == 2
    assert not (tmp_path / "evil").exists()


def test_a_folder_with_surveys_alone_is_nobody_elses(raw: Path, tmp_path: Path) -> None:
    wrong = replace(SETTINGS, columns=ColumnSettings(body="nowhere"))
    with pytest.raises(InputError, match="column-missing"):
        run(raw, tmp_path / "out", wrong, Extent(share=(1, 2)))
    assert kept(tmp_path / "out")
    run(raw, tmp_path / "out")
    assert (tmp_path / "out/_SUCCESS").exists()


def test_no_password_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("标题,正文\n" + "天气,很好\n" * 9, encoding="utf-8")
    (source,) = sources.find([str(tmp_path / "a.csv")], None, 9)
    task = surveys.Survey((replace(source, path="s3://key:secret@bucket/a.csv"),), SETTINGS, str(tmp_path))
    found = surveys.examine(surveys.Survey((source,), SETTINGS))
    monkeypatch.setattr(surveys, "_examined", lambda source, *more: replace(found[0], source=source))
    monkeypatch.setattr(surveys, "stamp", lambda path: (1, 2, 3))
    assert surveys.examine(task) == surveys.examine(task)
    (written,) = (path for path in tmp_path.iterdir() if path.suffix == "")
    assert b"secret" not in written.read_bytes()


def test_what_changed_while_it_was_looked_at_is_not_kept(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = surveys._examined

    def touching(source: Source, *more: Any) -> surveys.Planned:
        planned = before(source, *more)
        os.utime(source.path, ns=(0, 0))
        return planned

    monkeypatch.setattr(surveys, "_examined", touching)
    surveys.surveyed(sources.find([str(raw)], None, 9), SETTINGS, Inline(), tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
