"""What a stage is: data plus pure functions on tables. No disk, no clock, no globals."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from cleanse.ledger import Entry
from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.table import VERDICT, Schema

Facts = dict[str, Any]  # what a stage knows of the whole corpus, by name of its measure; plain JSON
PART = "_part"  # the name of its part, a column of every table that is tallied
State = Any  # a measure's partial count: picklable, exact (integers and strings)


@dataclass(frozen=True)
class Outcome:
    """What became of the rows of one part. `rejected` holds the input columns and `_reason`, `_detail`.

    `sources`: source → counts that only all parts of the source can be judged by, for `facts["sources"]`.
    """

    kept: pl.DataFrame
    rejected: pl.DataFrame
    changed: Mapping[str, int] = field(default_factory=dict)
    added: int = 0
    sources: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Decoded:
    """What `decode` makes of one piece of a source: its records, and the one row (`_record` 0) that says why there are
    none, or no more.

    `structural`: the lines that are no records; `changed`: what the ledger counts of the file; `counted`: of its text.
    """

    records: pl.DataFrame
    refused: pl.DataFrame | None
    structural: pl.DataFrame | None
    changed: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure:
    """A count over the whole corpus: `tally` a part, `merge` two states in any order, `finish` into facts.

    `saved`: a file that the stage leaves with the finished facts; a folder that it wrote brings its own, and no pass is
    made. `given`: such a file that the user names. `columns`: which of a table's columns `tally` reads, PART besides;
    None: all. `tally` and `finish` see the facts of the stage's earlier measures.
    """

    name: str
    tally: Callable[[pl.DataFrame, Settings, Facts], State]
    merge: Callable[[State, State], State]
    finish: Callable[[State, Settings, Facts], Any]
    saved: str | None = None
    given: str | None = None
    columns: Callable[[Settings, frozenset[str]], frozenset[str]] | None = None


Side = pl.DataFrame | dict[str, Any]  # a table or a JSON tree that a stage leaves beside its parts


def _no_side_files(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    return {}


def _never(settings: Settings) -> bool:
    return False


def _no_measures(settings: Settings) -> tuple[Measure, ...]:
    return ()


def no_refusal(settings: Settings, schema: Schema) -> None:
    """A stage that any table will do for."""


def _no_columns(settings: Settings, schema: Schema) -> Schema:
    return {}


def _no_counts(settings: Settings, facts: Facts) -> Mapping[str, int]:
    return {}


def _no_notes(settings: Settings, facts: Facts) -> list[str]:
    return []


@dataclass(frozen=True)
class Vectors:
    """What a stage makes beside its rows: a vector of each, and made-up ones. Pure functions; run/vectors.py runs them.

    `prepare` imports what is slow to import, in a thread beside the counts. `width`: numbers of a vector, from a few
    rows; `afford` raises where work on such vectors would take more memory than it may. `fits`: a model is fitted
    first, by `sample` of each part and `fit` of all samples; `side`: its files. `embed`: the vectors of a part;
    `aside`: those of them that rows are made up between. `plan`: label → rows to make up; `pick`: the vectors of a
    class to draw between, and behind them those around it; `search`: the neighbours of some of them; `grow`: some of
    its draws, a table for each block; `at_once`: all its draws are one.
    `pools`: how many pools of vectors there are,
    `in_pool`: the rows of one, `dropped`: the ids of those that go (`facts["dropped"]`).
    """

    wanted: Callable[[Settings], bool]
    prepare: Callable[[], None]
    fits: Callable[[Settings], bool]
    columns: Callable[[Settings, frozenset[str]], frozenset[str]]
    width: Callable[[pl.DataFrame, Settings], int]
    afford: Callable[[int, Settings, Facts], None]
    sample: Callable[[pl.DataFrame, Settings, Facts], bytes]
    fit: Callable[[Sequence[bytes], Settings], bytes]
    side: Callable[[bytes], Mapping[str, bytes | dict[str, Any]]]
    embed: Callable[[pl.DataFrame, Settings, Facts, bytes | None], pl.DataFrame]
    plan: Callable[[Settings, Facts], dict[str, int]]
    aside: Callable[[pl.DataFrame, Settings, Facts], pl.DataFrame]
    pick: Callable[[Iterable[pl.DataFrame], str, Settings, Facts], pl.DataFrame]
    search: Callable[[pl.DataFrame, str, int, int, Settings, Facts], pl.DataFrame]
    at_once: Callable[[Settings], bool]
    grow: Callable[[pl.DataFrame, pl.DataFrame, str, Draws, Settings, Facts], Iterator[pl.DataFrame]]
    pools: Callable[[Settings, Facts], int]
    in_pool: Callable[[pl.DataFrame, int, Settings, Facts], pl.DataFrame]
    dropped: Callable[[pl.DataFrame, Settings, Facts], list[str]]
    table: Mapping[str, pl.DataType]


@dataclass(frozen=True)
class Stage:
    """A verb of the command line. `decode` has no `apply`: it alone reads bytes (`stages/decode.py`)."""

    name: str
    sections: tuple[str, ...]  # of the settings: the only ones it may look at
    apply: Callable[[pl.DataFrame, Settings, Facts], Outcome] | None = None
    measures: Callable[[Settings], tuple[Measure, ...]] = _no_measures
    accepts: Callable[[Settings, Schema], None] = no_refusal  # raises for columns or types it cannot work on
    passes: Callable[[Settings], bool] = _never  # every row goes through untouched: parts are linked, not written
    route: Callable[[pl.DataFrame, Settings, Facts], pl.Series] | None = None  # UInt32: the output part of each row
    outputs: Callable[[Facts], list[str]] | None = None  # with `route`: the names of the output parts, in order
    side: Callable[[Settings, Facts], Mapping[str, Side]] = _no_side_files
    adds: Callable[[Settings, Schema], Schema] = _no_columns  # the columns that `apply` adds to a schema
    notes: Callable[[Settings, Facts], list[str]] = _no_notes  # what a person should know of the choice it made
    warnings: Callable[[Settings, Facts], list[str]] = _no_notes  # what looks wrong with the input, once it has run
    counted: Callable[[Settings, Facts], Mapping[str, int]] = _no_counts  # what → count in the corpus, for the ledger
    vectors: Vectors | None = None
    light: bool = False  # it reads narrow columns and copies parts: more processes pay for large input only
    draws: bool = False  # it looks at the seed
    threads: Callable[[Settings], bool] = _never  # alone, it is numpy and Parquet, and imports too much for processes
    history: bool = False  # its measures find what the stages before took as facts["history"], run/history.py


class Rule(NamedTuple):
    """True for a bad row (null counts as bad), and the reason in words for its `_detail`."""

    bad: pl.Expr
    detail: pl.Expr


def split(frame: pl.DataFrame, rules: Mapping[str, Rule]) -> Outcome:
    """Rows without a fault, and rows with the first rule that hits as `_reason`.

    `rules`: reason → rule, in the order of precedence. `_detail` is that rule's, then the other rules hit:
    `7 characters, at least 10; also body_short`.
    """
    if not rules:
        return Outcome(frame, reject(frame.clear(), "", ""))
    rows = pl.int_range(pl.len()).alias("_at")  # as many as the frame has, whatever the rules say
    hits = frame.select(rows, **{name: rule.bad.fill_null(True) for name, rule in rules.items()}).drop("_at")
    bad = hits.select(pl.any_horizontal(pl.all())).to_series()
    if not bad.any():
        return Outcome(frame, reject(frame.clear(), "", ""))
    hit = {name: hits[name].filter(bad) for name in rules}  # in words only for the few rows that are rejected
    rejected = frame.filter(bad).with_columns(
        _reason=pl.coalesce(pl.when(each).then(pl.lit(name)) for name, each in hit.items()),
        _detail=pl.coalesce(pl.when(hit[name]).then(rule.detail) for name, rule in rules.items()),
        _hits=pl.concat_list([pl.when(each).then(pl.lit(name)) for name, each in hit.items()]).list.drop_nulls(),
    )
    others = pl.col("_hits").list.slice(1).list.join(", ")
    also = pl.when(others != "").then(pl.format("; also {}", others)).otherwise(pl.lit(""))
    return Outcome(frame.filter(~bad), rejected.with_columns(pl.col("_detail") + also).drop("_hits"))


def reject(frame: pl.DataFrame, reason: str, detail: str) -> pl.DataFrame:
    """All rows with one `_reason` and one `_detail`."""
    values = {"_reason": reason, "_detail": detail}
    return frame.with_columns(pl.lit(values[name], dtype).alias(name) for name, dtype in VERDICT.items())


def entry(stage: str, unit: str, rows_in: int, outcome: Outcome) -> Entry:
    """The ledger line of an outcome. `rows_in` is counted before the stage ran: derived, it could never be wrong."""
    reasons = Counter(outcome.rejected["_reason"].to_list())
    changed = {what: n for what, n in outcome.changed.items() if n}
    return Entry(stage, unit, rows_in, outcome.kept.height, outcome.added, dict(reasons), changed)
