"""decode: the bytes of one piece of a source become records, as the survey found the source to be."""

from collections import Counter
from collections.abc import Callable, Mapping

import polars as pl

from cleanse.records import delimited, jsonl, plain
from cleanse.records.framed import STRUCTURAL, Framed, without_faults
from cleanse.records.lines import SCHEMA as LINE_SCHEMA
from cleanse.settings import DecodeSettings, Settings
from cleanse.stage import Decoded, Stage, reject
from cleanse.stages import parquet, warc
from cleanse.stages.reading import Spans
from cleanse.stages.survey import MIB, Piece, SourceFacts, line_batches, pieces
from cleanse.table import BOOKKEEPING, Schema, conform, ids, source_hash
from cleanse.text.encoding import Decision

LINES = {"_source": pl.String(), **STRUCTURAL}  # columns of structural/


def read(spans: Spans | None, piece: Piece, schema: Schema, settings: Settings) -> Decoded:
    """The records of one piece under the run's schema. A source that was refused, or holds none, is one rejected row,
    with its first piece.
    """
    facts, framed, refused = piece.facts, None, piece.facts.refused
    counted = Counter[str]()
    try:
        framed = _framed(spans, piece, settings.decode, counted) if spans and facts.columns else None
    except pl.exceptions.PolarsError as problem:  # a Parquet file whose pages are damaged behind a whole footer
        refused = ("undecodable", f"no readable {facts.format}: {str(problem)[:200]}")
    if framed and framed.records.is_empty() and not refused and len(pieces(facts)) == 1:
        refused = ("no_records", f"{framed.structural.height} lines, none of them a record")
    records, lines = pl.DataFrame(schema=schema), None
    if framed:
        records = conform(_bookkept(framed.records, piece), schema)
        lines = framed.structural.select(pl.lit(facts.source).alias("_source"), *STRUCTURAL)
    row = reject(conform(_file_row(facts.source), schema), *refused) if refused and piece.is_first else None
    return Decoded(records, row, lines, facts.noticed if framed and piece.is_first else {}, counted)


def _framed(spans: Spans, piece: Piece, s: DecodeSettings, counted: Counter[str]) -> Framed | None:
    """Records and structural lines, the records without bookkeeping; None for a source of which nothing is whole."""
    facts, start = piece.facts, piece.start
    if facts.format == "parquet":
        rows = range(start.records, piece.stop.records if piece.stop else facts.end)
        return parquet.read(spans.content, facts.columns, facts.names, rows, s.declared_col)
    if facts.format == "warc":
        return warc.read(spans.blocks(start.offset, piece.end), start, int(s.max_record_mb * MIB))
    if facts.refused and not piece.end:
        return None
    found = list(line_batches(spans, piece, s))
    counted.update(bom_removed=sum(b.bom_removed for b in found), fffd_in_source=sum(b.fffd for b in found))
    lines = pl.concat([_NO_LINES, *(batch.lines for batch in found)])
    framed = _FRAMERS[facts.format](lines, facts, s)
    huge = [batch.huge for batch in found if len(batch.huge)]
    if not huge:
        return framed
    return Framed(pl.concat([framed.records, *huge], how="diagonal").sort("_line"), framed.structural)


def _file_row(source: str) -> pl.DataFrame:
    return pl.DataFrame({"_id": [f"{source_hash(source)}:0"], "_source": [source], "_record": [0]})


def _bookkept(records: pl.DataFrame, piece: Piece) -> pl.DataFrame:
    """Records with all that cleanse knows of them; what a table written by cleanse knows already stands."""
    facts = piece.facts
    decision = facts.decision or Decision("utf-8", 1.0, "source")
    record = pl.int_range(1, pl.len() + 1, dtype=pl.UInt64) + piece.start.records
    known = {
        "_source": pl.lit(facts.source),
        "_record": record,
        "_id": ids(facts.source, record),
        "_encoding": pl.lit(decision.encoding),
        "_confidence": pl.lit(decision.confidence, pl.Float32),
        "_decided_by": pl.lit(decision.decided_by),
        "_replaced": pl.lit(0, pl.UInt32),
        "_flags": pl.lit("untitled" if facts.format == "text" else None, pl.String),
    }
    return records.with_columns(
        pl.coalesce(pl.col(name).cast(BOOKKEEPING[name]), value).alias(name) if name in records.columns
        else value.alias(name)
        for name, value in known.items()
    )  # fmt: skip


def _frame_delimited(lines: pl.DataFrame, facts: SourceFacts, s: DecodeSettings) -> Framed:
    assert facts.dialect  # set by the survey
    framed = delimited.frame(lines, facts.dialect, s.max_join_lines)
    return Framed(framed.records.rename(dict(facts.names)), framed.structural)


def _frame_jsonl(lines: pl.DataFrame, facts: SourceFacts, s: DecodeSettings) -> Framed:
    return jsonl.frame(lines, jsonl.parse_all(lines), facts.names, facts.columns)


def _frame_text(lines: pl.DataFrame, facts: SourceFacts, s: DecodeSettings) -> Framed:
    by_paragraph = facts.format == "text" and s.text_mode == "paragraph"
    return without_faults(plain.by_paragraph(lines) if by_paragraph else plain.by_line(lines))


_FRAMERS: Mapping[str, Callable[[pl.DataFrame, SourceFacts, DecodeSettings], Framed]] = {
    "csv": _frame_delimited,
    "tsv": _frame_delimited,
    "jsonl": _frame_jsonl,
    "text": _frame_text,
    "html": _frame_text,
}
_NO_LINES = pl.DataFrame(schema=LINE_SCHEMA)

STAGE = Stage("decode", ("columns", "decode"))
