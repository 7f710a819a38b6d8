"""Where the objects of JSON Lines and of arrays stand in a block of lines: those of plain lines by their shape, all
others one by one.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import polars as pl

from cleanse.records.jsonkeys import Form, Keys, bracket_only
from cleanse.records.jsonshape import by_shape
from cleanse.records.jsontext import Parsed, depth, end_of_object, parse, several
from cleanse.records.layout import Options

MAX_JOIN = 8  # lines of one broken object
FEW = 64  # lines that are looked at together: nearly always the first one tells
MAX_OBJECT = 1 << 20  # characters after the first line of an object in an array
_BEGUN = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:|\{(?=\s*$)')  # an object, up to its first key
BLANK = " \t\r\0"


@dataclass(frozen=True)
class Span:
    """A record, or with a `kind` a structural piece: from a column of a row of the block up to a column of another."""

    row: int
    start: int
    last: int
    end: int
    parsed: Parsed
    kind: str | None = None


@dataclass(frozen=True)
class Cut:
    """The records of a block: `shaped` is for each of its lines the number of the shape that proves it to be a record,
    null for none; `spans`: what stands in the lines between. The lines of `shaped` are used, those behind it not yet.
    """

    shaped: pl.Series
    spans: list[Span]

    @property
    def consumed(self) -> int:
        """Lines that are used."""
        return len(self.shaped)


def visible(texts: pl.Series) -> pl.Series:
    """The texts that are not blank, without blanks at their ends."""
    bare = texts.str.strip_chars(BLANK + "\ufeff ")
    return bare.filter(bare != "")


def form(lines: pl.DataFrame, refuse: Collection[str] = ()) -> Form | None:
    """How the objects of a text stand, by its beginning: an array has a `[` and then a `{`, spread objects a line with
    nothing but a `{`, and a key below (unless to join lines is refused). None: too early to tell.
    """
    begin, is_alone = "", False
    for text in chain.from_iterable(visible(some["text"]) for some in (lines[:FEW], lines[FEW:])):
        if is_alone:
            return "spread" if text.startswith('"') and "lines_joined" not in refuse else "lines"
        begin = (begin + text)[:2].strip()
        is_alone = begin == text == "{"
        if len(begin) == 2 or (begin == "{" and not is_alone):
            break
        begin = begin[:1]
    if is_alone or begin in ("", "["):
        return None
    second = begin[1:] if begin[0] == "[" else ""
    return "array" if second == "{" or (begin[0] == "[" and second.isspace()) else "lines"


def cut(lines: pl.DataFrame, known: Keys, options: Options, shaped: pl.Series | None = None, *, final: bool) -> Cut:
    """The objects of a block with their places. `shaped`: as `by_shape` tells for its lines, if that is known."""
    if shaped is None:
        is_one = known.is_uniform and known.shapes
        shaped = pl.zeros(lines.height, pl.UInt32, eager=True) if is_one else by_shape(lines["text"], known.shapes)
    others = shaped.is_null().arg_true()
    texts, ends = (lines["text"].to_list(), lines["end"].to_list()) if len(others) else ([], [])
    codes = ("lines_joined",) if known.form == "spread" else ()
    find = _in_lines if known.form == "lines" else partial(_by_brackets, codes=codes)
    spans, at = list[Span](), 0
    for row in others:
        if row < at or not texts[row].strip(BLANK + "\ufeff"):
            continue
        found = find(texts, ends, row, options, final)
        if found is None:
            return Cut(shaped.head(row), spans)
        spans += found
        at = found[-1].last + 1
    return Cut(shaped, spans)


def records_before(found: Cut, known: Keys, row: int, *, sure: bool = False) -> int | None:
    """How many records of a block begin before a row, None where a text may not be cut there: inside a record, or where
    what stands before was judged by lines behind. `sure`: it may.
    """
    n = found.shaped.head(row).count()
    for span in found.spans:
        unsure = not sure and span.parsed.problem in ("json_syntax", "json_truncated")
        if span.row < row and (span.last >= row or (unsure and (known.form != "lines" or span.row + MAX_JOIN > row))):
            return None
        n += span.row < row and not span.kind
    return n


def _in_lines(
    texts: Sequence[str], ends: Sequence[str], row: int, options: Options, final: bool
) -> list[Span] | None:  # fmt: skip
    """The objects that begin on a line; None where lines that follow may belong to it."""
    text = texts[row].removeprefix("\ufeff").replace("\0", "")
    start = len(texts[row]) - len(texts[row].removeprefix("\ufeff"))
    parsed = parse(text, complete=bool(ends[row]), refuse=options.refuse)
    whole = [Span(row, 0, row, len(texts[row]), _nul_noted(parsed, texts[row]))]
    if parsed.problem not in ("json_syntax", "json_truncated"):
        return whole
    if spans := several(text) if "\0" not in texts[row] and "objects_split" not in options.refuse else []:
        stops = [begin for begin, _ in spans[1:]] + [len(text)]
        begins = [0, *stops[:-1]]
        found = [parse(text[a:b], refuse=options.refuse) for a, b in spans]
        codes = [replace(each, repairs=(*each.repairs, "objects_split")) for each in found]
        return [
            Span(row, a and a + start, row, b + start, each) for a, b, each in zip(begins, stops, codes, strict=True)
        ]
    if not text.lstrip().startswith("{") or "lines_joined" in options.refuse:
        return whole
    return _joined(texts, ends, row) or (whole if _settled(texts, row, final) else None)


def _nul_noted(parsed: Parsed, text: str) -> Parsed:
    """NULs stand between characters that were meant to be together: they go."""
    if "\0" not in text or parsed.problem:
        return parsed
    return replace(parsed, repairs=(*parsed.repairs, "nul_stripped"))


def _settled(texts: Sequence[str], row: int, final: bool) -> bool:
    after = texts[row + 1 : row + MAX_JOIN]
    return final or len(after) == MAX_JOIN - 1 or any(_parts(text) for text in after)


def _parts(text: str) -> bool:
    """True for a line that no broken object goes beyond: blank, or the next object."""
    return not text.strip(BLANK) or text.lstrip().startswith("{")


def _joined(texts: Sequence[str], ends: Sequence[str], row: int) -> list[Span] | None:
    """An object broken over several lines, if these are its rest."""
    text = texts[row]
    for last in range(row + 1, min(row + MAX_JOIN, len(texts))):
        if _parts(texts[last]):
            return None
        text += ends[last - 1] + texts[last]
        found = parse(text, refuse=("json_trailing_comma",))
        if not found.problem:
            codes = [code for code in found.repairs if code != "json_control_char"]  # the line end itself
            return [Span(row, 0, last, len(texts[last]), replace(found, repairs=(*codes, "lines_joined")))]
    return None


def _by_brackets(
    texts: Sequence[str], ends: Sequence[str], row: int, options: Options, final: bool, codes: Sequence[str]
) -> list[Span] | None:  # fmt: skip
    """The brackets and objects that begin on a line of an array, and what follows the last of them on its line.
    `codes`: of objects over several lines.
    """
    if bracket_only(texts[row]):
        return [Span(row, 0, row, len(texts[row]), Parsed(), "json_bracket")]
    spans, at = list[Span](), 0
    while at < len(line := texts[row]):
        if line[at] in " \t\r,":
            at += 1
            continue
        if line[at] in "[]":
            found: Span | None = Span(row, at, row, at + 1, Parsed(), "json_bracket")
        elif line[at] == "{" and (end := end_of_object(line, at)) is not None:
            found = Span(row, at, row, end, parse(line[at:end], refuse=options.refuse))
        else:
            found = _over_lines(texts, ends, row, at, options, final, codes)
        if found is None:
            return None
        spans.append(found)
        row, at = found.last, found.end
    return spans


def _over_lines(
    texts: Sequence[str], ends: Sequence[str], row: int, at: int, options: Options, final: bool, codes: Sequence[str]
) -> Span | None:  # fmt: skip
    """An object that goes on in the lines below, up to its last bracket; else one broken line."""
    parts, size, last = [texts[row][at:]], 0, row
    broken = Span(row, at, row, len(texts[row]), Parsed(problem="json_syntax"))
    if not parts[0].startswith("{"):
        return broken
    level = depth(parts[0])
    while level > 0:
        last += 1
        if last == len(texts):
            return broken if final else None
        size += len(texts[last])
        if size > MAX_OBJECT:
            return broken
        parts += [ends[last - 1], texts[last]]
        level += depth(texts[last])
    text = "".join(parts)
    end = end_of_object(text, 0) or len(text)
    stop = len(texts[last]) - (len(text) - end)
    if stop < 0:
        return broken
    found = parse(text[:end], refuse=options.refuse)
    if found.problem and (other := _begun_alike(texts, row, at, last)):
        return Span(row, at, other - 1, len(texts[other - 1]), Parsed(problem="json_syntax"))
    return Span(row, at, last, stop, replace(found, repairs=() if found.problem else (*found.repairs, *codes)))


def _begun_alike(texts: Sequence[str], row: int, at: int, last: int) -> int | None:
    """The first line behind `row`, up to `last`, that is indented as it is and begins with the same key, or is a lone
    bracket, too: an object of its own, which the broken one before it does not cost.
    """
    before, begun = texts[row][:at], _BEGUN.match(texts[row], at)
    if not begun:
        return None
    head = (before if not before.strip() else "") + begun.group()
    lone = begun.group() == "{"
    rows = range(row + 1, last + 1)
    return next((k for k in rows if (texts[k].rstrip() == head if lone else texts[k].startswith(head))), None)
