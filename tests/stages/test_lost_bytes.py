"""Bytes that do not fit, claims that are wrong, texts that lost something: what is counted, what is rejected."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory import Bytes, read_all

from cleanse.settings import DecodeSettings, Settings
from cleanse.stage import Outcome
from cleanse.stages.mending import finish

ZH = "今天天气很好，我们去公园散步，回来时买了两斤苹果。"
RU = "Сегодня хорошая погода, мы идём гулять в парк."


def outcome(data: bytes, name: str = "a.txt", **settings: Any) -> tuple[Outcome, dict[str, int], str | None]:
    """Records, the counts of the ledger, and why the source was refused."""
    s = Settings(decode=DecodeSettings(**settings))
    found = read_all(Bytes(data), name, s)
    made = finish(found.records, s)
    counts = {k: n for k, n in {**found.changed, **found.counted, **made.changed}.items() if n}
    return made, counts, None if found.refused is None else found.refused["_reason"].item()


def with_bad(n_bad: int, n_chars: int) -> bytes:
    """UTF-8 of `n_chars` characters, `n_bad` of them a byte that does not fit, the last one good."""
    return b"\xff" * n_bad + ("好" * (n_chars - n_bad)).encode()


@pytest.mark.parametrize(
    ("n_bad", "n_chars", "share", "is_damaged"),
    [
        (2, 40, 0.0, False),  # so few are no damage, whatever their share
        (3, 40, 0.0, True),
        (2, 100, 0.03, False),
        (3, 100, 0.03, False),
        (4, 100, 0.03, True),
        (4, 100, 0.04, False),
        (6, 200, 0.03, False),
        (7, 200, 0.03, True),
        (4, 100, 1.0, False),
    ],
)
def test_more_bad_characters_than_an_accident_explains_are_damage(
    n_bad: int, n_chars: int, share: float, is_damaged: bool
) -> None:
    made, counts, _ = outcome(with_bad(n_bad, n_chars), encoding="utf-8", max_replaced_share=share)
    assert made.rejected["_reason"].to_list() == ["damaged"] * is_damaged
    both = made.rejected if is_damaged else made.kept
    assert both["_replaced"].item() == both["body"].item().count("\ufffd") == counts["replaced"] == n_bad


@pytest.mark.parametrize(("n_bad", "is_damaged"), [(2, False), (3, True)])
def test_an_incomplete_last_character_is_no_damage(n_bad: int, is_damaged: bool) -> None:
    data = with_bad(n_bad, 40) + "天".encode()[:2]
    made, counts, _ = outcome(data, encoding="utf-8", max_replaced_share=0.0)
    assert made.rejected.height == is_damaged
    assert (counts["replaced"], counts["truncated_tail"]) == (n_bad + 1, 1)


@pytest.mark.parametrize(
    ("data", "encoding", "n"),
    [
        (ZH.encode()[:-1], "auto", 1),
        (ZH.encode()[:-2], "auto", 1),
        (ZH.encode(), "auto", 0),
        ((ZH + "\n").encode()[:-2], "auto", 1),
        (ZH.encode("gbk")[:-1], "gbk", 1),
        (ZH.encode("gbk"), "gbk", 0),
        (ZH.encode("utf-16-le")[:-1], "utf-16le", 1),
        (ZH.encode("utf-16-le"), "utf-16le", 0),
        ("好🙂".encode("utf-16-le")[:-2], "utf-16le", 1),
        (("好" * 2000).encode("gbk")[:-1], "gbk", 1),
        (("好" * 2000).encode("gbk"), "gbk", 0),
        (b"caf\xe9", "windows-1252", 0),
        (b"", "auto", 0),
    ],
)
def test_a_text_whose_last_character_is_cut_is_counted(data: bytes, encoding: str, n: int) -> None:
    _, counts, _ = outcome(data, encoding=encoding)
    assert (counts.get("truncated_tail", 0), counts.get("replaced", 0)) == (n, n)


def test_what_the_source_had_lost_is_data_and_counted_apart() -> None:
    made, counts, _ = outcome(f"{ZH}\ufffd\n锟斤拷{ZH}\ufffd\ufffd".encode())
    assert (counts, made.kept["_replaced"].item()) == ({"fffd_in_source": 3}, 0)


@pytest.mark.parametrize("mode", ["file", "line"])
def test_byte_order_marks_of_joined_files_go_and_are_counted(mode: str) -> None:
    data = b"\xef\xbb\xbf" + "\ufeff一\n\ufeff二\n三\ufeff四\n".encode()
    made, counts, _ = outcome(data, text_mode=mode)
    assert "\n".join(made.kept["body"]).rstrip("\n") == "一\n二\n三\ufeff四"
    assert counts == {"bom_removed": 2}


@pytest.mark.parametrize(("bar", "reason"), [(0.0, None), (0.89, None), (0.9, None), (0.91, "undecodable")])
def test_a_decision_below_the_least_confidence_is_refused(bar: float, reason: str | None) -> None:
    page = f'<meta charset="windows-1251"><p>{RU}'.encode("cp1251")
    made, _, refused = outcome(page, "a.html", min_confidence=bar)
    assert refused == reason
    assert made.kept["_decided_by"].to_list() == [] if reason else ["declared"]


@pytest.mark.parametrize(
    ("claim", "encoding", "n"),
    [("gb2312", "utf-8", 1), ("utf-8", "utf-8", 0), ("gb2312", "gbk", 0), ("utf-16", "utf-8", 0), ("big5", "gbk", 1)],
)
def test_a_declaration_that_lost_is_counted(claim: str, encoding: str, n: int) -> None:
    page = f'<meta charset="{claim}"><p>{ZH * 4}</p>'.encode(encoding)
    made, counts, _ = outcome(page, "a.html")
    assert made.kept["body"].item().endswith(f"<p>{ZH * 4}</p>")
    assert counts.get("declared_wrong", 0) == n


@pytest.mark.parametrize(
    ("data", "encoding", "n"),
    [(ZH.encode(), "gbk", 1), (ZH.encode(), "utf-8", 0), (b"ASCII", "gbk", 0), (ZH.encode("gbk"), "gbk", 0)],
)
def test_a_setting_that_overrules_utf8_is_obeyed_and_counted(data: bytes, encoding: str, n: int) -> None:
    made, counts, _ = outcome(data, encoding=encoding, max_replaced_share=1.0, repair=False)
    assert made.kept["_decided_by"].item() == "setting"
    assert counts.get("setting_doubted", 0) == n


@pytest.mark.parametrize(("n", "reason"), [(4, None), (5, None), (6, "undecodable")])
def test_more_than_one_control_character_in_twenty_is_no_text(n: int, reason: str | None) -> None:
    assert outcome(b"\x01" * n + b"a" * (100 - n))[2] == reason
    assert outcome(b"\0\t\f\x1b\r\n"[: n - 1] * 20)[2] is None


def test_a_cut_character_behind_repaired_mojibake_is_counted() -> None:
    garbled = ZH.encode()[:-1].decode("latin-1")
    made, counts, _ = outcome(garbled.encode())
    row = made.kept.row(0, named=True)
    assert (row["body"], row["_repair"], row["_replaced"]) == (ZH[:-1] + "\ufffd", "mojibake:utf-8<windows-1252", 1)
    assert counts["replaced"] == 1


def test_escapes_behind_a_long_head_of_ascii_are_found() -> None:
    text = "plain ASCII\n" * 100_000 + "今日はとても天気がいいので公園へ行きます。\n" * 40_000
    made, _, _ = outcome(text.encode("iso2022_jp"))
    assert (made.kept["_encoding"].item(), made.kept["body"].item() == text) == ("iso-2022-jp", True)


BODIES = ["天", "a", "\\u5929", "{}[],", "\ufffd"]
DAMAGE = [b"", b"", b"\xff", b"\xff\xff", b"\xe4\xb8", b"\xe5\xa4\xa9\xe4"]
OBJECT = st.tuples(st.sampled_from(BODIES), st.sampled_from(DAMAGE))
LINE = st.tuples(st.booleans(), st.lists(OBJECT, min_size=1, max_size=4), st.sampled_from([", ", " ", ""]))


@settings(deadline=None)
@given(lines=st.lists(LINE, min_size=1, max_size=5), is_array=st.booleans())
def test_a_known_place_of_an_object_is_its_place_whatever_was_lost_before_it(
    lines: list[tuple[bool, list[tuple[str, bytes]], str]], is_array: bool
) -> None:
    n, data = 0, b"[\n" if is_array else b'{"title": "-"}\n'
    for has_bom, objects, cut in lines:
        texts = []
        for body, damage in objects:
            n += 1
            texts.append(f'{{"title": "{n}:{body}'.encode() + damage + b'"}')
        data += (b"\xef\xbb\xbf" if has_bom else b"") + (", " if is_array else cut).encode().join(texts)
        data += b",\n" if is_array else b"\n"
    data = data.rstrip(b",\n") + b"]\n" if is_array else data
    found = read_all(Bytes(data), "a.json", Settings(decode=DecodeSettings(encoding="utf-8"))).records
    assert found["title"].null_count() == 0
    for title, offset, size in found.select("title", "_offset", "_bytes").rows():
        number = title.partition(":")[0]
        if offset is not None:
            assert data[offset:].lstrip(b"\xef\xbb\xbf").startswith(f'{{"title": "{number}'.encode())
        if size is not None:
            assert data[offset : offset + size].strip(b", ").endswith(b'"}')
    assert found["_offset"].null_count() < found.height
