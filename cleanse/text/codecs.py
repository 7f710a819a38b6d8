"""Names of encodings: the labels that lead to each, and the Python codec that reads it. Source: WHATWG, Encoding.

A label is read by the superset that decodes real files: gb2312 pages hold GBK and GB18030 characters. ISO-8859-2, -5
and -7 are no subsets of windows-125x: they stay themselves.
"""

import codecs
import contextlib
import difflib
from collections.abc import Iterable, Iterator
from itertools import chain

# encoding → (labels that lead to it beside its own name, Python codec)
TABLE: dict[str, tuple[tuple[str, ...], str]] = {
    "utf-8": (("utf8",), "utf-8"),
    "utf-16le": (("utf-16-le", "utf-16"), "utf-16-le"),
    "utf-16be": (("utf-16-be",), "utf-16-be"),
    "utf-32le": (("utf-32-le", "utf-32"), "utf-32-le"),
    "utf-32be": (("utf-32-be",), "utf-32-be"),
    "gb18030": (("gb2312", "gb_2312-80", "gbk", "cp936", "x-gbk", "936"), "gb18030"),
    "hz-gb-2312": (("hz",), "hz"),
    "big5": (("big5-hkscs", "big5hkscs", "cn-big5", "x-x-big5", "cp950"), "big5hkscs"),
    "shift_jis": (("sjis", "x-sjis", "ms_kanji", "cp932", "shift-jis", "shift_jis_2004"), "cp932"),
    "euc-jp": (("euc_jp", "eucjp", "euc_jis_2004"), "euc_jp"),
    "iso-2022-jp": (("iso2022_jp", "iso2022_jp_2", "iso2022-jp"), "iso2022_jp_2"),
    "euc-kr": (("ks_c_5601-1987", "korean", "cp949", "euc_kr", "uhc"), "cp949"),
    "iso-2022-kr": (("iso2022_kr", "iso2022-kr"), "iso2022_kr"),
    "windows-1252": (("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "cp1252"), "cp1252"),
    "windows-1254": (("iso-8859-9", "iso8859-9", "cp1254"), "cp1254"),
    "windows-874": (("iso-8859-11", "tis-620", "cp874"), "cp874"),
    **{f"windows-{n}": ((f"cp{n}",), f"cp{n}") for n in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    "koi8-r": ((), "koi8-r"),
    "koi8-u": ((), "koi8-u"),
    "ibm866": (("cp866",), "cp866"),
    **{f"iso-8859-{n}": ((f"iso8859-{n}",), f"iso8859-{n}") for n in (2, 5, 7, 15)},
}
MULTI_BYTE = ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr")  # two bytes a character and more, without escapes
BY_LABEL = {label: name for name, (labels, _) in TABLE.items() for label in (name, *labels)}

LEGACY_SHARE = 0.6  # of a line's high bytes in valid UTF-8 sequences, below which it is in another encoding
DOUBTFUL_SHARE = 0.85  # the same, below which it is when it decodes there: two-byte pairs may look like UTF-8
ESCAPE, MAX_HELD = 16, 1024  # bytes of an escape sequence, and of those that may be one, at most
_NO_LINES = ("utf-16", "utf-32", "iso-2022", "hz")  # an LF byte is no line end there, nor a line a stretch of bytes
_ASCII = bytes(range(0x80))
_SPANS = ((0x80, b"a"), (0x40, b"t"), (0x02, b"x"), (0x1E, b"2"), (0x10, b"3"), (0x05, b"4"), (0x0B, b"x"))
_CLASSES = b"".join(mark * n for n, mark in _SPANS)  # of the 256 bytes: ASCII, trail, lead of 2, 3, 4, none
_MARK = "\udcff"  # a lone surrogate: no decoder of the table gives one, so it counts replacements exactly
MARK = _MARK.encode("utf-8", "surrogatepass")  # as it stands in what is transcoded
codecs.register_error("cleanse.mark", lambda error: (_MARK, error.end))  # type: ignore[attr-defined]  # a UnicodeError


def canonical(label: str) -> str:
    """The table's name for a label, in any case. Raises ValueError with the nearest name.

    >>> canonical("GB2312"), canonical("x-sjis")
    ('gb18030', 'shift_jis')
    >>> canonical("gbx")
    Traceback (most recent call last):
    ValueError: unknown encoding 'gbx'; did you mean 'gbk'?
    """
    folded = label.strip().lower()
    name = BY_LABEL.get(folded) or BY_LABEL.get(folded.replace("_", "-"))
    if name is None:
        near = difflib.get_close_matches(folded, BY_LABEL, 1, 0.5)
        raise ValueError(f"unknown encoding '{label}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return name


def decodes(data: bytes, encoding: str) -> bool:
    """True when every byte fits, strictly."""
    try:
        data.decode(TABLE[encoding][1])
    except UnicodeDecodeError:
        return False
    return True


def width(text: str, encoding: str) -> int:
    """Bytes that a text takes in an encoding.

    >>> width("天", "utf-8"), width("天", "gb18030")
    (3, 2)
    """
    return len(text.encode(TABLE[encoding][1], "replace"))


def cut_last(data: bytes, encoding: str) -> bool:
    """True when the last character of a line is incomplete: bytes that began one, and end too soon.

    >>> cut_last("天气".encode()[:-1], "utf-8"), cut_last("天气".encode("gbk"), "gb18030")
    (True, False)
    """
    name = decode_lines(data, encoding)[1][-1] if "+" in encoding else encoding
    decoder = codecs.getincrementaldecoder(TABLE[name][1])("replace")
    decoder.decode(data)
    return bool(decoder.decode(b"", final=True))


def decode_marked(data: bytes, encoding: str) -> str:
    """The text, with a private mark for each U+FFFD that had to be put in; `settle` makes it U+FFFD and counts.

    The mark keeps replacements apart from a U+FFFD of the source. `utf-8+NAME`: line by line, each as one of the two.
    """
    if "+" in encoding:
        return decode_lines(data, encoding)[0]
    if encoding == "gb18030":
        with contextlib.suppress(UnicodeDecodeError):  # nearly all of it is GBK: the same characters in half the time
            return data.decode("gbk")
    return data.decode(TABLE[encoding][1], "cleanse.mark")


def decode_lines(data: bytes, encoding: str) -> tuple[str, list[str]]:
    """As `decode_marked` for `utf-8+NAME`, and the encoding of each line (cut at LF)."""
    legacy = encoding.partition("+")[2]
    lines = data.split(b"\n")
    names = [legacy if _is_in(line, legacy) else "utf-8" for line in lines]
    read = (line.decode(TABLE[name][1], "cleanse.mark") for line, name in zip(lines, names, strict=True))
    return "\n".join(read), names


def is_transcoded(encoding: str) -> bool:
    """True for encodings that are read through UTF-8: their lines have no place in the bytes of the source."""
    return encoding.startswith(_NO_LINES)


def transcoded(blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The text in UTF-8, marks in it, for encodings in which an LF byte is no line end; read it as MARKED."""
    decoder = codecs.getincrementaldecoder(TABLE[encoding][1])("cleanse.mark")
    held = b""
    for block in chain(blocks, (b"",)):
        data = held + block
        end = _escapes_end(data) if block else len(data)
        held, data = data[end:], data[:end]
        if text := decoder.decode(data, final=not block or len(held) > MAX_HELD):
            yield text.encode("utf-8", "surrogatepass")


def _escapes_end(data: bytes) -> int:
    """Where the last escape begins that may not have ended, and those right before it: Python's decoders keep 8 bytes
    of one, and fail on more. The length of the data where there is none.
    """
    end = len(data)
    while len(data) - end <= MAX_HELD and (found := data.find(b"\x1b", max(0, end - ESCAPE), end)) >= 0:
        end = found
    return end


def text_of(data: bytes, encoding: str) -> tuple[str, int]:
    """The text of some bytes, and how many of its characters had to be U+FFFD.

    >>> text_of(b"a\\xffb\\xef\\xbf\\xbd", "utf-8")
    ('a�b�', 1)
    """
    return settle(decode_marked(data, encoding))


def _is_in(line: bytes, legacy: str) -> bool:
    return is_legacy(line) or (utf8_share(line) < DOUBTFUL_SHARE and decodes(line, legacy))


def is_legacy(line: bytes) -> bool:
    """True for a line of a mixed source that is rather no UTF-8: too few of its high bytes form sequences."""
    return not line.isascii() and utf8_share(line) < LEGACY_SHARE


def utf8_share(data: bytes) -> float:
    """The share of the bytes above 7F that stand in valid UTF-8 sequences, 0–1; 1 when there are none.

    >>> utf8_share("天".encode() + b"\\xff"), utf8_share(b"plain")
    (0.75, 1.0)
    """
    high = high_bytes(data)
    return valid_high_bytes(data) / high if high else 1.0


def valid_high_bytes(data: bytes) -> int:
    """How many of the bytes above 7F stand in UTF-8 sequences: lead and trail bytes as they should follow each other.

    By classes of bytes, so that it takes no decoder; sequences that only a decoder refuses (surrogates) count.
    """
    marks = data.translate(_CLASSES)
    return 2 * marks.count(b"2t") + 3 * marks.count(b"3tt") + 4 * marks.count(b"4ttt")


def high_bytes(data: bytes) -> int:
    """How many bytes are above 7F."""
    return len(data.translate(None, _ASCII))


def is_marked(text: str) -> bool:
    """True when `settle` has something to do."""
    return _MARK in text


def settle(text: str) -> tuple[str, int]:
    """The text with U+FFFD where `decode_marked` put a mark, and their number.

    >>> settle(decode_marked(b"a\\xffb\\xef\\xbf\\xbd", "utf-8"))
    ('a�b�', 1)
    """
    n = text.count(_MARK)
    return (text.replace(_MARK, "\ufffd") if n else text), n
