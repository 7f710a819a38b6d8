"""Responses of a crawl: one record each, decided by the header of its own."""

import gzip
from pathlib import Path

import pytest
from decoding import decoded, put

ZH = "今天天气很好，我们去公园散步，回来时买了两斤苹果。"
PAGE = f"<p>{ZH}</p>"


def record(kind: str, content: bytes, more: str = "", uri: str = "http://a.example/") -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Record-ID: <urn:uuid:1>\r\n{more}"
    head += "WARC-Date: 2024-01-01T00:00:00Z\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content + b"\r\n\r\n"


def response(body: bytes, *headers: str, uri: str = "http://a.example/") -> bytes:
    lines = "\r\n".join(["HTTP/1.1 200 OK", *headers, "", ""])
    return record("response", lines.encode() + body, "Content-Type: application/http; msgtype=response\r\n", uri)


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    parts = [body[:half], body[half:], b""]
    return b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts)


@pytest.mark.parametrize(
    ("body", "headers", "encoding", "decided"),
    [
        (PAGE.encode("gbk"), ["Content-Type: text/html; charset=gbk"], "gb18030", "declared"),
        (PAGE.encode(), ["Content-Type: text/html; charset=gbk"], "utf-8", "utf8"),
        (PAGE.encode("big5", "replace"), ["Content-Type: text/html; charset=big5"], "big5", "declared"),
        (chunked(PAGE.encode()), ["Content-Type: text/html", "Transfer-Encoding: chunked"], "utf-8", "utf8"),
        (gzip.compress(PAGE.encode()), ["Content-Type: text/html", "Content-Encoding: gzip"], "utf-8", "utf8"),
        (
            chunked(gzip.compress(PAGE.encode())),
            ["Content-Type: text/html", "Content-Encoding: gzip", "Transfer-Encoding: chunked"],
            "utf-8",
            "utf8",
        ),
    ],
    ids=["header", "stale header", "big5", "chunks", "gzip", "gzip in chunks"],
)
def test_a_body_is_unpacked_and_decided_by_its_own_header(
    tmp_path: Path, body: bytes, headers: list[str], encoding: str, decided: str
) -> None:
    path = put(tmp_path, {"a.warc": record("warcinfo", b"x: y\r\n") + response(body, *headers)}) / "a.warc"
    found = decoded(path, tmp_path / "out")
    row = found.kept.row(0, named=True)
    assert (row["_encoding"], row["_decided_by"]) == (encoding, decided)
    assert row["body"] == PAGE.encode("big5", "replace").decode("big5") if encoding == "big5" else PAGE
    assert (row["url"], row["title"], found.changed["warc_other"]) == ("http://a.example/", None, 1)


def test_what_is_no_text_is_unsupported_and_its_neighbours_stay(tmp_path: Path) -> None:
    data = (
        response(PAGE.encode(), "Content-Type: text/html", uri="http://a.example/1")
        + response(b"\x89PNG\r\n", "Content-Type: image/png", uri="http://a.example/2")
        + response(b"\x89PNG\r\n", "Content-Type: text/html", uri="http://a.example/3")
        + record("request", b"GET / HTTP/1.1\r\n\r\n", "Content-Type: application/http; msgtype=request\r\n")
        + response(b"plain", "Content-Type: text/plain", uri="http://a.example/4")
    )
    path = put(tmp_path, {"a.warc.gz": gzip.compress(data)}) / "a.warc.gz"
    found = decoded(path, tmp_path / "out")
    assert found.kept.select("_record", "url").rows() == [(1, "http://a.example/1"), (4, "http://a.example/4")]
    assert found.rejected.select("_record", "_reason").rows() == [(2, "unsupported"), (3, "undecodable")]
    assert found.changed["warc_other"] == 1


@pytest.mark.parametrize("packed", [False, True])
def test_parts_of_a_crawl_are_the_whole_of_it(tmp_path: Path, packed: bool) -> None:
    members = [
        response(f"<p>{n} {ZH * 200}</p>".encode(), "Content-Type: text/html", uri=f"http://a.example/{n}")
        for n in range(60)
    ]
    data = b"".join(gzip.compress(m) if packed else m for m in members)
    path = put(tmp_path, {"a.warc.x": data}) / "a.warc.x"
    one, many = (decoded(path, tmp_path / f"out{mb}", part_mb=mb) for mb in (16, 0.25))
    assert len(list((tmp_path / "out0.25/kept").iterdir())) > 2
    assert many.kept.sort("_record").rows() == one.kept.rows()
    assert one.kept["_record"].to_list() == list(range(1, 61))


def test_a_cut_crawl_keeps_the_responses_before_the_break(tmp_path: Path) -> None:
    data = b"".join(gzip.compress(response(PAGE.encode(), "Content-Type: text/html")) for _ in range(9))
    path = put(tmp_path, {"a.warc.gz": data[:-30]}) / "a.warc.gz"
    found = decoded(path, tmp_path / "out")
    assert found.reasons == {"a.warc.gz": "bad_archive"}
    assert found.kept["body"].to_list() == [PAGE] * 8


MAX = (1 << 20) - len("http://a.example/")  # bytes of all that a record holds


@pytest.mark.parametrize(("n", "reasons"), [(MAX, []), (MAX + 1, ["too_large"]), (3 << 20, ["too_large"])])
def test_a_body_above_the_limit_is_too_large(tmp_path: Path, n: int, reasons: list[str]) -> None:
    data = response(b"x" * n, "Content-Type: text/plain") + response(b"y", "Content-Type: text/plain")
    found = decoded(put(tmp_path, {"a.warc": data}) / "a.warc", tmp_path / "out", max_record_mb=1)
    assert found.rejected["_reason"].to_list() == reasons
    assert found.kept["body"][-1] == "y"
