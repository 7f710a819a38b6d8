"""How a source is cut has no effect: not the size of a block, nor that of a part, nor whether it is compressed."""

from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import pytest
from dirty import DAMAGE, ENCODINGS, TEXT, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from memory import Bytes, read_all, read_pieces

from cleanse.settings import DecodeSettings, RunSettings, Settings
from cleanse.stage import Decoded
from cleanse.stages import survey as surveying
from cleanse.stages.survey import pieces, survey
from cleanse.text import evidence
from cleanse.text.codecs import TABLE

NAMES = ["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.html"]
MODES = ["file", "line", "paragraph"]
MIXED = "今天天气很好，我们去公园散步。\n".encode() * 9 + "今天天气很好，我们去公园散步。\n".encode("gbk") * 9


def seen(found: Decoded) -> tuple[object, ...]:
    """All that can be seen of it."""
    refused = None if found.refused is None else found.refused.rows()
    lines = None if found.structural is None else found.structural.rows()
    return found.records.rows(), refused, lines, Counter(found.changed), +Counter(found.counted)


def settings_of(part_bytes: float = 2**24, **decode: Any) -> Settings:
    return Settings(decode=DecodeSettings(**decode), run=RunSettings(part_mb=part_bytes / 2**20))


@pytest.fixture(scope="module")
def fine_cuts() -> Any:
    """Sources are cut every few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "STEP", 16)
        yield


@pytest.mark.usefixtures("fine_cuts")
@settings(deadline=None, max_examples=150)
@given(
    text=TEXT,
    encoding=st.sampled_from(ENCODINGS),
    damage=DAMAGE,
    name=st.sampled_from(NAMES),
    mode=st.sampled_from(MODES),
    block=st.integers(1, 64),
    part=st.sampled_from([1, 40, 200]),
    is_plain=st.booleans(),
)
def test_blocks_and_parts_change_nothing(
    text: str,
    encoding: str,
    damage: list[tuple[float, bytes]],
    name: str,
    mode: Literal["file", "line", "paragraph"],
    block: int,
    part: int,
    is_plain: bool,
) -> None:
    data = damaged(text.encode(encoding, "replace"), damage)
    small = settings_of(part, text_mode=mode)
    whole = survey(Bytes(data), name, settings_of(text_mode=mode))
    content = Bytes(data, block, is_plain)
    fine = survey(content, name, small)
    # what a source is, is told by blocks of 1 MiB; where it is cut, here, by small ones
    facts = replace(whole, cuts=fine.cuts if fine.decision == whole.decision else ())
    assert seen(read_pieces(content, facts, small)) == seen(read_pieces(Bytes(data), whole, small))


def lines_in(encoding: str) -> bytes:
    """Lines that the encoding can hold, the longest of them longer than a block of the test."""
    kept = "".join(c for c in "天气很好好한국어カナприветéşสวัสดی" if _holds(c, encoding)) or "plain"
    return "".join(f"{i} {kept * (i % 40)}\n" for i in range(120)).encode(TABLE[encoding][1])


def _holds(char: str, encoding: str) -> bool:
    return char.encode(TABLE[encoding][1], "ignore").decode(TABLE[encoding][1]) == char


@pytest.mark.usefixtures("fine_cuts")
@pytest.mark.parametrize("encoding", TABLE)
@pytest.mark.parametrize("block", [1, 7, 1024])
def test_a_character_may_lie_across_a_block_border(encoding: str, block: int) -> None:
    data = lines_in(encoding)
    s = settings_of(500, text_mode="line", encoding=encoding)
    found = read_all(Bytes(data, block), "a.txt", s)
    assert found.records["body"].to_list() == data.decode(TABLE[encoding][1]).split("\n")[:-1]
    assert found.records["_replaced"].sum() == 0
    assert len(pieces(survey(Bytes(data), "a.txt", s))) > 3


@pytest.mark.usefixtures("fine_cuts")
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_parts_of_what_is_read_forward_are_the_parts_of_a_plain_file(name: str, encoding: str) -> None:
    rows = "".join(f'{{"title": "第{i}天", "body": "今天天气很好"}}\n' for i in range(200))
    data = (rows if name == "a.jsonl" else "title,body\n" + rows.replace("{", "")).encode(encoding)
    s = settings_of(700, text_mode="line")
    one = seen(read_all(Bytes(data, 256), name, settings_of(text_mode="line")))
    assert seen(read_all(Bytes(data, 256), name, s)) == one
    assert seen(read_all(Bytes(data, 256, is_plain=False), name, s)) == one


def test_a_mixed_source_is_one_in_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "STEP", 64)
    s = settings_of(100, text_mode="line")
    found = read_all(Bytes(MIXED), "a.txt", s)
    assert len(pieces(survey(Bytes(MIXED), "a.txt", s))) > 3
    assert set(found.records["body"]) == {"今天天气很好，我们去公园散步。"}
    assert Counter(found.records["_encoding"]) == {"utf-8": 9, "gb18030": 9}


@pytest.mark.parametrize("block", [40, 1 << 20])
def test_paragraphs_are_cut_between_them_only(block: int) -> None:
    data = "".join(f"第{n}段\n今天天气很好\n" + ("\n" if n % 3 else "\u3000\n\n") for n in range(90)).encode("gbk")
    small, whole = settings_of(200, text_mode="paragraph"), settings_of(text_mode="paragraph")
    content = Bytes(data, block)
    found = read_all(content, "a.txt", small)
    assert seen(found) == seen(read_all(content, "a.txt", whole))
    assert found.records["body"].to_list() == [f"第{n}段\n今天天气很好" for n in range(90)]
    assert len(pieces(survey(content, "a.txt", small))) > (5 if block == 40 else 0)


@pytest.mark.parametrize("size", [10, 300])
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
@pytest.mark.parametrize("mode", ["line", "paragraph"])
def test_a_huge_line_is_too_large_and_its_neighbours_stay(
    mode: str, size: int, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveying, "GATHERED", 64)
    lines = ["第一行的天气", "好" * size, "第三行的天气"]
    data = "\n".join(lines).encode(encoding)
    s = settings_of(text_mode=mode, encoding="auto" if encoding == "utf-16" else encoding, max_record_mb=100 / 2**20)
    found = read_all(Bytes(data, 32), "a.txt", s).records
    if size == 10:
        assert found["body"].to_list() == (lines if mode == "line" else ["\n".join(lines)])
        return
    assert found["body"].to_list() == [lines[0], None, lines[2]]
    assert found["_problem"].to_list() == [None, "too_large", None]
    assert found["_raw"][1] == "好" * size
    assert found["_line"].to_list() == [1, 2, 3]
    if encoding == "utf-16":
        assert found["_bytes"].null_count() == 3
        return
    sizes = [len(line.encode(encoding)) for line in lines]
    assert found["_bytes"].to_list() == sizes
    assert found["_offset"].to_list() == [0, sizes[0] + 1, sizes[0] + sizes[1] + 2]


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r"])
def test_lines_of_text_are_cut_whatever_ends_them(end: str, encoding: str) -> None:
    data = "".join(f"第{i}天天气很好{end}" * (i % 5 > 0) for i in range(400)).encode(encoding)
    s = settings_of(1000, text_mode="line", encoding=encoding)
    content = Bytes(data, block=300)
    assert len(pieces(survey(content, "a.txt", s))) > 3 or end == "\n"
    assert seen(read_all(content, "a.txt", s)) == seen(
        read_all(content, "a.txt", settings_of(text_mode="line", encoding=encoding))
    )
