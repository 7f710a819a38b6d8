"""From an HTML cell to the text that a reader sees: which passes run on which cells, in which order."""

from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from cleanse.settings import StripSettings
from cleanse.stages import boilerplate
from cleanse.stages.passes import Cells, Mask, Rows, Taken, cells_of, contain, flag, put, run, run_in, true, where
from cleanse.text import entities, html, passes, unknown
from cleanse.text.marks import HOLE
from cleanse.text.passes import Pass, Region

MAIN_CHARS = 2_000  # an <article> or <main> of fewer is a teaser, not the matter


def is_html(column: pl.Series) -> pl.Series:
    """True for cells with evidence of HTML outside code: a README that speaks of `<script>` is no page."""
    found = column.str.contains(html.GATE).fill_null(False)
    rows = true(found & column.str.contains(html.CODE_SIGN))
    return found.scatter(rows, _without_code(column[rows]).str.contains(html.GATE)) if len(rows) else found


def _without_code(text: pl.Series) -> pl.Series:
    numbers = np.flatnonzero(contain(text, html.CODE_SIGN))
    prose = text[numbers]
    for pattern in html.CODE_REGIONS:
        prose = prose.str.replace_all(pattern, " ")
    return put(text, numbers, prose)


def is_made(text: pl.Series) -> Mask:
    """True for HTML cells whose line breaks are the writer's own: no block element, or the lines of Markdown."""
    prose = _without_code(text)
    made = ~contain(prose, html.HAS_BLOCK)
    numbers = np.flatnonzero(~made & ~contain(prose, html.IS_PAGE))
    made[numbers] = prose[numbers].str.count_matches(html.MARKDOWN_LINE).to_numpy() >= html.MARKDOWN_LINES
    return made


def cleared(column: pl.Series) -> pl.Series:
    """The column without controls and with LF as its only line end. Null stays null."""
    held = pl.any_horizontal(pl.col("text").str.contains(few) for few in passes.HAS_CONTROL)
    numbers = true(column.to_frame("text").select_seq(held).to_series())
    if not len(numbers):
        return column
    text = column[numbers]
    for each in passes.CONTROLS:
        text = text.str.replace_all(each.pattern, each.replacement)
    return put(column, numbers, text)


def bare(
    before: pl.Series, clear: pl.Series, where_html: pl.Series, s: StripSettings, taken: Taken, *, short: bool
) -> Cells:
    """HTML cells without comments, scripts, style sheets and pictures; code is marked, so that no rule touches it.

    `before`: the column as it came, `clear`: without controls.
    """
    rows = true(where_html)
    openers = [*passes.OPENERS, *(f"<{name.lower()}" for name in (*s.drop, *s.boilerplate))]
    cells = cells_of(clear[rows], rows, taken, list(dict.fromkeys(openers)))
    cells = cells.with_text(before[rows]).with_text(cells.text, "controls")
    if not short:
        cells = replace(cells, made=is_made(cells.text))
        coded = cells.made & contain(cells.text, html.CODE_SIGN)
        for region in passes.CODE:
            cells = where(cells, coded, partial(run_in, region=region))
        cells = _in_region(cells, passes.XMP)
    after = run(cells, [passes.RAW, *passes.SVG])
    flag(taken, "unterminated", rows[unterminated(cells.text, after.text)])
    return after


def _in_region(cells: Cells, region: Region) -> Cells:
    if region.opener not in cells.held:
        return cells
    return where(cells, cells.held[region.opener], partial(run_in, region=region))


def unterminated(before: pl.Series, after: pl.Series) -> Rows:
    """The numbers of texts that end inside a comment, a script or a style sheet: then it swallows what follows."""
    numbers = true(after.str.ends_with(HOLE))
    if not len(numbers):
        return numbers
    followed = (before[numbers] + "x").str.replace_all(passes.RAW.pattern, HOLE)
    return numbers[true(~followed.str.ends_with("x"))]


def text_of(cells: Cells, s: StripSettings, *, short: bool) -> pl.Series:
    """What a reader sees of bare cells. `short`: one line of text; no containers, no rules for lines."""
    first = [*passes.INSTRUCTIONS, *passes.CUT_OFF]
    if not short:
        cells = _main(cells) if s.main else cells
        for region in passes.PRE:
            cells = _in_region(cells, region)
        every = passes.containers("containers", s.drop) + passes.containers("boilerplate", s.boilerplate)
        first = [passes.BLANK_LINES, *every, *first, *([passes.HEADINGS] if s.density else [])]
    cells = run(cells, first)
    cells = run(_references(_without_tags(cells, s.max_fallback)), passes.SPACES)
    cells = run(cells, passes.ONE_LINE) if short else boilerplate.without_lines(cells, s)
    cells = where(cells, contain(cells.text, passes.MARKED), lambda some: run(some, passes.LAST))
    own = [Pass(rule.name, rule.pattern, rule.replacement) for rule in s.rules]
    return (run(cells, own) if own else cells).text.str.strip_chars()


def titles(cells: Cells, s: StripSettings) -> pl.Series:
    """The title that each bare page gives itself, "" for none: its only <h1>, else its <title>."""
    h1, title = passes.TITLES
    one = cells.text.str.count_matches(passes.H1) == 1
    page = pl.col("page")
    found = cells.text.to_frame("page").select(
        pl.coalesce(pl.when(one).then(page.str.extract(h1)), page.str.extract(title)).fill_null("")
    )
    return text_of(replace(cells.with_text(found["page"].alias("text")), taken={}), s, short=True)


def _main(cells: Cells) -> Cells:
    """The first <article> or <main>, where it holds enough."""
    found = cells.text.str.extract(passes.MAIN).fill_null("")
    long = found.str.replace_all("<[^>]*>", "").str.len_chars() > MAIN_CHARS
    return where(cells, long.to_numpy(), lambda some: some.with_text(found.filter(long), "main"))


def _without_tags(cells: Cells, max_fallback: int) -> Cells:
    """Known tags; then, in the few cells that still hold a `<`, what only looks like one."""
    after = run(cells, passes.TAGS)
    numbers = np.flatnonzero(contain(after.text, "<"))
    if not len(numbers):
        return after
    before, rest = cells.at(numbers), after.at(numbers)
    mended = run(before, passes.UNENDED)
    broken = true(mended.text != before.text)
    if len(broken):
        rest = rest.put(broken, run(mended.at(broken), passes.TAGS).text)
    return after.put(numbers, _unknown_tags(rest, max_fallback).text)


def _unknown_tags(cells: Cells, max_fallback: int) -> Cells:
    cells = run(cells, passes.LEFT_OVER)
    ended = contain(cells.text, unknown.ENDED)
    long = (cells.text.str.len_chars() > max_fallback).to_numpy()
    flag(cells.taken, "capped", cells.rows[ended & long])
    return where(cells, ended & ~long, lambda some: some.with_text(_without_ended(some.text), "unknown_tags"))


def _without_ended(text: pl.Series) -> pl.Series:
    return text.map_elements(unknown.without_ended, return_dtype=pl.String)


def decoded(column: pl.Series, rows: pl.Series, taken: Taken) -> pl.Series:
    """The column with its references decoded in some rows: those that end in `;`, for without a tag others are text."""
    numbers = true(rows & column.str.contains(entities.CLOSED))
    if not len(numbers):
        return column
    after = _references(cells_of(column[numbers], numbers, taken), entities.CLOSED)
    return put(column, numbers, after.text)


def _references(cells: Cells, pattern: str = entities.REFERENCE) -> Cells:
    """Character references become characters: the distinct ones in Python, all places in one search, none twice."""
    return where(cells, contain(cells.text, "&"), partial(_decode, pattern=pattern))


def _decode(cells: Cells, pattern: str) -> Cells:
    found = cells.text.str.extract_all(pattern).explode().drop_nulls().unique()
    table = entities.replacements(found.to_list())
    if not table:
        return cells
    text = cells.text.str.replace_many(list(table), list(table.values()), leftmost=True)
    return cells.with_text(text, "references")
