"""strip: script, markup and boilerplate out of every cell that is HTML. A cell that is not leaves byte-identical."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from cleanse.errors import InputError
from cleanse.settings import Settings, StripSettings
from cleanse.stage import Facts, Outcome, Stage, reject
from cleanse.stages import extractor, markup
from cleanse.stages.passes import Cells, Rows, Taken, flag, noted, put, true
from cleanse.table import ROLES, Schema, user_columns
from cleanse.text.visible import BLANK, letters

Notes = Mapping[str, tuple[Rows, Rows]]  # by rule the rows that it concerns, and the bytes that it took from each
FLAGS = ("title_filled", "unterminated", "capped", "thin", "fell_back")  # in the order they stand in `_flags`
CHARS_PER_LETTER = 2  # at most, in a text: the letters of rows that keep more are not counted for `thin`


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Clean body, title, label and `strip.columns`; rows that an earlier strip has seen pass untouched."""
    s, taken = settings.strip, Taken()
    fresh = frame["_strip"].is_null()
    columns = {name: pl.select(pl.when(fresh).then(frame[name])).to_series() for name in _columns(frame, s)}
    clear = {name: markup.cleared(column) for name, column in columns.items()}
    found = {name: markup.is_html(column) for name, column in clear.items()}
    after = frame
    for name in found:
        if name not in ("title", "label") and found[name].any():
            cells = markup.bare(frame[name], clear[name], found[name], s, taken, short=False)
            if name == "body" and s.title == "fill" and "title" in frame.columns:
                after = _filled(after, cells, s, taken)
            after = after.with_columns(put(after[name], cells.rows, _body(cells, frame[name], s)))
    for name in ("title", "label"):
        if name in found and found[name].any():  # rarely: then nothing is asked of no cells
            cells = markup.bare(after[name], clear[name], found[name], s, taken, short=True)
            after = after.with_columns(put(after[name], cells.rows, markup.text_of(cells, s, short=True)))
    after = after.with_columns(_references_alone(after, found, fresh, s, taken))
    any_html = pl.select(pl.any_horizontal([pl.lit(False), *found.values()])).to_series() & fresh
    return _outcome(frame, after, any_html, s, taken)


def _columns(frame: pl.DataFrame, s: StripSettings) -> list[str]:
    """The columns to clean. Raises InputError for one of `strip.columns` that is no text."""
    for name in s.columns:
        if frame.schema[name] != pl.String():
            raise InputError(
                "column-type",
                f"strip.columns: '{name}' is {frame.schema[name]}, not text",
                "leave it out of strip.columns",
            )
    return list(dict.fromkeys([*(role for role in ROLES if role in frame.columns), *s.columns]))


def accepts(settings: Settings, schema: Schema) -> None:
    """Raises InputError for a column of `strip.schema` that is not there, ConfigError for an absent extractor."""
    for name in settings.strip.columns:
        if name not in schema:
            raise InputError(
                "column-missing",
                f"strip.columns: no column '{name}'",
                f"one of {', '.join(sorted(user_columns(schema)))}",
            )
    extractor.load(settings.strip.extractor)


def _body(cells: Cells, before: pl.Series, s: StripSettings) -> pl.Series:
    """The text of body cells, by the extractor where one is set and finds any."""
    if s.extractor == "regex":
        return markup.text_of(cells, s, short=False)
    text = extractor.extract(before[cells.rows], s.extractor)
    blank = true(text.str.contains(BLANK))
    flag(cells.taken, "fell_back", cells.rows[blank])
    return text.scatter(blank, markup.text_of(cells.at(blank), s, short=False)) if len(blank) else text


def _filled(frame: pl.DataFrame, cells: Cells, s: StripSettings, taken: Taken) -> pl.DataFrame:
    """An empty title from the page's only <h1>, else its <title>, before any container goes."""
    empty = true(frame["title"][cells.rows].fill_null("").str.contains(BLANK))
    if not len(empty):
        return frame
    found = markup.titles(cells.at(empty), s)
    rows = cells.rows[empty][true(found != "")]
    flag(taken, "title_filled", rows)
    return frame.with_columns(frame["title"].clone().scatter(rows, found.filter(found != "")))


def _references_alone(
    frame: pl.DataFrame, found: dict[str, pl.Series], fresh: pl.Series, s: StripSettings, taken: Taken
) -> list[pl.Series]:
    """Cells without a tag, with their references decoded where the settings say that they are references."""
    columns = []
    for name, is_html in found.items():
        if s.references == "row" and name in ("title", "label") and "body" in found:
            columns.append(markup.decoded(frame[name], found["body"] & ~is_html, taken))
        elif s.references == "all":
            columns.append(markup.decoded(frame[name], fresh & ~is_html, taken))
    return columns


def _outcome(before: pl.DataFrame, after: pl.DataFrame, is_html: pl.Series, s: StripSettings, taken: Taken) -> Outcome:
    fresh = before["_strip"].is_null()
    flag(taken, "html_rows", true(is_html))
    flag(taken, "already_stripped", true(~fresh))
    if "body" in before.columns:
        _note_thin(before["body"], after["body"], is_html, s.thin_below, taken)
    notes = noted(taken)
    kind = pl.when(is_html).then(pl.lit("html")).otherwise(pl.lit("plain"))
    after = after.with_columns(_flags(after["_flags"], notes), _strip=pl.coalesce("_strip", kind))
    emptied = _emptied(before, after) & fresh
    counts = {rule: len(rows) for rule, (rows, _) in notes.items()}
    kept = after.filter(~emptied) if emptied.any() else after
    return Outcome(kept, _rejected(before, emptied, notes), counts)


def _flags(flags: pl.Series, notes: Notes) -> pl.Series:
    """`_flags` and what was noted of each row, in the order of FLAGS."""
    every = [flags]
    for name in FLAGS:
        if name in notes:
            nothing = pl.Series(name, [None], pl.String).new_from_index(0, len(flags))
            every.append(nothing.scatter(notes[name][0], name))
    if len(every) == 1:
        return flags
    together = pl.concat_str(every, separator="+", ignore_nulls=True)
    return pl.select(_flags=pl.when(together != "").then(together)).to_series()


def _note_thin(before: pl.Series, after: pl.Series, is_html: pl.Series, share: float, taken: Taken) -> None:
    """Note `thin` for rows that keep less than `share` of their letters; a row that keeps much is not counted."""
    sizes = before.str.len_bytes() * share
    some = true(is_html & (after.str.len_chars() < sizes * CHARS_PER_LETTER))
    kept = _letters(after[some])
    few = true(kept < sizes[some])
    some, kept = some[few], kept[few]
    flag(taken, "thin", some[true(kept < _letters(before[some]) * share)])


def _letters(text: pl.Series) -> pl.Series:
    return pl.Series([letters(each) for each in text], dtype=pl.Int64)


def _emptied(before: pl.DataFrame, after: pl.DataFrame) -> pl.Series:
    """True where the body had something visible and has nothing now."""
    if "body" not in before.columns:
        return pl.repeat(False, before.height, eager=True)
    return (after["body"].str.contains(BLANK) & ~before["body"].str.contains(BLANK)).fill_null(False)


def _rejected(before: pl.DataFrame, emptied: pl.Series, notes: Notes) -> pl.DataFrame:
    """Rows as this stage received them, with the original text; `_detail` names the three rules that took most."""
    rows = reject(before.filter(emptied).with_columns(_strip=pl.lit("html")), "empty_after_strip", "")
    if rows.is_empty():
        return rows
    most = pl.Series(_most(notes, true(emptied)), dtype=pl.String)
    said = pl.format("{} characters before, none after; {}", pl.col("body").str.len_chars(), pl.lit(most))
    return rows.with_columns(_detail=said)


def _most(notes: Notes, rows: Rows) -> list[str]:
    """For each row the three rules that took most of it, in bytes: `raw_text 512, tags 24`."""
    by_rule = {rule: _took(*noted, rows) for rule, noted in notes.items()}
    most = list[str]()
    for at in range(len(rows)):
        took = sorted((-each[at], rule) for rule, each in by_rule.items() if each[at] > 0)
        most.append(", ".join(f"{rule} {-n}" for n, rule in took[:3]))
    return most


def _took(noted: Rows, took: Rows, rows: Rows) -> Rows:
    """The bytes taken from each of `rows`, 0 for one that is not among those `noted`, which are in order."""
    at = np.searchsorted(noted, rows)
    return np.where(noted.take(at, mode="clip") == rows, took.take(at, mode="clip"), 0)


class Change(NamedTuple):
    """What became of one body: `after` is None when the row is rejected."""

    id: str
    before: str
    after: str | None


def preview(frame: pl.DataFrame, settings: Settings, n: int) -> list[Change]:
    """The first `n` bodies of the table that strip changes."""
    if "body" not in frame.columns:
        return []
    outcome = apply(frame, settings, {})
    rejected = outcome.rejected.select("_id", after=pl.lit(None, pl.String))
    after = pl.concat([outcome.kept.select("_id", after="body"), rejected])
    both = frame.select("_id", "body").join(after, on="_id", maintain_order="left")
    changed = both.filter(pl.col("body").is_not_null() & pl.col("after").ne_missing(pl.col("body")))
    return [Change(*row) for row in changed.head(n).rows()]


STAGE = Stage("strip", ("strip",), apply, accepts=accepts)
