"""The text of one line into JSON objects. A fault has its name; what is mended beyond doubt has its code."""

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from cleanse.records.framed import MAX_FIELDS

_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 100  # of nesting
_SURPLUS = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.S)  # a comma before a closing bracket, outside strings
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.S)
_DELTA = {"{": 1, "[": 1, "}": -1, "]": -1}
_BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True)
class Parsed:
    """One object, or why there is none. `repairs`: codes of what was mended; `n_replaced`: lone surrogates that became
    U+FFFD.
    """

    value: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    n_replaced: int = 0
    repairs: tuple[str, ...] = ()


class _ProblemError(ValueError):
    """Carries the name of a problem out of the JSON parser."""


class _TwiceError(ValueError):
    """A key stands twice in one object."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _TwiceError
    return value


def _equal_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if any(repr(value[name]) != repr(other) for name, other in pairs):  # 1 is not true
        raise _ProblemError("key_duplicate")
    return value


def _no_constant(name: str) -> Any:
    raise _ProblemError("json_nonfinite")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _ProblemError("json_nonfinite")
    return number


def _decoder(pairs: Callable[[list[tuple[str, Any]]], Any], *, strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_no_constant, parse_float=_finite, strict=strict)


_STRICT = _decoder(_pairs, strict=True), _decoder(_equal_pairs, strict=True)  # the second where a key stands twice
_LAX = _decoder(_pairs, strict=False), _decoder(_equal_pairs, strict=False)  # with control characters in strings


def parse(text: str, *, complete: bool = True, refuse: Collection[str] = ()) -> Parsed:
    """One line as a JSON object. `complete`: it has a line end (a broken last line without one is `json_truncated`).
    `refuse`: repairs that are not wanted.

    >>> parse('{"a": 1}').value, parse('{"a": NaN}').problem, parse('[1]').problem, parse('{"a": ').problem
    ({'a': 1}, 'json_nonfinite', 'json_not_object', 'json_syntax')
    >>> parse('{"a": [1,],}').repairs
    ('json_trailing_comma',)
    """
    if too_deep(text):
        return Parsed(problem="too_deep")
    found = _decoded(_STRICT, text, refuse) or _mended(text, refuse)
    return found or Parsed(problem="json_syntax" if complete else "json_truncated")


def _decoded(
    decoders: tuple[json.JSONDecoder, json.JSONDecoder], text: str, refuse: Collection[str], *repairs: str
) -> Parsed | None:
    """None: it is no JSON, or has a number of too many digits."""
    once, twice = decoders
    try:
        try:
            return _object(once.decode(text), text, *repairs)
        except _TwiceError:
            value = twice.decode(text)
    except _ProblemError as fault:
        return Parsed(problem=str(fault))
    except ValueError:
        return None
    if "key_duplicate_same" in refuse:
        return Parsed(problem="key_duplicate")
    return _object(value, text, *repairs, "key_duplicate_same")


def _object(value: Any, text: str, *repairs: str) -> Parsed:
    if not isinstance(value, dict):
        return Parsed(problem="json_not_object")
    if len(value) > MAX_FIELDS:
        return Parsed(problem="too_many_fields")
    found = _without_surrogates(value) if "\\ud" in text or "\\uD" in text else Parsed(value)
    return replace(found, repairs=repairs) if repairs else found


def _mended(text: str, refuse: Collection[str]) -> Parsed | None:
    """With surplus commas taken out, or with control characters let in, or both; None: still no JSON."""
    lean = _SURPLUS.sub(lambda m: m.group(1) or "", text.rstrip().removesuffix(","))
    for codes, decoders, candidate in (
        (("json_control_char",), _LAX, text),
        (("json_trailing_comma",), _STRICT, lean),
        (("json_control_char", "json_trailing_comma"), _LAX, lean),
    ):
        if set(codes).isdisjoint(refuse) and (found := _decoded(decoders, candidate, refuse, *codes)):
            return found
    return None


def several(text: str) -> list[tuple[int, int]]:
    """Where the objects of a text stand that holds two or more, with nothing but blanks and commas between them.

    >>> several('{"a": 1} {"b": 2}'), several('{"a": 1}'), several('{"a": 1} x')
    ([(0, 8), (9, 17)], [], [])
    """
    spans, at = list[tuple[int, int]](), 0
    while (at := _skip(text, at)) < len(text):
        end = end_of_object(text, at)
        if not text.startswith("{", at) or end is None:
            return []
        spans.append((at, end))
        at = end
    return spans if len(spans) > 1 else []


def _skip(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def end_of_object(text: str, at: int) -> int | None:
    """The place after the object that begins at `at`, by its brackets; None: it does not end."""
    depth = 0
    for mark in _MARK.finditer(text, at):
        depth += _DELTA.get(mark.group(), 0)
        if depth <= 0:
            return mark.end()
    return None


def depth(text: str) -> int:
    """Brackets opened and not closed in a text that begins outside a string. A string that does not end is one."""
    return sum(_DELTA.get(mark, 0) for mark in _MARK.findall(text))


def too_deep(text: str) -> bool:
    """True when brackets outside strings nest deeper than MAX_DEPTH; asked before the parser, whose limit varies."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    deltas = (_DELTA.get(mark, 0) for mark in _MARK.findall(text))
    return max(accumulate(deltas), default=0) > MAX_DEPTH


def _without_surrogates(value: dict[str, Any]) -> Parsed:
    """`\\ud83d` alone is valid JSON and no character: it becomes U+FFFD, and is counted. Two keys may become one."""
    clean, n = _SURROGATE.subn("\ufffd", json.dumps(value, ensure_ascii=False))
    try:
        return Parsed(_STRICT[0].decode(clean), n_replaced=n)
    except _TwiceError:
        return Parsed(problem="key_duplicate", n_replaced=n)
