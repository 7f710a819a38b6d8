"""The column contract: which columns cleanse itself writes, their types, and what a stage may rely on."""

import hashlib
import json
from collections.abc import Iterable, Mapping

import polars as pl

from cleanse.errors import InputError
from cleanse.records.framed import unify
from cleanse.settings.base import ROLES as ROLES
from cleanse.settings.base import TEXTS as TEXTS

BOOKKEEPING: Mapping[str, pl.DataType] = {
    "_id": pl.String(),
    "_source": pl.String(),
    "_record": pl.UInt64(),
    "_line": pl.UInt64(),
    "_offset": pl.UInt64(),
    "_encoding": pl.String(),
    "_confidence": pl.Float32(),
    "_decided_by": pl.String(),
    "_replaced": pl.UInt32(),
    "_repair": pl.String(),
    "_bytes": pl.UInt64(),
    "_problem": pl.String(),
    "_raw": pl.String(),
    "_fields": pl.UInt32(),
    "_strip": pl.String(),
    "_flags": pl.String(),
}
VERDICT: Mapping[str, pl.DataType] = {"_reason": pl.String(), "_detail": pl.String()}  # in rejected/ and rejects/ only

Schema = dict[str, pl.DataType]


def source_hash(source: str) -> str:
    """The first half of every `_id` of a source: 12 hex digits of BLAKE2b-256 of `_source`.

    >>> source_hash("a.csv")
    '80a7f3fdc5b6'
    """
    return hashlib.blake2b(source.encode("utf-8", "surrogateescape"), digest_size=32).hexdigest()[:12]


def ids(source: str, record: pl.Expr) -> pl.Expr:
    """`_id` of the records of one source: its hash, a colon, the 1-based record number (0: the file itself)."""
    return pl.format("{}:{}", pl.lit(source_hash(source)), record)


def run_schema(columns: Iterable[tuple[str, pl.DataType]]) -> Schema:
    """The one schema of a run: bookkeeping, then roles, then all other columns in order of first sight.

    `columns`: (name, type) of every source, in source order. Clashing types become text. A role that no source has is
    absent.
    """
    seen: Schema = {}
    for name, dtype in columns:
        seen[name] = unify(seen.get(name, pl.Null()), dtype)
    seen = {name: pl.String() if dtype == pl.Null() or name in ROLES else dtype for name, dtype in seen.items()}
    roles = {name: seen.pop(name) for name in ROLES if name in seen}
    return {**BOOKKEEPING, **roles, **{name: dtype for name, dtype in seen.items() if name not in BOOKKEEPING}}


def conform(frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """The columns of `schema` in its order and types; what the frame lacks is null, what it has beyond them stays."""
    known = [
        _cast(frame[name], dtype) if name in frame.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in schema.items()
    ]
    return frame.select(*known, *(pl.col(name) for name in frame.columns if name not in schema))


def _cast(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The column in another type; what is nested becomes its JSON, bytes what they are in UTF-8."""
    if dtype == pl.String() and column.dtype.is_nested():
        texts = [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in column.to_list()]
        return pl.Series(column.name, texts, pl.String)
    if dtype == pl.String() and column.dtype == pl.Binary():
        texts = [None if v is None else v.decode("utf-8", "replace") for v in column]
        return pl.Series(column.name, texts, pl.String)
    return column.cast(dtype)


def user_columns(names: Iterable[str]) -> list[str]:
    """Those that are the user's own: everything without a leading underscore."""
    return [name for name in names if not name.startswith("_")]


def check_reserved(names: Iterable[str], where: str) -> None:
    """Raises InputError when a user's column begins with `_`, which is cleanse's own."""
    for name in names:
        if name.startswith("_"):
            raise InputError(
                "column-reserved",
                f"column '{name}' in {where}: a leading _ is cleanse's own",
                "rename it before the run",
            )


def written_by_cleanse(names: Iterable[str]) -> bool:
    """True for a table whose `_` columns are all of the contract, `_id` among them.

    >>> written_by_cleanse(["_id", "title"]), written_by_cleanse(["_mine", "_id"]), written_by_cleanse(["title"])
    (True, False, False)
    """
    own = {name for name in names if name.startswith("_")}
    return "_id" in own and own <= BOOKKEEPING.keys()
