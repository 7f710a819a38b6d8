"""A look at sources as decode would read them; nothing is written."""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from cleanse.run import sources
from cleanse.run.sources import Source
from cleanse.run.streams import Reader
from cleanse.run.surveys import Planned, Survey, examine
from cleanse.settings import Settings
from cleanse.stage import Outcome
from cleanse.stages import decode
from cleanse.stages.mending import finish
from cleanse.stages.spans import Spans
from cleanse.stages.survey import pieces
from cleanse.table import ROLES, TEXTS, run_schema, user_columns

WORST = 5  # rows shown of a source
TOP = 20  # classes named
SHOWN = 200  # characters of a row


@dataclass(frozen=True)
class Worst:
    """A row that is worth a look: where it stands, why, and how it begins."""

    record: int
    line: int | None
    why: str
    text: str


@dataclass(frozen=True)
class Inspected:
    """What a source holds. Figures are those of its first `records` records (`is_all`: it has no more).

    `encodings`: records by encoding; `lengths`: minimum, median, maximum of a role's characters; `roles`: role → the
    source's own column.
    """

    source: str
    bytes: int
    format: str
    encoding: str | None = None
    confidence: float | None = None
    decided_by: str | None = None
    refused: tuple[str, str] | None = None
    records: int = 0
    is_all: bool = True
    encodings: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    problems: Mapping[str, int] = field(default_factory=dict)
    columns: Sequence[str] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    lengths: Mapping[str, tuple[int, float, int] | None] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    worst: Sequence[Worst] = ()


def inspect(inputs: Sequence[str], settings: Settings, limit: int) -> list[Inspected]:
    """Look at the sources of the inputs, at up to `limit` records of each. Raises InputError as `sources.find`."""
    with sources.with_stdin(inputs, Path(tempfile.gettempdir(), "cleanse-inspect")) as given:
        found = sources.find(given, None, settings.decode.max_members)
        return [_inspected(source, settings, limit) for source in found]


def _inspected(source: Source, settings: Settings, limit: int) -> Inspected:
    (planned,) = examine(Survey((source,), settings))
    facts = planned.facts
    told = facts.decision
    known = Inspected(
        source.name,
        source.size,
        facts.format,
        told.encoding if told else None,
        told.confidence if told else None,
        told.decided_by if told else None,
        facts.refused,
        columns=user_columns(facts.names),
        roles={role: name for name, role in facts.names.items() if role in ROLES},
    )
    if not facts.columns:
        return known
    outcome, n = _decoded(planned, settings, limit)
    return _with_figures(known, outcome, n, limit)


def _decoded(planned: Planned, settings: Settings, limit: int) -> tuple[Outcome, int]:
    """The first records of a source as decode would leave them, and how many were read."""
    facts = planned.facts
    schema = run_schema(facts.columns.items())
    spans = Spans(Reader(planned.source, settings.decode.max_expand_ratio), facts.decision)
    found, counted = [pl.DataFrame(schema=schema)], Counter[str]()
    for piece in pieces(facts):
        each = decode.read(spans, piece, schema, settings)
        found.append(each.records)
        counted.update(each.counted)
        if sum(map(len, found)) > limit:
            break
    records = pl.concat(found).rechunk()
    outcome = finish(records.head(limit), settings)
    return replace(outcome, changed={**outcome.changed, **counted}), records.height


def _with_figures(known: Inspected, outcome: Outcome, n: int, limit: int) -> Inspected:
    rows = pl.concat([outcome.kept, outcome.rejected], how="diagonal")
    labels = rows["label"].drop_nulls() if "label" in rows.columns else pl.Series(dtype=pl.String)
    return replace(
        known,
        records=rows.height,
        is_all=n <= limit,
        encodings=dict(Counter(rows["_encoding"].drop_nulls()).most_common()),
        changed={what: count for what, count in outcome.changed.items() if count},
        rejected=dict(Counter(outcome.rejected["_reason"])),
        problems=dict(Counter(rows["_problem"].drop_nulls())),
        lengths={role: _lengths(rows[role]) for role in TEXTS if rows.schema.get(role) == pl.String()},
        classes=dict(Counter(labels.cast(pl.String)).most_common(TOP)),
        worst=_worst(rows),
    )


def _lengths(cells: pl.Series) -> tuple[int, float, int] | None:
    chars = cells.str.len_chars().drop_nulls()
    return (int(chars.min()), float(chars.median()), int(chars.max())) if len(chars) else None  # type: ignore[arg-type]  # an Int64


def _worst(rows: pl.DataFrame) -> list[Worst]:
    """Rows with something wrong: rejected ones, then those that cannot be placed, damaged, repaired."""
    reason = pl.col("_reason") if "_reason" in rows.columns else pl.lit(None, pl.String)
    damage = pl.when(pl.col("_replaced") > 0).then(pl.format("{} characters replaced", "_replaced"))
    faults = (reason, pl.col("_problem"), damage, pl.col("_repair"))
    rank = pl.coalesce(pl.when(fault.is_not_null()).then(pl.lit(n)) for n, fault in enumerate(faults))
    texts = [pl.col(name) for name in ("_raw", "body", "title") if rows.schema.get(name) == pl.String()]
    shown = rows.select(
        "_record",
        "_line",
        "_replaced",
        why=pl.coalesce(faults),
        rank=rank,
        text=pl.coalesce(*texts, pl.lit("")).str.head(SHOWN),
    )
    bad = shown.filter(pl.col("rank").is_not_null()).sort("rank", -pl.col("_replaced").cast(pl.Int64), "_record")
    return [Worst(*row) for row in bad.head(WORST).select("_record", "_line", "why", "text").rows()]
