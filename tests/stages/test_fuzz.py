"""Any bytes, as any format: never an exception, always valid text, every replaced character counted, no byte twice."""

import io
from typing import Literal

import polars as pl
import pytest
from dirty import DAMAGE, ENCODINGS, LINES, PARTS, damaged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory import Bytes, read_pieces

from cleanse.errors import InputError
from cleanse.settings import DecodeSettings, RunSettings, Settings
from cleanse.stage import Decoded
from cleanse.stages.mending import finish
from cleanse.stages.survey import survey

N_CASES = 400  # a format, by default; the nightly marker takes more
NAMES = ["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.html", "a.parquet", "a"]
MORE = [
    "<meta charset=big5>",
    "<?xml encoding='gbk'?>",
    "\x1b$B",
    "~{",
    "PAR1",
    "WARC/1.0\r\n",
    "PK",
    "锟斤拷",
    "ï»¿",
    "Ã©",
]
TEXTS = st.lists(st.sampled_from([*PARTS, *LINES, *MORE]), max_size=40).map("".join)


def parquet() -> bytes:
    """A small table, to be damaged."""
    buffer = io.BytesIO()
    columns = {"body": ["天气", None, "x" * 99], "title": [b"\xff\xfe", b"a", None], "n": [1, 2, 3]}
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\nContent-Length: 4\r\n\r\n\xcc\xec\xc6\xf8"
WARC = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(HTTP)
SEEDS = [parquet(), (WARC + HTTP + b"\r\n\r\n") * 3]


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """Random bytes, text in some encoding, or a binary format; damaged here and there."""
    data = draw(
        st.binary(max_size=300)
        | st.builds(lambda text, name: text.encode(name, "replace"), TEXTS, st.sampled_from(ENCODINGS))
        | st.builds(lambda one, two: one.encode() + two.encode("gbk", "replace"), TEXTS, TEXTS)
        | st.sampled_from(SEEDS)
    )
    return damaged(data, draw(DAMAGE))


def check(data: bytes, name: str, s: Settings) -> None:
    """Decode and judge what came out."""
    content = Bytes(data)
    try:
        facts = survey(content, name, s)
    except InputError as problem:
        if problem.id == "column-reserved":  # a header that begins with _
            return
        raise
    found = read_pieces(content, facts, s)
    made = finish(found.records, s)
    assert made.kept.height + made.rejected.height == found.records.height
    assert found.records.height or found.refused is not None
    assert found.records["_record"].to_list() == list(range(1, found.records.height + 1))
    for frame in (made.kept, made.rejected):
        for column in frame.select(pl.col(pl.String)):
            "".join(text for text in column if text).encode()  # an error for what is no UTF-8
    if facts.format in ("text", "html") and facts.columns:
        counted(pl.concat([made.kept, made.rejected.drop("_reason", "_detail")]), found)
    if facts.format in ("text", "csv", "tsv", "jsonl") and not facts.refused:
        tiled(data, found)


def counted(records: pl.DataFrame, found: Decoded) -> None:
    """Each U+FFFD of the output was put in and counted, or stood in the source."""
    texts = pl.concat([records["body"], records["_raw"]])
    n = int(texts.fill_null("").str.count_matches("\ufffd", literal=True).sum())
    assert n == records["_replaced"].sum() + found.counted.get("fffd_in_source", 0)


def tiled(data: bytes, found: Decoded) -> None:
    """No byte lies in two spans, and between them there are line ends, blank lines and byte order marks only."""
    spans = [found.records, *([found.structural] if found.structural is not None else [])]
    places = sorted(place for table in spans for place in table.select("_offset", "_bytes").rows() if None not in place)
    at = 0
    for offset, size in places:
        assert offset >= at
        assert not data[at:offset].strip(b"\r\n \t\x0b\x0c\0\xef\xbb\xbf\x85\x1c\x1d\x1e\x1f") or not places
        at = offset + size
    assert at <= len(data)


def fuzz(n_cases: int) -> None:
    @settings(deadline=None, max_examples=n_cases, suppress_health_check=list(HealthCheck))
    @given(
        data=sources(),
        name=st.sampled_from(NAMES),
        mode=st.sampled_from(["file", "line", "paragraph"]),
        part=st.sampled_from([2.0**-20, 16]),
    )
    def each(data: bytes, name: str, mode: Literal["file", "line", "paragraph"], part: float) -> None:
        check(data, name, Settings(decode=DecodeSettings(text_mode=mode), run=RunSettings(part_mb=part)))

    each()


def test_any_bytes_become_text_or_a_reason() -> None:
    fuzz(N_CASES)


@pytest.mark.fuzz
def test_any_bytes_become_text_or_a_reason_at_length() -> None:
    fuzz(20_000)
