"""Cutting a text that is too long: after a sentence where that leaves enough, never within what people see as one."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

_SENTENCE = re.compile(r"(?:[。！？!?…]+|\.(?=\s|$))[”’\"'」』）)\]】》]*|\n")
_PAUSE = re.compile(r"[,，、;；:：\s]")
_JOINER = "\u200d"
_SELECTORS = range(0xFE00, 0xFE10)
_TONES = range(0x1F3FB, 0x1F400)
_FLAGS = range(0x1F1E6, 0x1F200)
AHEAD = 1 << 10  # characters behind a limit that are looked at: what people see as one is shorter


def cut_at(text: str, limit: int) -> int:
    """Where to cut a text of more than `limit` characters: 1 <= place <= limit (later only within one long cluster).

    After the last sentence end if that keeps half of `limit`, else after the last comma or white space of that half,
    else at the limit.

    >>> cut_at("一二三。四五六", 5), cut_at("一二三，四五六", 5), cut_at("一二三四五六七", 5), cut_at("ab🇨🇳d", 3)
    (4, 4, 5, 2)
    """
    least = (limit + 1) // 2
    for mark in (_SENTENCE, _PAUSE):
        ends = [m.end() for m in mark.finditer(text, 0, limit) if least <= m.end() <= limit]
        whole = [end for end in ends if _is_border(text, end)]
        if whole:
            return whole[-1]
    for place in range(limit, 0, -1):
        if _is_border(text, place):
            return place
    return next((place for place in range(limit + 1, len(text)) if _is_border(text, place)), len(text))


def _is_border(text: str, place: int) -> bool:
    """False before a mark, joiner, selector or skin tone, after a joiner, and inside the pair of a flag."""
    if place >= len(text):
        return True
    here, code = text[place], ord(text[place])
    if unicodedata.combining(here) or unicodedata.category(here) in ("Mn", "Me", "Mc") or here == _JOINER:
        return False
    if code in _SELECTORS or code in _TONES or text[place - 1] == _JOINER:
        return False
    n_flags = 0
    while place - n_flags > 0 and ord(text[place - n_flags - 1]) in _FLAGS:
        n_flags += 1
    return code not in _FLAGS or n_flags % 2 == 0


def pieces(text: str, limit: int, ends: Sequence[int] | None = None, fitting: Callable[[str], int] = len) -> list[str]:
    """The fewest pieces of at most `limit` units, of about equal length; joined they are the text.

    `ends`: where each unit ends, in characters, in ascending order; several may share one. None: each character is one.
    `fitting`: how much of a piece is taken, at least 1: by itself it may have other units than within the text.

    >>> pieces("一二。三四。五六。", 6), pieces("一二。三四。五六。", 4, [1, 1, 2, 3, 6, 9])
    (['一二。三四。', '五六。'], ['一二。', '三四。五六。'])
    """
    ends = range(1, len(text) + 1) if ends is None else ends
    found, at, unit = list[str](), 0, 0
    while (left := len(ends) - unit) > limit:
        n_left = -(-left // limit)
        least = left - (n_left - 1) * limit  # the rest can bear no more
        even = max(-(-left // n_left), least)
        low, near, high = (max(1, behind(ends, unit + n) - at) for n in (least, even, limit))
        piece = text[at : at + cut_near(text[at : at + high + AHEAD], low, near, high)]
        found.append(piece[: fitting(piece)])
        at += len(found[-1])
        unit = bisect_right(ends, at)
    return [*found, text[at:]] if at < len(text) or not found else found


def behind(ends: Sequence[int], n: int) -> int:
    """Where `n` units end, without a character that the next one belongs to, too.

    >>> [behind([1, 2, 2, 2, 5], n) for n in (1, 2, 3, 4, 5)]
    [1, 1, 1, 2, 5]
    """
    return ends[n - 1] - (n < len(ends) and ends[n] == ends[n - 1])


def cut_near(text: str, least: int, even: int, limit: int) -> int:
    """A place from `least` to `limit` characters: the sentence end nearest to an `even` share."""
    for mark in (_SENTENCE, _PAUSE):
        ends = [
            m.end() for m in mark.finditer(text, 0, limit) if least <= m.end() <= limit and _is_border(text, m.end())
        ]
        if ends:
            return min(ends, key=lambda end: (abs(end - even), end))
    return next((place for place in range(even, limit + 1) if _is_border(text, place)), cut_at(text, limit))
