"""Archives that people and attackers send: each costs only itself, and nothing of it is written under its own name."""

import gzip
import io
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from decoding import decoded, put

from cleanse.run import streams

TEXT = "今天天气很好，我们去公园散步。"


def packed(members: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


def encrypted(data: bytes) -> bytes:
    """The same archive, its only member marked as encrypted, in its own header and in the list."""
    central = data.rindex(b"PK\x01\x02")
    marked = bytearray(data)
    for at in (6, central + 8):
        marked[at] |= 1
    return bytes(marked)


@pytest.mark.parametrize(
    "name", ["../x.txt", "a/../../x.txt", "/etc/x.txt", "C:/x.txt", "c:x.txt", "a\\..\\x.txt", "a/.."]
)
def test_a_member_whose_name_leads_out_is_refused_and_its_neighbour_read(tmp_path: Path, name: str) -> None:
    put(tmp_path / "in", {"a.zip": packed([(name, b"bad"), ("good.txt", TEXT.encode())])})
    found = decoded(tmp_path / "in", tmp_path / "out")
    assert found.bodies == {"a.zip!/good.txt": [TEXT]}
    assert list(found.reasons.values()) == ["bad_archive"]


def test_dots_inside_a_name_are_no_harm(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.zip": packed([("v1..2/a...txt", b"x")])})
    assert decoded(tmp_path / "in", tmp_path / "out").bodies == {"a.zip!/v1..2/a...txt": ["x"]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(packed([(link("l.txt"), b"/etc/passwd")]), "bad_archive", id="symbolic link"),
        pytest.param(encrypted(packed([("a.txt", b"x")])), "unsupported", id="encrypted"),
        pytest.param(packed([("b.zip", packed([("a.txt", b"x")]))]), "unsupported", id="zip in a zip"),
        pytest.param(packed([("a.txt.gz", gzip.compress(b"x"))]), "unsupported", id="gzip in a zip"),
        pytest.param(gzip.compress(packed([("a.txt", b"x")])), "unsupported", id="zip in gzip"),
        pytest.param(packed([("p.png", b"\x89PNG\r\n")]), "undecodable", id="picture"),
        pytest.param(packed([]), "bad_archive", id="nothing in it"),
        pytest.param(packed([("a.txt", b"x" * 99)])[:-30], "bad_archive", id="no list of members"),
        pytest.param(packed([("a.txt", b"x" * 99), ("b.txt", b"")])[20:], "undecodable", id="no beginning"),
        pytest.param(packed([(f"{n}.txt", b"x") for n in range(4)]), "bad_archive", id="too many members"),
        pytest.param(packed([("[Content_Types].xml", b"<x/>")]), "undecodable", id="office document"),
    ],
)
def test_what_cannot_be_read_has_a_reason_and_costs_no_neighbour(tmp_path: Path, data: bytes, reason: str) -> None:
    put(tmp_path / "in", {"a.zip": data, "b.txt": TEXT.encode()})
    found = decoded(tmp_path / "in", tmp_path / "out", max_members=3)
    assert found.bodies == {"b.txt": [TEXT]}
    assert list(found.reasons.values()) == [reason]


def test_an_archive_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    put(tmp_path / "in", {"a.csv": packed([("b.txt", TEXT.encode())]), "c.zip": b"no archive at all"})
    found = decoded(tmp_path / "in", tmp_path / "out")
    assert found.bodies == {"a.csv!/b.txt": [TEXT], "c.zip": ["no archive at all"]}


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.html"])
def test_a_member_that_breaks_at_its_first_byte_is_not_called_empty(tmp_path: Path, name: str) -> None:
    data = bytearray(packed([(name, TEXT.encode() * 9), ("b.txt", TEXT.encode())]))
    data[30 + len(name)] = 0xFF  # no deflate stream begins so
    put(tmp_path / "in", {"x.zip": bytes(data)})
    found = decoded(tmp_path / "in", tmp_path / "out")
    assert (found.reasons, found.bodies) == ({f"x.zip!/{name}": "bad_archive"}, {"x.zip!/b.txt": [TEXT]})


class GbkName(zipfile.ZipInfo):
    """A member whose name is written as GBK, without the flag of UTF-8."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802  # zipfile's own name
        return self.filename.encode("gbk"), self.flag_bits & ~0x800


def test_names_of_chinese_tools_are_read_together(tmp_path: Path) -> None:
    names = ["天气预报/北京.txt", "天气预报/上海.txt", "说明文档.txt"]
    put(tmp_path, {"a.zip": packed([(GbkName(name), b"x") for name in names])})
    assert set(decoded(tmp_path / "a.zip", tmp_path / "out").bodies) == {f"a.zip!/{name}" for name in names}


def test_a_second_member_of_one_name_is_refused_by_a_name_of_its_own(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = packed([("a.txt", b"one"), ("a.txt", b"two")])
    put(tmp_path / "in", {"a.zip": data})
    found = decoded(tmp_path / "in", tmp_path / "out")
    assert found.reasons == {"a.zip!/a.txt#2": "bad_archive"}


def test_a_bomb_is_too_large_and_what_came_before_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE", 1 << 20)
    put(tmp_path / "in", {"a.zip": packed([("bomb.txt", b"x\n" * (4 << 20)), ("good.txt", b"x")])})
    found = decoded(tmp_path / "in", tmp_path / "out", text_mode="line")
    assert found.reasons == {"a.zip!/bomb.txt": "too_large"}
    assert found.bodies["a.zip!/good.txt"] == ["x"]
    assert 0 < len(found.bodies["a.zip!/bomb.txt"]) < 4 << 20


def test_a_member_with_a_bad_checksum_keeps_its_whole_lines(tmp_path: Path) -> None:
    data = bytearray(packed([("a.txt", "\n".join(f"line {n}" for n in range(50_000)).encode())]))
    data[data.rindex(b"PK\x01\x02") - 9] ^= 0xFF
    put(tmp_path / "in", {"a.zip": bytes(data)})
    found = decoded(tmp_path / "in", tmp_path / "out", text_mode="line")
    assert found.reasons == {"a.zip!/a.txt": "bad_archive"}
    bodies = found.bodies.get("a.zip!/a.txt", [])
    assert bodies == [f"line {n}" for n in range(len(bodies))]
