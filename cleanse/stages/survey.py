"""survey: what a source is, before any of it is read for good, so that the whole corpus can agree on its columns:
encoding, format, columns, and where a large source may be cut.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

import polars as pl

from cleanse.records import plain
from cleanse.records.dialect import is_delimited
from cleanse.records.layout import Refused
from cleanse.records.lines import Ends, ends_of
from cleanse.records.names import renamed, roles, unique
from cleanse.records.stretch import Lines
from cleanse.settings import DecodeSettings, Settings
from cleanse.stages import parquet, tables, warc
from cleanse.stages.reading import Batch, Cut, batches, is_utf8, n_bytes, stretches
from cleanse.stages.spans import GATHERED, Content, Spans, ahead, text_blocks
from cleanse.table import check_reserved, written_by_cleanse
from cleanse.text import encoding, mojibake
from cleanse.text.codecs import MARK, cut_last, is_transcoded, text_of
from cleanse.text.evidence import Look, look
from cleanse.text.formats import is_misnamed, packed, sniff

DOUBTFUL = 0.1  # of confidence: below it one answer in five is wrong; docs/adr/0004
TABLES = (*tables.DELIMITED, "jsonl")
MIB = 2**20  # bytes
LEAST = 1 / 4  # of `part_mb`: each part has its price
NEARLY = 7 / 8  # of `part_mb`: the last line of a block goes to the next, and no whole block with it
MAX_LINES = 1 << 20  # of a part: a line takes some 100 bytes beside its text


@dataclass(frozen=True)
class SourceFacts:
    """What the survey found out about one source.

    `shape`: how the records of a table or of JSON are written. `names`: the source's own column names → names in the
    table; `columns`: the latter with their types, in file order.
    `end`: where its last whole record ends, 0 if nothing of it can be read; `cuts`: where it may be cut, about every
    `run.part_mb`. `refused`: reason and detail when there is nothing to read, or nothing behind `end`. `noticed`: what
    the ledger counts of the file.
    """

    source: str
    format: str
    decision: encoding.Decision | None = None
    shape: tables.Shape | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, pl.DataType] = field(default_factory=dict)
    ends: Ends = "lf"
    end: int = 0
    cuts: tuple[Cut, ...] = ()
    refused: tuple[str, str] | None = None
    noticed: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Plain JSON for plan.json; types by their polars names."""
        tree = {name: value for name, value in asdict(replace(self, shape=None)).items() if name != "columns"}
        tree["shape"] = self.shape.as_json() if self.shape else None
        return {**tree, "columns": [{"name": name, "type": str(dtype)} for name, dtype in self.columns.items()]}


@dataclass(frozen=True)
class Piece:
    """A stretch of a source, from one cut to the next; `stop` is None for the last one."""

    facts: SourceFacts
    start: Cut = field(default_factory=Cut)
    stop: Cut | None = None

    @property
    def is_first(self) -> bool:
        """The ledger counts a file with its first piece."""
        return self.start == Cut()

    @property
    def end(self) -> int:
        """Where it ends, in bytes."""
        return self.stop.offset if self.stop else self.facts.end

    def as_json(self) -> dict[str, object]:
        """Plain JSON for plan.json."""
        return {"from": self.start._asdict(), "to": self.stop._asdict() if self.stop else None}


def pieces(facts: SourceFacts) -> list[Piece]:
    """A source in as many pieces as it has cuts, and one."""
    starts = (Cut(), *facts.cuts)
    return [Piece(facts, start, stop) for start, stop in zip(starts, (*facts.cuts, None), strict=True)]


def survey(content: Content, source: str, settings: Settings) -> SourceFacts:
    """Encoding, format, columns and cuts of one source. Raises InputError for a reserved column name."""
    s, seen = settings.decode, look(content.blocks, is_utf8, n_bytes)
    kind = s.format if s.format != "auto" else sniff(seen.head, source)
    facts = SourceFacts(source, kind or "text", end=seen.size)
    if not content.is_plain and (inner := packed(seen.head)):
        return _nothing(facts, "unsupported", f"{inner} inside an archive")
    if s.format == "auto" and is_misnamed(seen.head, source):
        what = ("undecodable", "by its name Parquet or WARC, but it does not begin like it")
        return _nothing(facts, *(content.problem or (what if seen.size else ("empty_file", "0 bytes"))))
    if kind == "parquet":
        return _survey_parquet(content, facts, settings)
    if kind == "warc":
        return _survey_warc(content, facts, settings)
    try:
        decision = _decided(content, seen, s)
    except ValueError as problem:
        return _nothing(facts, *(content.problem or ("undecodable", str(problem))))
    if kind is None and s.text_mode == "file" and _is_table(seen, decision):
        facts = replace(facts, format="csv")
    return _survey_text(
        content, replace(facts, decision=decision, noticed=_noticed(decision, seen)), seen, decision, settings
    )


def _is_table(seen: Look, decision: encoding.Decision) -> bool:
    """True for a source without a telling name that is written as a table."""
    head = re.split("\r\n|\n|\r", text_of(seen.head[decision.bom :], decision.encoding)[0])
    return is_delimited(head[:-1] if seen.size > len(seen.head) else head)


def _nothing(facts: SourceFacts, reason: str, detail: str) -> SourceFacts:
    """A source of which no record can be read."""
    return replace(facts, refused=(reason, detail), end=0)


def _decided(content: Content, seen: Look, s: DecodeSettings) -> encoding.Decision:
    """The encoding. Raises ValueError for what is no text, or not surely enough."""
    decision = encoding.decide_look(seen, content.blocks, s.encoding)
    encoding.refuse_controls(text_of(seen.head[decision.bom :], decision.encoding)[0])
    encoding.refuse_doubt(decision, s.min_confidence)
    return decision


def _noticed(decision: encoding.Decision, seen: Look) -> dict[str, int]:
    """What the ledger counts of a file beside its being kept."""
    is_utf8 = seen.utf8 and not seen.is_ascii
    return {
        "mixed": int("+" in decision.encoding),
        "doubtful": int(decision.confidence < DOUBTFUL),
        "declared_wrong": int(decision.declared is not None),
        "setting_doubted": int(decision.decided_by == "setting" and is_utf8 and decision.encoding != "utf-8"),
    }


def _is_cut(tail: bytes, decision: encoding.Decision) -> bool:
    """True when the last character is incomplete. `tail`: as `text_blocks` gives it."""
    if is_transcoded(decision.encoding):
        return tail.endswith(MARK)
    return not tail.isascii() and cut_last(tail, decision.encoding)


def _survey_text(
    content: Content, facts: SourceFacts, seen: Look, decision: encoding.Decision, settings: Settings
) -> SourceFacts:
    """Line ends, columns and cuts of what is no Parquet and no WARC."""
    if is_transcoded(decision.encoding):
        seen = look(lambda: text_blocks(content, decision), count=n_bytes)
    ends = ends_of(seen.lf + seen.crlf, seen.cr, is_table=facts.format in tables.DELIMITED)
    facts = replace(facts, ends=ends, end=seen.size)
    if content.problem:  # the last line is no whole one, nor is a text that is one record
        whole = seen.breaks[-1][0] if seen.breaks and not is_whole(facts, settings.decode) else 0
        facts = replace(facts, refused=content.problem, end=whole)
    elif _is_cut(seen.tail, decision):
        facts = replace(facts, noticed={**facts.noticed, "truncated_tail": 1})
    if facts.format in TABLES and seen.size == len(seen.head) and not seen.head[decision.bom :].strip():
        return _nothing(facts, *(content.problem or ("empty_file", f"{seen.size} bytes, nothing in them")))
    if facts.format in TABLES:
        return _survey_table(content, facts, settings)
    names = ["title", "body"] if facts.format == "html" else ["body"]
    facts = replace(facts, names={n: n for n in names}, columns=dict.fromkeys(names, pl.String()))
    part_bytes = settings.run.part_mb * MIB
    if facts.end <= part_bytes or is_whole(facts, settings.decode):
        return facts
    if settings.decode.text_mode == "paragraph":
        found = _between_paragraphs(content, facts, settings.decode)
    else:
        behind_lf = (Cut(offset, lf + 1, lf) for offset, lf in seen.breaks)
        found = behind_lf if ends == "lf" else _between_lines(content, facts, settings.decode)
    return replace(facts, cuts=tuple(_spaced(found, facts.end, part_bytes)))


def _between_lines(content: Content, facts: SourceFacts, s: DecodeSettings) -> Iterator[Cut]:
    """The first line of each block: what ends the lines was not known when the source was looked at."""
    batches = line_batches(Spans(content, facts.decision), Piece(facts), s)
    return (batch.at._replace(records=batch.at.line - 1) for batch in batches)


def _between_paragraphs(content: Content, facts: SourceFacts, s: DecodeSettings) -> Iterator[Cut]:
    """The last blank line of each block, where its place is known."""
    n, is_open = 0, False  # paragraphs that have begun; the last line belongs to one
    for batch in line_batches(Spans(content, facts.decision), Piece(facts), s):
        n, is_open = n + batch.huge.height, is_open and batch.huge.is_empty()
        assert isinstance(batch.lines, pl.DataFrame)
        blank = plain.is_blank(batch.lines)
        begins = ~blank & blank.shift(fill_value=not is_open)
        rows = batch.lines.with_row_index("row").filter(blank & batch.lines["_offset"].is_not_null())[-1:]
        for row, line, offset in rows.select("row", "_line", "_offset").rows():
            yield Cut(offset, line, n + int(begins[:row].sum()))
        n, is_open = n + int(begins.sum()), not blank[-1] if len(blank) else is_open


def _spaced(found: Iterable[Cut], end: int, part_bytes: float) -> Iterator[Cut]:
    """Cuts about `part_bytes` or MAX_LINES apart; before the first record only the latter. A short rest is no part."""
    last = Cut()
    for cut in found:
        is_long = cut.line - last.line >= MAX_LINES and cut.offset < end
        is_far = cut.offset - last.offset >= NEARLY * part_bytes and end - cut.offset >= LEAST * part_bytes
        if is_long or (cut.records and is_far):
            last = cut
            yield cut


def _named(facts: SourceFacts, columns: Mapping[str, pl.DataType], settings: Settings) -> SourceFacts:
    if facts.format != "parquet" or not written_by_cleanse(columns):
        check_reserved(columns, facts.source)
    meant = unique([mojibake.repair(name)[0] if settings.decode.repair else name for name in columns])
    names = renamed(meant, roles(meant, asdict(settings.columns)))
    final = {name: names[mean] for name, mean in zip(columns, meant, strict=True)}
    return replace(facts, names=final, columns={final[name]: dtype for name, dtype in columns.items()})


def _survey_warc(content: Content, facts: SourceFacts, settings: Settings) -> SourceFacts:
    found = warc.survey(content, settings.run.part_mb * MIB)
    if refused := content.problem or found.refused:
        facts = replace(facts, refused=refused, end=found.whole)
    columns = dict.fromkeys(warc.NAMES, pl.String())
    return replace(facts, cuts=found.cuts, names={n: n for n in warc.NAMES}, columns=columns)


def _survey_parquet(content: Content, facts: SourceFacts, settings: Settings) -> SourceFacts:
    if content.problem:  # its footer is lost
        return _nothing(facts, *content.problem)
    found = parquet.survey(content, settings.run.part_mb * MIB)
    if found.refused:
        return _nothing(facts, *found.refused)
    return replace(_named(facts, found.columns, settings), cuts=found.cuts, end=found.rows)


def _survey_table(content: Content, facts: SourceFacts, settings: Settings) -> SourceFacts:
    """How the records of a table or of JSON are written, and where they begin: a second pass only where some of a large
    source must be mended first.
    """
    begun, huge, n_lines = dict[int, Cut](), set[int](), 0

    def lines(least: int) -> Iterator[Lines]:
        nonlocal n_lines
        for batch in ahead(line_batches(Spans(content, facts.decision), Piece(facts), settings.decode, least)):
            begun[batch.at.line] = batch.at
            huge.update(batch.huge["_line"])
            n_lines = batch.at.line - 1 + batch.lines.height
            yield batch.lines

    shape = tables.survey(facts.format, lines(GATHERED), settings)
    if isinstance(shape, Refused):
        return _nothing(facts, *(facts.refused or (shape.reason, shape.detail)))
    named = _named(replace(facts, shape=shape), tables.columns(shape, settings), settings)
    if facts.end <= settings.run.part_mb * MIB and n_lines <= MAX_LINES:
        return named
    starts: Iterable[tuple[int, int]] | None = shape.starts
    if starts is None:  # where one table fails, the next will do
        starts = tables.starts(lines(MIB), shape, tables.options(facts.format, settings))
    found = (begun[line]._replace(records=n + sum(each < line for each in huge)) for line, n in starts)
    cuts = tuple(_spaced(found, facts.end, settings.run.part_mb * MIB))
    if cuts and shape.is_bare and not huge and not facts.refused:  # no piece of it could tell
        return replace(named, cuts=cuts, refused=("no_records", f"{n_lines} lines, none of them a record"))
    return replace(named, cuts=cuts)


def is_whole(facts: SourceFacts, s: DecodeSettings) -> bool:
    """True when the source is one record."""
    return facts.format == "html" or (facts.format == "text" and s.text_mode == "file")


def max_line(s: DecodeSettings) -> int:
    """Bytes that a record may have; so much is in memory anyway."""
    return max(GATHERED, int(s.max_record_mb * MIB))


def line_batches(spans: Spans, piece: Piece, s: DecodeSettings, least: int = GATHERED) -> Iterator[Batch]:
    """The lines of a piece, those of tables in batches of `least` bytes."""
    facts = piece.facts
    assert facts.decision  # set for every text format
    ends: Ends = "lf" if facts.format == "jsonl" else facts.ends
    at = piece.start._replace(offset=max(piece.start.offset, spans.first))
    begin, end = at.offset, piece.end
    blocks = spans.gathered(begin, end, least) if facts.format in TABLES else spans.blocks(begin, end)
    made = stretches if facts.format in tables.DELIMITED else batches
    return made(blocks, facts.decision, ends, at, max_line(s))
