"""The part of a worker's way where bytes become records."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from cleanse.ledger import Entry, balance
from cleanse.run.plan import Share
from cleanse.run.ready import Ready
from cleanse.run.sources import changed
from cleanse.run.streams import Reader
from cleanse.run.surveys import Planned
from cleanse.settings import Settings
from cleanse.stage import Decoded, entry
from cleanse.stages import decode
from cleanse.stages.mending import finish
from cleanse.stages.spans import Spans
from cleanse.table import Schema


def decoded(part: str, shares: Sequence[Share], opened: dict[str, Spans], schema: Schema, settings: Settings) -> Ready:
    """The records of all shares of a part. Two ledger units: files and records. `opened`: the source that is being
    read, for the next part of it.
    """
    found, files = list[Decoded](), {}
    for share in shares:
        planned = share.planned
        each = decode.read(_spans(planned, opened, settings), share.piece, schema, settings)
        problems = each.records.height - each.records["_problem"].null_count()
        n_lines = 0 if each.structural is None else each.structural.height
        files[planned.source.name] = (each.records.height, problems, n_lines)
        found.append(each)
    refused = [each.refused for each in found if each.refused is not None]
    records = pl.concat([each.records for each in found]).rechunk()
    counted = sum((Counter(each.counted) for each in found), Counter[str]())
    outcome = finish(records, settings)
    outcome = replace(outcome, changed={**outcome.changed, **counted})
    entries = [_files(shares, found), entry("decode", "record", records.height, outcome)]
    lines = [pl.DataFrame(schema=decode.LINES), *(each.structural for each in found if each.structural is not None)]
    rejected = pl.concat([*refused, outcome.rejected])
    tables = {"kept": outcome.kept, "rejected": rejected, "structural": pl.concat(lines)}
    return Ready(tables, [balance(each, part) for each in entries], files)


def _spans(planned: Planned, opened: dict[str, Spans], settings: Settings) -> Spans | None:
    """The source, opened; for the next part of it the same object. Raises InputError when its file has changed."""
    name = planned.source.name
    if name not in opened:
        opened.clear()
        if planned.source.refused:
            return None
        reader = Reader(planned.source, settings.decode.max_expand_ratio)
        if reader.stamp != planned.stamp:
            raise changed(planned.source)
        opened[name] = Spans(reader, planned.facts.decision)
    return opened[name]


def _files(shares: Sequence[Share], found: Sequence[Decoded]) -> Entry:
    """The ledger unit `file`: each source is kept, or one rejected row. It counts with its first piece."""
    first = [each for share, each in zip(shares, found, strict=True) if share.piece.is_first]
    reasons = Counter(each.refused["_reason"].item() for each in first if each.refused is not None)
    noticed = sum((Counter(each.changed) for each in found), Counter[str]())
    return Entry(
        "decode", "file", len(first), len(first) - reasons.total(), rejected=dict(reasons), changed=dict(noticed)
    )
