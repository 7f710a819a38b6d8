import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.text.codecs import TABLE, canonical, decode_lines, decode_marked, decodes, settle, transcoded

LABELS = (
    "UTF8=utf-8 utf_8=utf-8 GB2312=gb18030 gb_2312-80=gb18030 x_gbk=gb18030 936=gb18030 cn-big5=big5 EUC_JP=euc-jp "
    "Shift-JIS=shift_jis ks_c_5601-1987=euc-kr ISO_8859_1=windows-1252 us-ascii=windows-1252 utf-16=utf-16le "
    "tis-620=windows-874 iso-8859-2=iso-8859-2 ISO8859-5=iso-8859-5 iso-8859-15=iso-8859-15 koi8-u=koi8-u"
).split()


@pytest.mark.parametrize("pair", LABELS)
def test_a_label_leads_to_the_superset_that_reads_real_files_if_there_is_one(pair: str) -> None:
    label, _, want = pair.partition("=")
    assert canonical(f" {label}\n") == want


@pytest.mark.parametrize("name", TABLE)
def test_every_encoding_is_its_own_label_and_reads_ascii(name: str) -> None:
    data = "abc,\n".encode(TABLE[name][1])
    assert canonical(name) == name
    assert settle(decode_marked(data, name)) == ("abc,\n", 0)


def test_no_label_stands_twice_and_all_are_lower_case() -> None:
    labels = [label for name, (others, _) in TABLE.items() for label in (name, *others)]
    assert len(labels) == len(set(labels))
    assert labels == [label.lower() for label in labels]


@pytest.mark.parametrize(
    ("label", "message"),
    [("gbx", "'gbx'; did you mean 'gbk'"), ("Big-5", "'Big-5'; did you mean 'big5'"), ("", "''$"), ("???", r"'\?+'$")],
)
def test_an_unknown_label_is_named_with_the_nearest_one(label: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"unknown encoding {message}"):
        canonical(label)


@pytest.mark.parametrize(
    ("data", "encoding", "text", "n"),
    [
        *[(b"", "utf-8", "", 0), (b"a\xff\xffb", "utf-8", "a\ufffd\ufffdb", 2), (b"\xe5\xa4", "utf-8", "\ufffd", 1)],
        *[(b"a\x00b", "utf-16le", "a\ufffd", 1), (b"\x3d\xd8a\x00", "utf-16le", "\ufffda", 1)],
        pytest.param("a\ufffdb".encode(), "utf-8", "a\ufffdb", 0, id="U+FFFD of the source is data"),
    ],
)
def test_exactly_the_replacements_that_we_put_in_are_counted(data: bytes, encoding: str, text: str, n: int) -> None:
    assert settle(decode_marked(data, encoding)) == (text, n)


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"])
@pytest.mark.parametrize("after", [",", '"', "\n", "\t"])
def test_a_broken_character_does_not_take_the_delimiter_after_it(encoding: str, after: str) -> None:
    lead = "天".encode(TABLE[encoding][1])[:1]
    assert settle(decode_marked(lead + after.encode() + b"x", encoding)) == (f"\ufffd{after}x", 1)


def test_a_mixed_source_is_read_line_by_line() -> None:
    data = b"\n".join(["天气".encode(), "天气很好".encode("gbk"), b"plain", b""])
    assert decode_lines(data, "utf-8+gb18030")[1] == ["utf-8", "gb18030", "utf-8", "utf-8"]
    assert settle(decode_marked(data, "utf-8+gb18030")) == ("天气\n天气很好\nplain\n", 0)


@settings(deadline=None, max_examples=400)
@given(data=st.binary(max_size=24), encoding=st.sampled_from(sorted(TABLE)))
def test_any_bytes_become_text_that_utf8_can_hold(data: bytes, encoding: str) -> None:
    text, n = settle(decode_marked(data, encoding))
    assert n <= text.encode("utf-8").decode("utf-8").count("\ufffd")
    assert decodes(data, encoding) == (n == 0)


@pytest.mark.parametrize("size", [1, 5, 13])
@pytest.mark.parametrize("data", [b"a\x1b0123456789", b"\x1b$0123456789\x1b$B!!", b"\x1b$B$\x1b(B\x80 \x1b"])
def test_a_stray_escape_at_the_end_of_a_block_is_no_failure(data: bytes, size: int) -> None:
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert b"".join(transcoded(blocks, "iso-2022-jp")) == b"".join(transcoded([data], "iso-2022-jp"))
