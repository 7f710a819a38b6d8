"""Cutting a text that is too long: after a sentence where that leaves enough, never within what people see as one."""

import re
import unicodedata

_SENTENCE = re.compile(r"(?:[。！？!?…]+|\.(?=\s|$))[”’\"'」』）)\]】》]*|\n")
_PAUSE = re.compile(r"[,，、;；:：\s]")
_JOINER = "\u200d"
_SELECTORS = range(0xFE00, 0xFE10)
_TONES = range(0x1F3FB, 0x1F400)
_FLAGS = range(0x1F1E6, 0x1F200)


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


def pieces(text: str, limit: int) -> list[str]:
    """The fewest pieces of at most `limit` characters, of about equal length; joined they are the text.

    >>> pieces("一二。三四。五六。", 6)
    ['一二。三四。', '五六。']
    """
    found = []
    while len(text) > limit:
        n_left = -(-len(text) // limit)
        even = max(-(-len(text) // n_left), len(text) - (n_left - 1) * limit)
        place = cut_near(text, even, limit, n_left)
        found.append(text[:place])
        text = text[place:]
    return [*found, text] if text or not found else found


def cut_near(text: str, even: int, limit: int, n_left: int) -> int:
    """A place between the least that the rest can bear and the limit: the sentence end nearest to an even share."""
    least = max(1, len(text) - (n_left - 1) * limit)
    for mark in (_SENTENCE, _PAUSE):
        ends = [
            m.end() for m in mark.finditer(text, 0, limit) if least <= m.end() <= limit and _is_border(text, m.end())
        ]
        if ends:
            return min(ends, key=lambda end: (abs(end - even), end))
    return next((place for place in range(even, limit + 1) if _is_border(text, place)), cut_at(text, limit))
