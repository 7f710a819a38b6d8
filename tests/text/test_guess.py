import pytest

from cleanse.text import utf16
from cleanse.text.declared import claimed
from cleanse.text.encoding import decide
from cleanse.text.everyday import everyday
from cleanse.text.evidence import look, sample
from cleanse.text.guess import SURE_HIGH, sure

ZH = "今天天气很好，我们去公园散步，回来时买了两斤苹果。"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["目标发行版档案库可以通过", "plain ASCII text", "삽입 - 하이퍼링크를 누르십시오"])
def test_utf16_without_a_bom_is_seen(order: str, text: str) -> None:
    found = utf16.order(look(lambda: [text.encode(order)]))
    assert found is not None
    assert found[0] == order.replace("16-", "16")


@pytest.mark.parametrize(
    "data", [ZH.encode(), ZH.encode("gbk"), b"plain", b"", b"\0" * 7, "Статистику можно получить".encode("cp1251")]
)
def test_other_bytes_are_not_utf16(data: bytes) -> None:
    assert utf16.order(look(lambda: [data])) is None


@pytest.mark.parametrize(
    ("page", "want"),
    [
        (b'<meta charset="gb2312">', "gb18030"),
        (b"<META http-equiv=Content-Type content='text/html; charset=Big5'>", "big5"),
        (b"<?xml version='1.0' encoding='Shift_JIS'?>", "shift_jis"),
        (b'<meta charset="utf-16">', "utf-8"),
        (b'<meta charset="nonsense-9">', None),
        (b"charset=gbk in plain text", None),
        (b" " * 5000 + b'<meta charset="gbk">', None),
    ],
)
def test_a_page_claims_its_encoding_in_its_head(page: bytes, want: str | None) -> None:
    assert claimed(page) == want


def test_a_stale_claim_loses_to_utf8_and_a_wrong_one_to_the_bytes() -> None:
    assert decide(b'<meta charset="gb2312">' + ZH.encode()).decided_by == "utf8"
    wrong = decide(b'<meta charset="utf-8">' + ZH.encode("gbk") * 4)
    assert wrong.encoding == "gb18030"


@pytest.mark.parametrize(
    ("data", "want"),
    [
        pytest.param(b"plain line\n" * 20_000 + ZH.encode("gbk") * 9, "gb18030", id="220 kB of ASCII, then GBK"),
        pytest.param(b"plain line\n" * 20_000 + ZH.encode(), "utf-8", id="220 kB of ASCII, then UTF-8"),
        pytest.param(ZH.encode("gbk") * 20 + b"\xff" + ZH.encode("gbk") * 20, "gb18030", id="one bad byte in GBK"),
        pytest.param((ZH * 20).encode() + b"\xff" + (ZH * 20).encode(), "utf-8", id="one bad byte in UTF-8"),
        pytest.param("これは文字コードの例です".encode("iso2022_jp"), "iso-2022-jp", id="escapes"),
        pytest.param(ZH.encode()[:-1], "utf-8", id="a cut last character"),
        pytest.param((ZH + "\n").encode() * 9 + (ZH + "\n").encode("gbk") * 3, "utf-8+gb18030", id="lines by turns"),
        pytest.param((ZH * 9000).encode("gbk"), "gb18030", id="one huge line"),
    ],
)
def test_traps_of_detection(data: bytes, want: str) -> None:
    assert decide(data).encoding == want


def test_evidence_leaves_out_markup_and_ascii_lines() -> None:
    page = b"<html>\n<script>var a = '\xc4\xe3';</script>\n<p>" + ZH.encode("gbk") + b"</p>\nplain\n</html>"
    assert sample(lambda: [page], is_page=True).shown.strip() == ZH.encode("gbk")


def test_everyday_tells_a_right_reading_from_a_wrong_one() -> None:
    assert everyday(ZH) > 0.9 > everyday(ZH.encode("gbk").decode("big5", "replace"))
    assert everyday("ascii") == 0


@pytest.mark.parametrize(
    ("text", "codec", "want"),
    [
        (ZH, "gb18030", "gb18030"),
        ("今天天氣很好，我們去公園散步，看見了許多花。", "big5", "big5"),
        ("今日は天気がとても良いので、公園へ散歩に行きました。", "cp932", "shift_jis"),
        pytest.param(
            "오늘은 날씨가 매우 좋아서 공원에 산책하러 갔습니다.", "cp949", None, id="Korean reads as Chinese, too"
        ),
        pytest.param(
            "今日は天気がとても良いので、公園へ散歩に行きました。", "euc_jp", None, id="EUC-JP has the rows of GB 18030"
        ),
        pytest.param("Сегодня очень хорошая погода, мы пошли гулять.", "koi8-r", None, id="Russian"),
        pytest.param("Voilà l'été où l'on goûte à tout, là-bas.", "cp1252", None, id="French"),
    ],
)
def test_much_evidence_of_one_reading_needs_no_detector(text: str, codec: str, want: str | None) -> None:
    line = text.encode(codec) + b"\n"
    high = sum(byte > 0x7F for byte in line)
    n = -(-SURE_HIGH // high)
    found = sure(line * n)
    assert (found and found[0]) == want
    assert sure(line * (n - 1)) is None
