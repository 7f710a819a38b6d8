"""Sources that lie in memory, read as run/ reads files, for tests."""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import polars as pl

from cleanse.settings import Settings
from cleanse.stage import Decoded
from cleanse.stages import decode
from cleanse.stages.spans import Spans, gathered
from cleanse.stages.survey import SourceFacts, pieces, survey
from cleanse.table import run_schema


@dataclass
class Bytes:
    """The content of a source: `block` bytes at a time; `is_plain` false for one that is read forward only."""

    data: bytes
    block: int = 1 << 20
    is_plain: bool = True
    problem: tuple[str, str] | None = None

    def gathered(self, start: int, end: int, least: int) -> Iterator[bytes]:
        return gathered(self.blocks(start, end), least)

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        wanted = self.data[start:end]
        return (wanted[at : at + self.block] for at in range(0, len(wanted), self.block))

    def file(self) -> IO[bytes]:
        return io.BytesIO(self.data)


def surveyed(data: bytes, name: str, settings: Settings) -> SourceFacts:
    return survey(Bytes(data), name, settings)


def read_all(content: Bytes, name: str, settings: Settings) -> Decoded:
    """Survey a source and read all its pieces, one after the other."""
    return read_pieces(content, survey(content, name, settings), settings)


def read_pieces(content: Bytes, facts: SourceFacts, settings: Settings) -> Decoded:
    """All pieces of a surveyed source, one after the other, as one."""
    schema, spans = run_schema(facts.columns.items()), Spans(content, facts.decision)
    found = [decode.read(spans, piece, schema, settings) for piece in pieces(facts)]
    lines = [each.structural for each in found if each.structural is not None]
    return Decoded(
        pl.concat([each.records for each in found]),
        found[0].refused,
        pl.concat(lines) if lines else None,
        found[0].changed,
        sum((Counter(each.counted) for each in found), Counter[str]()),
    )
