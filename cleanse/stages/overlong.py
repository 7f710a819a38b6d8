"""Bodies that are too long for those who train: flagged, cut, or split. Nothing happens unseen."""

from collections.abc import Callable
from functools import cache
from typing import Any

import polars as pl

from cleanse.errors import ConfigError
from cleanse.settings import CheckSettings
from cleanse.text import cutting

Limit = Callable[[str], int]  # of a text: the characters that fit, its own length when all of it does


def long_rows(frame: pl.DataFrame, s: CheckSettings) -> pl.Series:
    """True for rows whose body is over the limit."""
    if s.over_long_limit is None or "body" not in frame.columns:
        return pl.repeat(False, frame.height, dtype=pl.Boolean, eager=True)
    chars = frame["body"].fill_null("").str.len_chars()
    if s.over_long_unit == "char":
        return chars > s.over_long_limit
    fits = _limit(s)
    maybe = (chars > s.over_long_limit).arg_true()  # a token has at least one character: few have none
    over = [fits(text) < len(text) for text in frame["body"].gather(maybe)]
    return pl.repeat(False, frame.height, dtype=pl.Boolean, eager=True).scatter(maybe, over)


def truncated(frame: pl.DataFrame, s: CheckSettings) -> tuple[pl.DataFrame, int, int]:
    """The rows with over-long bodies cut, how many were, and the characters lost."""
    rows = long_rows(frame, s).arg_true()
    fits, old = _limit(s), frame["body"].gather(rows).to_list()
    new = [text[: cutting.cut_at(text, fits(text))] for text in old]
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
    fits, found = _limit(s), list[str]()
    while (room := fits(text)) < len(text):
        place = cutting.cut_at(text, room)
        found.append(text[:place])
        text = text[place:]
    return [*found, text]


def _noted(frame: pl.DataFrame, rows: pl.Series, code: str) -> pl.DataFrame:
    if rows.is_empty():
        return frame
    hit = pl.int_range(pl.len()).is_in(rows.to_list())
    joined = pl.concat_str("_repair", pl.lit(code), separator="+", ignore_nulls=True)
    return frame.with_columns(_repair=pl.when(hit).then(joined).otherwise("_repair"))


def _limit(s: CheckSettings) -> Limit:
    """How many characters of a text fit."""
    limit = s.over_long_limit or 0
    if s.over_long_unit == "char":
        return lambda text: limit
    tokenizer = _tokenizer(s.tokenizer or "")

    def fits(text: str) -> int:
        found = tokenizer.encode(text, add_special_tokens=False).offsets
        return found[limit - 1][1] if len(found) > limit else len(text)

    return fits


@cache
def _tokenizer(path: str) -> Any:
    """A tokenizer from its file, with its own cutting and padding off. Raises ConfigError for none that can be read."""
    try:
        from tokenizers import Tokenizer  # late: an extra
    except ImportError:
        raise ConfigError(
            "tokenizer", "over_long_unit token needs tokenizers", "pip install 'cleanse[tokens]'"
        ) from None
    try:
        found = Tokenizer.from_file(path)
    except Exception as problem:  # noqa: BLE001  # the library raises bare exceptions
        raise ConfigError("tokenizer", f"cannot read {path}: {problem}", "check.tokenizer: a tokenizer.json") from None
    found.no_truncation()
    found.no_padding()
    return found
