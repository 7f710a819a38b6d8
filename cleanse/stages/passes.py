"""The seam between the rules of `text/` and columns: passes over the cells that they concern, and what each took."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import groupby
from operator import and_
from typing import Literal

import polars as pl

from cleanse.text.marks import REGION
from cleanse.text.passes import Pass, Region

Taken = dict[str, list[tuple[pl.Series, pl.Series]]]  # by rule: rows of the part, and the bytes it took from each
# and _seq: on other threads each pattern would be compiled anew; docs/adr/0015
ENGINE: Literal["in-memory"] = "in-memory"
_NO_OPENERS = pl.lit(None, pl.List(pl.String))


@dataclass(frozen=True)
class Cells:
    """Some cells of a column on their way to clean text, and the notes of what was taken from them.

    `table`: `row` is the number of each in the part; `text`; `made`: the line breaks are the writer's own; `held`: the
    rare openers of tags that it had at first, in lower case.
    """

    table: pl.DataFrame
    taken: Taken

    @property
    def text(self) -> pl.Series:
        """The texts as they are by now."""
        return self.table["text"]

    def with_text(self, text: pl.Series, rule: str = "") -> "Cells":
        """The same cells with another text; what `rule` took is noted."""
        after = self.table.with_columns_seq(text)
        if rule:
            took = self.text.str.len_bytes().cast(pl.Int64) - text.str.len_bytes()
            _note_took(self.taken, pl.DataFrame({"row": self.table["row"], "0": took}), [rule])
        return replace(self, table=after)

    def at(self, numbers: pl.Series) -> "Cells":
        """Some of the cells, by their numbers here."""
        return replace(self, table=self.table[numbers])

    def put(self, numbers: pl.Series, text: pl.Series) -> "Cells":
        """The same cells with another text for some of them."""
        return replace(self, table=self.table.with_columns_seq(put(self.text, numbers, text)))


def put(column: pl.Series, rows: pl.Series, values: pl.Series) -> pl.Series:
    """The column with other values in some rows, given in their order."""
    if not len(rows):
        return column
    return values.alias(column.name) if len(rows) == len(column) else column.clone().scatter(rows, values)


def cells_of(text: pl.Series, rows: pl.Series, taken: Taken, openers: Sequence[str] = ()) -> Cells:
    """Texts that stand in `rows` of the part, as cells. `openers`: in lower case, the rare ones to look for."""
    found = pl.col("text").str.extract_many(list(openers), ascii_case_insensitive=True, overlapping=True)
    held = found.list.eval(pl.element().str.to_lowercase()) if openers else _NO_OPENERS
    table = pl.DataFrame({"row": rows, "text": text}).with_columns_seq(held=held, made=pl.lit(False))
    return Cells(table, taken)


def note(taken: Taken, rule: str, rows: pl.Series, took: pl.Series | None = None) -> None:
    """Note that a rule or a flag concerns some rows of the part; `took`: bytes."""
    if len(rows):
        zero = pl.zeros(len(rows), pl.Int64, eager=True)
        taken.setdefault(rule, []).append((rows, zero if took is None else took.cast(pl.Int64)))


def _note_took(taken: Taken, took: pl.DataFrame, rules: Sequence[str]) -> None:
    """Note what each of successive rules took. `took`: `row`, and bytes in `0` for the first of them, `1` …"""
    some = took.select_seq((pl.col(str(number)) != 0).any() for number in range(len(rules))).row(0)
    for number, (rule, is_some) in enumerate(zip(rules, some, strict=True)):
        if rule and is_some:
            hit = took.select_seq("row", str(number)).filter(pl.col(str(number)) != 0)
            note(taken, rule, *hit.get_columns())


def noted(taken: Taken) -> dict[str, pl.DataFrame]:
    """By rule `row` and `bytes`: a row counts once, whatever roles and passes the rule touched."""
    found = {}
    for rule in sorted(taken):
        notes = pl.concat(pl.DataFrame({"row": rows.cast(pl.UInt32), "bytes": took}) for rows, took in taken[rule])
        found[rule] = notes if len(taken[rule]) == 1 else notes.group_by("row").agg(pl.col("bytes").sum())
    return found


def where(cells: Cells, mask: pl.Series, change: Callable[[Cells], Cells]) -> Cells:
    """Change the text of some of the cells; the others need not pay for it."""
    if cells.table.is_empty() or not mask.any():
        return cells
    if mask.all():
        return change(cells)
    numbers = mask.arg_true()
    return cells.put(numbers, change(cells.at(numbers)).text)


def run(cells: Cells, passes: Sequence[Pass]) -> Cells:
    """Each pass in its order over the cells that it concerns."""
    if cells.table.is_empty():
        return cells
    for _, same in groupby(passes, lambda each: (each.opener, each.needs, each.in_made)):
        some = list(same)
        mask = _concerned(cells, some[0])
        cells = _query(cells, some) if mask is None else where(cells, mask, partial(_query, passes=some))
    return cells


def _concerned(cells: Cells, each: Pass) -> pl.Series | None:
    """True for the cells that a pass is for; None when it is for all."""
    only = []
    if each.opener:
        only.append(cells.table["held"].list.contains(each.opener))
    if each.needs:
        only.append(cells.text.str.contains(each.needs))
    if not each.in_made:
        only.append(~cells.table["made"])
    return reduce(and_, only) if only else None


def _query(cells: Cells, passes: Sequence[Pass]) -> Cells:
    """Successive passes over all the cells as one query."""
    text = pl.col("text").str
    size = text.len_bytes().cast(pl.Int64).alias("size")
    query = cells.table.lazy().with_columns_seq(size)
    for number, each in enumerate(passes):
        replaced = text.replace_all(each.pattern, each.replacement, literal=len(each.pattern) == 1)
        query = query.with_columns_seq(replaced).with_columns_seq((pl.col("size") - size).alias(str(number)), size)
    after = query.collect(engine=ENGINE)
    _note_took(cells.taken, after, [each.name for each in passes])
    return replace(cells, table=after.select(cells.table.columns))


def run_in(cells: Cells, region: Region) -> Cells:
    """The passes of a region over its matches alone."""
    if cells.table.is_empty():
        return cells
    marked = pl.col("text").str.replace_all(region.pattern, region.marked).str.split(REGION)
    pieces = cells.table.select("row", marked).explode("text").with_columns(held=_NO_OPENERS, made=pl.lit(False))
    inside = pieces["text"].str.contains(region.begins)
    after = where(Cells(pieces, cells.taken), inside, lambda matches: run(matches, region.passes))
    joined = after.table.group_by("row", maintain_order=True).agg(pl.col("text").str.join(""))
    return cells.with_text(joined["text"])
