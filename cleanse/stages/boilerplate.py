"""Lines of HTML cells that go whole: navigation, rights, share rows, labels, stray code; opt-in, what is no prose."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cleanse.settings import StripSettings
from cleanse.stages.passes import Cells, Mask, Rows, contain, note, sizes, true
from cleanse.text import boilerplate, passes
from cleanse.text.boilerplate import LineRule
from cleanse.text.marks import CODE_LINE, HEADING, LINK

Verdict = NDArray[np.int8]  # for each line: 0, it stays, or the number of the rule that takes it, from 1
NAVIGATION = ("nav_row", "nav_run")


class Lines(NamedTuple):
    """Lines in their order, and in `cells` the number of the cell of each."""

    cells: Rows
    text: pl.Series

    def only(self, some: Mask | Rows) -> "Lines":
        """Some of them."""
        numbers = np.flatnonzero(some) if some.dtype == np.bool_ else some
        return Lines(self.cells[numbers], self.text[numbers])


def without_lines(cells: Cells, s: StripSettings) -> Cells:
    """The cells without the lines that the rules in force take. Marks of links and headings go on the way."""
    lists = cells.text.str.split("\n")
    lines = Lines(np.repeat(np.arange(len(lists)), lists.list.len().to_numpy()), lists.explode())
    lines, touched = _unlinked(cells, lines, s)
    rules = [rule for rule in boilerplate.RULES if rule.name in s.lines]
    verdict = _verdict(lines.text, rules)
    if s.density:
        verdict[_thin(lines, verdict > 0)] = len(rules) + 1
    if verdict.any():
        _note_lines(cells, lines, verdict, [*(rule.name for rule in rules), "density"])
        touched = np.append(touched, lines.cells[verdict > 0])
        lines = lines.only(verdict == 0)
    return _put_together(cells, lines, np.unique(touched))


def _unlinked(cells: Cells, lines: Lines, s: StripSettings) -> tuple[Lines, Rows]:
    """The lines without navigation and without marks of links, and the numbers of the cells that held any."""
    at = np.flatnonzero(contain(lines.text, LINK))
    if not len(at):
        return lines, at
    linked = lines.only(at)
    verdict = _navigation(linked, at, s)
    _note_lines(cells, linked, verdict, NAVIGATION)
    left, at_left = linked.only(verdict == 0), at[verdict == 0]
    bare = left.text.str.replace_all(LINK, "", literal=True)
    tidy = bare.str.replace_all(" {2,}", " ").str.strip_chars(" ")
    note(cells.taken, "space", cells.rows, _by_cell(cells, left.cells, sizes(bare) - sizes(tidy)))
    stays = np.ones(len(lines.cells), np.bool_)
    stays[at[verdict > 0]] = False
    stays[at_left[true(tidy == "")]] = False
    text = lines.text.clone().scatter(at_left, tidy) if len(at_left) else lines.text
    return Lines(lines.cells, text).only(stays), np.unique(linked.cells)


def _navigation(lines: Lines, at: Rows, s: StripSettings) -> Verdict:
    """For lines with links the number of the rule of NAVIGATION that takes them. `at`: their places among all."""
    row = contain(lines.text, passes.NAV_ROW) & ("nav_row" in s.lines)
    item = contain(lines.text, passes.NAV_ITEM) & ~row & ("nav_run" in s.lines)
    begins = (np.diff(at) != 1) | (np.diff(lines.cells) != 0) | (np.diff(item) != 0)
    run = np.cumsum(np.append(0, begins))
    long = item & (np.bincount(run)[run] >= passes.MIN_ITEMS)
    return np.where(row, 1, np.where(long, 2, 0)).astype(np.int8)


def _verdict(lines: pl.Series, rules: Sequence[LineRule]) -> Verdict:
    """For each line the number of the first rule that takes it."""
    keyed = _holding(lines, [key for rule in rules for key in rule.keys])
    begun = _holding(lines, [f"(?:{rule.pattern})" for rule in rules if not rule.keys])
    texts, verdict = (lines[keyed], lines[begun]), np.zeros(len(lines), np.int8)
    for number, rule in reversed(list(enumerate(rules, 1))):  # the first rule has the last word
        some, text = (keyed, texts[0]) if rule.keys else (begun, texts[1])
        verdict[some[_takes(text, rule)]] = number
    return verdict


def _holding(lines: pl.Series, patterns: Sequence[str]) -> Rows:
    """The numbers of lines in which one of the patterns is found."""
    some = [each for each in patterns if each.isascii()], [each for each in patterns if not each.isascii()]
    found = np.zeros(len(lines), np.bool_)
    for each in filter(None, some):  # apart: all in one are no search for bytes
        found |= contain(lines, "|".join(each))
    return np.flatnonzero(found)


def _takes(lines: pl.Series, rule: LineRule) -> Rows:
    """The numbers of the lines that a rule takes."""
    numbers = np.flatnonzero(contain(lines, rule.pattern))
    if not len(numbers):
        return numbers
    some = lines[numbers]
    saved = contain(some, f"[{CODE_LINE}]")
    if rule.unless:
        saved |= contain(some, rule.unless)
    if rule.max_chars:
        saved |= some.str.len_chars().to_numpy() > rule.max_chars
    return numbers[~saved]


def _by_cell(cells: Cells, numbers: Rows, n_bytes: Rows) -> Rows:
    """The bytes of lines summed for each cell. `numbers`: the cell of each line."""
    return np.bincount(numbers, weights=n_bytes, minlength=len(cells.rows)).astype(np.int64)


def _note_lines(cells: Cells, lines: Lines, verdict: Verdict, names: Sequence[str]) -> None:
    """Note the bytes of lines that go, and of their ends, for the rule of each."""
    gone = lines.only(verdict > 0)
    numbers, n_bytes = verdict[verdict > 0], sizes(gone.text) + 1
    for number in np.unique(numbers):
        hit = numbers == number
        note(cells.taken, names[number - 1], cells.rows, _by_cell(cells, gone.cells[hit], n_bytes[hit]))


def _put_together(cells: Cells, lines: Lines, touched: Rows) -> Cells:
    """The cells with these numbers made anew from the lines that are left."""
    if not len(touched):
        return cells
    some = lines.only(np.isin(lines.cells, touched))
    left = pl.DataFrame({"cell": some.cells, "line": some.text}).with_columns(pl.col("cell").set_sorted())
    joined = left.group_by("cell", maintain_order=True).agg("line").with_columns(pl.col("line").list.join("\n"))
    emptied = pl.Series([""]).new_from_index(0, len(cells.text)).scatter(joined["cell"], joined["line"])
    return cells.put(touched, emptied[touched].alias("text"))


def _thin(each: Lines, taken: Mask) -> Rows:
    """The numbers of lines that are no prose and do not lie between two that are; `taken` lines are neither."""
    lines = pl.DataFrame({"number": each.cells, "line": each.text, "taken": taken})
    line = pl.col("line")
    prose = line.str.contains(boilerplate.SENTENCE) & (
        (line.str.count_matches(boilerplate.HAN) >= boilerplate.MIN_HAN)
        | (line.str.count_matches(boilerplate.LETTER) >= boilerplate.MIN_LETTERS)
    )
    stays = (line.str.contains(f"[{HEADING}{CODE_LINE}]") | prose) & ~pl.col("taken")
    between = stays.shift(1, fill_value=False).over("number") & stays.shift(-1, fill_value=False).over("number")
    left_over = ~(stays | between | line.eq("") | pl.col("taken"))
    return true(lines.select(left_over).to_series())
