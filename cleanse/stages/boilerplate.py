"""Lines of HTML cells that go whole: navigation, rights, share rows, labels, stray code; opt-in, what is no prose."""

from collections.abc import Sequence

import polars as pl

from cleanse.settings import StripSettings
from cleanse.stages.passes import Cells, note
from cleanse.text import boilerplate, passes
from cleanse.text.boilerplate import LineRule
from cleanse.text.marks import CODE_LINE, HEADING, LINK


def without_lines(cells: Cells, s: StripSettings) -> Cells:
    """The cells without the lines that the rules in force take. Marks of links and headings go on the way."""
    numbers = pl.int_range(len(cells.text), dtype=pl.UInt32, eager=True)
    lines = pl.DataFrame({"number": numbers, "line": cells.text.str.split("\n")}).explode("line")
    lines, touched = _unlinked(cells, lines, s)
    rules = [rule for rule in boilerplate.RULES if rule.name in s.lines]
    verdict = _verdict(lines["line"], rules)
    if s.density:
        verdict = verdict.fill_null(_thin(lines.with_columns(taken=verdict.is_not_null())))
    bad = verdict.is_not_null()
    if bad.any():
        taken = lines.with_columns(rule=verdict).filter(bad)
        _note_lines(cells, taken)
        lines, touched = lines.filter(~bad), pl.concat([touched, taken["number"]])
    return _put_together(cells, lines, touched.unique().sort())


def _unlinked(cells: Cells, lines: pl.DataFrame, s: StripSettings) -> tuple[pl.DataFrame, pl.Series]:
    """The lines without navigation and without marks of links, and the numbers of the cells that held any."""
    rows = lines["line"].str.contains(LINK, literal=True).arg_true()
    some = lines[rows].with_columns(rows.alias("row"))
    if some.is_empty():
        return lines, some["number"]
    some = some.with_columns(rule=_navigation(some, s))
    _note_lines(cells, some.filter(pl.col("rule").is_not_null()))
    left = some.filter(pl.col("rule").is_null()).with_columns(pl.col("line").str.replace_all(LINK, "", literal=True))
    tidy = left["line"].str.replace_all(" {2,}", " ").str.strip_chars(" ")
    took = left.select("number", bytes=pl.col("line").str.len_bytes().cast(pl.Int64) - tidy.str.len_bytes())
    took = took.filter(pl.col("bytes") > 0).group_by("number").agg(pl.col("bytes").sum())
    note(cells.taken, "space", cells.table["row"].gather(took["number"]), took["bytes"])
    nothing = lines["line"].clone().scatter(rows, None)
    line = nothing.scatter(left["row"], pl.select(pl.when(tidy != "").then(tidy)).to_series()) if len(left) else nothing
    return lines.with_columns(line.alias("line")).filter(line.is_not_null()), some["number"]


def _navigation(lines: pl.DataFrame, s: StripSettings) -> pl.Series:
    """For lines with links the rule of navigation that takes them, else null. `row`: the place of a line among all."""
    row = lines["line"].str.contains(passes.NAV_ROW) & ("nav_row" in s.lines)
    item = lines["line"].str.contains(passes.NAV_ITEM) & ~row & ("nav_run" in s.lines)
    run = lines.select(
        (pl.col("row").diff().ne(1) | pl.col("number").diff().ne(0) | item.rle_id().diff().ne(0)).cum_sum().fill_null(0)
    ).to_series()
    long = item & (run.to_frame("run").select(pl.len().over("run")).to_series() >= passes.MIN_ITEMS)
    rule = pl.when(row).then(pl.lit("nav_row")).when(long).then(pl.lit("nav_run"))
    return pl.select(rule).to_series()


def _verdict(lines: pl.Series, rules: Sequence[LineRule]) -> pl.Series:
    """For each line the name of the first rule that takes it, else null."""
    keyed = _holding(lines, [key for rule in rules for key in rule.keys])
    begun = _holding(lines, [f"(?:{rule.pattern})" for rule in rules if not rule.keys])
    found = pl.repeat(None, len(lines), dtype=pl.String, eager=True)
    for rule in reversed(rules):  # the first rule has the last word
        numbers = keyed if rule.keys else begun
        hit = numbers.filter(_takes(lines.gather(numbers), rule))
        found = found.scatter(hit, rule.name) if len(hit) else found
    return found


def _holding(lines: pl.Series, patterns: Sequence[str]) -> pl.Series:
    """The numbers of lines in which one of the patterns is found."""
    some = [each for each in patterns if each.isascii()], [each for each in patterns if not each.isascii()]
    found = pl.repeat(False, len(lines), eager=True)
    for each in filter(None, some):  # apart: all in one are no search for bytes
        found |= lines.str.contains("|".join(each))
    return found.arg_true()


def _takes(lines: pl.Series, rule: LineRule) -> pl.Series:
    hit = lines.str.contains(rule.pattern)
    numbers = hit.arg_true()
    if numbers.is_empty():
        return hit
    some = lines.gather(numbers)
    saved = some.str.contains(f"[{CODE_LINE}]")
    if rule.unless:
        saved |= some.str.contains(rule.unless)
    if rule.max_chars:
        saved |= some.str.len_chars() > rule.max_chars
    return hit.scatter(numbers, ~saved)


def _note_lines(cells: Cells, lines: pl.DataFrame) -> None:
    """Note the bytes of lines that go, and of their ends, for the `rule` of each."""
    size = pl.col("line").str.len_bytes().sum().cast(pl.Int64) + pl.len()
    for (rule, *_), some in lines.group_by("rule", maintain_order=True):
        sizes = some.group_by("number").agg(bytes=size)
        note(cells.taken, str(rule), cells.table["row"].gather(sizes["number"]), sizes["bytes"])


def _put_together(cells: Cells, lines: pl.DataFrame, touched: pl.Series) -> Cells:
    """The cells with these numbers made anew from the lines that are left."""
    if touched.is_empty():
        return cells
    is_touched = pl.repeat(False, len(cells.text), eager=True).scatter(touched, True)
    left = lines.filter(is_touched.gather(lines["number"])).with_columns(pl.col("number").set_sorted())
    joined = left.group_by("number", maintain_order=True).agg("line").with_columns(pl.col("line").list.join("\n"))
    emptied = pl.repeat("", len(cells.text), dtype=pl.String, eager=True)
    return cells.put(touched, emptied.scatter(joined["number"], joined["line"]).gather(touched).alias("text"))


def _thin(lines: pl.DataFrame) -> pl.Series:
    """`density` for lines that are no prose and do not lie between two that are; `taken` lines are neither."""
    line = pl.col("line")
    prose = line.str.contains(boilerplate.SENTENCE) & (
        (line.str.count_matches(boilerplate.HAN) >= boilerplate.MIN_HAN)
        | (line.str.count_matches(boilerplate.LETTER) >= boilerplate.MIN_LETTERS)
    )
    stays = (line.str.contains(f"[{HEADING}{CODE_LINE}]") | prose) & ~pl.col("taken")
    between = stays.shift(1, fill_value=False).over("number") & stays.shift(-1, fill_value=False).over("number")
    return lines.select(
        pl.when(stays | between | line.eq("") | pl.col("taken")).then(None).otherwise(pl.lit("density"))
    ).to_series()
