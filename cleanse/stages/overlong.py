"""Bodies that are too long for those who train: flagged, cut, or split. Nothing happens unseen."""

from collections.abc import Callable

import polars as pl

from cleanse.settings import CheckSettings
from cleanse.stages import tokens
from cleanse.text import cutting

Limit = Callable[[str], int]  # of a text: the characters that fit, its own length when all of it does


def long_rows(frame: pl.DataFrame, s: CheckSettings) -> pl.Series:
    """True for rows whose body is over the limit."""
    if s.over_long_limit is None or "body" not in frame.columns:
        return pl.repeat(False, frame.height, dtype=pl.Boolean, eager=True)
    body = frame["body"].fill_null("")
    if s.over_long_unit == "char":
        return body.str.len_chars() > s.over_long_limit
    fits = _limit(s)
    maybe = (body.str.len_bytes() >= s.over_long_limit).arg_true()  # a token has a byte, only one at the start has none
    over = [fits(text) < len(text) for text in frame["body"].gather(maybe)]
    return pl.repeat(False, frame.height, dtype=pl.Boolean, eager=True).scatter(maybe, over)


def truncated(frame: pl.DataFrame, s: CheckSettings) -> tuple[pl.DataFrame, int, int]:
    """The rows with over-long bodies cut, how many were, and the characters lost."""
    rows = long_rows(frame, s).arg_true()
    fits, old = _limit(s), frame["body"].gather(rows).to_list()
    new = [text[: _place(text, fits)] for text in old]
    cut = frame.with_columns(frame["body"].scatter(rows, new))
    lost = sum(len(a) - len(b) for a, b in zip(old, new, strict=True))
    return _noted(cut, rows, "body_truncated"), len(new), lost


def divided(frame: pl.DataFrame, s: CheckSettings) -> tuple[pl.DataFrame, int, int]:
    """The rows with over-long bodies in pieces (`_id` gets .1, .2 …), how many were, and the rows that were added."""
    rows = long_rows(frame, s).arg_true()
    parts = {row: _pieces(text, s) for row, text in zip(rows, frame["body"].gather(rows), strict=True)}
    lists = [parts.get(row) for row in range(frame.height)]
    table = _noted(frame, rows, "body_split").with_columns(_parts=pl.Series(lists, dtype=pl.List(pl.String)))
    numbered = table.with_columns(_n=pl.int_ranges(1, pl.col("_parts").list.len() + 1)).explode("_parts", "_n")
    whole = numbered.with_columns(
        body=pl.coalesce("_parts", "body"),
        _id=pl.when(pl.col("_n").is_not_null()).then(pl.format("{}.{}", "_id", "_n")).otherwise("_id"),
    )
    return whole.drop("_parts", "_n"), len(parts), whole.height - frame.height


def _pieces(text: str, s: CheckSettings) -> list[str]:
    assert s.over_long_limit  # only asked for texts over it
    if s.over_long_unit == "char":
        return cutting.pieces(text, s.over_long_limit)
    fits, ends = _limit(s), tokens.ends(text, s.tokenizer or "")
    *found, last = cutting.pieces(text, s.over_long_limit, ends, lambda piece: _place(piece, fits))
    while (place := _place(last, fits)) < len(last):
        found.append(last[:place])
        last = last[place:]
    return [*found, last]


def _place(text: str, fits: Limit) -> int:
    """Where to cut a text, its length where all of it fits."""
    place = fits(text)
    if place == len(text):
        return place
    place = cutting.cut_at(text, place)
    while (room := fits(text[:place])) < place and (less := cutting.cut_at(text, room)) < place:
        place = less
    return place


def _noted(frame: pl.DataFrame, rows: pl.Series, code: str) -> pl.DataFrame:
    if rows.is_empty():
        return frame
    hit = pl.int_range(pl.len()).is_in(rows.to_list())
    joined = pl.concat_str("_repair", pl.lit(code), separator="+", ignore_nulls=True)
    return frame.with_columns(_repair=pl.when(hit).then(joined).otherwise("_repair"))


def _limit(s: CheckSettings) -> Limit:
    """How many characters of a text fit."""
    limit, path = s.over_long_limit or 0, s.tokenizer or ""
    if s.over_long_unit == "char":
        return lambda text: min(len(text), limit)
    return lambda text: tokens.fits(text, limit, path)
