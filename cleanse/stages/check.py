"""check: a row passes when its fields are in place and its texts of a usable length. Changes no text."""

import polars as pl

from cleanse.settings import CheckSettings, Settings
from cleanse.stage import Facts, Outcome, Rule, Stage, split
from cleanse.table import ROLES
from cleanse.text.visible import BLANK


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Reject misaligned rows, then rows without title or body, then those beyond the length bounds."""
    numbered = frame.with_row_index("_row")
    aligned = pl.col("_problem").is_null()
    found = split(numbered.filter(aligned), rules(settings.check, frozenset(frame.columns)))
    rejected = pl.concat([_misaligned(numbered.filter(~aligned)), found.rejected]).sort("_row")
    return Outcome(found.kept.drop("_row"), rejected.drop("_row"))


def _misaligned(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose fields could not be placed: the problem as it stands is the reason."""
    figure = pl.when(pl.col("_fields").is_not_null()).then(pl.format("{} fields found", "_fields"))
    return frame.with_columns(_reason="_problem", _detail=figure.otherwise(pl.lit("fields not placed, see _raw")))


def rules(s: CheckSettings, columns: frozenset[str]) -> dict[str, Rule]:
    """Reason → rule in order of precedence. Rules of a role that the corpus does not have are off, and title rules for
    records that cannot have one (`_flags` holds `untitled`: plain text).
    """
    titled = ~pl.col("_flags").fill_null("").str.split("+").list.contains("untitled")
    applies = {"title": titled, "body": pl.lit(True)}
    missing = {role: pl.col(role).is_null() | pl.col(role).str.contains(BLANK) for role in ROLES if role in columns}
    found: dict[str, Rule] = {}
    for role in ("title", "body"):
        if role in columns:
            found[f"{role}_missing"] = Rule(applies[role] & missing[role], pl.lit(f"no visible character in {role}"))
    for role, low, high in (("title", s.title_min, s.title_max), ("body", s.body_min, s.body_max)):
        if role in columns:
            present = applies[role] & ~missing[role]
            n = pl.col(role).fill_null("").str.strip_chars().str.len_chars()
            if low is not None:
                found[f"{role}_short"] = Rule(present & (n < low), pl.format("{} characters, at least {}", n, low))
            if high is not None:
                found[f"{role}_long"] = Rule(present & (n > high), pl.format("{} characters, at most {}", n, high))
    return found


STAGE = Stage("check", ("check",), apply)
