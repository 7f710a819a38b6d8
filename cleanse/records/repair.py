"""Repairs of a record whose quotes add up but whose fields do not: delimiters moved, dropped, or of another kind.

They are structural: what decides is where values of closed columns fit, never which text is likelier.
"""

import re

from cleanse.records.closed import fit
from cleanse.records.layout import Layout
from cleanse.records.reading import Dialect, Reading, read

REFUSED = {  # repair → the problem that a record has when the user refuses it
    "trailing_delim": "fields_extra",
    "empty_surplus": "fields_extra",
    "fold_surplus": "fields_extra",
    "quote_literal": "quote_unterminated",
    "quote_unescaped": "quote_garbage",
    "delim_alt": "delim_mismatch",
    "lines_joined": "fields_missing",
    "objects_split": "json_syntax",
    "json_trailing_comma": "json_syntax",
    "json_control_char": "json_syntax",
    "key_case": "key_missing",
    "key_alias": "key_missing",
    "key_duplicate_same": "key_duplicate",
}
_GROUPS = re.compile(r"^[+-]?[$€£¥]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s?%?$")
ALTERNATIVES = (",", "\t", ";", "|", "，", "；", "    ", " ")


def extra(text: str, reading: Reading, layout: Layout) -> tuple[list[str] | None, str]:
    """The fields of a record that has too many, and the code of what was done; None: nothing is beyond doubt."""
    fields, spans, n = reading.fields, reading.spans, layout.n
    empty = [i for i, (start, end) in enumerate(spans) if start == end]
    last = len(fields) - 1
    if len(fields) == n + 1 and last in empty and (layout.trailing or empty == [last]):
        return fields[:-1], "trailing_delim"
    if len(fields) == n + 1 and empty:
        kept = {tuple(fields[:i] + fields[i + 1 :]): i for i in empty}
        fitting = [row for row in kept if fit(row, layout.closed)]
        if len(fitting) == 1:
            return list(fitting[0]), "trailing_delim" if kept[fitting[0]] == last else "empty_surplus"
        if fitting:
            return None, "empty_surplus"
    return _folded(text, reading, layout), "fold_surplus"


def _folded(text: str, reading: Reading, layout: Layout) -> list[str] | None:
    """One column takes the surplus, delimiters and all, if only one can: all others are closed and fit."""
    fields, spans, n = reading.fields, reading.spans, layout.n
    surplus = len(fields) - n
    able = [i for i in range(n) if _absorbs(i, surplus, text, reading, layout)]
    if len(able) != 1 or _has_groups(able[0], surplus, text, reading, layout):
        return None
    i = able[0]
    return [*fields[:i], text[spans[i][0] : spans[i + surplus][1]], *fields[i + surplus + 1 :]]


def _has_groups(column: int, surplus: int, text: str, reading: Reading, layout: Layout) -> bool:
    """True when some of what `column` would take may as well be commas between the digits of a number: 1,234."""
    fields, spans, closed = reading.fields, reading.spans, layout.closed
    for j, known in enumerate(closed):
        if j == column or not known or known.kind != "number":
            continue
        at, step = (j, 1) if j < column else (j + surplus, -1)
        for k in range(step, step * (surplus + 1), step):
            first, last = sorted((at, at + k))
            between = ((c, closed[c]) for c in range(j + step, column, step))
            if _GROUPS.match(text[spans[first][0] : spans[last][1]]) and all(
                other is None or other.fits(fields[c + (surplus if c > column else 0) + k]) for c, other in between
            ):
                return True
    return False


def _absorbs(column: int, surplus: int, text: str, reading: Reading, layout: Layout) -> bool:
    closed, quote = layout.closed or (None,) * layout.n, layout.dialect.quote
    in_quotes = [bool(quote) and text[start:end].startswith(quote or "") for start, end in reading.spans]
    if closed[column] or in_quotes[column]:
        return False
    for j, known in enumerate(closed):
        at = j if j < column else j + surplus
        if j != column and not (known.fits(reading.fields[at]) if known else in_quotes[at]):
            return False
    return True


def delimiters(text: str, reading: Reading, layout: Layout) -> list[str] | None:
    """The fields of a record that is written with another delimiter than the others, if only one will do."""
    if len(reading.fields) > 1 and not re.search(r"\t|;|\||，|；| ", text):
        return None
    found = {}
    for cut in ALTERNATIVES:
        is_there = cut in text and cut != layout.dialect.delimiter
        other = read(text, Dialect(cut, layout.dialect.quote)) if is_there else None
        if other and other.state == "ok" and len(other.fields) == layout.n and fit(other.fields, layout.closed):
            found[tuple(other.fields)] = cut
    return list(next(iter(found))) if len(found) == 1 else None
