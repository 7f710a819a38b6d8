"""strip: script, markup and boilerplate out of every cell that is HTML. A cell that is not leaves byte-identical."""

from collections import Counter
from collections.abc import Iterable

import polars as pl

from cleanse.settings import Settings
from cleanse.stage import Facts, Outcome, Stage, reject
from cleanse.table import ROLES
from cleanse.text import html
from cleanse.text.visible import BLANK


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Clean body, title and label; rows that an earlier strip has seen pass untouched."""
    fresh, changed, after = frame["_strip"].is_null(), Counter[str](), frame
    is_html = {role: _is_html(frame[role]) & fresh for role in ROLES if role in frame.columns}
    if "body" in is_html and "title" in is_html and settings.strip.title == "fill":
        after = _fill_title(after, is_html["body"], settings, changed)
    for role, cells in is_html.items():
        after = after.with_columns(_clean(after[role], cells, settings, changed, short=role != "body"))
        if role != "body" and "body" in is_html:
            after = after.with_columns(_decoded(after[role], is_html["body"] & ~cells, changed))
    any_html = pl.select(pl.any_horizontal([pl.lit(False), *is_html.values()])).to_series() & fresh
    kind = pl.when(any_html).then(pl.lit("html")).otherwise(pl.lit("plain"))
    after = after.with_columns(_strip=pl.coalesce("_strip", kind))
    changed.update(html_rows=int(any_html.sum()), already_stripped=int((~fresh).sum()))
    emptied = _emptied(frame, after) & fresh
    return Outcome(after.filter(~emptied), _rejected(frame.filter(emptied)), changed)


def _is_html(cells: pl.Series) -> pl.Series:
    """True for cells with evidence of HTML outside code: a README that speaks of `<script>` is no page."""
    found = cells.str.contains(html.GATE).fill_null(False)
    rows = (found & cells.str.contains(html.CODE_SIGN)).arg_true()
    prose = cells.gather(rows)
    for pattern in html.CODE:
        prose = prose.str.replace_all(pattern, " ")
    return found.scatter(rows, prose.str.contains(html.GATE)) if len(rows) else found


def _clean(
    cells: pl.Series, is_html: pl.Series, settings: Settings, changed: Counter[str], *, short: bool
) -> pl.Series:
    """The column with its HTML cells cleaned. `short`: one line of text, no containers and line rules."""
    s = settings.strip
    rows = is_html.arg_true()
    if rows.is_empty():
        return cells
    text = _run(cells.gather(rows), html.passes([] if short else [*s.drop, *s.boilerplate]), changed)
    text = _run(_decode_references(text, changed), html.SPACE, changed)
    if short:
        text = text.str.replace_all("\n", " ", literal=True)
    else:
        text = _run(text, (html.LINES[name] for name in s.lines), changed).str.replace_all(r"\n{2,}", "\n")
    return cells.scatter(rows, text.str.strip_chars())


def _run(text: pl.Series, passes: Iterable[html.Pass], changed: Counter[str]) -> pl.Series:
    """Each pass over all cells; the cells whose length changes are counted under its name."""
    for each in passes:
        after = text.str.replace_all(each.pattern, each.replacement)
        changed[each.name] += int((after.str.len_bytes() != text.str.len_bytes()).sum())
        text = after
    return text


def _decode_references(text: pl.Series, changed: Counter[str]) -> pl.Series:
    """References become characters: the distinct ones in Python, all places in one pass, none decoded twice."""
    found = text.str.extract_all(html.REFERENCE).explode().drop_nulls().unique().sort().to_list()
    if not found:
        return text
    after = text.to_frame("text").select(
        pl.col("text").str.replace_many(found, [html.decode_reference(each) for each in found], leftmost=True)
    )["text"]
    changed["references"] += int((after != text).sum())
    return after


def _decoded(cells: pl.Series, html_rows: pl.Series, changed: Counter[str]) -> pl.Series:
    """References also stand for characters in a title without a tag, when the row's body is HTML."""
    rows = (html_rows & cells.str.contains(html.REFERENCE).fill_null(False)).arg_true()
    return cells.scatter(rows, _decode_references(cells.gather(rows), changed)) if len(rows) else cells


def _fill_title(frame: pl.DataFrame, is_html: pl.Series, settings: Settings, changed: Counter[str]) -> pl.DataFrame:
    """An empty title from the page's only <h1>, else its <title>, before any container goes."""
    rows = (is_html & frame["title"].str.strip_chars().fill_null("").eq("")).arg_true()
    pages = frame["body"].gather(rows)
    h1, title = html.TITLES
    one = pages.str.count_matches(h1) == 1
    found = pages.to_frame("p").select(
        pl.coalesce(pl.when(one).then(pl.col("p").str.extract(h1)), pl.col("p").str.extract(title))
    )["p"]
    filled = _clean(found, found.is_not_null(), settings, Counter(), short=True)
    got = filled.fill_null("") != ""
    changed["title_filled"] += int(got.sum())
    flags = frame["_flags"].gather(rows.filter(got)).to_frame("f").select(
        pl.concat_str(pl.col("f"), pl.lit("title_filled"), separator="+", ignore_nulls=True)
    )["f"]  # fmt: skip
    return frame.with_columns(
        frame["title"].scatter(rows.filter(got), filled.filter(got)),
        frame["_flags"].scatter(rows.filter(got), flags),
    )


def _emptied(before: pl.DataFrame, after: pl.DataFrame) -> pl.Series:
    """True where the body had something visible and has nothing now."""
    if "body" not in before.columns:
        return pl.repeat(False, before.height, eager=True)
    return (~before["body"].str.contains(BLANK) & after["body"].str.contains(BLANK)).fill_null(False)


def _rejected(before: pl.DataFrame) -> pl.DataFrame:
    """Rows as this stage received them, with the original text."""
    rows = reject(before.with_columns(_strip=pl.lit("html")), "empty_after_strip", "")
    if "body" not in rows.columns:
        return rows
    return rows.with_columns(_detail=pl.format("{} characters before, none after", pl.col("body").str.len_chars()))


STAGE = Stage("strip", ("strip",), apply)
