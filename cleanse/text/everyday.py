"""How much a text looks like what people write every day: tells a right reading of bytes from a wrong one."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise

_RANGES = (  # first, last, weight; the first that holds counts
    (0x3040, 0x30FF, 1.0),  # kana
    (0xAC00, 0xD7A3, 1.0),  # hangul
    (0x3000, 0x303F, 1.0),  # CJK punctuation
    (0xFF61, 0xFF9F, 0.1),  # half-width kana: nobody types it
    (0xFF01, 0xFF60, 0.8),  # full-width
    (0x0400, 0x04FF, 0.9),  # Cyrillic
    (0x0080, 0x024F, 0.5),  # Latin
    (0xE000, 0xF8FF, -1.0),  # private use
    (0xFFFD, 0xFFFD, -1.0),
)
OTHER, RARE = 0.2, 0.15
_HANZI = 0x3400, 0x9FFF  # first, last
_COMMON = (  # codec, first and last lead byte of the plane of everyday hanzi, weight; the first that holds counts
    ("gb2312", 0xB0, 0xD7, 1.0),
    ("big5", 0xA4, 0xC6, 0.9),
    ("euc_jp", 0xB0, 0xCF, 0.9),
)


@cache
def weight(char: str) -> float:
    """The weight of one non-ASCII character, −1 to 1.

    >>> weight("天"), weight("驥"), weight("\\ue000")
    (1.0, 0.9, -1.0)
    """
    code = ord(char)
    if _HANZI[0] <= code <= _HANZI[1]:
        return next((share for codec, first, last, share in _COMMON if char in _plane(codec, first, last)), RARE)
    return next((share for first, last, share in _RANGES if first <= code <= last), OTHER)


@cache
def rare_class() -> str:
    """The inside of a regex class with every hanzi that is not everyday, and what no text holds: half-width kana,
    private use, C1 controls. A text without any of these reads as it should.

    >>> from re import search
    >>> [bool(search(f"[{rare_class()}]", char)) for char in "天驥一鿿㐀\ue000"]
    [False, False, False, True, True, True]
    """
    common = frozenset[str]().union(*(_plane(codec, first, last) for codec, first, last, _ in _COMMON))
    first, last = map(chr, _HANZI)
    edges = [chr(ord(first) - 1), *sorted(char for char in common if first <= char <= last), chr(ord(last) + 1)]
    spans = [(ord(a) + 1, ord(b) - 1) for a, b in pairwise(edges) if ord(b) - ord(a) > 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in spans) + "\uff61-\uff9f\ue000-\uf8ff\x80-\x9f"


@cache
def _plane(codec: str, first: int, last: int) -> frozenset[str]:
    """The characters of two bytes of which the first is in this range."""
    trails = bytes(range(0x40, 0xFF))
    pairs = bytearray(b"\n") * (3 * len(trails))  # apart, for what is no character must not swallow the next
    pairs[1::3] = trails
    found = ""
    for lead in range(first, last + 1):
        pairs[::3] = bytes([lead]) * len(trails)
        found += pairs.decode(codec, "ignore")
    return frozenset(found)


def everyday(text: str) -> float:
    """The mean weight of the non-ASCII characters of a text, 0 when there are none."""
    return _mean_weight(_beyond_ascii(text))


def _beyond_ascii(text: str) -> dict[str, int]:
    """How often each character beyond ASCII stands there."""
    return {char: n for char, n in Counter(text).items() if char > "\x7f"}


def _mean_weight(counts: Mapping[str, int]) -> float:
    return sum(weight(char) * n for char, n in counts.items()) / max(1, sum(counts.values()))


def plausible(text: str, encoding: str) -> float:
    """`everyday` less what speaks against an encoding: Chinese with kana, Japanese without, Korean in hanzi.

    The same rows stand in GB 18030, EUC-JP and EUC-KR: only how often they are used tells them apart.
    """
    beyond = _beyond_ascii(text)
    total = max(1, sum(beyond.values()))
    kana = sum(n for char, n in beyond.items() if "\u3040" <= char <= "\u30ff") / total
    hanzi = sum(n for char, n in beyond.items() if "\u4e00" <= char <= "\u9fff") / total
    against = (
        (encoding in ("gb18030", "big5", "euc-kr") and kana > 0.2, 0.12),
        (encoding == "euc-jp" and kana < 0.1, 0.15),
        (encoding == "euc-kr" and hanzi > 0.05, 0.12),
    )
    return _mean_weight(beyond) - sum(cost for holds, cost in against if holds)


def share(text: str, wanted: Callable[[str], bool]) -> float:
    """The share of a text's characters that are `wanted`, 0–1; 0 for no text."""
    counts: Mapping[str, int] = Counter(text)
    return sum(n for char, n in counts.items() if wanted(char)) / max(1, len(text))
