"""JSON Lines and arrays of objects into records. Every line that is no clean JSON object has a problem by name."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from cleanse.records.framed import FAULT, PLACE, Framed, structural
from cleanse.records.jsonkeys import Keys, Seen, bracket_only, keys, placed, see
from cleanse.records.jsontext import Parsed, depth, end_of_object, parse, several
from cleanse.records.layout import Options

MAX_JOIN = 8  # lines of one broken object
MAX_OBJECT = 1 << 20  # characters after the first line of an object in an array
BLANK = " \t\r\0"
Width = Callable[[str], int]  # bytes that a text takes in its source


@dataclass(frozen=True)
class Span:
    """A record, or with a `kind` a structural piece: from a column of a row of the block up to a column of another."""

    row: int
    start: int
    last: int
    end: int
    parsed: Parsed
    kind: str | None = None


def utf8(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def survey(tables: Iterable[pl.DataFrame], options: Options) -> Keys:
    """The keys of a text from all its lines, given table by table in order."""
    seen, array, rest, n_records = Seen(), None, None, 0
    starts: list[tuple[int, int]] = []
    for table in tables:
        lines = table if rest is None or rest.is_empty() else pl.concat([rest, table])
        array = is_array(lines) if array is None else array
        if array is None:
            rest = lines
            continue
        known = Keys({}, array=array)
        spans, consumed = cut(lines, known, options, final=False)
        row = lines.height - table.height
        before = records_before(spans, known, row) if row <= consumed and not table.is_empty() else None
        starts += [(table["_line"][0], n_records + before)] if before is not None else []
        n_records += sum(not span.kind for span in spans)
        seen, rest = see(seen, (span.parsed for span in spans), options.expect), lines[consumed:]
    if rest is not None and not rest.is_empty():
        spans, _ = cut(rest, Keys({}, array=bool(array)), options, final=True)
        seen = see(seen, (span.parsed for span in spans), options.expect)
    return replace(keys(seen, options.expect, options.mapped), array=bool(array), starts=tuple(starts))


def is_array(lines: pl.DataFrame) -> bool | None:
    """True for a text that begins with a `[` and then a `{`; None: too early to tell."""
    begin = ""
    for text in lines["text"]:
        begin = (begin + text.strip(BLANK + "\ufeff "))[:2].strip()
        if len(begin) == 2 or begin == "{":
            break
        begin = begin[:1]
    if begin in ("", "["):
        return None
    second = begin[1:] if begin[0] == "[" else ""
    return second == "{" or (begin[0] == "[" and second.isspace())


def frame(
    lines: pl.DataFrame,
    known: Keys,
    names: Mapping[str, str],
    schema: Mapping[str, pl.DataType],
    options: Options,
    *,
    final: bool = True,
    width: Width = utf8,
) -> tuple[Framed, int]:
    """Lines (`records.lines`) into records, and how many lines were used; without `final` the rest needs those after.

    `names`: JSON key → column; `schema`: the type of each column. A role (title, body, label) that is neither text nor
    null has the problem `type_mismatch`. Blank lines and brackets are structural. `width`: see `Width`.
    """
    spans, consumed = cut(lines, known, options, final=final)
    used = lines.head(consumed)
    blank = used["text"].str.strip_chars(BLANK) == ""
    records = [span for span in spans if not span.kind]
    parsed = [placed(span.parsed, known, names, options.refuse) for span in records]
    table = _records(used, records, parsed, width)
    cells = (
        pl.Series(column, [_cell(line.value.get(key), schema[column]) for line in parsed], schema[column])
        for key, column in names.items()
    )
    kinds = [span for span in spans if span.kind]
    odd = _places(used, kinds, width).with_columns(_kind=pl.Series([s.kind for s in kinds], dtype=pl.String))
    lone = odd.select("_line", "_offset", "_bytes", "_kind", pl.col("text").str.head(4096).alias("_raw"))
    inside = {row for span in spans for row in range(span.row, span.last + 1)}
    free = pl.Series([row not in inside for row in range(used.height)], dtype=pl.Boolean) & blank
    notes = pl.concat([structural(used.filter(free), pl.lit("blank")), lone]).sort("_line", "_offset")
    return Framed(table.hstack(list(cells)), notes), consumed


def cut(lines: pl.DataFrame, known: Keys, options: Options, *, final: bool) -> tuple[list[Span], int]:
    """The objects of a block with their places, and how many lines are settled."""
    texts, ends = lines["text"].to_list(), lines["end"].to_list()
    find = _in_array if known.array else _in_lines
    spans, row = list[Span](), 0
    while row < len(texts):
        if not texts[row].strip(BLANK + "\ufeff"):
            row += 1
            continue
        found = find(texts, ends, row, options, final)
        if found is None:
            return spans, row
        spans += found
        row = found[-1].last + 1
    return spans, len(texts)


def records_before(spans: Sequence[Span], known: Keys, row: int, *, sure: bool = False) -> int | None:
    """How many records of a block begin before a row, None where a text may not be cut there: inside a record, or where
    what stands before was judged by lines behind. `sure`: it may.
    """
    n = 0
    for span in spans:
        unsure = not sure and span.parsed.problem in ("json_syntax", "json_truncated")
        if span.row < row and (span.last >= row or (unsure and (known.array or span.row + MAX_JOIN > row))):
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


def _in_array(
    texts: Sequence[str], ends: Sequence[str], row: int, options: Options, final: bool
) -> list[Span] | None:  # fmt: skip
    """The brackets and objects that begin on a line of an array, and what follows the last of them on its line."""
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
            found = _over_lines(texts, ends, row, at, options, final)
        if found is None:
            return None
        spans.append(found)
        row, at = found.last, found.end
    return spans


def _over_lines(
    texts: Sequence[str], ends: Sequence[str], row: int, at: int, options: Options, final: bool
) -> Span | None:  # fmt: skip
    """An object of an array that goes on in the lines below, up to its last bracket; else one broken line."""
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
    return Span(row, at, last, stop, parse(text[:end], refuse=options.refuse)) if stop >= 0 else broken


def _records(lines: pl.DataFrame, spans: Sequence[Span], parsed: Sequence[Parsed], width: Width) -> pl.DataFrame:
    extra = pl.Series([line.n_replaced for line in parsed], dtype=pl.UInt32)
    problems = pl.Series("_problem", [line.problem for line in parsed], pl.String)
    repairs = pl.Series("_repair", ["+".join(line.repairs) or None for line in parsed], pl.String)
    return _places(lines, spans, width).select(
        *(pl.col(name) + extra if name == "_replaced" else pl.col(name) for name in PLACE),
        problems,
        pl.when(problems.is_not_null()).then("text").alias("_raw"),
        pl.lit(None, FAULT["_fields"]).alias("_fields"),
        repairs,
    )


def _places(lines: pl.DataFrame, spans: Sequence[Span], width: Width) -> pl.DataFrame:
    """Where spans lie in the source, and their text. Most are whole lines: those are taken as they are."""
    if all(s.row == s.last and s.start == 0 and s.end == size for s, size in _with_size(lines, spans)):
        return lines[[span.row for span in spans]].drop("end")
    rows = [_place(lines, span, width) for span in spans]
    return pl.DataFrame(rows, {**PLACE, "text": pl.String()}, orient="row")


def _with_size(lines: pl.DataFrame, spans: Sequence[Span]) -> Iterable[tuple[Span, int]]:
    sizes = lines["text"].str.len_chars().to_list()
    return ((span, sizes[span.row]) for span in spans)


def _place(lines: pl.DataFrame, span: Span, width: Width) -> tuple[Any, ...]:
    first, last = lines.row(span.row, named=True), lines.row(span.last, named=True)
    texts = lines["text"][span.row : span.last + 1].to_list()
    ends = lines["end"][span.row : span.last].to_list()
    body = "".join(text + end for text, end in zip(texts, [*ends, ""], strict=True))
    text = body[span.start : len(body) - (len(texts[-1]) - span.end)]
    offset = size = None
    if first["_offset"] is not None:
        begin = first["_offset"] + _bytes(first, span.start, width)
        offset, size = begin, last["_offset"] + _bytes(last, span.end, width) - begin
    replaced = int(lines["_replaced"][span.row : span.last + 1].sum()) if span.start == 0 else 0
    return first["_line"], offset, size, replaced, first["_encoding"], text


def _bytes(line: Mapping[str, Any], column: int, width: Width) -> int:
    """Bytes of a line up to a column. Where bytes were replaced by others, only in proportion."""
    if column == 0 or column == len(line["text"]):
        return int(line["_bytes"]) if column else 0
    before, whole = width(line["text"][:column]), width(line["text"])
    return before if whole == line["_bytes"] else int(line["_bytes"]) * before // whole


def _cell(value: Any, dtype: pl.DataType) -> Any:
    if value is None or isinstance(value, str):
        return value
    if dtype == pl.String():
        return json.dumps(value, ensure_ascii=False)
    return float(value) if dtype == pl.Float64() else value
