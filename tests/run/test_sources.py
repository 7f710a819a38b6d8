import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import PACKERS

from cleanse.errors import ConfigError, InputError
from cleanse.run import sources, streams
from cleanse.run.sources import Source
from cleanse.run.streams import Reader
from cleanse.stages.spans import gathered


def find(inputs: list[str], out: Path) -> list[Source]:
    return sources.find(inputs, out, max_members=9)


def content(tmp_path: Path, data: bytes, ratio: float = 300) -> tuple[bytes, tuple[str, str] | None]:
    """All bytes of a source, and what ended them early."""
    path = tmp_path / "x"
    path.write_bytes(data)
    reader = Reader(Source(str(path), "x", len(data)), ratio)
    return b"".join(reader.blocks()), reader.problem


@pytest.mark.parametrize("pack", PACKERS)
def test_every_compression_is_known_by_its_first_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    assert content(tmp_path, pack(b"abc"))[0] == b"abc"


@pytest.mark.parametrize("pack", PACKERS[:3])
def test_several_members_are_read_to_the_end(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    assert content(tmp_path, pack(b"a") + pack(b"b"))[0] == b"ab"


@pytest.mark.parametrize("pack", PACKERS[:3])
@pytest.mark.parametrize("n", [1, 512, 1 << 17])
def test_zero_padding_after_a_member_is_no_damage(tmp_path: Path, pack: Callable[[bytes], bytes], n: int) -> None:
    padded = pack(b"a") + b"\0" * n
    assert content(tmp_path, padded) == (b"a", None)
    assert content(tmp_path, padded + pack(b"b" * (1 << 18))) == (b"a" + b"b" * (1 << 18), None)


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("size", [9, 1 << 20])
def test_what_stands_behind_a_member_and_is_none_is_damage(
    tmp_path: Path, pack: Callable[[bytes], bytes], size: int
) -> None:
    data = os.urandom(size)
    later = bytearray(pack(data))
    later[1] ^= 255
    for behind in (bytes(later), pack(data)[: len(later) // 2], b"junk", b"\0" * 4 + b"junk", b"\n"):
        found, problem = content(tmp_path, pack(data) + behind)
        assert found.startswith(data) or (found == b"" and pack is PACKERS[3])  # zstd: a short one goes along with it
        assert (problem or ("",))[0] == "bad_archive", behind[:9]


@pytest.mark.parametrize("pack", PACKERS)
def test_a_cut_stream_is_a_bad_archive(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    data = os.urandom(4000)
    found, problem = content(tmp_path, pack(data)[:-20])
    assert problem is not None
    assert problem[0] == "bad_archive"
    assert data.startswith(found)


def test_a_bomb_is_too_large_but_honest_growth_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE", 1 << 20)
    zeros = gzip.compress(bytes(4 << 20))
    assert (content(tmp_path, zeros)[1] or ("",))[0] == "too_large"
    assert content(tmp_path, zeros, ratio=10_000) == (bytes(4 << 20), None)


def test_names_are_paths_below_the_deepest_common_folder(tmp_path: Path) -> None:
    for name in ("a/x.csv", "a/deep/y.csv", "b/z.csv", "a/.hidden/h.csv", "a/__MACOSX/m.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    out = tmp_path / "out"
    assert [s.name for s in find([str(tmp_path / "a")], out)] == ["deep/y.csv", "x.csv"]
    assert [s.name for s in find([str(tmp_path / "a"), str(tmp_path / "b/z.csv")], out)] == [
        "a/deep/y.csv",
        "a/x.csv",
        "b/z.csv",
    ]
    assert [s.name for s in find([str(tmp_path / "a/x.csv")], out)] == ["x.csv"]
    assert [s.name for s in find([str(tmp_path / "*/*.csv")], out)] == ["a/x.csv", "b/z.csv"]


def test_a_file_counts_once_and_folder_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("x")
    (tmp_path / "in/same.txt").symlink_to(tmp_path / "in/a.txt")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    found = find([str(tmp_path / "in"), str(tmp_path / "in/a.txt")], tmp_path / "out")
    assert [(s.name, s.refused) for s in found] == [("a.txt", None), ("loop", ("unsupported", "folder link"))]


def test_two_sources_never_share_a_name(tmp_path: Path) -> None:
    for name in (b"bad%FF.txt", b"bad\xff.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    with pytest.raises(ConfigError, match="source-clash"):
        find([str(tmp_path)], tmp_path.parent / "elsewhere")


def test_a_name_that_is_not_utf8_shows_its_bytes(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xb2\xe2.txt")).write_text("x")
    assert [s.name for s in find([str(tmp_path)], tmp_path.parent / "elsewhere")] == ["%B2%E2.txt"]


def test_all_paths_that_cannot_be_read_are_in_one_message(tmp_path: Path) -> None:
    for name in ("one", "two"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=r"one \(named pipe\).*two \(named pipe\)"):
        find([str(tmp_path / "one"), str(tmp_path / "two")], tmp_path / "out")


@pytest.mark.parametrize(("given", "out"), [("in", "in/out"), ("in", "in"), ("in/deep", "in")])
def test_input_and_output_lie_apart(tmp_path: Path, given: str, out: str) -> None:
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/deep/a.txt").write_text("x")
    with pytest.raises(ConfigError, match="out-in-input"):
        find([str(tmp_path / given)], tmp_path / out)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.tuples(st.sampled_from([0, 1, 3, 5_000, 700_000, 1_500_000]), st.integers(1, 4000)), max_size=6),
    start=st.integers(0, 3_000_000),
    left=st.integers(0, 1_000_000),
    least=st.sampled_from([1 << 20, 3 << 20, 1 << 30]),
)
def test_blocks_read_as_a_whole_are_those_put_together(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[int, int]], start: int, left: int, least: int
) -> None:
    data = b"".join((b"x" * size + b"\n") * min(n, 4_000_000 // (size + 1)) for size, n in lines)
    path = tmp_path_factory.mktemp("lines") / "a.csv"
    path.write_bytes(data)
    reader = Reader(Source(str(path), "a.csv", len(data)), 300)
    start, end = min(start, len(data)), max(0, len(data) - left)
    if start <= end:
        assert list(reader.gathered(start, end, least)) == list(gathered(reader.blocks(start, end), least))
