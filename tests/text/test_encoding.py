from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.text.codecs import TABLE, canonical
from cleanse.text.encoding import BINARY, SAMPLE, Decision, decide, refuse_controls

GBK = "今天天气很好，我们去公园散步，看见了许多花。".encode("gbk")
JAPANESE = "今日は天気がとても良いので、公園へ散歩に行きました。"
RUSSIAN = "Сегодня очень хорошая погода, мы пошли гулять в парк."


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["", "a天"])
def test_a_bom_answers_before_all_else_even_the_setting(codec: str, text: str) -> None:
    want = Decision(canonical(codec), 1.0, "bom", len("\ufeff".encode(codec)))
    assert decide(f"\ufeff{text}".encode(codec)) == decide(f"\ufeff{text}".encode(codec), "gbk") == want


@pytest.mark.parametrize(
    ("text", "setting", "want", "step"),
    [
        *[("", "auto", "utf-8", "empty"), ("plain", "auto", "utf-8", "utf8"), ("天气", "auto", "utf-8", "utf8")],
        *[("Ã©", "auto", "utf-8", "utf8"), ("天气", "big5", "big5", "setting"), ("", "GBK", "gb18030", "setting")],
    ],
)
def test_a_setting_comes_before_utf8_and_utf8_before_a_guess(text: str, setting: str, want: str, step: str) -> None:
    assert decide(text.encode(), setting) == Decision(want, 1.0, step)


@pytest.mark.parametrize("magic", BINARY)
@pytest.mark.parametrize("setting", ["auto", "gbk"])
def test_a_binary_file_is_refused_by_its_first_bytes_even_with_a_setting(magic: bytes, setting: str) -> None:
    with pytest.raises(ValueError, match=f"binary: {BINARY[magic]}"):
        decide(magic + b"...", setting)


@pytest.mark.parametrize("data", [b"%PDF 1.7", b"GIF is a format", b"PK\x03", b"a %PDF-", b"\x7fEL"])
def test_text_that_only_looks_like_a_magic_number_is_text(data: bytes) -> None:
    assert decide(data).decided_by == "utf8"


@pytest.mark.parametrize(
    ("data", "want"),
    [
        pytest.param(GBK, "gb18030", id="GBK"),
        pytest.param("今天天氣很好，我們去公園散步，看見了許多花。".encode("big5"), "big5", id="Big5"),
        pytest.param(JAPANESE.encode("cp932"), "shift_jis", id="Shift-JIS"),
        pytest.param(JAPANESE.encode("euc_jp"), "euc-jp", id="EUC-JP"),
        pytest.param("오늘은 날씨가 매우 좋아서 공원에 산책하러 갔습니다.".encode("cp949"), "euc-kr", id="EUC-KR"),
        pytest.param(RUSSIAN.encode("cp1251"), "windows-1251", id="windows-1251"),
        pytest.param(RUSSIAN.encode("iso8859-5"), "iso-8859-5", id="no windows page"),
        pytest.param(b"plain line\n" * 22_000 + GBK, "gb18030", id="behind 240 kB of ASCII"),
        pytest.param(b"plain line\n" * 22_000 + "天".encode(), "utf-8", id="UTF-8 behind ASCII"),
    ],
)
def test_the_encodings_people_write_in_are_found(data: bytes, want: str) -> None:
    assert decide(data).encoding == want


@pytest.mark.parametrize(("text", "damaged"), [("é" * 46, False), ("é" * 45 + "天", True), ("é" * 47, True)])
def test_damaged_utf8_needs_93_percent_of_its_high_bytes(text: str, damaged: bool) -> None:
    assert (decide(text.encode() + b" \xff" * 7).decided_by == "utf8_damaged") == damaged  # 92, 93, 94 beside 7


@pytest.mark.parametrize("n", [4, 5, 6, 100])
@pytest.mark.parametrize("control", ["\x01", "\x7f", "\x0b"])
def test_more_than_five_percent_control_characters_are_a_binary_file(n: int, control: str) -> None:
    with pytest.raises(ValueError, match=f"binary: {n}% control characters") if n > 5 else nullcontext():
        refuse_controls(control * n + "文" * (100 - n))


@pytest.mark.parametrize("text", ["", "\0\t\n\r\f\x1b" * 9, "\x85\u2028\u200b" * 9, "a" * SAMPLE + "\x01" * SAMPLE])
def test_controls_of_text_and_what_lies_behind_the_sample_do_not_count(text: str) -> None:
    refuse_controls(text)


@settings(deadline=None)
@given(data=st.binary(max_size=40))
def test_any_bytes_get_an_encoding_of_the_table_or_a_reason(data: bytes) -> None:
    try:
        found = decide(data)
    except ValueError as reason:
        found = Decision("utf-8", 0.0, str(reason))
    assert found.decided_by.startswith(("no encoding fits", "binary: ")) or found.decided_by.isidentifier()
    assert set(found.encoding.split("+")) <= TABLE.keys()
    assert 0 <= found.confidence <= 1


@settings(deadline=None)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0\x1b~")))
def test_text_that_decodes_as_utf8_is_utf8(text: str) -> None:
    assert decide(f"文{text}".encode()) == Decision("utf-8", 1.0, "utf8")
