import gzip
import io
from typing import Any

import polars as pl
import pytest
from memory import Bytes, read_all, surveyed

from cleanse.errors import InputError
from cleanse.settings import ColumnSettings, DecodeSettings, Settings
from cleanse.stage import Decoded
from cleanse.stages import decode
from cleanse.stages.mending import finish
from cleanse.stages.spans import Spans
from cleanse.stages.survey import Piece
from cleanse.table import run_schema

ROWS = "标题,正文,标签\n今天的天气,多云转晴,天气\n"


def decoded(data: bytes, name: str = "a.csv", **settings: Any) -> Decoded:
    return read_all(Bytes(data), name, Settings(decode=DecodeSettings(**settings)))


def kept_rows(data: bytes, name: str = "a.csv", **settings: Any) -> pl.DataFrame:
    found = decoded(data, name, **settings).records
    return finish(found, Settings(decode=DecodeSettings(**settings))).kept


def bodies(data: bytes, name: str = "a.csv", **settings: Any) -> list[str]:
    found: list[str] = kept_rows(data, name, **settings)["body"].to_list()
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_table_reads_the_same_in_every_encoding(encoding: str) -> None:
    row = kept_rows((ROWS * 40).encode(encoding))
    assert row["title"][0] == "今天的天气"
    assert row["_replaced"].sum() == 0


@pytest.mark.parametrize(
    ("name", "data", "want"),
    [
        ("a.tsv", b"title\tbody\nx\ty,z\n", "y,z"),
        ("a.jsonl", b'{"body": "x"}\n', "x"),
        ("a.ndjson", b'{"content": "x"}\n', "x"),
        ("a.html", b"<p>x</p>", "<p>x</p>"),
        ("a.txt", b"x\ny", "x\ny"),
        ("unnamed", b'{"body": "x"}', "x"),
        ("page", b"<!DOCTYPE html><p>x", "<!DOCTYPE html><p>x"),
        ("note", "天气".encode(), "天气"),
    ],
)
def test_the_format_follows_from_suffix_then_content(name: str, data: bytes, want: str) -> None:
    assert bodies(data, name) == [want]


def test_where_a_record_lies_in_the_source() -> None:
    kept = kept_rows('\ufefftitle,body\n\n一,"二\n三"\n四,五\n'.encode())
    assert kept.select("_line", "_offset", "_bytes").rows() == [(3, 15, 13), (5, 29, 7)]


def test_utf16_has_no_offsets() -> None:
    assert kept_rows(ROWS.encode("utf-16"))["_offset"].to_list() == [None]


def test_bad_bytes_are_replaced_and_counted_but_not_those_of_the_source() -> None:
    good = "天气很好，我们去公园散步。" * 8
    data = f"title,body\nx,{good}\n".encode() + b"y,\xff" + "好\ufffd\n".encode()
    kept = kept_rows(data)
    assert kept["_replaced"].to_list() == [0, 1]
    assert kept["body"][1] == "\ufffd好\ufffd"
    assert kept["_decided_by"][0] == "utf8_damaged"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.csv", b"", "empty_file"),
        ("a.jsonl", b" \n\n", "empty_file"),
        ("a.csv", b"title,body\n", "no_records"),
        ("a.csv", b"a,b,c\n1\n1,2\n1,2,3,4\n1;2\n1,2,3,4,5\n", "dialect_unclear"),
        ("a.txt", b"%PDF-1.7 ...", "undecodable"),
        ("a.txt", bytes(range(1, 9)) * 20, "undecodable"),
        ("a.parquet", b"PAR1 but no table", "undecodable"),
    ],
)
def test_a_source_without_records_is_one_rejected_row(name: str, data: bytes, reason: str) -> None:
    found = decoded(data, name)
    row = found.refused
    assert row is not None
    assert (row["_reason"].item(), row["_record"].item(), row["_id"].item()[-2:]) == (reason, 0, ":0")
    assert found.records.is_empty()


def test_an_empty_text_file_is_one_empty_record_and_lines_are_records_on_request() -> None:
    assert bodies(b"", "a.txt") == [""]
    assert bodies(b"a\n\nb", "a.txt", text_mode="line") == ["a", "", "b"]
    assert bodies(b"a\nb\n\n\nc\n", "a.txt", text_mode="paragraph") == ["a\nb", "c"]


def test_plain_text_is_untitled_and_a_page_has_a_null_title() -> None:
    assert kept_rows(b"x", "a.txt")["_flags"].to_list() == ["untitled"]
    assert kept_rows(b"<p>x", "a.html")["title"].to_list() == [None]


@pytest.mark.parametrize(("n", "kept"), [(2**20, 1), (2**20 + 1, 0)])
def test_a_record_above_the_limit_is_too_large(n: int, kept: int) -> None:
    record = finish(decoded(b"x" * n, "a.txt").records, Settings(decode=DecodeSettings(max_record_mb=1)))
    assert (record.kept.height, record.rejected["_reason"].to_list()) == (kept, ["too_large"] * (1 - kept))


def test_parquet_keeps_its_types_and_says_source() -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"text": ["x"], "n": [1], "v": [[0.5, 1.0]]}).write_parquet(buffer)
    kept = kept_rows(buffer.getvalue(), "a.parquet")
    assert kept.select("body", "n", "v", "_decided_by").rows() == [("x", 1, [0.5, 1.0], "source")]


def test_a_reserved_column_is_an_error_that_names_it() -> None:
    with pytest.raises(InputError, match=r"column '_mine' in a\.csv"):
        decoded(b"_mine,body\n1,2\n")


def test_mapped_columns_play_the_roles() -> None:
    s = Settings(columns=ColumnSettings(body="b"))
    facts = surveyed(b"b,body\n1,2\n", "a.csv", s)
    assert facts.names == {"b": "body", "body": "body_2"}


def test_columns_of_several_sources_become_one_schema() -> None:
    one = surveyed(b'{"body": "x", "n": 1}', "a.jsonl", Settings())
    two = surveyed(b'{"n": "one", "body": "y", "m": true}', "b.jsonl", Settings())
    schema = run_schema([*one.columns.items(), *two.columns.items()])
    rows = decode.read(Spans(Bytes(b'{"body": "x", "n": 1}'), one.decision), Piece(one), schema, Settings()).records
    assert rows.select("body", "n", "m").rows() == [("x", "1", None)]


def test_gzip_is_no_business_of_the_stage() -> None:
    assert decoded(gzip.compress(b"x"), "a.txt").refused is not None


@pytest.mark.parametrize("repair", [True, False])
def test_mojibake_is_taken_back_in_roles_and_names_or_only_counted(repair: bool) -> None:
    garbled = "天气很好，去公园".encode().decode("gb18030", "ignore")
    data = f"{'标题'.encode().decode('latin-1')},body,id\n{garbled},x,{garbled}\n".encode()
    s = Settings(decode=DecodeSettings(repair=repair))
    outcome = finish(decoded(data, repair=repair).records, s)
    row = outcome.kept.row(0, named=True)
    if repair:
        assert (row["title"], row["id"], row["_repair"]) == ("天气很好，去公园", garbled, "mojibake:utf-8<gb18030")
    assert outcome.changed["mojibake_repaired"] == int(repair)


def test_nuls_go_and_are_counted() -> None:
    outcome = finish(decoded(b"title,body\na\0b,c\n").records, Settings())
    assert outcome.kept.select("title", "_repair").row(0) == ("ab", "nul_stripped")
    assert outcome.changed["nul_stripped"] == 1


def test_a_table_with_mixed_line_ends_is_cut_at_each_of_them() -> None:
    kept = kept_rows(b'title,body\na,b\rc,"d\re"\r\nf,g\n')
    assert kept.select("_line", "_offset", "_bytes", "title", "body").rows() == [
        (2, 11, 3, "a", "b"),
        (3, 15, 7, "c", "d\re"),
        (5, 24, 3, "f", "g"),
    ]


def test_binary_roles_of_parquet_are_decoded_cell_by_cell() -> None:
    cells = ["今天天气很好，我们去公园".encode("gbk"), "天气".encode(), None, b"\xff\x00\x01"]
    buffer = io.BytesIO()
    pl.DataFrame({"title": cells, "body": cells, "other": cells}).write_parquet(buffer)
    outcome = finish(decoded(buffer.getvalue(), "a.parquet").records, Settings())
    assert outcome.kept.select("body", "_encoding", "_decided_by").rows() == [
        ("今天天气很好，我们去公园", "gb18030", "chardet"),
        ("天气", "utf-8", "utf8"),
        (None, "utf-8", "source"),
    ]
    assert outcome.kept["other"].dtype == pl.Binary
    assert outcome.rejected.select("_record", "_reason").rows() == [(4, "undecodable")]


@pytest.mark.parametrize("name", ["a.parquet", "a.warc", "A.WARC.GZ"])
def test_a_file_that_does_not_begin_as_its_name_says_is_no_text(name: str) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 9\n"
    found = [surveyed(data, name, Settings()).refused for data in (b"", pointer)]
    assert [each and each[0] for each in found] == ["empty_file", "undecodable"]
    asked = Settings(decode=DecodeSettings(format="text"))
    assert surveyed(pointer, name, asked).refused is None
