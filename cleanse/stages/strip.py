"""strip: script, markup and boilerplate out of every cell that is HTML. A cell that is not leaves byte-identical."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from cleanse.errors import InputError
from cleanse.settings import Settings, StripSettings
from cleanse.stage import Facts, Outcome, Stage, reject
from cleanse.stages import extractor, markup
from cleanse.stages.passes import Cells, Taken, note, noted, put
from cleanse.table import ROLES, Schema, user_columns
from cleanse.text.visible import BLANK, letters

FLAGS = ("title_filled", "unterminated", "capped", "thin", "fell_back")  # in the order they stand in `_flags`
CHARS_PER_LETTER = 2  # at most, in a text: the letters of rows that keep more are not counted for `thin`


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Clean body, title, label and `strip.columns`; rows that an earlier strip has seen pass untouched."""
    s, taken = settings.strip, dict[str, list[tuple[pl.Series, pl.Series]]]()
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
            after = after.with_columns(put(after[name], cells.table["row"], _body(cells, frame[name], s)))
    for name in ("title", "label"):
        if name in found and found[name].any():  # rarely: then nothing is asked of no cells
            cells = markup.bare(after[name], clear[name], found[name], s, taken, short=True)
            after = after.with_columns(put(after[name], cells.table["row"], markup.text_of(cells, s, short=True)))
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
    text = extractor.extract(before.gather(cells.table["row"]), s.extractor)
    blank = text.str.contains(BLANK)
    note(cells.taken, "fell_back", cells.table["row"].filter(blank))
    numbers = blank.arg_true()
    return text.scatter(numbers, markup.text_of(cells.at(numbers), s, short=False)) if len(numbers) else text


def _filled(frame: pl.DataFrame, cells: Cells, s: StripSettings, taken: Taken) -> pl.DataFrame:
    """An empty title from the page's only <h1>, else its <title>, before any container goes."""
    empty = frame["title"].gather(cells.table["row"]).fill_null("").str.contains(BLANK).arg_true()
    if empty.is_empty():
        return frame
    found = markup.titles(cells.at(empty), s)
    rows = cells.table["row"].gather(empty).filter(found != "")
    note(taken, "title_filled", rows)
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
    note(taken, "html_rows", is_html.arg_true())
    note(taken, "already_stripped", (~fresh).arg_true())
    if "body" in before.columns:
        _note_thin(before["body"], after["body"], is_html, s.thin_below, taken)
    notes = noted(taken)
    kind = pl.when(is_html).then(pl.lit("html")).otherwise(pl.lit("plain"))
    after = after.with_columns(_flags(after["_flags"], notes), _strip=pl.coalesce("_strip", kind))
    emptied = _emptied(before, after) & fresh
    counts = {rule: each.height for rule, each in notes.items()}
    kept = after.filter(~emptied) if emptied.any() else after
    return Outcome(kept, _rejected(before, emptied, notes), counts)


def _flags(flags: pl.Series, notes: Mapping[str, pl.DataFrame]) -> pl.Series:
    """`_flags` and what was noted of each row, in the order of FLAGS."""
    every = [flags]
    for flag in FLAGS:
        if flag in notes:
            nothing = pl.repeat(None, len(flags), dtype=pl.String, eager=True).alias(flag)
            every.append(nothing.scatter(notes[flag]["row"], flag))
    if len(every) == 1:
        return flags
    together = pl.concat_str(every, separator="+", ignore_nulls=True)
    return pl.select(_flags=pl.when(together != "").then(together)).to_series()


def _note_thin(before: pl.Series, after: pl.Series, is_html: pl.Series, share: float, taken: Taken) -> None:
    """Note `thin` for rows that keep less than `share` of their letters; a row that keeps much is not counted."""
    sizes = before.str.len_bytes() * share
    some = (is_html & (after.str.len_chars() < sizes * CHARS_PER_LETTER)).fill_null(False).arg_true()
    kept = _letters(after.gather(some))
    some = some.filter(kept < sizes.gather(some))
    thin = _letters(after.gather(some)) < _letters(before.gather(some)) * share
    note(taken, "thin", some.filter(thin))


def _letters(text: pl.Series) -> pl.Series:
    return text.map_elements(letters, return_dtype=pl.Int64)


def _emptied(before: pl.DataFrame, after: pl.DataFrame) -> pl.Series:
    """True where the body had something visible and has nothing now."""
    if "body" not in before.columns:
        return pl.repeat(False, before.height, eager=True)
    return (after["body"].str.contains(BLANK) & ~before["body"].str.contains(BLANK)).fill_null(False)


def _rejected(before: pl.DataFrame, emptied: pl.Series, notes: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Rows as this stage received them, with the original text; `_detail` names the three rules that took most."""
    rows = reject(before.filter(emptied).with_columns(_strip=pl.lit("html")), "empty_after_strip", "")
    if rows.is_empty():
        return rows
    numbers = emptied.arg_true()
    most = numbers.to_frame("row").join(_most(notes, numbers), on="row", how="left", maintain_order="left")
    said = pl.format("{} characters before, none after; {}", pl.col("body").str.len_chars(), pl.lit(most["most"]))
    return rows.with_columns(_detail=said)


def _most(notes: Mapping[str, pl.DataFrame], rows: pl.Series) -> pl.DataFrame:
    """`row`, and in `most` the three rules that took most of it, in bytes: `raw_text 512, tags 24`."""
    rules = pl.concat(pl.repeat(rule, each.height, dtype=pl.String, eager=True) for rule, each in notes.items())
    every = pl.concat(notes.values()).with_columns(rules.alias("rule"))
    took = every.filter(pl.col("bytes") > 0, pl.col("row").is_in(rows.implode()))
    took = took.sort("row", "bytes", "rule", descending=[False, True, False])
    each = pl.format("{} {}", "rule", "bytes").head(3).str.join(", ")
    return took.group_by("row", maintain_order=True).agg(most=each)


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
