"""decode: the bytes of one source become records. Two steps, so that the whole corpus can agree on its columns:
`survey` decides encoding, format and columns; `read` makes the table. Neither opens a file.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial

import polars as pl

from cleanse.records import plain
from cleanse.records.framed import FAULT, PLACE, STRUCTURAL, Framed
from cleanse.records.layout import Refused
from cleanse.records.lines import is_mixed, line_break, lines
from cleanse.records.names import renamed, roles, unique
from cleanse.settings import DecodeSettings, Settings
from cleanse.stage import Decoded, Outcome, Stage, reject
from cleanse.stages import tables
from cleanse.table import BOOKKEEPING, ROLES, Schema, check_reserved, conform, ids, source_hash, written_by_cleanse
from cleanse.text import codecs, encoding, mojibake

SUFFIXES = {
    **dict.fromkeys((".csv",), "csv"),
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".txt", ".text", ".md"), "text"),
    ".parquet": "parquet",
}
DOUBTFUL = 0.1  # of confidence: below it one answer in five is wrong; specs: decode 2
MIN_CELL = 12  # characters of a cell, below which only valid UTF-8 is proof of mojibake
HEAD = 1 << 20  # bytes in which dialect and header are looked for
LINES = {"_source": pl.String(), **STRUCTURAL}  # columns of structural/
NO_OFFSETS = ("utf-16", "utf-32", "iso-2022", "hz")  # a line of text is no stretch of bytes there
_ANY, _ANY_BYTES = re.compile("\r\n|\n|\r"), re.compile(b"\r\n|\n|\r")
_HTML = re.compile(rb"<(?:!doctype|html|head|body|p|div)\b", re.I)


@dataclass(frozen=True)
class SourceFacts:
    """What the survey found out about one source.

    `names`: the source's own column names → names in the table; `columns`: the latter with their types, in file order.
    `refused`: reason and detail when there is nothing to read.
    """

    source: str
    format: str
    decision: encoding.Decision | None = None
    shape: tables.Shape | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, pl.DataType] = field(default_factory=dict)
    refused: tuple[str, str] | None = None

    def as_json(self) -> dict[str, object]:
        """Plain JSON for plan.json; types by their polars names."""
        tree = {name: value for name, value in asdict(replace(self, shape=None)).items() if name != "columns"}
        tree["shape"] = self.shape.as_json() if self.shape else None
        return {**tree, "columns": [{"name": name, "type": str(dtype)} for name, dtype in self.columns.items()]}


def survey(data: bytes, source: str, settings: Settings) -> SourceFacts:
    """Encoding, format and columns of one source, from all its bytes. Raises InputError for a reserved column name."""
    s = settings.decode
    kind = s.format if s.format != "auto" else _sniff(data, source)
    facts = SourceFacts(source, kind)
    if kind == "parquet":
        return _survey_parquet(data, facts, settings)
    try:
        decision = encoding.decide(data, s.encoding)
        if kind not in ("text", "html") and not data[decision.bom :].strip():
            return replace(facts, decision=decision, refused=("empty_file", f"{len(data)} bytes, nothing in them"))
        facts = replace(facts, decision=decision)
        encoding.refuse_controls(codecs.decode_marked(data[decision.bom :][:HEAD], decision.encoding))
    except ValueError as problem:
        return replace(facts, refused=("undecodable", str(problem)))
    if kind in ("text", "html"):
        names = ["title", "body"] if kind == "html" else ["body"]
        return replace(facts, names={n: n for n in names}, columns=dict.fromkeys(names, pl.String()))
    shape = tables.survey(kind, [_lines(data, facts)], settings)
    if isinstance(shape, Refused):
        return replace(facts, refused=(shape.reason, shape.detail))
    return _named(replace(facts, shape=shape), tables.columns(shape, settings), settings)


def _sniff(data: bytes, source: str) -> str:
    """Magic bytes, then the suffix below the compression suffix, then the first bytes."""
    if data.startswith(b"PAR1"):
        return "parquet"
    stem = re.sub(r"\.(gz|bz2|xz|zst)$", "", source.lower())
    found = next((kind for suffix, kind in SUFFIXES.items() if stem.endswith(suffix)), None)
    if found and found != "parquet":
        return found
    head = data[:HEAD].lstrip()
    return "jsonl" if head.startswith(b"{") else "html" if head.startswith(b"<") and _HTML.search(head) else "text"


def _named(facts: SourceFacts, columns: Mapping[str, pl.DataType], settings: Settings) -> SourceFacts:
    if facts.format != "parquet" or not written_by_cleanse(columns):
        check_reserved(columns, facts.source)
    meant = unique([mojibake.repair(name)[0] if settings.decode.repair else name for name in columns])
    names = renamed(meant, roles(meant, asdict(settings.columns)))
    final = {name: names[mean] for name, mean in zip(columns, meant, strict=True)}
    return replace(facts, names=final, columns={final[name]: dtype for name, dtype in columns.items()})


def _survey_parquet(data: bytes, facts: SourceFacts, settings: Settings) -> SourceFacts:
    try:
        schema = pl.read_parquet_schema(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as problem:
        return replace(facts, refused=("undecodable", f"no readable Parquet: {str(problem)[:200]}"))
    text = (pl.Categorical, pl.Enum)
    return _named(facts, {n: pl.String() if isinstance(t, text) else t for n, t in schema.items()}, settings)


def read(data: bytes, facts: SourceFacts, schema: Schema, settings: Settings) -> Decoded:
    """The records of one source under the run's schema. One that was refused, or holds none, is one rejected row."""
    framed, refused = None, facts.refused
    try:
        framed = None if refused else _FRAMERS[facts.format](data, facts, settings)
    except pl.exceptions.PolarsError as problem:  # a Parquet file whose pages are damaged behind a whole footer
        refused = ("undecodable", f"no readable {facts.format}: {str(problem)[:200]}")
    if framed is not None and framed.records.is_empty():
        refused = ("no_records", f"{framed.structural.height} lines, none of them a record")
    lines = _with_source(framed.structural, facts.source) if framed and not framed.structural.is_empty() else None
    if framed is None or refused:
        row = reject(conform(_file_row(facts.source), schema), *(refused or ("", "")))
        return Decoded(pl.DataFrame(schema=schema), row, lines)
    return Decoded(conform(_bookkept(framed.records, facts), schema), None, lines, _noticed(facts))


def finish(records: pl.DataFrame, settings: Settings) -> Outcome:
    """The records of a part, mended and measured: one pass over all of them is cheaper than one a source."""
    changed = Counter(replaced=int(records["_replaced"].sum()))
    codes = records["_repair"].drop_nulls()
    changed.update(codes.str.split("+").explode().to_list() if codes.len() else ())  # of framing: mojibake comes next
    return _sized(_mended(records, settings.decode, changed), settings.decode, changed)


def _file_row(source: str) -> pl.DataFrame:
    return pl.DataFrame({"_id": [f"{source_hash(source)}:0"], "_source": [source], "_record": [0]})


def _with_source(structural: pl.DataFrame, source: str) -> pl.DataFrame:
    return structural.select(pl.lit(source).alias("_source"), *STRUCTURAL)


def _bookkept(records: pl.DataFrame, facts: SourceFacts) -> pl.DataFrame:
    """Records with all that cleanse knows of them; what a table written by cleanse knows already stands."""
    decision = facts.decision or encoding.Decision("utf-8", 1.0, "source")
    record = pl.int_range(1, pl.len() + 1, dtype=pl.UInt64)
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


def _noticed(facts: SourceFacts) -> dict[str, int]:
    """What the ledger counts of a file beside its being kept."""
    decision = facts.decision
    doubtful = decision is not None and decision.confidence < DOUBTFUL
    return {"mixed": int(decision is not None and "+" in decision.encoding), "doubtful": int(doubtful)}


def _mended(table: pl.DataFrame, s: DecodeSettings, changed: Counter[str]) -> pl.DataFrame:
    """Role cells without NULs and, where it is proven, without mojibake. One pass finds the few cells to look at."""
    repairs: dict[int, str] = {}
    for role in (name for name in ROLES if name in table.columns):
        cells = table[role]
        changed["nul_removed"] += int(cells.str.count_matches("\0", literal=True).sum())
        cells = cells.str.replace_all("\0", "", literal=True)
        rows = cells.str.contains(mojibake.suspect()).fill_null(False).arg_true()
        looked = {row: mojibake.repair(text, MIN_CELL) for row, text in zip(rows, cells.gather(rows), strict=True)}
        found = {row: text for row, (text, code) in looked.items() if code}
        repairs |= {row: code for row, (_, code) in looked.items() if code}
        table = table.with_columns(cells.scatter(list(found), list(found.values())) if found and s.repair else cells)
    changed["mojibake_repaired" if s.repair else "mojibake_left"] += len(repairs)
    if not repairs or not s.repair:
        return table
    codes = pl.Series("_code", [repairs.get(row) for row in range(table.height)], pl.String)
    joined = pl.concat_str(pl.col("_repair"), codes, separator="+", ignore_nulls=True)
    return table.with_columns(_repair=pl.when(codes.is_not_null()).then(joined).otherwise("_repair"))


def _sized(table: pl.DataFrame, s: DecodeSettings, changed: Counter[str]) -> Outcome:
    """Rows whose text is no longer than a record may be, and those whose is."""
    texts = [n for n, t in table.schema.items() if t == pl.String() and (n == "_raw" or not n.startswith("_"))]
    size = pl.sum_horizontal(pl.col(texts).str.len_bytes()) if texts else pl.lit(0)
    large = table.select(large=size > s.max_record_mb * 2**20)["large"]
    rejected = reject(table.filter(large), "too_large", f"more than {s.max_record_mb:g} MiB of text")
    return Outcome(table.filter(~large), rejected, changed)


def _lines(data: bytes, facts: SourceFacts) -> pl.DataFrame:
    """The lines of a source, with their bytes where bytes and lines run together. JSON is cut at LF, other text as it
    is: in a table at any end, when ends are mixed.
    """
    assert facts.decision  # set for every text format
    body = data[facts.decision.bom :]
    text = codecs.decode_marked(body, facts.decision.encoding)
    brk = "\n" if facts.format == "jsonl" else line_break(text)
    if facts.format in tables.DELIMITED and is_mixed(text):
        found, sizes, ends = _ANY.split(text), list(map(len, _ANY_BYTES.split(body))), [*_ANY.findall(text), ""]
    else:
        found, sizes = text.split(brk), list(map(len, body.split(brk.encode())))
        ends = [brk] * (len(found) - 1) + [""]
    settled = [codecs.settle(piece) for piece in found]
    together = len(sizes) == len(settled) and not facts.decision.encoding.startswith(NO_OFFSETS)
    pieces, replaced = [piece for piece, _ in settled], [n for _, n in settled]
    table = lines(pieces, replaced, sizes if together else None, ends, facts.decision.bom)
    if "+" not in facts.decision.encoding or set(ends) - {"\n", ""}:
        return table
    names = codecs.line_encodings(body, facts.decision.encoding)
    return table.with_columns(_encoding=pl.Series(names[: table.height]))


def _frame_table(data: bytes, facts: SourceFacts, settings: Settings) -> Framed:
    assert facts.shape  # set by the survey
    assert facts.decision
    name = facts.decision.encoding.partition("+")[0]
    options = tables.options(facts.format, settings)
    lines = _lines(data, facts)
    width = partial(codecs.width, encoding=name)
    return tables.frame(lines, facts.shape, facts.names, facts.columns, options, width=width)[0]


def _frame_text(data: bytes, facts: SourceFacts, settings: Settings) -> Framed:
    s = settings.decode
    if s.text_mode != "file" and facts.format == "text":
        cut = plain.by_line if s.text_mode == "line" else plain.by_paragraph
        return _without_faults(cut(_lines(data, facts)))
    assert facts.decision  # set for every text format
    text, n = codecs.settle(codecs.decode_marked(data[facts.decision.bom :], facts.decision.encoding))
    known = not facts.decision.encoding.startswith(NO_OFFSETS)
    place = (1, facts.decision.bom if known else None, len(data) - facts.decision.bom if known else None, n, None)
    return _without_faults(pl.DataFrame([(*place, text)], {**PLACE, "body": pl.String()}, orient="row"))


def _frame_parquet(data: bytes, facts: SourceFacts, settings: Settings) -> Framed:
    table = pl.read_parquet(io.BytesIO(data)).rename(dict(facts.names))
    for role in (name for name in ROLES if table.schema.get(name) == pl.Binary()):
        cells = [encoding.cell_text(cell) for cell in table[role]]
        replaced = pl.Series("_replaced", [n for _, n in cells], pl.UInt32)
        table = table.with_columns(
            pl.Series(role, [text for text, _ in cells], pl.String), replaced + table.get_column("_replaced", default=0)
        )
    return _without_faults(table.cast({name: t for name, t in facts.columns.items() if t != pl.Binary()}))


def _without_faults(records: pl.DataFrame) -> Framed:
    missing = {n: t for n, t in {**PLACE, **FAULT}.items() if n not in records.columns}
    full = records.with_columns(pl.lit(None, t).alias(n) for n, t in missing.items())
    return Framed(full, pl.DataFrame(schema=STRUCTURAL))


_FRAMERS: Mapping[str, Callable[[bytes, SourceFacts, Settings], Framed]] = {
    "csv": _frame_table,
    "tsv": _frame_table,
    "jsonl": _frame_table,
    "text": _frame_text,
    "html": _frame_text,
    "parquet": _frame_parquet,
}

STAGE = Stage("decode", ("columns", "decode"))
