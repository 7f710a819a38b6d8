"""What is done is not done again, after any death and by any call; what has changed is; the bytes are the same."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from cleanse.errors import CleanseError, ConfigError, MachineError
from cleanse.run import commands, locks, manifest, owned
from cleanse.run.events import silent
from cleanse.run.extent import WHOLE, Extent
from cleanse.run.whole import whole
from cleanse.settings import CheckSettings, ResampleSettings, RunSettings, Settings, ShardSettings
from cleanse.stages import ORDER

RUN = RunSettings(workers=1, part_mb=0.25)
SETTINGS = Settings(
    run=RUN, resample=ResampleSettings("under", "ratio:0.5", all_train=True), shard=ShardSettings(count=2)
)


class Death(BaseException):
    """Somebody pulled the plug."""


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Two tables of two parts in all, and a row that is none."""
    folder = tmp_path / "raw"
    folder.mkdir()
    for name, label in (("a", "天气"), ("b", "体育")):
        rows = [
            f"第{i}天公园散步的小小记录,<p>{'今天天气很好。' * (70 + i % 5)}</p>,{label if i % 3 else '财经'}\n"
            for i in range(180)
        ]
        text = "标题,正文,标签\n" + "".join(rows) + "只有,两格\n"
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def run(raw: Path, out: Path, settings: Settings = SETTINGS, extent: Extent = WHOLE) -> None:
    with whole([str(raw)], out, settings, silent, extent=extent) as ran:
        if ran.manifest:
            manifest.seal(out, ran.manifest.as_json(), 0)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def ages(out: Path, pattern: str) -> dict[str, tuple[int, int]]:
    """When each file was written: a file that is made again is another one."""
    return {p.relative_to(out).as_posix(): (p.stat().st_ino, p.stat().st_mtime_ns) for p in sorted(out.glob(pattern))}


@pytest.fixture
def dies(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Die at the n-th file that gets its name."""

    def after(n: int) -> None:
        left, real = [n], Path.replace

        def rename(self: Path, target: Path) -> Path:
            left[0] -= 1
            if left[0] < 0:
                raise Death
            return real(self, target)

        monkeypatch.setattr(Path, "replace", rename)

    return after


def test_a_death_at_any_file_costs_nothing(
    raw: Path, tmp_path: Path, dies: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(raw, tmp_path / "whole")
    want, n = contents(tmp_path / "whole"), 0
    while True:
        out = tmp_path / f"at-{n}"
        dies(n)
        try:
            run(raw, out)
        except Death:
            monkeypatch.undo()
            run(raw, out)
            assert contents(out) == want, n
            n += 1
            continue
        break
    assert n > 60  # every file of the run was once the last


def test_a_death_at_the_start_leaves_nothing_that_looks_whole(
    raw: Path, tmp_path: Path, dies: Callable[[int], None]
) -> None:
    run(raw, tmp_path / "out")
    dies(0)
    with pytest.raises(Death):
        owned.claim(tmp_path / "out", "run.json", manifest.head(SETTINGS))
    assert not (tmp_path / "out/_SUCCESS").exists()


def test_a_second_run_makes_no_part_again(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out)
    tables = ("stages/[1236]*/kept/*.parquet", "stages/*/markers/*.json", "data/*.parquet")
    before = [ages(out, pattern) for pattern in tables]
    run(raw, out)
    assert [ages(out, pattern) for pattern in tables] == before
    assert all(before)


@pytest.mark.parametrize(
    ("change", "stays", "goes"),
    [
        pytest.param({"check": CheckSettings(title_min=11)}, [1, 2], [3], id="a rule of check"),
        pytest.param({"run": replace(RUN, seed=7)}, [1, 2, 3], [5], id="the seed"),
        pytest.param({"run": replace(RUN, workers=2)}, [1, 2, 3], [], id="workers"),
        pytest.param({"run": replace(RUN, row_group_mb=1)}, [], [1, 2, 3], id="row groups"),
    ],
)
def test_a_setting_costs_what_depends_on_it(
    raw: Path, tmp_path: Path, change: dict[str, object], stays: list[int], goes: list[int]
) -> None:
    run(raw, tmp_path / "out")
    numbers = [*stays, *goes]
    before = {n: ages(tmp_path / "out", f"stages/{n}-*/kept/*") for n in numbers}
    changed = replace(SETTINGS, **change)  # type: ignore[arg-type]  # a section by its name
    run(raw, tmp_path / "out", changed)
    after = {n: ages(tmp_path / "out", f"stages/{n}-*/kept/*") for n in numbers}
    assert [n for n in numbers if before[n] == after[n]] == stays
    run(raw, tmp_path / "fresh", changed)
    assert contents(tmp_path / "out") == contents(tmp_path / "fresh")


def test_only_parts_of_a_changed_source_are_made_again(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out, replace(SETTINGS, run=replace(RUN, part_mb=0.25)))
    before = ages(out, "stages/1-decode/kept/*")
    with (raw / "b.csv").open("a", encoding="utf-8") as file:
        file.write("又一个足够长的标题第一号," + "正文" * 40 + ",体育\n")
    run(raw, out)
    after = ages(out, "stages/1-decode/kept/*")
    assert len(before) > 1
    assert before["stages/1-decode/kept/part-00000.parquet"] == after["stages/1-decode/kept/part-00000.parquet"]
    run(raw, tmp_path / "fresh")
    assert contents(out) == contents(tmp_path / "fresh")


@pytest.mark.parametrize("where", ["stages/1-decode/kept", "stages/2-strip/kept", "stages/3-check/rejected", "data"])
def test_a_file_that_is_cut_short_is_made_again(raw: Path, tmp_path: Path, where: str) -> None:
    out = tmp_path / "out"
    run(raw, out)
    want = contents(out)
    first = sorted((out / where).glob("*.parquet"))[0]
    os.truncate(first, first.stat().st_size - 1)
    run(raw, out)
    assert contents(out) == want


def test_a_byte_that_has_turned_is_seen_with_verify_only(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out)
    want, part = contents(out), out / "stages/2-strip/rejected/part-00000.parquet"
    data = bytearray(part.read_bytes())
    data[-1] ^= 1
    part.write_bytes(data)
    run(raw, out, replace(SETTINGS, run=replace(RUN, verify=True)))
    assert contents(out) == want


def test_force_makes_all_anew(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out)
    before = ages(out, "stages/1-decode/kept/*")
    run(raw, out, extent=Extent(force=True))
    assert not before.items() & ages(out, "stages/1-decode/kept/*").items()


def test_shares_of_a_run_add_up_to_it(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "whole")
    out = tmp_path / "out"
    for k in (2, 1, 1):  # the last finds all parts there, and goes on behind the first pause
        run(raw, out, extent=Extent(share=(k, 2)))
    assert not (out / "_SUCCESS").exists()
    before = ages(out, "stages/[12]-*/kept/*")
    run(raw, out)
    assert ages(out, "stages/[12]-*/kept/*") == before
    assert {k: v for k, v in contents(out).items() if k != ".lock"} == contents(tmp_path / "whole")


def test_what_is_of_the_whole_corpus_waits_for_the_call_without_a_share(raw: Path, tmp_path: Path) -> None:
    out, smote = tmp_path / "out", ResampleSettings("smote", all_train=True, features="svd", svd_dim=4)
    settings = replace(SETTINGS, resample=smote)
    for k in (1, 2, 1, 2, 1):  # decode and strip, check, and once more
        run(raw, out, settings, Extent(share=(k, 2)))
    assert (out / "stages/4-skew/stage.json").exists()
    assert not list(out.glob("stages/5-resample/*/*"))
    run(raw, out, settings)
    assert list(out.glob("stages/5-resample/vectors/synthetic-*"))


@pytest.mark.parametrize("last", ORDER)
def test_a_run_in_two_steps_is_the_run(raw: Path, tmp_path: Path, last: str) -> None:
    run(raw, tmp_path / "whole")
    out = tmp_path / "out"
    run(raw, out, extent=Extent(last=last))
    assert (out / "_SUCCESS").exists() == (last == "shard")
    assert (out / "stages").exists()
    run(raw, out)
    assert contents(out) == contents(tmp_path / "whole")


def test_from_makes_a_stage_anew_where_those_before_are_whole(raw: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", replace(SETTINGS, decode=replace(SETTINGS.decode, max_join_lines=3))
    with pytest.raises(ConfigError, match="from-unfinished"):
        run(raw, out, extent=Extent("check"))
    run(raw, out)
    before = ages(out, "stages/[12]-*/kept/*"), ages(out, "stages/3-*/kept/*")
    with pytest.raises(ConfigError, match="from-unfinished"):
        run(raw, out, other, Extent("check"))
    run(raw, out, SETTINGS, Extent("check"))
    assert ages(out, "stages/[12]-*/kept/*") == before[0]
    assert not ages(out, "stages/3-*/kept/*").items() & before[1].items()


@pytest.mark.parametrize("name", ["strip", "check", "skew", "resample"])
def test_a_stage_that_is_skipped_passes_all_rows_on(
    raw: Path, tmp_path: Path, name: Literal["strip", "check", "skew", "resample"]
) -> None:
    run(raw, tmp_path / "out")
    run(raw, tmp_path / "out", replace(SETTINGS, run=replace(RUN, skip=(name,))))
    tree = json.loads((tmp_path / "out/run.json").read_text())
    (entry,) = (e for e in tree["entries"] if e["stage"] == name)
    assert (entry["rows_in"], entry["rejected"]) == (entry["kept"], {})
    assert not list((tmp_path / "out/stages").glob(f"?-{name}/*.parquet"))


@pytest.mark.parametrize(("limit", "rows"), [(1, 2), (2, 4), (180, 360), (181, 362), (5000, 362)])
def test_a_limit_holds_for_each_source(raw: Path, tmp_path: Path, limit: int, rows: int) -> None:
    settings = replace(SETTINGS, decode=replace(SETTINGS.decode, limit=limit))
    commands.stage("decode", [str(raw)], tmp_path / "out", settings, silent)
    kept = pl.read_parquet(tmp_path / "out/kept/*.parquet")
    assert (kept.height, kept["_record"].max()) == (rows, min(limit, 181))


def test_a_folder_in_use_is_locked_and_free_again_at_the_end(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with locks.locked(out):
        with pytest.raises(MachineError, match="out-locked") as refused:
            commands.stage("decode", [str(raw)], tmp_path / "out", SETTINGS, silent)
        assert str(os.getpid()) in refused.value.found
    assert not out.exists()  # nothing was written
    with locks.locked(out, shared=True), locks.locked(out, shared=True), pytest.raises(MachineError):
        locks.locked(out).__enter__()


def test_a_lock_dies_with_its_holder(tmp_path: Path) -> None:
    code = "import sys, time; from pathlib import Path; from cleanse.run.locks import locked\n"
    code += f"with locked(Path({str(tmp_path / 'out')!r})): print('held', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(MachineError):
        locks.locked(tmp_path / "out").__enter__()
    holder.kill()
    holder.wait()
    holder.stdout.close()
    with locks.locked(tmp_path / "out"):
        pass


def test_a_run_that_ends_in_an_error_says_so(raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out/stages").mkdir(parents=True)
    with pytest.raises(CleanseError), whole([str(raw)], tmp_path / "out", SETTINGS, silent):
        raise MachineError("disk-full", "no space", "another disk")
    tree = json.loads((tmp_path / "out/run.json").read_text())
    assert (tree["status"], tree["exit_code"]) == ("error", 4)
    with pytest.raises(ZeroDivisionError), whole([str(raw)], tmp_path / "out", SETTINGS, silent):
        raise ZeroDivisionError
    assert (tmp_path / "out/_FAILED").exists()
    run(raw, tmp_path / "out")
    assert [name for name in ("_SUCCESS", "_FAILED") if (tmp_path / "out" / name).exists()] == ["_SUCCESS"]


def test_overwrite_leaves_nothing_of_an_older_run(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out)
    before = ages(out, "stages/1-decode/kept/*")
    with whole([str(raw)], out, SETTINGS, silent, overwrite=True):
        assert not before.items() & ages(out, "stages/1-decode/kept/*").items()
