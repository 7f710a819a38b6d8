"""Bytes that are decided one by one, cells of Parquet and bodies of responses, as columns of a table."""

from collections.abc import Sequence

import polars as pl

from cleanse.records.framed import FAULT, MAX_RAW
from cleanse.table import BOOKKEEPING
from cleanse.text.encoding import decide_cell

COLUMNS = {
    "text": pl.String(),
    **{name: BOOKKEEPING[name] for name in ("_encoding", "_confidence", "_decided_by", "_replaced")},
    "_problem": FAULT["_problem"],
    "_raw": FAULT["_raw"],
}


def cells(data: Sequence[bytes | None], declared: Sequence[str | None]) -> pl.DataFrame:
    """One row a cell, columns of COLUMNS. What is no text has `_problem` `undecodable`, and in `_raw` what of it can be
    read. `declared`: a label or a content type for each.
    """
    rows = [_row(cell, claim) for cell, claim in zip(data, declared, strict=True)]
    return pl.DataFrame(rows, COLUMNS, orient="row")


def _row(cell: bytes | None, claim: str | None) -> tuple[object, ...]:
    if cell is None:
        return None, "utf-8", 1.0, "source", 0, None, None
    found = decide_cell(cell, claim)
    told = found.decision
    if found.text is None:
        raw = cell[:MAX_RAW].decode("utf-8", "replace")
        return None, told.encoding, told.confidence, told.decided_by, 0, "undecodable", raw
    return found.text, told.encoding, told.confidence, told.decided_by, found.n_replaced, None, None
