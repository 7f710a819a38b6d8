"""A whole run on disk: the ledger, the files, and the same bytes for every way of running."""

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from cleanse.errors import CleanseError, ConfigError, InputError, MachineError
from cleanse.run import commands, manifest, owned
from cleanse.run.events import Event, silent
from cleanse.run.whole import whole
from cleanse.settings import ResampleSettings, RunSettings, Settings, ShardSettings, StripSettings
from cleanse.stages import ORDER

SETTINGS = Settings(
    run=RunSettings(workers=1),
    resample=ResampleSettings("under", "ratio:0.5", all_train=True),
    shard=ShardSettings(count=2),
)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A table in GBK with a short row, a page, a compressed JSON Lines file, an empty and a binary file."""
    folder = tmp_path / "raw"
    (folder / "deep").mkdir(parents=True)
    rows = "".join(
        f"第{i}天公园散步的小小记录,{'今天天气很好。' * (8 + i % 5)},{'天气' if i % 5 else '体育'}\n" for i in range(40)
    )
    (folder / "a.csv").write_bytes(("标题,正文,标签\n" + rows + "只有,两格\n").encode("gbk"))
    (folder / "deep/b.html").write_text(f"<h1>一个足够长的网页标题</h1><p>{'正文' * 40}</p>", encoding="utf-8")
    line = json.dumps(
        {"title": "十个字的标题十个字的", "body": "正文" * 30, "n": 1, "label": "体育"}, ensure_ascii=False
    )
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(f"{line}\nbroken\n".encode()))
    (folder / "d.csv").touch()
    (folder / "e.txt").write_bytes(b"\x89PNG....")
    (folder / ".hidden.txt").write_text("not seen")
    return folder


def run(raw: Path, out: Path, settings: Settings = SETTINGS) -> None:
    with whole([str(raw)], out, settings, silent) as ran:
        assert ran.manifest
        manifest.seal(out, ran.manifest.as_json(), 0)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("name", [b"out[1]", b"o*", b"?ut1", b"{a,b}", b"[!x]", b"~root", b"\xff"])
def test_a_folder_may_have_any_name(raw: Path, tmp_path: Path, name: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (raw.parent / "other").mkdir()
    (raw.parent / "other/a.csv").write_text(f"title,body\n第一条足够长的标题,{'别的正文。' * 20}\n", encoding="utf-8")
    run(raw.parent / "other", tmp_path / "out1", Settings(run=RunSettings(workers=1)))  # whom a pattern would find
    run(raw, tmp_path / "plain")
    monkeypatch.chdir(tmp_path)
    run(raw, Path(os.fsdecode(name)))
    assert contents(tmp_path / os.fsdecode(name)) == contents(tmp_path / "plain")


def test_every_record_is_kept_or_rejected_with_its_text(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "out")
    rejects = pl.read_parquet(tmp_path / "out/rejects/*.parquet")
    kept = pl.read_parquet(tmp_path / "out/data/*.parquet")
    seen = rejects.group_by("_stage", "_reason").len().sort("_stage", "_reason").rows()
    assert seen == [
        ("check", "fields_missing", 1),
        ("check", "json_syntax", 1),
        ("decode", "empty_file", 1),
        ("decode", "undecodable", 1),
        ("resample", "undersampled", 14),
    ]
    assert kept.height + rejects.filter(pl.col("_record") > 0).height == 44
    assert rejects.filter(pl.col("_reason") == "fields_missing")["_raw"].item() == "只有,两格"
    assert kept.columns == ["_id", "title", "body", "label", "n"]


def test_the_ledger_balances_and_each_stage_reads_what_the_one_before_kept(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "out")
    tree = json.loads((tmp_path / "out/run.json").read_text())
    records = [e for e in tree["entries"] if e["unit"] == "record"]
    for entry in tree["entries"]:
        assert entry["rows_in"] + entry["added"] == entry["kept"] + sum(entry["rejected"].values())
    assert [e["stage"] for e in records] == list(ORDER)
    assert [e["kept"] for e in records[:-1]] == [e["rows_in"] for e in records[1:]]
    assert [i["path"] for i in tree["inputs"]] == ["a.csv", "c.jsonl.gz", "d.csv", "deep/b.html", "e.txt"]
    assert (tree["status"], (tmp_path / "out/_SUCCESS").exists()) == ("ok", True)


def test_two_runs_and_any_number_of_workers_give_identical_bytes(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "one")
    run(raw, tmp_path / "two", replace(SETTINGS, run=RunSettings(workers=2)))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_commands_in_a_row_give_the_bytes_of_the_run(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "out")
    before = raw
    for number, name in enumerate(ORDER, 1):
        commands.stage(name, [str(before)], tmp_path / name, SETTINGS, silent)
        single, chained = contents(tmp_path / name), contents(tmp_path / f"out/stages/{number}-{name}")
        if name == "decode":
            chained["plan.json"] = (tmp_path / "out/stages/plan.json").read_bytes()
        if name == "skew":  # only in a run it can know what the stages before took
            assert json.loads(chained["skew.json"])["cleaning"]["available"]
            single.pop("skew.json"), chained.pop("skew.json")
        if name != "shard":
            assert single == chained, name
        before = tmp_path / name
    kept = [pl.read_parquet(p) for p in sorted((tmp_path / "shard/kept").glob("*"))]
    data = [pl.read_parquet(p) for p in sorted((tmp_path / "out/data").glob("*.parquet"))]
    assert [k.select(d.columns).rows() for k, d in zip(kept, data, strict=True)] == [d.rows() for d in data]


def test_part_size_does_not_change_rows_or_reasons(raw: Path, tmp_path: Path) -> None:
    for i in range(30):
        (raw / f"f{i:02}.csv").write_text(
            "title,body\n" + f"一个足够长的标题第{i}号啊,{'正文' * 5000}\n", encoding="utf-8"
        )
    run(raw, tmp_path / "one")
    run(raw, tmp_path / "many", replace(SETTINGS, run=RunSettings(workers=1, part_mb=0.25)))
    assert len(list((tmp_path / "many/stages/1-decode/kept").iterdir())) > 3
    one, many = contents(tmp_path / "one"), contents(tmp_path / "many")
    assert {k: v for k, v in one.items() if k.startswith("data/")} == {
        k: v for k, v in many.items() if k.startswith("data/")
    }


def test_a_run_folder_and_bare_parquet_are_inputs_of_a_stage(raw: Path, tmp_path: Path) -> None:
    run(raw, tmp_path / "out")
    entry = commands.stage("check", [str(tmp_path / "out")], tmp_path / "again", SETTINGS, silent).entries[0]
    assert (entry.rows_in, entry.kept) == (44, 42)
    bare = commands.stage("skew", [str(tmp_path / "out/data")], tmp_path / "bare", SETTINGS, silent)
    assert bare.entries[0].kept == 28
    assert "_source" in pl.read_parquet(tmp_path / "bare/kept/part-00000.parquet").columns


def test_out_is_rewritten_when_it_is_ours_and_refused_when_it_is_not(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out, replace(SETTINGS, shard=ShardSettings(count=3)))
    run(raw, out)
    names = [f"train-0000{i}-of-00002.parquet" for i in (0, 1)]
    assert [p.name for p in sorted((out / "data").iterdir())] == [*names, "weights.json"]
    (out / "notes.txt").write_text("mine")
    before = contents(out)
    with pytest.raises(ConfigError, match="out-not-empty"):
        run(raw, out)
    assert contents(out) == before


def test_what_a_death_leaves_is_ours_and_swept(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    owned.claim(out, "run.json", manifest.head(SETTINGS))
    (out / "stages/1-decode/kept").mkdir(parents=True)
    (out / "stages/1-decode/kept/.part-00000.parquet.0123456789abcdef.tmp").write_bytes(b"half")
    run(raw, out)
    assert not list(out.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("inputs", "id", "kind"),
    [
        pytest.param(["nowhere/*.csv"], "input-not-found", InputError, id="no match"),
        pytest.param(["empty"], "input-empty", InputError, id="only empty files"),
        pytest.param(["bare"], "input-empty", InputError, id="an empty folder"),
        pytest.param(["out"], "out-in-input", ConfigError, id="input is the output"),
        pytest.param(["pipe"], "input-unreadable", InputError, id="a named pipe by name"),
    ],
)
def test_bad_inputs_are_errors_with_an_id(
    inputs: list[str], id: str, kind: type[CleanseError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.chdir(tmp_path)
    for name in ("empty", "bare", "out"):
        Path(name).mkdir()
    Path("empty/a.csv").touch()
    os.mkfifo("pipe")
    with pytest.raises(kind) as caught:
        whole(inputs, Path("out"), SETTINGS, silent).__enter__()
    assert caught.value.id == id
    assert contents(tmp_path / "out") == {}


def test_an_output_that_cannot_be_written_is_a_machine_error(raw: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MachineError, match="out-not-writable"):
        run(raw, tmp_path / "file/out")


def test_a_pipe_in_a_folder_and_a_cut_archive_cost_only_themselves(raw: Path, tmp_path: Path) -> None:
    import os

    os.mkfifo(raw / "pipe")
    (raw / "c.jsonl.gz").write_bytes((raw / "c.jsonl.gz").read_bytes()[:-9])
    run(raw, tmp_path / "out")
    files = pl.read_parquet(tmp_path / "out/rejects/*.parquet").filter(pl.col("_record") == 0)
    assert dict(files.select("_source", "_reason").rows()) == {
        "c.jsonl.gz": "bad_archive",
        "d.csv": "empty_file",
        "e.txt": "undecodable",
        "pipe": "unsupported",
    }


def test_a_table_that_cleanse_did_not_write_is_no_input_of_a_stage(tmp_path: Path) -> None:
    pl.DataFrame({"title": ["x"]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="input-foreign"):
        commands.stage("check", [str(tmp_path / "x.parquet")], tmp_path / "out", SETTINGS, silent)


def test_a_source_that_changes_after_the_survey_is_an_error(raw: Path, tmp_path: Path) -> None:
    def meddle(event: Event) -> None:
        assert event.name != "stage_done", "decode must not end"

    from cleanse.run import plan, sources, tasks
    from cleanse.run.engines.local import Inline

    made = plan.make(sources.find([str(raw)], tmp_path / "out", 9), SETTINGS, Inline())
    (raw / "a.csv").write_text("title,body\nx,y\n")
    step = tasks.Step("decode", str(tmp_path / "out"), made.schema, "")
    with pytest.raises(InputError, match="input-changed"):
        tasks.carry(
            tasks.Task((tasks.Start("part-00000", "", shares=tuple(made.parts[0])),), SETTINGS, made.schema, (step,))
        )


def test_an_input_inside_the_output_is_refused_before_anything_is_deleted(raw: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(raw, out)
    before = contents(out)
    with pytest.raises(ConfigError, match="out-in-input"):
        whole([str(out / "data/train-00000-of-00002.parquet")], out, SETTINGS, silent).__enter__()
    with pytest.raises(ConfigError, match="out-in-input"):
        commands.stage("check", [str(out / "stages/1-decode")], out / "stages/1-decode", SETTINGS, silent)
    assert contents(out) == before


@pytest.mark.parametrize("name", ["notes.json", "data/notes.json", "stages/1-decode/mine.parquet", "kept/x.parquet"])
def test_a_users_file_in_our_folder_is_never_deleted(raw: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    run(raw, out)
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("{}")
    with pytest.raises(ConfigError, match="out-not-empty"):
        run(raw, out)
    assert (out / name).exists()


@pytest.mark.parametrize("text", ['"a cleanse note"', "42", "[1]", '{"cleanse": 1}'])
def test_a_foreign_manifest_does_not_make_a_folder_ours(raw: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/run.json").write_text(text)
    with pytest.raises(ConfigError, match="out-not-empty"):
        run(raw, tmp_path / "out")
    assert (tmp_path / "out/run.json").read_text() == text


def test_damaged_parquet_and_odd_names_cost_only_themselves(raw: Path, tmp_path: Path) -> None:
    pl.DataFrame({"body": ["文" * 60] * 500, "*": [1] * 500, "^a$": ["x"] * 500}).write_parquet(raw / "p.parquet")
    data = bytearray((raw / "p.parquet").read_bytes())
    data[8:60] = bytes(52)
    (raw / "damaged.parquet").write_bytes(data)
    (raw / "stars.csv").write_text("title,body,*\n一个足够长的标题第一号," + "正文" * 40 + ",1\n", encoding="utf-8")
    run(raw, tmp_path / "out")
    rejects = pl.read_parquet(tmp_path / "out/rejects/*.parquet").filter(pl.col("_source") == "damaged.parquet")
    assert rejects["_reason"].to_list() == ["undecodable"] * 500
    assert rejects["_record"].to_list() == list(range(1, 501))
    assert "column_3" in pl.read_parquet(tmp_path / "out/data/*.parquet").columns


def test_splits_are_sharded_apart_and_rows_without_one_are_not_train(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    row = {"title": "一个足够长的标题第一号", "body": "正文" * 30}
    rows = [{**row, "label": "ab"[i % 5 == 0], "split": ["train", "", None, "dev"][i % 4]} for i in range(80)]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
    (tmp_path / "in/a.jsonl").write_text(text, encoding="utf-8")
    s = replace(SETTINGS, resample=ResampleSettings("under"), shard=ShardSettings(count=1))
    for _ in range(2):  # a second run finds its own files again
        run(tmp_path / "in", tmp_path / "out", s)
    counts = {
        p.name.split("-")[0]: pl.read_parquet(p)["label"].value_counts()
        for p in (tmp_path / "out/data").glob("*.parquet")
    }
    assert {name: table["count"].sum() for name, table in counts.items()} == {
        "train": 8,
        "unsplit": 40,
        "validation": 20,
    }


def test_a_preview_of_strip_reads_part_by_part_and_writes_nothing(raw: Path, tmp_path: Path) -> None:
    commands.stage("decode", [str(raw)], tmp_path / "a", SETTINGS, silent)
    before = sorted(tmp_path.rglob("*"))
    (change,) = commands.preview(tmp_path / "a", SETTINGS, 5)
    assert (change.before[:4], change.after) == ("<h1>", f"一个足够长的网页标题\n{'正文' * 40}")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_version_of_an_extractor_is_in_the_manifest() -> None:
    pytest.importorskip("trafilatura")
    settings = replace(SETTINGS, strip=StripSettings(extractor="trafilatura"))
    assert "trafilatura" in manifest.head(settings)["versions"]
    assert "trafilatura" not in manifest.head(SETTINGS)["versions"]


def test_a_part_that_is_no_table_any_more_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("title,body\nx,y\n", encoding="utf-8")
    commands.stage("decode", [str(tmp_path / "a.csv")], tmp_path / "out", SETTINGS, silent)
    (tmp_path / "out/kept/part-00000.parquet").write_bytes(b"gone")
    with pytest.raises(InputError, match=r"cannot read .*part-00000\.parquet"):
        commands.stage("strip", [str(tmp_path / "out")], tmp_path / "next", SETTINGS, silent)


@pytest.mark.parametrize(
    "columns", [("标题", "正文"), ("正文",), ("标题",), ("正文", "标签"), ("标题", "正文", "标签")]
)
def test_the_ledger_balances_whatever_columns_there_are(tmp_path: Path, columns: tuple[str, ...]) -> None:
    values = {"标题": "一个足够长的中文标题", "正文": "正文" * 40, "标签": "天气"}
    good = [dict.fromkeys(columns, "") | {name: values[name] for name in columns} for _ in range(3)]
    bad = [dict.fromkeys(columns, "短") for _ in range(4)]
    lines = [json.dumps(row, ensure_ascii=False) for row in (*good, *bad)]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines, "broken", "broken", ""]), encoding="utf-8")
    run(tmp_path / "a.jsonl", tmp_path / "out", Settings(run=RunSettings(workers=1), shard=ShardSettings(count=1)))
    counted = pl.read_parquet(tmp_path / "out/rejects/*.parquet").height
    kept = pl.read_parquet(tmp_path / "out/data/*.parquet").height
    assert (kept + counted, counted >= 2) == (9, True)
