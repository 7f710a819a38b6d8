"""JSON Lines into records. Every line that is no clean JSON object has a problem by name; no line is lost."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import polars as pl

from cleanse.records.framed import FAULT, PLACE, Framed, structural, unify

_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 100  # of nesting; specs: records 6
_STRINGS, _BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?'), re.compile(r"[\[\]{}]")
INT64 = range(-(2**63), 2**63)
_SCALARS: dict[type, pl.DataType] = {bool: pl.Boolean(), int: pl.Int64(), float: pl.Float64(), str: pl.String()}


@dataclass(frozen=True)
class Parsed:
    """One line: its object, or why there is none. `n_replaced`: lone surrogates that became U+FFFD."""

    value: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    n_replaced: int = 0


class _ProblemError(ValueError):
    """Carries the name of a problem out of the JSON parser."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) and any(repr(value[name]) != repr(other) for name, other in pairs):  # 1 is not true
        raise _ProblemError("key_duplicate")
    return value


def _no_constant(name: str) -> Any:
    raise _ProblemError("json_nonfinite")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _ProblemError("json_nonfinite")
    return number


def _too_deep(text: str) -> bool:
    """True when brackets outside strings nest deeper than MAX_DEPTH; asked before the parser, whose limit varies."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    deltas = (1 if bracket in "[{" else -1 for bracket in _BRACKETS.findall(_STRINGS.sub("", text)))
    return max(accumulate(deltas), default=0) > MAX_DEPTH


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant, parse_float=_finite)


def parse(text: str, *, complete: bool = True) -> Parsed:
    """One line as a JSON object. `complete`: it has a line end (a broken last line without one is `json_truncated`).

    >>> parse('{"a": 1}').value, parse('{"a": NaN}').problem, parse('[1]').problem, parse('{"a": ').problem
    ({'a': 1}, 'json_nonfinite', 'json_not_object', 'json_syntax')
    """
    if _too_deep(text):
        return Parsed(problem="too_deep")
    try:
        value = _DECODER.decode(text)
    except _ProblemError as fault:
        return Parsed(problem=str(fault))
    except ValueError:  # a syntax error, or a number of too many digits
        return Parsed(problem="json_syntax" if complete else "json_truncated")
    if not isinstance(value, dict):
        return Parsed(problem="json_not_object")
    return _without_surrogates(value) if "\\ud" in text or "\\uD" in text else Parsed(value)


def parse_all(lines: pl.DataFrame) -> list[Parsed]:
    """`parse` for each line of a table."""
    return [parse(text, complete=bool(end)) for text, end in lines.select("text", "end").iter_rows()]


def _without_surrogates(value: dict[str, Any]) -> Parsed:
    """`\\ud83d` alone is valid JSON and no character: it becomes U+FFFD, and is counted."""
    clean, n = _SURROGATE.subn("\ufffd", json.dumps(value, ensure_ascii=False))
    return Parsed(json.loads(clean), n_replaced=n)


def column_types(parsed: Iterable[Parsed], before: Mapping[str, pl.DataType] | None = None) -> dict[str, pl.DataType]:
    """Each key's type over all lines, in order of first sight, those `before` first. What is nested, or beyond 64
    bits, is text.
    """
    types = dict(before or {})
    for line in parsed:
        for name, value in line.value.items():
            types[name] = unify(types.get(name, pl.Null()), _dtype(value))
    return types


def _dtype(value: Any) -> pl.DataType:
    if value is None:
        return pl.Null()
    if type(value) is int and value not in INT64:
        return pl.String()
    return _SCALARS.get(type(value), pl.String())


def is_blank(lines: pl.DataFrame) -> pl.Series:
    """True for lines that are no records."""
    return lines["text"].str.strip_chars(" \t\r\0") == ""


def frame(
    lines: pl.DataFrame, parsed: Sequence[Parsed], names: Mapping[str, str], schema: Mapping[str, pl.DataType]
) -> Framed:
    """Lines (`records.lines`) and what each parsed to, into records.

    `names`: JSON key → column; `schema`: the type of each column. A role (title, body, label) that is neither text nor
    null has the problem `type_mismatch`. Blank lines are structural.
    """
    blank = is_blank(lines)
    rows = [_checked(line, names) for line, is_blank in zip(parsed, blank, strict=True) if not is_blank]
    full = lines.filter(~blank)
    problems = pl.Series("_problem", [row.problem for row in rows], pl.String)
    extra = pl.Series([row.n_replaced for row in rows], dtype=pl.UInt32)
    columns = [
        pl.Series(column, [_cell(row.value.get(key), schema[column]) for row in rows], schema[column])
        for key, column in names.items()
    ]
    records = full.select(
        *(pl.col(name) + extra if name == "_replaced" else pl.col(name) for name in PLACE),
        problems,
        pl.when(problems.is_not_null()).then("text").alias("_raw"),
        pl.lit(None, FAULT["_fields"]).alias("_fields"),
        *columns,
    )
    return Framed(records, structural(lines.filter(blank), pl.lit("blank")))


def _checked(line: Parsed, names: Mapping[str, str]) -> Parsed:
    for key, column in names.items():
        if column in ("title", "body", "label") and not isinstance(line.value.get(key), str | None):
            return Parsed(problem="type_mismatch", n_replaced=line.n_replaced)
    return line


def _cell(value: Any, dtype: pl.DataType) -> Any:
    if value is None or isinstance(value, str):
        return value
    if dtype == pl.String():
        return json.dumps(value, ensure_ascii=False)
    return float(value) if dtype == pl.Float64() else value
