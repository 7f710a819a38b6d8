"""Which split a row is of, and other narrow columns: one answer for skew, resample and shard."""

from collections.abc import Collection

import polars as pl

from cleanse.errors import InputError
from cleanse.measures import leaks
from cleanse.measures.lengths import BAD, MISSING
from cleanse.sampling import choice
from cleanse.sampling.splitting import bounds, shares
from cleanse.settings import Settings
from cleanse.table import TEXTS, conform

ALIASES = {"val": "validation", "valid": "validation", "dev": "validation"}
COPY = "+"  # `_id` of a copy: its parent's, this, its number
UNSPLIT = "unsplit"  # rows without a split in a table that has one: kept, and not train


def column(settings: Settings, columns: Collection[str]) -> str | None:
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
    given = text(frame, name)
    known = given.unique()
    clean = known.str.strip_chars().fill_null("").replace({**ALIASES, "": UNSPLIT}).str.replace_all(r"[^\w-]", "_")
    if clean.equals(known):  # nearly always, and renaming takes as long as all the rest of a count
        return given.alias("split")
    return given.replace_strict(known, clean, return_dtype=pl.String).alias("split")


def decided(frame: pl.DataFrame, settings: Settings) -> pl.Series:
    """The split of each row as `resample` has it: as it is, all train, or as `make_split` draws it of the group (else
    of the text): equal ones stay together.
    """
    s, group = settings.resample, settings.columns.group
    if s.all_train:
        return pl.repeat("train", frame.height, dtype=pl.String, eager=True).alias("split")
    if not s.make_split:
        return of(frame, settings)
    names = text(frame, group).fill_null("") if group else leaks.text_hashes(frame).cast(pl.String)
    *first, (last, _) = bounds(shares(s.make_split), choice.SPACE)
    found = pl.coalesce(*(pl.when(pl.col("u") < end).then(pl.lit(name)) for name, end in first), pl.lit(last))
    return choice.draws(settings.run.seed, "split", names).to_frame("u").select(split=found)["split"]


def read_by_resample(settings: Settings, columns: frozenset[str]) -> frozenset[str]:
    """The columns that tell `decided` and the counts of resample what they must know."""
    s, group = settings.resample, settings.columns.group
    wanted = {"_id", "label", "is_synthetic", column(settings, columns), *s.transforms}
    return columns & (wanted | ({group} if group else {"title", "body"} if s.make_split else set()))


def leaked(what: str) -> InputError:
    """The error for train rows that are known elsewhere."""
    help = "resample after the split, and only the train rows"
    return InputError("resample-leak", f"{what}: scores on those rows would be made up, too", help)


def no_parent_outside(frame: pl.DataFrame, settings: Settings, parents: Collection[str]) -> None:
    """Raises InputError where a row outside train has a copy (they are counted in train only)."""
    if parents:
        outside = frame.filter((decided(frame, settings) != "train") & pl.col("_id").is_in(list(parents)))
        if outside.height:
            raise leaked(f"row {outside['_id'][0]} is outside train and its copy in it")


def text(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column as text, whatever its type."""
    return conform(frame.select(pl.nth(frame.columns.index(name))), {name: pl.String()})[name]


def text_bytes(columns: Collection[str]) -> pl.Expr:
    """Bytes of title and body of each row in UTF-8, Int64; null counts 0."""
    present = [pl.col(role).str.len_bytes().fill_null(0).cast(pl.Int64) for role in TEXTS if role in columns]
    return pl.sum_horizontal(present) if present else pl.repeat(0, pl.len(), dtype=pl.Int64)


def tokens(column: pl.Series) -> pl.Series:
    """Whole numbers >= 0 of a column; MISSING for null and blank, BAD for anything else."""
    number = column.cast(pl.Int64, strict=False)
    if column.dtype == pl.String() and number.null_count() > column.null_count():  # rare, and twice the time
        column = column.str.strip_chars()
        column, number = column.set(column == "", None), column.cast(pl.Int64, strict=False)
    if column.dtype.is_float():
        number = number.set(number.cast(column.dtype) != column, None)
    code = (
        pl.when(pl.col("raw").is_null()).then(MISSING).when((pl.col("n") < 0).fill_null(True)).then(BAD).otherwise("n")
    )
    return pl.DataFrame({"raw": column, "n": number}).select(code.cast(pl.Int64).alias("tokens"))["tokens"]


def sizes(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """`bytes` and `tokens` of each row, Int64; tokens 0 where they are not counted."""
    mapped = settings.columns.tokens
    n = tokens(frame[mapped]).clip(lower_bound=0) if mapped else pl.repeat(0, frame.height, dtype=pl.Int64, eager=True)
    return pl.DataFrame({"bytes": frame.select(n=text_bytes(frame.columns))["n"], "tokens": n})
