"""Rows of a run, found by reason, stage or `_id`. Data as it is: whoever prints it makes it safe."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from cleanse.errors import InputError
from cleanse.run.finished import Finished
from cleanse.run.tables import scan
from cleanse.stages import ORDER

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet runs a cell that begins so
Row = dict[str, Any]


def found(run: Finished, reason: str | None, stage: str | None, n: int) -> list[Row]:
    """Up to `n` rejected rows; without reason and stage then kept ones, whose `_reason` is null."""
    rows: list[Row] = []
    if files := run.outputs("rejects"):
        wanted = [pl.col(name) == value for name, value in (("_reason", reason), ("_stage", stage)) if value]
        rows = scan(files).filter(*wanted).head(n).collect().to_dicts()
    if reason or stage or len(rows) >= n or not run.outputs("data"):
        return rows
    kept = scan(run.outputs("data")).head(n - len(rows)).collect().to_dicts()
    return rows + [{"_stage": None, "_reason": None, **row} for row in kept]


def journey(run: Finished, id: str) -> list[Row]:
    """The row with this `_id` as each stage left it: `_at` names the stage. Raises InputError for an unknown `_id`."""
    seen: list[Row] = []
    for stage in ORDER:
        for kind in ("kept", "rejected"):
            for row in _with_id(run.parts(stage, kind), id):
                seen.append({"_at": stage, "_kind": kind, **row})
    seen += [{"_at": "data", "_kind": "kept", **row} for row in _with_id(run.outputs("data"), id)]
    if not seen:
        raise InputError("id-unknown", f"no row {id} in {run.out}", "cleanse show OUT lists rows with their _id")
    return seen


def _with_id(files: Sequence[Any], id: str) -> Iterator[Row]:
    if files:
        yield from scan(files).filter(pl.col("_id") == id).collect().to_dicts()


def as_csv(rows: Sequence[Row]) -> str:
    """UTF-8 with BOM, so that spreadsheets show Chinese; a cell that could be a formula gets a leading `'`."""
    buffer = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(buffer, lineterminator="\r\n")  # of both Python 3.11 quotes a cell that holds one
    writer.writerow([inert(name) for name in columns])
    writer.writerows([inert(_cell(row.get(name))) for name in columns] for row in rows)
    return "\ufeff" + buffer.getvalue()


def inert(cell: str) -> str:
    """The cell as text that no spreadsheet runs.

    >>> inert("=1+1"), inert("天气")
    ("'=1+1", '天气')
    """
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def as_json(rows: Sequence[Row], *, lines: bool) -> str:
    """Strict JSON: one list, or an object a line."""
    plain = [{name: _finite(value) for name, value in row.items()} for row in rows]
    if lines:
        return "\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False, default=str) for row in plain)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1, default=str)


def _finite(value: Any) -> Any:
    """NaN and infinity are no JSON: null."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and value - value != 0 else value
