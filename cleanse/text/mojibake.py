"""Text that was decoded with the wrong codec, and taken back: only on proof, and never where something is lost.

Proof is that the bytes, made again with the wrong codec, are strict UTF-8, or that another reading is everyday text
where this one is not. A text that holds U+FFFD or 锟斤拷 lost bytes on its way: nothing of it is touched.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from cleanse.text.codecs import TABLE
from cleanse.text.everyday import everyday, plausible, rare_class, share

LOST = ("\ufffd", "锟斤拷", "烫烫烫")
MIN_LINE = 6  # non-ASCII characters of a line that is repaired by itself
MIN_LETTERS, MIN_RUN = 0.25, 3.0  # western letters: their share, and mean run; real western text has runs of 1-2
DENSE = 0.55  # western letters among all visible characters: more than any language has
MIN_EVERYDAY = 0.8
NEAR = 8  # characters between two odd ones of garbled text
_NO_BREAK = "\u00a0"
_LETTERS = "\u00a1-\u02ff\u0400-\u04ff"  # of Latin and Cyrillic code pages, and what else stands in such pages:
_SIGNS = "\u0370-\u03ff\u2013-\u22ff\u2300-\u25ff"  # Greek, dashes, quotes, signs, boxes
C1_SHARE = 0.1  # of the characters: nobody types C1 controls, but Shift_JIS read as Latin-1 is full of them
CJK_EVERYDAY, CJK_GAIN, CJK_CHARS, CJK_SHARE = 0.93, 0.2, 4, 0.8
UTF8_GAIN, UTF8_CHARS = 0.05, 3
CYRILLIC_GAIN = 0.15
COMMON_CYRILLIC = frozenset("оеаинтсрвлкмдпуя")
_MULTI_BYTE = frozenset(("gb18030", "shift_jis", "big5", "euc-kr"))
_WRONG_FOR_UTF8 = {
    **{n: TABLE[n][1] for n in ("gb18030", "windows-1251", "windows-1250", "windows-1254", "koi8-r")},
    **{n: TABLE[n][1] for n in ("shift_jis", "big5", "euc-kr")},
    "cp437": "cp437",
    "cp850": "cp850",
    "mac-roman": "mac-roman",
}
_READ_AS_LATIN = ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1251", "koi8-r")
_CJK_AS_CJK = (  # true, wrong, the codec that undoes the wrong one
    *(("gb18030", "big5", codec) for codec in ("big5", "cp950", "big5hkscs")),
    ("big5", "gb18030", "gb18030"),
    ("shift_jis", "gb18030", "gb18030"),
)
_CYRILLIC_LETTERS = re.compile("[\u0400-\u04ff]")
_CYRILLIC = ("windows-1251", "koi8-r", "ibm866")
_TO_BYTE = {ord(bytes([b]).decode("cp1252", "ignore") or chr(b)): b for b in range(0x80, 0xA0)}
_NOT_WESTERN = re.compile(f"[^\\x00-\\xff{''.join(map(chr, _TO_BYTE))}]")


class Repair(NamedTuple):
    """A repaired text, the encoding it is in truth, and the one it was read with."""

    text: str
    true: str
    wrong: str


def suspect() -> str:
    """A pattern that every text worth a look matches: one pass over a column spares nearly all of it the rest.

    Behind a sign a no-break space is a tree drawn with lines (`│\u00a0`): no code page has it where UTF-8 begins.
    """
    return f"[{rare_class()}]|[{_LETTERS}][{_LETTERS}{_SIGNS}{_NO_BREAK}]|[{_SIGNS}{_NO_BREAK}][{_LETTERS}]"


def dense() -> str:
    """A pattern for texts that `suspect` found: a rare hanzi here and there is none; in garbled text they stand close
    together, or letters of a code page beside its signs.
    """
    odd = f"{rare_class()}{_LETTERS}{_NO_BREAK}"
    near = f"[^\\n]{{0,{NEAR}}}"
    return f"[{odd}]{near}[{odd}]|[{_LETTERS}]{near}[{_SIGNS}{_NO_BREAK}]|[{_SIGNS}][{_LETTERS}]"


def repair(text: str, min_chars: int = 0) -> tuple[str, str | None]:
    """The text as it was meant, and `mojibake:TRUE<WRONG`; or as it stands, and None.

    `min_chars`: length below which only UTF-8 is proof enough (cells of tables: 12).

    >>> repair("å¤©æ°”å¾ˆå¥½")
    ('天气很好', 'mojibake:utf-8<windows-1252')
    >>> repair("“锟斤拷”是常见的乱码")[1] is None
    True
    """
    body = text.removesuffix("\ufffd")
    if body.isascii() or any(mark in body for mark in LOST):
        return text, None
    steps = (utf8, *((western, cjk, cyrillic) if len(text) >= min_chars else ()))
    if found := _first(body, steps):
        return found.text + text[len(body) :], f"mojibake:{found.true}<{found.wrong}"  # a U+FFFD that was counted stays
    return _by_line(text, steps[:3])


def _first(text: str, steps: Iterable[Callable[[str], Repair | None]]) -> Repair | None:
    return next((found for step in steps if (found := step(text))), None)


def _by_line(text: str, steps: tuple[Callable[[str], Repair | None], ...]) -> tuple[str, str | None]:
    """A text of which some lines only are garbled; the code names the first of them."""
    lines = text.split("\n")
    if len(lines) == 1:
        return text, None
    worth = re.compile(suspect())
    found = {
        i: got
        for i, line in enumerate(lines)
        if not line.isascii()
        and worth.search(line)
        and _beyond_ascii(line) >= MIN_LINE
        and (got := _first(line, steps))
    }
    if not found:
        return text, None
    first = next(iter(found.values()))
    mended = "\n".join(found[i].text if i in found else line for i, line in enumerate(lines))
    return mended, f"mojibake_lines:{first.true}<{first.wrong}"


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def latin_bytes(text: str) -> bytes | None:
    """The bytes of a text read as windows-1252 or Latin-1, None when it holds other characters."""
    return None if _NOT_WESTERN.search(text) else text.translate(_TO_BYTE).encode("latin-1")


def _bytes_of(text: str, codec: str) -> bytes | None:
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return None


def _strict(data: bytes | None, codec: str) -> str | None:
    try:
        return data.decode(codec) if data else None
    except UnicodeDecodeError:
        return None


def utf8(text: str) -> Repair | None:
    """UTF-8 that was read with another codec: its bytes are strict UTF-8 again, which chance does not make."""
    if (data := latin_bytes(text)) and (found := _strict(data, "utf-8")) and _proven(found):
        return Repair(found, "utf-8", "windows-1252")
    for name, codec in _WRONG_FOR_UTF8.items():
        found = _strict(_bytes_of(text, codec), "utf-8")
        if found is None or not _proven(found):
            continue
        gained = everyday(found) >= everyday(text) + UTF8_GAIN and _beyond_ascii(found) >= UTF8_CHARS
        if name not in _MULTI_BYTE or gained:
            return Repair(found, "utf-8", name)
    return None


def _proven(text: str) -> bool:
    """Two characters of several bytes or one of three, and no C1 control among them."""
    beyond = [c for c in text if c > "\x7f"]
    return (len(beyond) >= 2 or any(c > "\u07ff" for c in beyond)) and not any(c < "\xa0" for c in beyond)


def western(text: str) -> Repair | None:
    """Chinese, Japanese, Korean or Russian read as Latin-1: western letters in runs that no western text has.

    An incomplete last character becomes U+FFFD.
    """
    data = latin_bytes(text)
    if data is None or not (_in_runs(text) or share(text, lambda c: "\x80" <= c <= "\x9f") > C1_SHARE):
        return None
    for cut in (1, 2):  # UTF-8 whose last character is incomplete
        found = _strict(data[:-cut], "utf-8")
        if found and data[-cut] >= 0xC2 and _proven(found):
            return Repair(found + "\ufffd", "utf-8", "windows-1252")  # what is left of it is no text
    read = {name: _strict(data, TABLE[name][1]) for name in _READ_AS_LATIN}
    scores = {name: plausible(found, name) for name, found in read.items() if found is not None}
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is None or scores[best] <= MIN_EVERYDAY:
        return None
    return Repair(read[best] or "", best, "windows-1252")


def _in_runs(text: str) -> bool:
    marks = "".join("x" if c > "\x7f" else " " for c in text).split()
    letters = sum(c.isalpha() or c > "\x7f" for c in text)
    beyond = sum(map(len, marks))
    visible = len("".join(text.split()))
    return bool(marks) and (
        beyond > DENSE * visible or (beyond / len(marks) >= MIN_RUN and beyond > MIN_LETTERS * letters)
    )


def cjk(text: str) -> Repair | None:
    """One Chinese or Japanese encoding read as another: rare characters that all become common ones."""
    found = list[Repair]()
    for true, wrong, codec in _CJK_AS_CJK:
        if read := _strict(_bytes_of(text, codec), TABLE[true][1]):  # fails early on nearly all texts
            found.append(Repair(read, true, wrong))
    beyond = "".join(c for c in text if c > "\x7f") if found else ""
    if len(beyond) < CJK_CHARS or share(beyond, _is_asian) < CJK_SHARE:
        return None
    best = max(found, key=lambda r: everyday(r.text))
    return best if everyday(best.text) > max(CJK_EVERYDAY, everyday(text) + CJK_GAIN) else None


def _is_asian(char: str) -> bool:
    return char >= "\u2e80" or "\u2000" <= char <= "\u26ff"


def cyrillic(text: str) -> Repair | None:
    """Russian in one code page read as another. Case is no help: capital headings look just like the damage."""
    if len(_CYRILLIC_LETTERS.findall(text)) < MIN_LETTERS * len(text):
        return None
    candidates = list[Repair]()
    for true in _CYRILLIC:
        for wrong in _CYRILLIC:
            found = _strict(_bytes_of(text, TABLE[wrong][1]), TABLE[true][1]) if true != wrong else None
            if found and everyday(found) > MIN_EVERYDAY and _lower_words(found) > 0.5 > _lower_words(text):
                candidates.append(Repair(found, true, wrong))
    best = max(candidates, key=lambda r: _common(r.text), default=None)
    return best if best and _common(best.text) >= _common(text) + CYRILLIC_GAIN else None


def _common(text: str) -> float:
    letters = [c for c in text.lower() if c > "\x7f" and c.isalpha()]
    return sum(c in COMMON_CYRILLIC for c in letters) / max(1, len(letters))


def _lower_words(text: str) -> float:
    words = [w for w in text.split() if any("\u0400" <= c <= "\u04ff" for c in w)]
    return sum(w[1:] == w[1:].lower() and len(w) > 1 for w in words) / max(1, len(words))
