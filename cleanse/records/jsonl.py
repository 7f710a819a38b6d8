"""JSON Lines and arrays of objects into records. Every line that is no clean JSON object has a problem by name."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from cleanse.records.framed import FAULT, MAX_RAW, PLACE, STRUCTURAL, Framed, structural
from cleanse.records.jsonkeys import Keys, Seen, keys, placed, see, types_of
from cleanse.records.jsonshape import Shape, learnt, values
from cleanse.records.jsonspans import BLANK, Cut, Span, cut, form, records_before, visible
from cleanse.records.layout import Options

Width = Callable[[str], int]  # bytes that a text takes in its source


def utf8(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def survey(tables: Iterable[pl.DataFrame], options: Options) -> Keys:
    """The keys of a text from all its lines, given table by table in order."""
    seen, stand, rest, n_records = Seen(), None, None, 0
    starts, shapes, is_uniform, is_bare = list[tuple[int, int]](), list[Shape](), True, True
    for table in tables:
        lines = table if rest is None or rest.is_empty() else pl.concat([rest, table])
        stand = stand or form(lines, options.refuse)
        if stand is None:
            rest = None if visible(lines["text"]).is_empty() else lines
            starts += [(table["_line"][0], 0)] if rest is None and not table.is_empty() else []
            is_uniform = is_uniform and lines.is_empty()
            continue
        known = Keys({}, form=stand)
        shaped, shapes = (None, shapes) if stand != "lines" else learnt(lines["text"], shapes, options.expect)
        found = cut(lines, known, options, shaped, final=False)
        row = lines.height - table.height
        before = records_before(found, known, row) if row <= found.consumed and not table.is_empty() else None
        starts += [(table["_line"][0], n_records + before)] if before is not None else []
        n_records += records_before(found, known, found.consumed, sure=True) or 0
        is_uniform = is_uniform and not found.shaped.null_count()
        is_bare = is_bare and not _n_records(found)
        seen, rest = see(seen, _objects(found, shapes), options.expect), lines[found.consumed :]
    if rest is not None and not rest.is_empty():
        found, is_uniform = cut(rest, Keys({}, form=stand or "lines", shapes=(*shapes,)), options, final=True), False
        seen, is_bare = see(seen, _objects(found, shapes), options.expect), is_bare and not _n_records(found)
    return replace(
        keys(seen, options.expect, options.mapped),
        form=stand or "lines",
        starts=(*starts,),
        shapes=(*shapes,),
        is_uniform=is_uniform and len(shapes) == 1,
        is_bare=is_bare,
    )


def _n_records(found: Cut) -> int:
    return found.shaped.count() + sum(not span.kind for span in found.spans)


def _objects(found: Cut, shapes: Sequence[Shape]) -> Iterator[tuple[Mapping[str, pl.DataType], int]]:
    """The types of the values of objects, and how many objects have just these, in order of first sight."""
    sights = [(span.row, types_of(span.parsed), 1) for span in found.spans]
    for number, shape in enumerate(shapes):
        rows = (found.shaped == number).arg_true()
        sights += [(rows[0], {**shape.types}, len(rows))] if len(rows) else []
    return ((types, n) for _, types, n in sorted(sights, key=lambda sight: sight[0]))


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
    shapes = _usable(known, names, schema)
    found = cut(lines, shapes, options, final=final)
    used = lines.head(found.consumed)
    records = [span for span in found.spans if not span.kind]
    tables = [*_shaped(used, found, shapes, names, schema)]
    if records or not tables:
        tables.append(_one_by_one(used, records, known, names, schema, options.refuse, width))
    table = tables[0] if len(tables) == 1 else pl.concat(tables).sort("_row", maintain_order=True)
    return Framed(table.drop("_row"), _between(used, found, width)), found.consumed


def _usable(known: Keys, names: Mapping[str, str], schema: Mapping[str, pl.DataType]) -> Keys:
    """`known` with the shapes alone whose lines have no problem and whose values go into columns as they are."""
    columns = {key: schema[column] for key, column in names.items()}
    texts = [key for key, column in names.items() if column in ("title", "body", "label")]

    def is_usable(types: Mapping[str, pl.DataType]) -> bool:
        if not (known.meant.keys().isdisjoint(types) and types.keys() <= columns.keys()):
            return False
        wide = all(t in (pl.Null(), columns[key]) or columns[key] == pl.Float64() for key, t in types.items())
        there = all(types.get(key, pl.Null()) != pl.Null() for key in known.expect)
        return wide and there and all(types.get(key, pl.Null()) in (pl.Null(), pl.String()) for key in texts)

    return replace(known, shapes=tuple(shape for shape in known.shapes if is_usable(shape.types)))


def _between(lines: pl.DataFrame, found: Cut, width: Width) -> pl.DataFrame:
    """What stands between the records: blank lines, brackets. Nearly always there is nothing."""
    if not found.spans and not found.shaped.null_count():
        return pl.DataFrame(schema=STRUCTURAL)
    kinds = [span for span in found.spans if span.kind]
    odd = _places(lines, kinds, width).with_columns(_kind=pl.Series([s.kind for s in kinds], dtype=pl.String))
    lone = odd.select("_line", "_offset", "_bytes", "_kind", pl.col("text").str.head(MAX_RAW).alias("_raw"))
    return pl.concat([structural(_blank(lines, found), pl.lit("blank")), lone]).sort("_line", "_offset")


def _blank(lines: pl.DataFrame, found: Cut) -> pl.DataFrame:
    """The blank lines between records."""
    inside = [row for span in found.spans for row in range(span.row, span.last + 1)]
    rest = lines[found.shaped.scatter(inside, 0).is_null().arg_true()]
    return rest.filter(pl.col("text").str.strip_chars(BLANK) == "")


def _shaped(
    lines: pl.DataFrame, found: Cut, known: Keys, names: Mapping[str, str], schema: Mapping[str, pl.DataType]
) -> Iterator[pl.DataFrame]:
    """The records of lines that have a shape, shape by shape; `_row`: the line of each."""
    for number, shape in enumerate(known.shapes):
        rows = (found.shaped == number).arg_true()
        if rows.is_empty():
            continue
        some = lines if len(rows) == lines.height else lines[rows]
        read = values(some["text"], {key: schema[names[key]] for key in shape.types})
        cells = dict(zip(shape.types, read, strict=True))
        yield some.select(
            rows.alias("_row"),
            *PLACE,
            *(pl.lit(None, dtype).alias(name) for name, dtype in FAULT.items()),
            *(cells.get(key, pl.lit(None, schema[column])).alias(column) for key, column in names.items()),
        )


def _one_by_one(
    lines: pl.DataFrame,
    spans: Sequence[Span],
    known: Keys,
    names: Mapping[str, str],
    schema: Mapping[str, pl.DataType],
    refuse: Collection[str],
    width: Width,
) -> pl.DataFrame:
    """The records of spans, in the same columns."""
    parsed = [placed(span.parsed, known, names, refuse) for span in spans]
    extra = pl.Series([line.n_replaced for line in parsed], dtype=pl.UInt32)
    problems = pl.Series("_problem", [line.problem for line in parsed], pl.String)
    repairs = pl.Series("_repair", ["+".join(line.repairs) or None for line in parsed], pl.String)
    return _places(lines, spans, width).select(
        pl.Series("_row", [span.row for span in spans], pl.UInt32),
        *(pl.col(name) + extra if name == "_replaced" else pl.col(name) for name in PLACE),
        problems,
        pl.when(problems.is_not_null()).then("text").alias("_raw"),
        pl.lit(None, FAULT["_fields"]).alias("_fields"),
        repairs,
        *(
            pl.Series(column, [_cell(line.value.get(key), schema[column]) for line in parsed], schema[column])
            for key, column in names.items()
        ),
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
    if first["_offset"] is not None and (begin := _bytes(first, span.start, width)) is not None:
        offset, end = first["_offset"] + begin, _bytes(last, span.end, width)
        size = None if end is None else last["_offset"] + end - offset
    replaced = int(lines["_replaced"][span.row : span.last + 1].sum()) if span.start == 0 else 0
    return first["_line"], offset, size, replaced, first["_encoding"], text


def _bytes(line: Mapping[str, Any], column: int, width: Width) -> int | None:
    """Bytes of a line up to a column, with those of a BOM that was taken off. None where nobody can tell: a U+FFFD that
    was put in stands for one byte or for several, so all of them must be on one side.
    """
    text, size, n_put = line["text"], int(line["_bytes"]), line["_replaced"]
    if column in (0, len(text)):
        return size if column else 0
    before, behind, bom, extra = text[:column], text[column:], width("\ufeff"), size - width(text)
    if not n_put and extra in (0, bom):
        return width(before) + extra
    if n_put and "\ufffd" not in behind:
        return size - width(behind)
    has_no_bom = extra < bom - n_put * (width("\ufffd") - 1)
    return width(before) if n_put and has_no_bom and "\ufffd" not in before else None


def _cell(value: Any, dtype: pl.DataType) -> Any:
    if value is None or isinstance(value, str):
        return value
    if dtype == pl.String():
        return json.dumps(value, ensure_ascii=False)
    return float(value) if dtype == pl.Float64() else value
