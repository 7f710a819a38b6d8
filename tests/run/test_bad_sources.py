"""What lies in a folder of the wild: a clear reason or a clear error, and nothing else is lost."""

import bz2
import gzip
import io
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from decoding import Result, decoded, put
from packing import PACKERS

from cleanse.errors import CleanseError, InputError
from cleanse.run import plan, sources, streams, tasks
from cleanse.run.engines.local import Inline
from cleanse.run.sources import Source
from cleanse.settings import DecodeSettings, RunSettings, Settings

LINES = "".join(f"第{n}行，今天天气很好。\n" for n in range(60_000)).encode()
TEXT = "今天天气很好，我们去公园散步。\n"


def shown(found: Result) -> list[tuple[object, ...]]:
    return found.kept.drop("_id", "_source").sort("_record").rows()


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("part_mb", [0.25, 16])
def test_a_compressed_file_in_any_parts_gives_the_rows_of_the_plain_one(
    tmp_path: Path, pack: Callable[[bytes], bytes], part_mb: float
) -> None:
    put(tmp_path, {"plain/a.txt": b"\xef\xbb\xbf" + LINES, "packed/a.txt.x": pack(b"\xef\xbb\xbf" + LINES)})
    plain = decoded(tmp_path / "plain", tmp_path / "one", text_mode="line", format="text")
    packed = decoded(tmp_path / "packed", tmp_path / "two", text_mode="line", format="text", part_mb=part_mb)
    assert len(list((tmp_path / "two/kept").iterdir())) > (4 if part_mb < 1 else 0)
    assert shown(packed) == shown(plain)
    assert packed.changed == plain.changed


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("left", [0.02, 0.5, 0.97])
def test_a_cut_stream_keeps_the_whole_lines_before_the_break(
    tmp_path: Path, pack: Callable[[bytes], bytes], left: float
) -> None:
    noise = b"".join(os.urandom(30).hex().encode() + b"\n" for _ in range(40_000))
    data = pack(noise)
    put(tmp_path / "in", {"a.txt": data[: int(left * len(data))], "b.txt": TEXT.encode()})
    found = decoded(tmp_path / "in", tmp_path / "out", text_mode="line", format="text", part_mb=0.25)
    assert found.reasons == {"a.txt": "bad_archive"}
    assert found.bodies["b.txt"] == [TEXT.rstrip()]
    bodies = found.bodies.get("a.txt", [])
    assert bodies == noise.decode().split("\n")[: len(bodies)]
    assert len(bodies) >= (left - 0.3) * 40_000 or pack is bz2.compress  # a block of bz2 is 900 kB


def test_a_cut_text_that_is_one_record_is_rejected_whole(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.txt": gzip.compress(LINES)[:-9], "b.txt": b"x"})
    found = decoded(tmp_path / "in", tmp_path / "out")
    assert (found.reasons, found.bodies) == ({"a.txt": "bad_archive"}, {"b.txt": ["x"]})


def test_standard_input_is_read_as_the_file_would_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "in", {"-": TEXT.encode("gbk") * 9})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode("gbk") * 9)))
    one = decoded(tmp_path / "in/-", tmp_path / "one", text_mode="line")
    two = decoded("-", tmp_path / "two", text_mode="line")
    assert one.kept.rows() == two.kept.rows()


def test_closed_standard_input_is_an_error_of_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # what Python makes of `<&-`
    with pytest.raises(InputError, match="standard input is closed"):
        decoded("-", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_empty_standard_input_is_told_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(InputError, match=r"every file is empty\n  found: -\n"):
        decoded("-", tmp_path / "out")


@pytest.mark.skipif(not os.access("/proc/self/mem", os.R_OK), reason="needs a file that opens but cannot be read")
def test_a_file_that_opens_but_cannot_be_read_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read /proc/self/mem: Input/output error"):
        decoded("/proc/self/mem", tmp_path / "out")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["a.json", "a"])
def test_an_array_of_objects_is_its_objects_under_any_name(tmp_path: Path, name: str, indent: int | None) -> None:
    data = json.dumps([{"title": "a", "body": "x"}, {"title": "b", "body": "y"}], indent=indent).encode()
    put(tmp_path / "in", {name: data, "b": b"[1] is the first note"})
    assert decoded(tmp_path / "in", tmp_path / "out").bodies == {name: ["x", "y"], "b": ["[1] is the first note"]}


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.txt": b"x", "deep/b.txt": b"y"})
    os.mkfifo(tmp_path / "in/pipe")
    (tmp_path / "in/deep/loop").symlink_to(tmp_path / "in")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "in/sock"))  # a socket's path may have 107 bytes
        found = decoded(tmp_path / "in", tmp_path / "out")
    assert found.bodies == {"a.txt": ["x"], "deep/b.txt": ["y"]}
    assert found.reasons == dict.fromkeys(("deep/loop", "pipe", "sock"), "unsupported")


def test_a_device_is_an_error_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"/dev/null \(device\)"):
        decoded("/dev/null", tmp_path / "out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_an_error_that_names_it(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.txt": b"x", "b.txt": b"x"})
    (tmp_path / "in/b.txt").chmod(0)
    with pytest.raises(InputError, match=r"b\.txt"):
        decoded(tmp_path / "in", tmp_path / "out")


def test_a_link_to_nothing_is_an_error_that_names_it(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.txt": b"x"})
    (tmp_path / "in/gone.txt").symlink_to(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"gone\.txt"):
        decoded(tmp_path / "in", tmp_path / "out")


def test_file_names_that_are_not_utf8_show_their_bytes(tmp_path: Path) -> None:
    put(tmp_path / "in", {os.fsdecode("天气.txt".encode("gbk")): b"x"})
    assert decoded(tmp_path / "in", tmp_path / "out").bodies == {"%CC%EC%C6%F8.txt": ["x"]}


@pytest.mark.parametrize("size", [9, 3 << 20])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_that_shrinks_or_grows_between_survey_and_read_is_an_error(
    tmp_path: Path, size: int, change: int
) -> None:
    path = put(tmp_path / "in", {"a.txt": b"x\n" * (size // 2)}) / "a.txt"
    s = Settings(run=RunSettings(workers=1, part_mb=0.25), decode=DecodeSettings(text_mode="line"))
    made = plan.make(sources.find([str(path)], tmp_path / "out", 9), s, Inline())
    os.truncate(path, path.stat().st_size + change)
    step = tasks.Step("decode", str(tmp_path / "out"), made.schema, "")
    with pytest.raises(CleanseError, match="input-changed"):
        tasks.carry(tasks.Task((tasks.Start("part-00000", "", shares=tuple(made.parts[-1])),), s, made.schema, (step,)))


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = put(tmp_path, {"a.txt": bytes(5 << 20)}) / "a.txt"
    blocks = streams.Reader(Source(str(path), "a.txt", 5 << 20), 300).blocks()
    next(blocks)
    os.truncate(path, 2 << 20)
    with pytest.raises(InputError, match="input-changed"):
        list(blocks)


@pytest.mark.parametrize(
    ("data", "mode", "bodies"),
    [(b"", "file", [""]), (b"", "line", None), (b"", "paragraph", None), (b"\n", "line", [""]), (b" ", "file", [" "])],
)  # fmt: skip
def test_an_empty_file(tmp_path: Path, data: bytes, mode: str, bodies: list[str] | None) -> None:
    put(tmp_path / "in", {"a.txt": data, "b.txt": b"x"})
    found = decoded(tmp_path / "in", tmp_path / "out", text_mode=mode)
    assert found.bodies.get("a.txt") == bodies
    assert found.reasons == ({} if bodies else {"a.txt": "no_records"})


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "cp1251"])
def test_decoding_our_own_text_again_changes_nothing(tmp_path: Path, encoding: str) -> None:
    text = TEXT * 3 if encoding != "cp1251" else "Сегодня хорошая погода, мы идём гулять в парк.\n" * 3
    first = decoded(put(tmp_path / "in", {"a.txt": text.encode(encoding)}), tmp_path / "one")
    again = decoded(put(tmp_path / "again", {"a.txt": first.kept["body"].item().encode()}), tmp_path / "two")
    assert again.kept["body"].item() == text
    assert again.kept.select("_encoding", "_decided_by", "_repair", "_replaced").row(0) == ("utf-8", "utf8", None, 0)
