import re

import pytest

from cleanse.text.mojibake import repair, suspect

ZH = "今天天气很好，我们去公园散步，回来时买了两斤苹果。"
RU = "содержится в различных национальных стандартах и описаниях"
JA = "このプログラムは、入力されたテキストを標準出力に書き出します。"
ZHT = "請選擇要插入的物件，然後按下確定按鈕以繼續進行設定。"


def read_as(text: str, true: str, wrong: str) -> str:
    """The mojibake of `text`; sloppy windows-1252 keeps C1 controls."""
    data = text.encode(true)
    if wrong == "windows-1252":
        return "".join(bytes([b]).decode("cp1252", "ignore") or chr(b) for b in data)
    return data.decode(wrong)


@pytest.mark.parametrize(
    ("text", "true", "wrong", "code"),
    [
        (ZH, "utf-8", "windows-1252", "mojibake:utf-8<windows-1252"),
        (ZH, "utf-8", "latin-1", "mojibake:utf-8<windows-1252"),
        (RU, "utf-8", "cp1251", "mojibake:utf-8<windows-1251"),
        ("déjà vu, où ça", "utf-8", "windows-1252", "mojibake:utf-8<windows-1252"),
        (ZH, "gb18030", "latin-1", "mojibake:gb18030<windows-1252"),
        (ZHT, "big5", "latin-1", "mojibake:big5<windows-1252"),
        (JA, "cp932", "latin-1", "mojibake:shift_jis<windows-1252"),
        (JA, "euc_jp", "latin-1", "mojibake:euc-jp<windows-1252"),
        (RU, "cp1251", "latin-1", "mojibake:windows-1251<windows-1252"),
        (RU, "cp1251", "koi8-r", "mojibake:windows-1251<koi8-r"),
        ("将文件中的数据按照给定的方式排序", "gb18030", "big5", "mojibake:gb18030<big5"),
    ],
)
def test_a_wrong_codec_is_undone(text: str, true: str, wrong: str, code: str) -> None:
    garbled = read_as(text, true, wrong)
    assert repair(garbled) == (text, code)
    assert re.search(suspect(), garbled), "the gate must let it through"


GOOD = [
    ZH, ZHT, JA, RU, RU.upper(), "", "plain ASCII", "SÃO PAULO — NÃO HÁ VAGAS. A POPULAÇÃO DA REGIÃO",
    "“锟斤拷”与“烫烫烫”是程序员常见的乱码", "他在黑板上写下“浣犲ソ”三个字，说这是“你好”的乱码。",
    "Prix : 10 €, rabais « été » — voilà l’œuvre d’art", "Ø ≥ 5 µm, ±0,1 °C, ½ × ¾ = 3⁄8 §§ ¶ ©®™",
    "镕基、喆、堃、囍、锟、斤、拷：这些字都是正常汉字。", "ﾊﾝｶｸｶﾅ ﾉ ﾃｷｽﾄ ﾃﾞｽ｡", "Œuvre, Æsir, Þórr, ðæt, øl, ÅÄÖ",
    "La señal Â° y Â© aparecen cuando se lee UTF-8 como Latin-1", "텍스트 문서용 명령", "ÇĞIİŞÜÖ çğıişüö",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_good_text_stays_as_it_is(text: str) -> None:
    assert repair(text) == (text, None)
    assert repair(f"{text}\n{text}\n") == (f"{text}\n{text}\n", None)


@pytest.mark.parametrize("mark", ["\ufffd", "锟斤拷", "烫烫烫"])
def test_text_that_lost_bytes_is_not_touched_in_any_line(mark: str) -> None:
    text = f"{read_as(ZH, 'utf-8', 'windows-1252')}\n{mark}文"
    assert repair(text) == (text, None)


def test_single_lines_are_repaired_and_the_others_stay() -> None:
    garbled = read_as(ZH, "utf-8", "windows-1252")
    assert repair(f"{ZH}\n{garbled}\nok") == (f"{ZH}\n{ZH}\nok", "mojibake_lines:utf-8<windows-1252")


def test_one_accented_letter_is_no_proof() -> None:
    assert repair("vollstÃ¤ndig") == ("vollstÃ¤ndig", None)


def test_in_a_short_cell_only_utf8_is_proof() -> None:
    garbled = read_as("天气", "gb18030", "latin-1")
    assert repair(garbled, 12) == (garbled, None)
    assert repair(read_as("天气", "utf-8", "windows-1252"), 12)[0] == "天气"


def test_a_replaced_last_character_stays_so_that_its_count_holds() -> None:
    garbled = read_as(ZH, "utf-8", "windows-1252")
    assert repair(garbled + "\ufffd") == (ZH + "\ufffd", "mojibake:utf-8<windows-1252")


@pytest.mark.parametrize(
    ("text", "worth"), [("│\xa0\xa0 ├── 目录", False), ("voilÃ\xa0", True), ("中│é", True), ("a\xa0b", False)]
)
def test_a_tree_that_is_drawn_with_no_break_spaces_is_not_worth_a_look(text: str, worth: bool) -> None:
    assert bool(re.search(suspect(), text)) is worth
