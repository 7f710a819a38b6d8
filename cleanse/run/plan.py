"""The plan of a decode: what every source is, which share a part, and the one schema of the run. It depends on bytes
and settings alone, never on workers.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from cleanse.errors import InputError
from cleanse.records.jsonkeys import Keys
from cleanse.records.layout import Layout
from cleanse.records.reading import ONE_COLUMN
from cleanse.run import store, surveys
from cleanse.run.engines.base import Engine
from cleanse.run.sources import Source
from cleanse.run.surveys import Planned
from cleanse.settings import Settings
from cleanse.stages.survey import Piece, pieces
from cleanse.table import BOOKKEEPING, Schema, run_schema, user_columns
from cleanse.text.codecs import is_transcoded

_TEXT, _COUNT, _TEXTS = pl.String(), pl.UInt64(), pl.List(pl.String())
FILES = {  # columns of files.parquet
    "_source": _TEXT,
    "bytes": _COUNT,
    "format": _TEXT,
    "encoding": _TEXT,
    "delimiter": _TEXT,
    "quote": _TEXT,
    "escape": _TEXT,
    "header": _TEXTS,
    "columns": _TEXTS,
    "records": _COUNT,
    "problems": _COUNT,
    "structural": _COUNT,
    "notes": _TEXTS,
}


@dataclass(frozen=True)
class Share:
    """What a part takes of a source."""

    planned: Planned
    piece: Piece

    def __str__(self) -> str:
        return f"{self.planned.source.name}, bytes {self.piece.start.offset} to {self.piece.end}"

    @property
    def is_next(self) -> bool:
        """True when it can only be read behind the piece before it: of a compressed source, or one in UTF-16."""
        decision = self.planned.facts.decision
        forward = not self.planned.is_plain or (decision is not None and is_transcoded(decision.encoding))
        return forward and not self.piece.is_first


@dataclass(frozen=True)
class Plan:
    """`sources`: all of them, in order; `parts`: what each part takes of them, in order."""

    sources: list[Planned]
    parts: list[list[Share]]
    schema: Schema

    def as_json(self) -> dict[str, Any]:
        """plan.json: without a path of the machine."""
        return {
            "schema_version": 1,
            "schema": {name: str(dtype) for name, dtype in self.schema.items()},
            "sources": [{"bytes": p.source.size, "sha256": p.sha256, **p.facts.as_json()} for p in self.sources],
            "parts": [[{"source": s.planned.source.name, **s.piece.as_json()} for s in part] for part in self.parts],
        }

    def write(self, files: Mapping[str, tuple[int, ...]], folder: Path, plan_folder: Path) -> None:
        """plan.json and files.parquet: what the survey found, and what decode found in each source (`files`)."""
        rows = [describe(planned, files[planned.source.name]) for planned in self.sources]
        store.write_table(folder / "files.parquet", folder, pl.DataFrame(rows, FILES, orient="row"), 1)
        store.write_json(plan_folder / "plan.json", self.as_json())


def make(
    found: Sequence[Source],
    settings: Settings,
    engine: Engine,
    *,
    allow_empty: bool = False,
    kept: Path | None = None,
    share: tuple[int, int] | None = None,
) -> Plan:
    """Survey all sources and cut them into parts. `kept`, `share`: as `surveyed` has them. Raises InputError when a
    mapped column or all records are missing.
    """
    surveyed = surveys.surveyed(found, settings, engine, kept, share)
    _columns_there(surveyed, settings)
    if not allow_empty and all(planned.source.size == 0 for planned in surveyed):
        names = ", ".join(planned.source.name for planned in surveyed[:5])
        help = "check the path, or pass --allow-empty"
        raise InputError("input-empty", "no record in the input: every file is empty", help, found=names)
    schema = run_schema((name, t) for planned in surveyed for name, t in planned.facts.columns.items())
    return Plan(surveyed, list(_parts(surveyed, settings)), schema)


def _pieces(planned: Planned, settings: Settings) -> list[Piece]:
    """The pieces of a source that hold records within `decode.limit`."""
    limit = settings.decode.limit
    return [piece for piece in pieces(planned.facts) if not limit or piece.start.records < limit]


def _parts(surveyed: Sequence[Planned], settings: Settings) -> Iterator[list[Share]]:
    """A source with cuts has its own parts; others share theirs."""
    limit = surveys.part_bytes(settings)
    for is_cut, group in itertools.groupby(surveyed, lambda planned: bool(planned.facts.cuts)):
        if is_cut:
            yield from ([Share(planned, piece)] for planned in group for piece in _pieces(planned, settings))
        else:
            shares = [Share(planned, *_pieces(planned, settings)) for planned in group]
            yield from surveys.shared(shares, lambda share: share.planned.size, limit)


def _columns_there(surveyed: Sequence[Planned], settings: Settings) -> None:
    """Every table must have the columns that the user named."""
    columns = settings.columns
    for planned in surveyed:
        facts = planned.facts
        if facts.refused or facts.format in ("text", "html", "warc"):
            continue
        for key in ("title", "body", "label", "split", "group", "tokens"):
            name = getattr(columns, key)
            if name and name not in facts.names:
                raise InputError(
                    "column-missing",
                    f"no column '{name}' in {facts.source}",
                    f"--{key}-col with one of them",
                    found=", ".join(user_columns(facts.names)) or "no column",
                )


def describe(planned: Planned, counts: tuple[int, ...]) -> dict[str, Any]:
    """The row of files.parquet: what a source is and how many records, problems, structural lines it had."""
    facts = planned.facts
    layout = facts.shape if isinstance(facts.shape, Layout) else None
    cut = layout.dialect if layout else None
    notes = [name for name, there in (("bom", facts.decision and facts.decision.bom),) if there]
    notes += layout.notes if layout else []
    notes += ["json_array"] if isinstance(facts.shape, Keys) and facts.shape.form == "array" else []
    return {
        "_source": facts.source,
        "bytes": planned.source.size,
        "format": facts.format,
        "encoding": facts.decision.encoding if facts.decision else None,
        "delimiter": cut.delimiter if cut and cut.delimiter != ONE_COLUMN else None,
        "quote": cut.quote if cut else None,
        "escape": cut and ("\\" if cut.backslash else cut.quote),
        "header": list(layout.header) if layout and layout.header else None,
        "columns": [name for name in facts.columns if name not in BOOKKEEPING],
        **dict(zip(("records", "problems", "structural"), counts, strict=True)),
        "notes": notes,
    }
