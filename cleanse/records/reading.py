"""The text of one record into fields: strictly by its dialect, else by the cheapest of all readings."""

import re
from dataclasses import dataclass, field
from typing import Literal

LITERAL, UNESCAPED, BARE = 20, 20, 1  # cost of an opening quote taken literally, an inner one, one in a bare field
MAX_STEPS = 50_000  # of the search for the cheapest reading; beyond, a text has none
ONE_COLUMN = "\n"  # the delimiter of a text of one column: no line holds it


@dataclass(frozen=True)
class Dialect:
    """How fields are written. `quote` None: quotes are text; `backslash`: an inner quote is written `\\"`."""

    delimiter: str
    quote: str | None = '"'
    backslash: bool = False


@dataclass(frozen=True)
class Reading:
    """`fields` with their `spans` in the text (with quotes). `state`: `open` ends inside a quoted field, `garbage` has
    text after a closing quote; then `fields` are those before it. `repairs`: codes of what had to be assumed.
    """

    fields: list[str]
    spans: list[tuple[int, int]]
    state: Literal["ok", "open", "garbage"] = "ok"
    repairs: list[str] = field(default_factory=list)


def read(text: str, dialect: Dialect, *, backslash: bool | None = None) -> Reading:
    """The fields by the rules of RFC 4180, for any delimiter and quote. A quote inside a bare field is text.

    >>> read('a,"b,""c",', Dialect(",")).fields
    ['a', 'b,"c', '']
    >>> read('a,"b', Dialect(",")).state, read('"a"b', Dialect(",")).state
    ('open', 'garbage')
    """
    cut, quote = dialect.delimiter, dialect.quote
    escaped = dialect.backslash if backslash is None else backslash
    fields, spans, at, end = list[str](), list[tuple[int, int]](), 0, len(text)
    repairs: list[str] = []
    while True:
        start = at
        if quote and text.startswith(quote, at):
            close = _close(text, at + 1, quote, escaped)
            if close < 0:
                return Reading(fields, spans, "open")
            inner, at = text[start + 1 : close], close + 1
            if at < end and not text.startswith(cut, at):
                return Reading(fields, spans, "garbage")
            fields.append(_unescaped(inner, quote, escaped, repairs))
        else:
            found = text.find(cut, at)
            at = end if found < 0 else found
            fields.append(text[start:at])
        spans.append((start, at))
        if at >= end:
            return Reading(fields, spans, "ok", repairs)
        at += len(cut)


def _close(text: str, at: int, quote: str, backslash: bool) -> int:
    """Where the quote stands that closes a field whose text begins at `at`; -1: nowhere."""
    while (found := text.find(quote, at)) >= 0:
        if backslash and _slashes(text, at, found) % 2:
            at = found + 1
        elif text.startswith(quote, found + 1):
            at = found + 2
        else:
            return found
    return -1


def _slashes(text: str, start: int, at: int) -> int:
    """Backslashes just before `at`."""
    return at - start - len(text[start:at].rstrip("\\"))


def _unescaped(inner: str, quote: str, backslash: bool, repairs: list[str]) -> str:
    inner = inner.replace(quote + quote, quote) if quote in inner else inner
    if not backslash or "\\" + quote not in inner:
        return inner
    repairs[:] = ["escape_backslash"]
    return re.sub(rf"\\([\\{quote}])", r"\1", inner)


@dataclass(frozen=True)
class _Way:
    """The cheapest way to a place: its cost, in how many ways it can be had, and the field that led here."""

    cost: int
    n_ways: int
    start: int
    quoted: bool


@dataclass
class Budget:
    """What searches for one record may take together: steps that are left."""

    left: int = MAX_STEPS


def cheapest(text: str, dialect: Dialect, n: int, budget: Budget | None = None) -> Reading | None:
    """The one cheapest reading into exactly `n` fields, None where there is none or more than one, or no `budget`.

    Quotes that were not escaped (`quote_unescaped`), and opening ones that no quote closes (`quote_literal`).

    >>> cheapest('1,"x "y" z",3', Dialect(","), 3).fields
    ['1', 'x "y" z', '3']
    >>> cheapest('1,"2"x,3', Dialect(","), 3) is None
    True
    """
    cut, quote, end = dialect.delimiter, dialect.quote, len(text)
    budget = budget or Budget()
    if not quote or text.count(quote) > budget.left:
        return None
    layers: list[dict[int, _Way]] = []
    starts, costs = [0], {0: (0, 1)}
    for k in range(n):
        reached: dict[int, _Way] = {}
        for start in starts:
            for stop, cost, quoted in _field_ends(text, start, cut, quote, budget):
                if (k == n - 1) == (stop == end):
                    _take(reached, stop, costs[start], cost, start, quoted)
            if budget.left < 0:
                return None
        layers.append(reached)
        costs = {stop + len(cut): (way.cost, way.n_ways) for stop, way in reached.items()}
        starts = sorted(costs)
    return _traced(text, layers, quote, len(cut)) if end in layers[-1] and layers[-1][end].n_ways == 1 else None


def _take(reached: dict[int, _Way], stop: int, before: tuple[int, int], cost: int, start: int, quoted: bool) -> None:
    total, n_ways = before[0] + cost, before[1]
    best = reached.get(stop)
    if best is None or total < best.cost:
        reached[stop] = _Way(total, n_ways, start, quoted)
    elif total == best.cost:
        reached[stop] = _Way(total, best.n_ways + n_ways, best.start, best.quoted)


def _field_ends(text: str, start: int, cut: str, quote: str, budget: Budget) -> list[tuple[int, int, bool]]:
    """All places where a field that begins at `start` may end: (place, cost, quoted). A quote on the way is a step."""
    budget.left -= 1
    found = text.find(cut, start)
    stop = len(text) if found < 0 else found
    n_quotes = text.count(quote, start, stop)
    if not text.startswith(quote, start):
        return [(stop, n_quotes * BARE, False)]
    # with a second quote in it, the opening one was closed: what follows is a fault, not a text
    literal = [(stop, LITERAL, False)] if n_quotes == 1 else []
    if not text.endswith(quote) and text.find(quote + cut, start + 1) < 0:  # no quote could close it
        return literal
    ends, odd, run, last = list[tuple[int, int, bool]](), 0, 0, start
    at = text.find(quote, start + 1)
    while at >= 0 and budget.left >= 0:
        budget.left -= 1
        if at != last + 1 or last == start:
            odd, run = odd + run % 2, 0
        if at + 1 == len(text) or text.startswith(cut, at + 1):
            ends.append((at + 1, (odd + run % 2) * UNESCAPED, True))
        run, last = run + 1, at
        at = text.find(quote, at + 1)
    return ends if any(cost == 0 for _, cost, _ in ends) else ends + literal


def _traced(text: str, layers: list[dict[int, _Way]], quote: str, width: int) -> Reading:
    fields, spans, repairs = list[str](), list[tuple[int, int]](), set[str]()
    stop = len(text)
    for layer in reversed(layers):
        way = layer[stop]
        raw = text[way.start : stop]
        if way.quoted:
            inner = raw[1:-1]
            if quote in inner.replace(quote * 2, ""):
                repairs.add("quote_unescaped")
            fields.append(inner.replace(quote * 2, quote))
        else:
            if raw.startswith(quote):
                repairs.add("quote_literal")
            fields.append(raw)
        spans.append((way.start, stop))
        stop = way.start - width
    return Reading(fields[::-1], spans[::-1], "ok", sorted(repairs))
