"""Lines that a pattern proves to be plain JSON objects of one shape: they are read all at once, as a parser would one
by one. What the pattern does not prove (nested values, lone surrogates, a key twice) is left to `records.jsontext`.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from cleanse.records.jsontext import Parsed, parse

MAX_KEYS = 64  # of a shape: a pattern of many more is slow to compile
MAX_SHAPES = 16  # of a source: lines of yet another are read one by one
MAX_TAUGHT = 1 << 17  # bytes of a line that a shape is told from: Python's patterns take 200 bytes a character
TRIES = 4  # lines without a shape that are looked at for a new one, per table
_BLANK = r"[ \t]*"
_PLAIN = r'[^"\\\x00-\x1f]|\\["\\/bfnrt]'
_CODE = r"[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}"  # of a character that is no half of a pair
_PAIR = r"[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_TEXT = rf'"(?:{_PLAIN}|\\u(?:{_CODE}|{_PAIR}))*"'
_INTEGER = "-?(?:0|[1-9][0-9]{0,17})"  # 18 digits are within 64 bits
_NUMBER = rf"{_INTEGER}(?:\.[0-9]{{1,17}})?(?:[eE][+-]?[0-9]{{1,2}})?"  # finite
_KINDS: dict[str, pl.DataType] = {
    _TEXT: pl.String(),
    _INTEGER: pl.Int64(),
    _NUMBER: pl.Float64(),
    "true|false": pl.Boolean(),
    "null": pl.Null(),
}
_PIECE = re.compile(rf"{_BLANK}({_TEXT}){_BLANK}:{_BLANK}({'|'.join(f'(?:{kind})' for kind in _KINDS)}){_BLANK}[,}}]")


@dataclass(frozen=True)
class Shape:
    """The keys of an object in their order with the types of their values, and the pattern that all such lines match:
    a value may also be null, but for those of keys that are required; a float may be written as an integer.
    """

    types: Mapping[str, pl.DataType]
    pattern: str


def shape_of(text: str, required: Collection[str] = ()) -> Shape | None:
    """The shape of a line; None for one that is not plain.

    >>> found = shape_of('{"a": "x", "b": 1}', ["a"])
    >>> found.types
    {'a': String, 'b': Int64}
    >>> lines = ('{"a":"","b":null}', '{"a":null,"b":1}', '{"a":"","b":0.5}', '{"a":"","b":1,"a":""}')
    >>> [bool(re.search(found.pattern, line)) for line in lines]
    [True, False, False, False]
    >>> shape_of('{"a": [1]}') is None
    True
    """
    parsed = parse(text)
    pieces = _PIECE.findall(text) if parsed == Parsed(parsed.value) else []
    if not 0 < len(pieces) == len(parsed.value) <= MAX_KEYS:
        return None
    kinds = [next(kind for kind in _KINDS if re.fullmatch(kind, value)) for _, value in pieces]
    types = {json.loads(raw): _KINDS[kind] for (raw, _), kind in zip(pieces, kinds, strict=True)}
    members = rf"{_BLANK},{_BLANK}".join(
        rf"{re.escape(raw)}{_BLANK}:{_BLANK}(?:{kind}{'' if key in required else '|null'})"
        for key, (raw, _), kind in zip(types, pieces, kinds, strict=False)
    )
    shape = Shape(types, rf"^{_BLANK}\{{{_BLANK}{members}{_BLANK}\}}{_BLANK}$")
    return shape if re.search(shape.pattern, text) else None  # else the pieces stood in a nested object


def by_shape(texts: pl.Series, shapes: Sequence[Shape]) -> pl.Series:
    """For each text the number of the first shape that it has; null for none."""
    found = pl.repeat(None, len(texts), dtype=pl.UInt32, eager=True)
    for number, shape in enumerate(shapes):
        found = _with(found, texts, shape, number)
    return found


def learnt(texts: pl.Series, shapes: Sequence[Shape], required: Collection[str]) -> tuple[pl.Series, list[Shape]]:
    """As `by_shape`, with more shapes where there are lines of none."""
    known, found = [*shapes], by_shape(texts, shapes)
    short = texts.str.len_bytes() <= MAX_TAUGHT
    while len(known) < MAX_SHAPES:
        rest = texts.filter(found.is_null() & short).head(TRIES)
        new = next((shape for text in rest if (shape := shape_of(text, required))), None)
        if new is None:
            break
        found = _with(found, texts, new, len(known))
        known.append(new)
    return found, known


def _with(found: pl.Series, texts: pl.Series, shape: Shape, number: int) -> pl.Series:
    """`number` for those texts of the shape that had none."""
    rest = found.is_null().arg_true()
    some = texts if len(rest) == len(texts) else texts.gather(rest)
    return found.scatter(rest.filter(some.str.contains(shape.pattern)), number)


def values(texts: pl.Series, types: Mapping[str, pl.DataType]) -> list[pl.Series]:
    """The values of some keys of lines that have one shape: a column a key. `types`: those of the shape, or wider."""
    return texts.str.json_decode(pl.Struct(types)).struct.unnest().get_columns()
