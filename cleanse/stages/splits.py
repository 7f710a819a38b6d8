"""Which split a row is of: one answer for skew, resample and shard."""

import polars as pl

from cleanse.settings import Settings
from cleanse.table import conform

ALIASES = {"val": "validation", "valid": "validation", "dev": "validation"}
UNSPLIT = "unsplit"  # rows without a split in a table that has one: kept, and not train


def column(settings: Settings, columns: list[str]) -> str | None:
    """The column that says which split a row is of: as mapped, else `split` if there is one."""
    name = settings.columns.split or "split"
    return name if name in columns else None


def of(frame: pl.DataFrame, settings: Settings) -> pl.Series:
    """`train`, `validation`, `test` or another name of each row, as it may stand in a file name; `train` where the
    table has no splits.
    """
    name = column(settings, frame.columns)
    if name is None:
        return pl.repeat("train", frame.height, dtype=pl.String, eager=True).alias("split")
    text = conform(frame.select(pl.nth(frame.columns.index(name))), {name: pl.String()})[name].str.strip_chars()
    return text.fill_null("").replace({**ALIASES, "": UNSPLIT}).str.replace_all(r"[^\w-]", "_").alias("split")
