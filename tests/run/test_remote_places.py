"""A place of an object store answers like a path, shows no secret, and asks again where that may help."""

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from s3_server import Store

from cleanse.errors import ConfigError, MachineError
from cleanse.run import filesystems, store, tables
from cleanse.run.places import Remote, place


@pytest.mark.parametrize(
    ("given", "as_text", "inside"),
    [
        ("s3://bucket/a/b.csv", "s3://bucket/a/b.csv", "s3:/bucket/a/b.csv"),
        ("s3:/bucket/a", "s3://bucket/a", "s3:/bucket/a"),
        ("s3://bucket", "s3://bucket", "s3:/bucket"),
        ("s3://bucket/a/", "s3://bucket/a", "s3:/bucket/a"),
        ("s3://u:p%2Fw@bucket/a?region=x&scheme=http", "s3://bucket/a", "s3:/u:p%2Fw@bucket?region=x&scheme=http/a"),
        ("gs://bucket/a?endpoint_override=http://h", "gs://bucket/a", "gs:/bucket?endpoint_override=http:%2F%2Fh/a"),
        ("hdfs://me@node:8020/a", "hdfs://node:8020/a", "hdfs:/me@node:8020/a"),
        ("hdfs:///a", "hdfs://default/a", "hdfs:/default/a"),
        ("s3://bucket/标题 1/%20.csv", "s3://bucket/标题 1/%20.csv", "s3:/bucket/标题 1/%20.csv"),
        ("s3://bucket/a?.csv", "s3://bucket/a?.csv", "s3:/bucket/a?.csv"),
    ],
)
def test_a_uri_is_a_path_that_shows_neither_user_nor_query(given: str, as_text: str, inside: str) -> None:
    found = place(given)
    assert isinstance(found, Remote)
    assert (str(found), f"{found}", os.fspath(found)) == (as_text, as_text, inside)
    again = place(os.fspath(found))
    assert (again, os.fspath(again)) == (found, inside)
    assert os.fspath(pickle.loads(pickle.dumps(found))) == inside


@pytest.mark.parametrize("given", ["a/b.csv", "/a/s3://b", "s3", "s3:", "http://host/a", "x/s3:/b"])
def test_any_other_text_is_a_local_path(given: str) -> None:
    assert type(place(given)) is type(Path())


@pytest.mark.parametrize("given", ["s3://", "s3:///a", "gs://"])
def test_a_uri_without_a_bucket_is_a_mistake(given: str) -> None:
    with pytest.raises(ConfigError, match="names no bucket"):
        place(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [("s3://k:s3cr3t@bucket/a?colour=red", "colour"), ("s3://k:s3 cr3t@bucket/a", "not understood")],
)
def test_a_uri_that_cannot_be_opened_is_a_mistake_and_shows_no_secret(given: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        place(given).exists()
    assert "cr3t" not in str(caught.value)


def test_paths_below_keep_the_way_to_the_store() -> None:
    out = place("s3://u:p@bucket/out?region=x")
    part = out / "kept" / "part-00000.parquet"
    assert os.fspath(part.parent.parent) == os.fspath(out)
    assert part.relative_to(out).as_posix() == "kept/part-00000.parquet"
    assert (part.name, part.stem, part.with_name("b").name) == ("part-00000.parquet", "part-00000", "b")
    assert out.resolve() == place("s3://bucket/out").resolve()
    assert out.absolute() is out


def test_it_answers_like_a_path(s3: Store) -> None:
    out = place(s3.uri("bucket/answers"))
    assert (out.exists(), out.is_dir(), list(out.rglob("*"))) == (False, False, [])
    out.mkdir()
    assert isinstance(out, Remote)
    store.commit(out / "a/标题 %20?.txt", "今天".encode())
    store.commit(out / "b.txt", b"")
    assert [(p.name, p.is_dir()) for p in out.iterdir()] == [("a", True), ("b.txt", False)]
    assert [p.relative_to(out).as_posix() for p in out.rglob("*")] == ["a/标题 %20?.txt", "b.txt"]
    assert [p.name for p in out.glob("*.txt")] == ["b.txt"]
    file = out / "a/标题 %20?.txt"
    assert (file.read_text(encoding="utf-8"), file.read_bytes()) == ("今天", "今天".encode())
    with file.open("rb") as raw, file.open(encoding="utf-8") as text:
        assert (raw.seek(3), raw.read(), text.read()) == (3, "天".encode(), "今天")
    status = file.stat()
    assert (status.st_size, stat.S_ISREG(status.st_mode), status.st_ino) == (6, True, 0)
    assert status.st_mtime_ns > 1.6e18
    assert (out.is_dir(), file.is_file(), file.is_dir(), file.is_symlink()) == (True, True, False, False)
    file.unlink()
    file.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        file.unlink()
    with pytest.raises(FileNotFoundError):
        file.stat()


def test_a_link_is_a_copy_between_stores(s3: Store, tmp_path: Path) -> None:
    far, near, back = place(s3.uri("bucket/links/a")), tmp_path / "a", place(s3.uri("bucket/links/b"))
    store.commit(far, b"1")
    store.link(far, near)
    store.link(near, back)
    assert (near.read_bytes(), back.read_bytes()) == (b"1", b"1")


def test_bytes_are_kept_whatever_the_name(s3: Store) -> None:
    file = place(s3.uri("bucket/a.gz"))
    store.commit(file, b"1")
    assert (file.read_bytes(), s3.read("bucket/a.gz")) == (b"1", b"1")


def test_a_log_grows(s3: Store) -> None:
    log = place(s3.uri("bucket/logs/run.jsonl"))
    store.append(log, "a\n")
    store.append(log, "\udc80\n")
    assert log.read_text(encoding="utf-8") == "a\n\\udc80\n"


def test_tables_are_scanned_a_file_at_a_time(s3: Store) -> None:
    frames = [pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}), pl.DataFrame({"a": [4], "c": [0]})]
    files = [place(s3.uri(f"bucket/tables/{number}.parquet")) for number in range(2)]
    for file, frame in zip(files, frames, strict=True):
        store.write_table(file, file.parent, frame, 1)
    table = tables.scan(files)
    whole = pl.DataFrame({"a": [1, 2, 3, 4], "b": ["x", "y", "z", None]})
    assert table.collect().equals(whole)
    assert table.select(pl.len()).collect().item() == 4
    assert table.select("b").collect().equals(whole.select("b"))
    assert table.filter(pl.col("a") > 2).head(2).collect().equals(whole[2:])
    assert table.head(2).collect().equals(whole[:2])
    assert table.group_by("b").len().collect(engine="streaming").height == 4
    assert tables.schema_of(files[1]) == frames[1].schema
    store.commit(files[0], b"PAR1 damaged")
    with pytest.raises(OSError, match="Parquet"):
        tables.schema_of(files[0])


def test_what_fails_is_tried_again(s3: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    def heal(delay: float) -> None:
        waited.append(delay)
        s3.dies_at = None

    file = place(s3.uri("bucket/again/a"))
    store.commit(file, b"1")
    monkeypatch.setattr(filesystems, "DELAYS", (1.0, 4.0, 16.0))
    monkeypatch.setattr("time.sleep", heal)
    s3.dies_at = 0
    assert (file.read_bytes(), waited) == (b"1", [1.0])


def test_what_fails_again_and_again_is_an_error_of_the_machine(s3: Store) -> None:
    s3.dies_at = 0
    with pytest.raises(MachineError, match="s3://bucket/a: ") as caught:
        place(s3.uri("bucket/a")).read_bytes()
    assert caught.value.id == "remote-failed"
    assert "s3cr3t" not in str(caught.value)


def test_who_is_not_let_in_is_told_at_once(s3: Store) -> None:
    s3.denies, before = True, s3.requests
    with pytest.raises(PermissionError, match="access denied"):
        place(s3.uri("bucket/a")).exists()
    with pytest.raises(MachineError, match=r"cannot write s3://bucket/a: access denied"):
        store.commit(place(s3.uri("bucket/a")), b"1")
    assert s3.requests - before < 5


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("When x 'a' in bucket 'b': AWS Error ACCESS_DENIED during HeadObject operation: No", PermissionError),
        ("When x: AWS Error SIGNATURE_DOES_NOT_MATCH during HeadObject operation", PermissionError),
        ("When x: AWS Error INVALID_ACCESS_KEY_ID during HeadObject operation", PermissionError),
        ("When x: AWS Error EXPIRED_TOKEN during PutObject operation", PermissionError),
        ("When x: AWS Error UNKNOWN (HTTP status 403) during PutObject operation", PermissionError),
        ("google::cloud::Status(UNAUTHENTICATED: no)", PermissionError),
        ("When x: AWS Error NO_SUCH_BUCKET during PutObject operation", FileNotFoundError),
        ("Bucket 'b' not found", FileNotFoundError),
        ("When x 'ACCESS_KEY/TOKEN': AWS Error SLOW_DOWN during PutObject operation", MachineError),
        ("When x: AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 7", MachineError),
        ("google::cloud::Status(UNAVAILABLE: later)", MachineError),
    ],
)
def test_what_a_store_says_decides(monkeypatch: pytest.MonkeyPatch, said: str, kind: type[Exception]) -> None:
    def refuse(system: object, at: str) -> None:
        raise OSError(said)

    monkeypatch.setattr(filesystems, "DELAYS", (0.0,))
    monkeypatch.setattr(filesystems, "opened", lambda scheme, store: (None, "b"))
    with pytest.raises(kind, match="s3://b/a"):
        filesystems.asked(("s3:", "b", "a"), "s3://b/a", refuse)


def test_a_missing_bucket_is_named(s3: Store) -> None:
    with pytest.raises(MachineError, match=r"cannot write s3://no-such-bucket/out/a: .*bucket"):
        store.commit(place(s3.uri("no-such-bucket/out/a")), b"1")
    with pytest.raises(FileNotFoundError, match="no such bucket"):
        place(s3.uri("no-such-bucket/out")).mkdir()


def test_hdfs_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A local folder stands for HDFS: both rename, neither writes to a folder that is not there."""
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    system = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    monkeypatch.setattr("cleanse.run.places.opened", lambda scheme, node: (system, "/"))
    monkeypatch.setattr("cleanse.run.filesystems.opened", lambda scheme, node: (system, "/"))
    file = place("hdfs://node:8020/a/b.txt")
    for content in (b"1", b"2"):
        store.commit(file, content)
        assert {p.relative_to(tmp_path).as_posix(): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == {
            "a/b.txt": content
        }
    assert [str(path) for path in place("hdfs://node:8020/").rglob("*")] == ["hdfs://node:8020/a/b.txt"]


def test_nothing_of_pyarrow_is_loaded_without_a_uri() -> None:
    code = (
        "import sys; import cleanse.cli.catalogue, cleanse.run.owned; print(any('pyarrow' in m for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
