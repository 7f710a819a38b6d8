"""Sources on a store: found and called as on a disk, whole or an error."""

import gzip
import io
import zipfile
from pathlib import Path

import polars as pl
import pyarrow
import pytest
from runs import lines, row
from s3_server import Store

from cleanse.errors import InputError, MachineError
from cleanse.run import commands, sources, surveys
from cleanse.run.events import silent
from cleanse.settings import RunSettings, Settings


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("bucket/tree", ["a/1.csv", "a/2.jsonl", "b/1.csv", "c.csv"]),
        ("bucket/tree/a", ["1.csv", "2.jsonl"]),
        ("bucket/tree/c.csv", ["c.csv"]),
        ("bucket/tree/*", ["a/1.csv", "a/2.jsonl", "b/1.csv", "c.csv"]),
        ("bucket/tree/*/1.csv", ["a/1.csv", "b/1.csv"]),
        ("bucket/tree/**/*.csv", ["a/1.csv", "a/__MACOSX/4.csv", "b/1.csv", "c.csv"]),
        ("bucket/tree/[ab]", ["a/1.csv", "a/2.jsonl", "b/1.csv"]),
    ],
)
def test_sources_are_called_as_on_a_disk(s3: Store, tmp_path: Path, given: str, names: list[str]) -> None:
    for name in ("a/1.csv", "a/2.jsonl", "b/1.csv", "c.csv", "a/.x/3.csv", "a/__MACOSX/4.csv"):
        s3.write(f"bucket/tree/{name}", b"a,b\n")
        (tmp_path / "bucket/tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bucket/tree" / name).write_bytes(b"a,b\n")
    assert [source.name for source in sources.find([s3.uri(given)], None, 9)] == names
    assert [source.name for source in sources.find([str(tmp_path / given)], None, 9)] == names


def kinds() -> dict[str, bytes]:
    """The same rows in every kind of file."""
    rows = [row(i) for i in range(40)]
    text, frame = lines(rows).encode(), pl.DataFrame(rows)
    zipped, table = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("x/a.jsonl", text)
    frame.write_parquet(table, row_group_size=10)
    return {
        "a.jsonl.gz": gzip.compress(text, mtime=0), "b.zip": zipped.getvalue(), "c.parquet": table.getvalue(),
        "d.csv": frame.write_csv().encode("utf-16"), "e.csv": frame.write_csv().encode("gb18030"),
        "f.jsonl.zst": bytes(pyarrow.compress(text, "zstd", asbytes=True)), "g.csv": frame.write_csv().encode() * 900,
    }  # fmt: skip


def test_every_kind_of_source_is_read(s3: Store, tmp_path: Path) -> None:
    (tmp_path / "kinds").mkdir()
    for name, content in kinds().items():
        s3.write(f"bucket/kinds/{name}", content)
        (tmp_path / "kinds" / name).write_bytes(content)
    settings = Settings(run=RunSettings(workers=1, part_mb=0.25))
    far = commands.stage("decode", [s3.uri("bucket/kinds")], tmp_path / "far", settings, silent)
    near = commands.stage("decode", [str(tmp_path / "kinds")], tmp_path / "near", settings, silent)
    assert far.entries == near.entries
    assert far.entries[-1].kept > 40 * 900
    names = [path.relative_to(tmp_path / "near") for path in (tmp_path / "near").rglob("*") if path.is_file()]
    assert [n for n in names if (tmp_path / "far" / n).read_bytes() != (tmp_path / "near" / n).read_bytes()] == []


@pytest.mark.parametrize("name", kinds())
def test_a_store_that_fails_at_any_moment_is_no_damaged_file(s3: Store, name: str) -> None:
    s3.write(f"bucket/moment/{name}", kinds()[name])
    (source,) = sources.find([s3.uri(f"bucket/moment/{name}")], None, 9)
    (whole,) = surveys.examine(surveys.Survey((source,), Settings()))
    for n_requests in range(99):
        s3.left = n_requests
        try:
            (planned,) = surveys.examine(surveys.Survey((source,), Settings()))
        except MachineError:
            continue
        break
    assert n_requests > 1
    assert planned == whole
    assert planned.facts.refused is None


def test_sources_of_a_disk_and_of_a_store_keep_apart(s3: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n")
    s3.write("bucket/mixed/a.csv", b"a,b\n")
    names = [source.name for source in sources.find([str(tmp_path / "a.csv"), s3.uri("bucket/mixed")], None, 9)]
    assert names == ["s3:/bucket/mixed/a.csv", f"{tmp_path}/a.csv"[1:]]


def test_what_is_not_there_is_an_error_of_the_input(s3: Store) -> None:
    with pytest.raises(InputError, match="no file matches 's3://bucket/nowhere/x'"):
        sources.find([s3.uri("bucket/nowhere/x")], None, 9)
    with pytest.raises(InputError, match="no file matches 's3://no-such-bucket/x'"):
        sources.find([s3.uri("no-such-bucket/x")], None, 9)


def test_a_source_that_changes_is_told(s3: Store) -> None:
    from cleanse.run.streams import Reader

    s3.write("bucket/change/a.txt", b"1" * (2 << 20))
    (source,) = sources.find([s3.uri("bucket/change")], None, 9)
    blocks = Reader(source, 100).blocks()
    next(blocks)
    s3.write("bucket/change/a.txt", b"1")
    with pytest.raises(InputError, match=r"s3://bucket/change/a\.txt changed while it was read"):
        list(blocks)
