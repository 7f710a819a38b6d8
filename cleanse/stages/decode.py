"""decode: the bytes of one piece of a source become records, as the survey found the source to be."""

from collections import Counter
from functools import partial

import polars as pl

from cleanse.records import plain
from cleanse.records.framed import STRUCTURAL, Framed, without_faults
from cleanse.records.lines import SCHEMA as LINE_SCHEMA
from cleanse.records.stretch import Lines, together
from cleanse.settings import DecodeSettings, Settings
from cleanse.stage import Decoded, Stage, reject
from cleanse.stages import parquet, tables, warc
from cleanse.stages.reading import whole_text
from cleanse.stages.spans import GATHERED, Spans
from cleanse.stages.survey import MIB, Piece, SourceFacts, is_whole, line_batches, max_line, pieces
from cleanse.table import BOOKKEEPING, Schema, conform, ids, source_hash
from cleanse.text import codecs
from cleanse.text.encoding import Decision

LINES = {"_source": pl.String(), **STRUCTURAL}  # columns of structural/


def read(spans: Spans | None, piece: Piece, schema: Schema, settings: Settings) -> Decoded:
    """The records of one piece under the run's schema. A source that was refused, or holds none, is one rejected row,
    with its first piece.
    """
    facts, framed, refused = piece.facts, None, piece.facts.refused
    counted = Counter[str]()
    if spans and not refused and is_whole(facts, settings.decode):
        return _whole(spans, piece, schema, settings.decode)
    if spans and (facts.end or not refused):
        framed = _framed(spans, piece, settings, counted)
    if framed and framed.records.is_empty() and not refused and len(pieces(facts)) == 1:
        refused = ("no_records", f"{framed.structural.height} lines, none of them a record")
    lines = None
    if framed is None:
        records = pl.DataFrame(schema=schema)
    else:
        records = conform(_bookkept(framed.records, piece), schema)
        if settings.decode.limit:
            records = records.filter(pl.col("_record") <= settings.decode.limit)
    if framed and not framed.structural.is_empty():
        lines = framed.structural.select(pl.lit(facts.source).alias("_source"), *STRUCTURAL)
        counted.update({f"structural_{kind}": n for kind, n in lines["_kind"].value_counts().sort("_kind").iter_rows()})
    row = reject(conform(_file_row(facts.source), schema), *refused) if refused and piece.is_first else None
    return Decoded(records, row, lines, facts.noticed if framed and piece.is_first else {}, counted)


def _whole(spans: Spans, piece: Piece, schema: Schema, s: DecodeSettings) -> Decoded:
    """A source that is one record: a row made at once, for a corpus may have a million of them."""
    facts = piece.facts
    assert facts.decision  # set for every text format
    found = whole_text(spans.blocks(0, piece.end), facts.decision, piece.end, max_line(s))
    row = {
        **_known(facts),
        "_id": f"{source_hash(facts.source)}:1",
        "_record": 1,
        "_line": 1,
        "_offset": found.offset,
        "_bytes": found.bytes,
        "_replaced": found.replaced,
        **({"_problem": "too_large", "_raw": found.text} if found.is_huge else {"body": found.text}),
    }
    counted = {"bom_removed": found.bom_removed, "fffd_in_source": found.fffd}
    return Decoded(pl.DataFrame([row], schema), None, None, facts.noticed, counted)


def _framed(spans: Spans, piece: Piece, settings: Settings, counted: Counter[str]) -> Framed:
    """Records and structural lines, the records without bookkeeping."""
    facts, start, s = piece.facts, piece.start, settings.decode
    if facts.format == "parquet":
        rows = range(start.records, piece.stop.records if piece.stop else facts.end)
        return parquet.read(spans.content, facts.columns, facts.names, rows, s.declared_col)
    if facts.format == "warc":
        return warc.read(spans.blocks(start.offset, piece.end), start, int(s.max_record_mb * MIB), counted)
    is_utf8 = facts.decision is not None and facts.decision.encoding == "utf-8"
    least = piece.end - start.offset if is_utf8 and facts.format in tables.DELIMITED else GATHERED  # all of it at once
    found = list(line_batches(spans, piece, s, least))
    counted.update(bom_removed=sum(b.bom_removed for b in found), fffd_in_source=sum(b.fffd for b in found))
    lines = together([batch.lines for batch in found]) if found else _NO_LINES
    framed = _table(lines, piece, settings) if facts.shape else _text(lines, settings)
    huge = [batch.huge for batch in found if len(batch.huge)]
    if not huge:
        return framed
    return Framed(pl.concat([framed.records, *huge], how="diagonal").sort("_line"), framed.structural)


def _file_row(source: str) -> pl.DataFrame:
    return pl.DataFrame({"_id": [f"{source_hash(source)}:0"], "_source": [source], "_record": [0]})


def _known(facts: SourceFacts) -> dict[str, object]:
    """What holds for every record of a source, unless the record itself knows better."""
    decision = facts.decision or Decision("utf-8", 1.0, "source")
    return {
        "_source": facts.source,
        "_encoding": decision.encoding,
        "_confidence": decision.confidence,
        "_decided_by": decision.decided_by,
        "_replaced": 0,
        "_flags": "untitled" if facts.format == "text" else None,
    }


def _bookkept(records: pl.DataFrame, piece: Piece) -> pl.DataFrame:
    """Records with all that cleanse knows of them; what a table written by cleanse knows already stands."""
    record = pl.int_range(1, pl.len() + 1, dtype=pl.UInt64) + piece.start.records
    known = {
        "_record": record,
        "_id": ids(piece.facts.source, record),
        **{name: pl.lit(value, BOOKKEEPING[name]) for name, value in _known(piece.facts).items()},
    }
    return records.with_columns(
        pl.coalesce(pl.col(name).cast(BOOKKEEPING[name]), value).alias(name) if name in records.columns
        else value.alias(name)
        for name, value in known.items()
    )  # fmt: skip


def _table(lines: Lines, piece: Piece, settings: Settings) -> Framed:
    facts = piece.facts
    assert facts.shape  # set by the survey
    assert facts.decision
    width = partial(codecs.width, encoding=facts.decision.encoding.partition("+")[0])
    options = tables.options(facts.format, settings)
    return tables.frame(lines, facts.shape, facts.names, facts.columns, options, width=width)[0]


def _text(lines: Lines, settings: Settings) -> Framed:
    assert isinstance(lines, pl.DataFrame)
    by_paragraph = settings.decode.text_mode == "paragraph"
    return without_faults(plain.by_paragraph(lines) if by_paragraph else plain.by_line(lines))


_NO_LINES = pl.DataFrame(schema=LINE_SCHEMA)

STAGE = Stage("decode", ("columns", "decode"), light=True)
