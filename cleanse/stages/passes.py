"""The seam between the rules of `text/` and columns: passes over the cells that they concern, and what each took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import groupby
from operator import and_

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.text.marks import REGION
from cleanse.text.passes import Pass, Region

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
Taken = dict[str, list[tuple[Rows, Rows]]]  # by rule: rows of the part, and the bytes it took from each


@dataclass(frozen=True)
class Cells:
    """Some cells of a column on their way to clean text, and the notes of what was taken from them.

    `rows`: the number of each in the part; `made`: the line breaks are the writer's own; `held`: for each of the rare
    openers of tags that was found at first, in lower case, the cells that held it. Columns are asked by number and with
    numpy: a query of a frame takes 0.1 ms however little it asks, and a part has hundreds of questions.
    """

    rows: Rows
    text: pl.Series
    taken: Taken
    made: Mask
    held: Mapping[str, Mask] = field(default_factory=dict)

    def with_text(self, text: pl.Series, rule: str = "") -> "Cells":
        """The same cells with another text; what `rule` took is noted."""
        if rule:
            note(self.taken, rule, self.rows, sizes(self.text) - sizes(text))
        return replace(self, text=text)

    def at(self, numbers: Rows) -> "Cells":
        """Some of the cells, by their numbers here."""
        held = {opener: mask[numbers] for opener, mask in self.held.items()}
        return replace(self, rows=self.rows[numbers], text=self.text[numbers], made=self.made[numbers], held=held)

    def put(self, numbers: Rows, text: pl.Series) -> "Cells":
        """The same cells with another text for some of them."""
        return replace(self, text=put(self.text, numbers, text))


def put(column: pl.Series, rows: Rows, values: pl.Series) -> pl.Series:
    """The column with other values in some rows, given in their order."""
    if not len(rows):
        return column
    return values.alias(column.name) if len(rows) == len(column) else column.clone().scatter(rows, values)


def sizes(text: pl.Series) -> Rows:
    """Bytes of each text; none is null."""
    return text.str.len_bytes().to_numpy().astype(np.int64)


def true(mask: pl.Series) -> Rows:
    """The numbers of the rows where a column is true: null is not."""
    return mask.arg_true().to_numpy().astype(np.int64)


def cells_of(text: pl.Series, rows: Rows, taken: Taken, openers: Sequence[str] = ()) -> Cells:
    """Texts that stand in `rows` of the part, as cells. `openers`: in lower case, the rare ones to look for."""
    return Cells(rows, text, taken, np.zeros(len(rows), np.bool_), _held(text, openers) if openers else {})


def _held(text: pl.Series, openers: Sequence[str]) -> dict[str, Mask]:
    lists = text.str.extract_many(list(openers), ascii_case_insensitive=True, overlapping=True)
    numbers = np.repeat(np.arange(len(text)), lists.list.len().to_numpy())
    found, held = lists.explode(empty_as_null=False).str.to_lowercase(), dict[str, Mask]()
    for opener in found.unique():
        held[opener] = np.zeros(len(text), np.bool_)
        held[opener][numbers[true(found == opener)]] = True
    return held


def note(taken: Taken, rule: str, rows: Rows, took: Rows) -> None:
    """Note the bytes that a rule took from some rows of the part, of which one may be named several times."""
    some = np.flatnonzero(took)
    if rule and len(some):
        taken.setdefault(rule, []).append((rows[some], took[some]))


def flag(taken: Taken, rule: str, rows: Rows) -> None:
    """Note that something concerns some rows of the part, and took nothing."""
    if len(rows):
        taken.setdefault(rule, []).append((rows, np.zeros(len(rows), np.int64)))


def noted(taken: Taken) -> dict[str, tuple[Rows, Rows]]:
    """By rule rows and bytes: a row counts once, whatever roles and passes the rule touched."""
    found = {}
    for rule in sorted(taken):
        rows, numbers = np.unique(np.concatenate([each for each, _ in taken[rule]]), return_inverse=True)
        took = np.zeros(len(rows), np.int64)
        np.add.at(took, numbers, np.concatenate([each for _, each in taken[rule]]))
        found[rule] = rows, took
    return found


def where(cells: Cells, mask: Mask, change: Callable[[Cells], Cells]) -> Cells:
    """Change the text of some of the cells; the others need not pay for it."""
    numbers = np.flatnonzero(mask)
    if not len(numbers):
        return cells
    return change(cells) if len(numbers) == len(mask) else cells.put(numbers, change(cells.at(numbers)).text)


def run(cells: Cells, passes: Sequence[Pass]) -> Cells:
    """Each pass in its order over the cells that it concerns."""
    if not len(cells.rows):
        return cells
    wanted = [each for each in passes if not each.opener or each.opener in cells.held]
    for _, same in groupby(wanted, lambda each: (each.opener, each.needs, each.in_made)):
        some = list(same)
        mask = _concerned(cells, some[0])
        cells = _after(cells, some) if mask is None else where(cells, mask, partial(_after, passes=some))
    return cells


def _concerned(cells: Cells, each: Pass) -> Mask | None:
    """True for the cells that a pass is for; None when it is for all."""
    only = []
    if each.opener:
        only.append(cells.held[each.opener])
    if each.needs:
        only.append(contain(cells.text, each.needs))
    if not each.in_made:
        only.append(~cells.made)
    return reduce(and_, only) if only else None


def contain(text: pl.Series, pattern: str) -> Mask:
    """True for texts in which the pattern is found; none is null. A pattern of one character means that character."""
    return text.str.contains(pattern, literal=len(pattern) == 1).to_numpy()


def replaced(text: pl.Series, pattern: str, replacement: str) -> pl.Series:
    """`replace_all`, as `contain` takes a pattern. As a word, a character of several bytes is found far sooner."""
    if len(pattern) == 1 and not pattern.isascii():
        return text.str.replace_many([pattern], [replacement])
    return text.str.replace_all(pattern, replacement, literal=len(pattern) == 1)


def _after(cells: Cells, passes: Sequence[Pass]) -> Cells:
    """Successive passes over all the cells."""
    text, size = cells.text, sizes(cells.text)
    for each in passes:
        text = replaced(text, each.pattern, each.replacement)
        before, size = size, sizes(text)
        note(cells.taken, each.name, cells.rows, before - size)
    return replace(cells, text=text)


def run_in(cells: Cells, region: Region) -> Cells:
    """The passes of a region over its matches alone."""
    if not len(cells.rows):
        return cells
    lists = cells.text.str.replace_all(region.pattern, region.marked).str.split(REGION)
    numbers = np.repeat(np.arange(len(lists)), lists.list.len().to_numpy())
    pieces = cells_of(lists.explode(), cells.rows[numbers], cells.taken)
    after = where(pieces, contain(pieces.text, region.begins), lambda matches: run(matches, region.passes))
    table = pl.DataFrame({"number": numbers, "text": after.text}).with_columns(pl.col("number").set_sorted())
    return cells.with_text(table.group_by("number", maintain_order=True).agg(pl.col("text").str.join(""))["text"])
