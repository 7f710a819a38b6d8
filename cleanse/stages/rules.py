"""The rules of `check` for rows whose fields are in place: reason → what is bad, in order of precedence."""

from collections.abc import Mapping, Sequence

import polars as pl

from cleanse.settings import CheckSettings
from cleanse.stage import Rule
from cleanse.stages import damage
from cleanse.table import ROLES, TEXTS
from cleanse.text.visible import BLANK

EDGES = r"^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$"
LINK = r"(?i)^(?:https?://|ftp://|www\.)\S+$"
REQUIRED = ("title", "body", "label")


def measured(frame: pl.DataFrame, s: CheckSettings) -> pl.DataFrame:
    """The rows with what the rules ask more than once: `_missing_ROLE`, `_chars_ROLE`, shares of damaged text."""
    roles = [role for role in ROLES if role in frame.columns]
    texts = [role for role in TEXTS if role in roles]
    damaged = damage.shares(frame, texts, s) if texts else {}
    return frame.with_columns(
        *((pl.col(role).is_null() | pl.col(role).str.contains(BLANK)).alias(f"_missing_{role}") for role in roles),
        *(pl.col(role).fill_null("").str.strip_chars().str.len_chars().alias(f"_chars_{role}") for role in texts),
        *(share.alias(f"_share_{reason}") for reason, (share, _) in damaged.items()),
    )


def rejecting(s: CheckSettings, frame: pl.DataFrame, words: Sequence[str] | None) -> dict[str, Rule]:
    """The rules that reject, for a table from `measured`. `words`: the labels there are, None for any.

    Rules of a role that the corpus does not have are off, and title rules for records that cannot have one.
    """
    columns = frozenset(frame.columns)
    found = {f"{role}_missing": rule for role, rule in _missing(s, columns).items() if getattr(s, f"{role}_required")}
    if "title" in columns:
        found["title_placeholder"] = Rule(
            _has("title") & _placeholder(s), pl.format("'{}' is no title", _start("title"))
        )
    found |= _lengths(s, columns)
    limits = {
        name: getattr(s, f"max_{name.removeprefix('text_').removesuffix('s')}_share") for name in _damaged(columns)
    }
    for reason, limit in limits.items():
        share = pl.col(f"_share_{reason}")
        found[reason] = Rule(
            share > limit, pl.format("{} of the characters, at most {}", share.round(3), pl.lit(limit))
        )
    if words is not None and "label" in columns and s.label_unknown == "reject":
        found["label_unknown"] = Rule(_unknown(words), pl.format("'{}' is none of the labels", _start("label")))
    return found


def own(s: CheckSettings, severity: str) -> dict[str, Rule]:
    """The user's rules of one severity."""
    return {
        rule.name: Rule(pl.sql_expr(rule.sql), pl.lit(rule.sql)) for rule in s.rules if rule.severity == severity
    }  # fmt: skip


def flagging(s: CheckSettings, frame: pl.DataFrame, words: Sequence[str] | None) -> dict[str, pl.Expr]:
    """What is noticed in rows that are kept: flag → condition."""
    columns = frozenset(frame.columns)
    found = {f"{role}_missing": rule.bad for role, rule in _missing(s, columns).items()}
    if words is not None and "label" in columns:
        found["label_unknown"] = _unknown(words)
    return found | {name: rule.bad for name, rule in own(s, "flag").items()}


def _damaged(columns: frozenset[str]) -> list[str]:
    order = ("text_replacement", "text_mojibake", "text_control", "text_repeated", "text_symbols")
    return [reason for reason in order if f"_share_{reason}" in columns]


def _titled() -> pl.Expr:
    """False for records that cannot have a title: plain text."""
    return ~pl.col("_flags").fill_null("").str.split("+").list.contains("untitled")


def _has(role: str) -> pl.Expr:
    return ~pl.col(f"_missing_{role}") & (_titled() if role == "title" else True)


def _start(role: str) -> pl.Expr:
    return pl.col(role).str.strip_chars().str.head(40)


def _missing(s: CheckSettings, columns: frozenset[str]) -> dict[str, Rule]:
    return {
        role: Rule(
            pl.col(f"_missing_{role}") & (_titled() if role == "title" else True),
            pl.lit(f"no visible character in {role}"),
        )
        for role in REQUIRED
        if role in columns
    }


def _placeholder(s: CheckSettings) -> pl.Expr:
    """A title that is one of the placeholders, holds no letter, or is nothing but a link."""
    bare = pl.col("title").str.strip_chars().str.to_lowercase().str.replace_all(EDGES, "")
    listed = [word.strip().lower() for word in s.placeholders]
    link = pl.col("title").str.strip_chars().str.contains(LINK)
    return bare.is_in([*listed, ""]) | ~pl.col("title").str.contains(r"\p{L}") | link


def _lengths(s: CheckSettings, columns: frozenset[str]) -> Mapping[str, Rule]:
    found = {}
    for role in TEXTS:
        if role in columns:
            n, low, high = pl.col(f"_chars_{role}"), getattr(s, f"{role}_min"), getattr(s, f"{role}_max")
            if low is not None:
                found[f"{role}_short"] = Rule(_has(role) & (n < low), pl.format("{} characters, at least {}", n, low))
            if high is not None:
                found[f"{role}_long"] = Rule(_has(role) & (n > high), pl.format("{} characters, at most {}", n, high))
    return found


def _unknown(words: Sequence[str]) -> pl.Expr:
    return ~pl.col("_missing_label") & ~pl.col("label").str.strip_chars().is_in([word.strip() for word in words])
