"""Lines of HTML cells that go whole: navigation, rights, share rows, labels, stray code; opt-in, what is no prose."""

from collections.abc import Sequence

import polars as pl

from cleanse.settings import StripSettings
from cleanse.stages.passes import Cells, run
from cleanse.text import boilerplate, passes
from cleanse.text.boilerplate import LineRule
from cleanse.text.marks import CODE_LINE, HEADING


def without_lines(cells: Cells, s: StripSettings) -> Cells:
    """The cells without the lines that the rules in force take. Marks of links and headings go on the way."""
    navigation = [each for name, each in passes.NAVIGATION.items() if name in s.lines]
    cells = run(cells, [*navigation, *passes.UNLINKED])
    rules = [rule for rule in boilerplate.RULES if rule.name in s.lines]
    if not rules and not s.density:
        return cells
    lines = pl.DataFrame(
        {"number": pl.int_range(len(cells.text), dtype=pl.UInt32, eager=True), "line": cells.text.str.split("\n")}
    )
    lines = lines.explode("line")
    verdict = _verdict(lines["line"], rules)
    if s.density:
        verdict = verdict.fill_null(_thin(lines.with_columns(taken=verdict.is_not_null())))
    return _put_together(cells, lines.with_columns(rule=verdict))


def _verdict(lines: pl.Series, rules: Sequence[LineRule]) -> pl.Series:
    """For each line the name of the first rule that takes it, else null."""
    keys = [key for rule in rules for key in rule.keys]
    others = [rule.pattern for rule in rules if not rule.keys]
    nothing = pl.Series([], dtype=pl.UInt32)
    keyed = lines.str.contains_any(keys, ascii_case_insensitive=True).arg_true() if keys else nothing
    begun = lines.str.contains("|".join(others)).arg_true() if others else nothing
    found = pl.repeat(None, len(lines), dtype=pl.String, eager=True)
    for rule in reversed(rules):  # the first rule has the last word
        numbers = keyed if rule.keys else begun
        hit = numbers.filter(_takes(lines.gather(numbers), rule))
        found = found.scatter(hit, rule.name) if len(hit) else found
    return found


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


def _put_together(cells: Cells, lines: pl.DataFrame) -> Cells:
    """The cells that lose a line, without it; each rule is counted by itself."""
    bad = lines.filter(pl.col("rule").is_not_null())
    if bad.is_empty():
        return cells
    numbers = bad["number"].unique().sort()
    sizes = bad.group_by("rule", "number").agg(bytes=pl.col("line").str.len_bytes().sum().cast(pl.Int64) + pl.len())
    rows = cells.table["row"].gather(sizes["number"])
    cells.taken.append(sizes.select("rule", rows.cast(pl.UInt32), "bytes").lazy())
    kept = pl.when(pl.col("rule").is_null()).then("line")
    joined = lines.join(numbers.to_frame(), on="number", how="semi", maintain_order="left").group_by(
        "number", maintain_order=True
    )
    return cells.put(numbers, joined.agg(kept.drop_nulls().str.join("\n"))["line"])


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
