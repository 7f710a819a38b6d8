"""One merged stream of what stayed, went and came between two texts, cut to an excerpt around the changes."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

MAX_UNITS = 1000  # that are compared with each other: the matcher is quadratic on equal ones
_TOKEN = re.compile(r"<[^<>]*>|&#?\w+;|\s+|[^\W_]+|.", re.S)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PERSONAL = re.compile(
    r"(?<!\d)[1-9]\d{16}[\dXx](?!\d)"  # Chinese identity card
    r"|(?<!\d)1[3-9]\d{9}(?!\d)"  # mobile number
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # mail address
    r"|\d{9,}"
)

Span = tuple[str, str]  # "=", "-" or "+", and the text


def diff(before: str, after: str) -> list[Span]:
    """`=` and `-` joined are the text before, `=` and `+` the text after.

    >>> diff("<p>天气</p>", "天气")
    [('-', '<p>'), ('=', '天气'), ('-', '</p>')]
    """
    head = _alike(before, after)
    rest = min(len(before), len(after)) - head
    tail = _alike(before[::-1][:rest], after[::-1][:rest])
    middle = _between(before[head : len(before) - tail], after[head : len(after) - tail])
    return _merged([("=", before[:head]), *middle, ("=", before[len(before) - tail :])])


def _alike(one: str, other: str) -> int:
    """Characters at the head that both texts share."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _between(before: str, after: str) -> list[Span]:
    """By characters where they are few, else by tokens, else by lines, else as one block."""
    for unit in (re.compile(".", re.S), _TOKEN, _LINE):
        was, now = unit.findall(before), unit.findall(after)
        if max(len(was), len(now)) <= MAX_UNITS:
            return _matched(was, now)
    return [("-", before), ("+", after)]


def _matched(was: Sequence[str], now: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag == "equal":
            spans.append(("=", "".join(was[a:b])))
        else:
            spans += [("-", "".join(was[a:b])), ("+", "".join(now[c:d]))]
    return spans


def _merged(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for op, text in spans:
        if text and found and found[-1][0] == op:
            found[-1] = (op, found[-1][1] + text)
        elif text:
            found.append((op, text))
    return found


def excerpt(spans: Sequence[Span], limit: int) -> tuple[list[Span], int]:
    """A stretch of at most `limit` characters that begins shortly before the first change, and how many are left out.

    >>> excerpt([("=", "a" * 10), ("-", "b"), ("=", "c" * 10)], 9)
    ([('=', 'aa'), ('-', 'b'), ('=', 'cccccc')], 12)
    """
    total = sum(len(text) for _, text in spans)
    first, seen = 0, 0
    for op, text in spans:
        if op != "=":
            first = max(0, seen - limit // 4)
            break
        seen += len(text)
    start = min(first, max(0, total - limit))
    found: list[Span] = []
    at = 0
    for op, text in spans:
        piece = text[max(0, start - at) : max(0, start + limit - at)]
        at += len(text)
        if piece:
            found.append((op, piece))
    return found, total - sum(len(text) for _, text in found)


def redacted(text: str) -> str:
    """Identity cards, mobile numbers, mail addresses and long digit runs as `█`, of the same length.

    >>> redacted("电话 13800138000，见 a@b.cn")
    '电话 ███████████，见 ██████'
    """
    return _PERSONAL.sub(lambda found: "█" * len(found.group()), text)
