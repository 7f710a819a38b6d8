"""The section `check`."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Gt, MinLen

from cleanse.settings.base import STRICT, Count, Positive, Share, key

PLACEHOLDERS = (
    "无标题 标题 无题 未命名 未命名文档 新建文档 暂无标题 默认标题 测试 测试标题 untitled title null none nan n/a na "
    "undefined test index home"
)
_OURS = frozenset(
    "columns_permuted role_mismatch title_missing body_missing label_missing title_placeholder title_short title_long "
    "body_short body_long text_replacement text_mojibake text_control text_repeated text_symbols label_unknown "
    "body_over_long untitled roles_unchecked".split()
)


SEVERAL_ROWS = frozenset(  # what polars calls the parts of an expression that look at other rows
    "Agg Any All Correlation CumCount CumMax CumMin CumProd CumSum Diff DropNulls Gather Len Mode NullCount Over "
    "Quantile Range Rank Reverse Shift Unique Window".split()
)

OF_A_CELL = ("Literal", "Column", "StringExpr", "ListExpr", "ArrayExpr", "TemporalExpr", "evaluation")  # and within one


@dataclass(frozen=True)
class OwnRule:
    """A check of the user's: `sql` is true for a bad row, `name` is the reason or the flag."""

    __pydantic_config__ = STRICT
    name: str
    sql: Annotated[str, MinLen(1)]
    severity: Literal["reject", "flag"] = "reject"

    def __post_init__(self) -> None:
        """A name is lower_snake and none of ours; a condition is one that polars reads, on one row."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name) or self.name in _OURS:
            raise ValueError(f"rule name {self.name!r} is not lower_snake, or one of cleanse's own")
        import polars as pl  # late: the help needs none

        try:
            tree = json.loads(pl.sql_expr(self.sql).meta.serialize(format="json"))
        except pl.exceptions.PolarsError as problem:
            raise ValueError(f"rule {self.name}: {str(problem).splitlines()[0]}") from None
        if not _is_of_one_row(tree):
            raise ValueError(f"rule {self.name}: an aggregate or a window, where a condition on one row is wanted")


def _is_of_one_row(tree: Any) -> bool:
    """True for an expression, as polars writes it down, whose value depends on its row alone: a part of a source is not
    all of it, and where it ends is nobody's business.
    """
    if isinstance(tree, list):
        return all(map(_is_of_one_row, tree))
    if isinstance(tree, dict):
        inner = [value for name, value in tree.items() if name not in OF_A_CELL]
        return SEVERAL_ROWS.isdisjoint(tree) and all(map(_is_of_one_row, inner))
    return tree not in SEVERAL_ROWS


@dataclass(frozen=True)
class CheckSettings:
    """check: fields in their columns, titles and bodies of a usable length. Bounds are inclusive."""

    __pydantic_config__ = STRICT
    title_min: Count | None = key(10, "characters; null: no bound")
    title_max: Count | None = key(60, "characters; null: no bound")
    body_min: Count | None = key(50, "characters; null: no bound")
    body_max: Count | None = key(None, "characters; null: no bound")
    title_required: bool = key(True, "false: a missing title is only flagged")
    body_required: bool = key(True, "false: a missing body is only flagged")
    label_required: bool = key(False, "false: a missing label is only flagged")
    placeholders: tuple[str, ...] = key((*PLACEHOLDERS.split(), "no title", "new document"), "titles that are none")
    roles: Literal["auto", "off"] = key("auto", "compare each row with what the columns of the corpus look like")
    permute: Literal["reject", "repair"] = key("reject", "rows whose values changed places: repair moves them back")
    permute_margin: Annotated[float, Gt(0)] = key(6.0, "nats by which another order must be likelier")
    roles_from: str | None = key(None, "a saved roles.json instead of a pass over the corpus")
    over_long: Literal["keep", "reject", "truncate", "split"] = key("keep", "what becomes of an over-long body")
    over_long_limit: Positive | None = key(None, "characters or tokens; null: no limit")
    over_long_unit: Literal["char", "token"] = key("char", "of over_long_limit; token needs tokenizer")
    tokenizer: str | None = key(None, "a tokenizer.json on disk; needs cleanse[tokens]")
    max_replacement_share: Share | None = key(0.02, "of characters that are U+FFFD; null: rule off")
    max_mojibake_share: Share | None = key(0.05, "of characters in known mojibake; null: rule off")
    max_control_share: Share | None = key(0.02, "of control characters; null: rule off")
    max_repeated_share: Share | None = key(0.3, "of characters in runs of ten and more; null: rule off")
    max_symbol_share: Share | None = key(0.5, "of characters that are no letter, digit or blank; null: rule off")
    label_values: tuple[str, ...] | Literal["infer"] | None = key(None, "the labels there are; infer: those met often")
    label_unknown: Literal["reject", "keep"] = key("reject", "keep: an unknown label is only flagged")
    rules: tuple[OwnRule, ...] = key((), "own checks: name, sql (true for a bad row), severity", flag=None)

    def __post_init__(self) -> None:
        """A window that no text fits is a mistake, not a wish to reject all; so are settings that need another."""
        if self.over_long != "keep" and self.over_long_limit is None:
            raise ValueError(f"over_long {self.over_long} needs over_long_limit")
        if self.over_long_unit == "token" and not self.tokenizer:
            raise ValueError("over_long_unit token needs tokenizer")
        names = [rule.name for rule in self.rules]
        if len(set(names)) < len(names):
            raise ValueError("two rules of one name")
        for role in ("title", "body"):
            low, high = getattr(self, f"{role}_min"), getattr(self, f"{role}_max")
            if low is not None and high is not None and low > high:
                raise ValueError(f"{role}_min {low} is above {role}_max {high}")
