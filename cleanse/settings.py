"""The settings: one frozen dataclass a section, each key with its default, bounds and meaning.

Validated by pydantic only when a config is read (cli/config.py); built in code, they are trusted.
`title_min` of section `check` is `--title-min` on `cleanse check` and `check.title_min` in YAML.
"""

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, MinLen

from cleanse.sampling.targets import ratio
from cleanse.text.codecs import canonical

STRICT = {"extra": "forbid"}  # pydantic's name for it; unknown keys are errors

Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]


def key(default: Any, meaning: str, **more: Any) -> Any:
    """A setting with its default and its meaning, which is also the flag's help and the schema's description."""
    return field(default=default, metadata={"description": meaning, **more})


@dataclass(frozen=True)
class ColumnSettings:
    """Which of the user's columns play the roles. Null: found by name (title 标题 题目 headline …)."""

    __pydantic_config__ = STRICT
    title: str | None = key(None, "column that holds the title", flag="title-col")
    body: str | None = key(None, "column that holds the body", flag="body-col")
    label: str | None = key(None, "column that holds the label", flag="label-col")
    split: str | None = key(None, "column that holds train, validation or test", flag="split-col")


@dataclass(frozen=True)
class RunSettings:
    """How the work is done. Nothing here changes a byte of the result but `seed`, `part_mb` and `row_group_mb`."""

    __pydantic_config__ = STRICT
    seed: Count = key(42, "the one seed of all stages")
    workers: Positive | Literal["auto"] = key("auto", "processes; auto: usable cores, 1 for small input")
    engine: Literal["inline", "processes"] = key("processes", "where the work runs; one worker is always inline")
    part_mb: Annotated[float, Ge(0.25), Le(256)] = key(16.0, "MiB of source that share a part", flag=None)
    row_group_mb: Annotated[float, Ge(1), Le(256)] = key(32.0, "MiB of text per Parquet row group", flag=None)


Repair = Literal[
    "trailing_delim", "empty_surplus", "fold_surplus", "quote_literal", "quote_unescaped", "escape_backslash",
    "delim_alt", "lines_joined", "nul_stripped", "objects_split", "json_trailing_comma", "json_control_char",
    "key_case", "key_alias", "key_duplicate_same",
]  # fmt: skip
Format = Literal["auto", "csv", "tsv", "jsonl", "text", "html", "parquet", "warc"]
Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True)
class DecodeSettings:
    """decode: bytes to UTF-8 records."""

    __pydantic_config__ = STRICT
    format: Format = key("auto", "of every input; auto: magic bytes, suffix, content")
    encoding: str = key("auto", "of every input, any usual label; auto: decided per file")
    text_mode: Literal["file", "line", "paragraph"] = key("file", "what a record of plain text is")
    repair: bool = key(True, "take mojibake back where it is proven; false: only count it")
    declared_col: str | None = key(None, "column with the charset or content type of binary cells")
    max_replaced_share: Share = key(0.03, "of a record's characters that U+FFFD may replace, else damaged")
    min_confidence: Share = key(0.0, "of the decision on an encoding, else undecodable")
    max_record_mb: Annotated[float, Gt(0)] = key(64.0, "MiB; a longer record is rejected as too_large")
    max_expand_ratio: Annotated[float, Gt(1)] = key(300.0, "output / input of a compressed source above 256 MiB")
    max_members: Positive = key(100_000, "members of an archive")
    expect: tuple[str, ...] | None = key(None, "required columns or JSON keys; their order names a file without header")
    delimiter: Annotated[str, MinLen(1)] = key("auto", "of delimited text")
    quote: Annotated[str, MinLen(1)] = key("auto", "of delimited text: a character, auto or none")
    escape: Annotated[str, MinLen(1)] = key("auto", "of a quote within quotes: the quote doubled, \\, auto or none")
    header: Literal["auto", "present", "absent"] = key("auto", "the first line of delimited text")
    refuse: tuple[Repair, ...] = key((), "repairs of records that are not wanted: they have the problem instead")
    max_join_lines: Positive = key(64, "lines that one quoted field may span")

    def __post_init__(self) -> None:
        """An encoding must be one we can read, a delimiter one character, and no quote."""
        if self.encoding != "auto":
            canonical(self.encoding)
        for name, words in (("delimiter", ("auto",)), ("quote", ("auto", "none")), ("escape", ("auto", "none"))):
            value = getattr(self, name)
            if value not in words and (len(value) > 1 or value in "\r\n\0"):
                raise ValueError(f"{name} {value!r} is not one character")
        if self.delimiter == self.quote != "auto":
            raise ValueError(f"delimiter and quote are both {self.quote!r}")


Container = Annotated[str, MinLen(1)]
CONTAINERS = (
    "noscript template iframe noembed noframes textarea select button head title datalist audio video canvas svg"
)
LineRule = Literal["licence", "copyright"]


@dataclass(frozen=True)
class StripSettings:
    """strip: script, markup and boilerplate out of HTML; text that is not HTML stays as it is."""

    __pydantic_config__ = STRICT
    drop: tuple[Container, ...] = key(tuple(CONTAINERS.split()), "elements that go with their content")
    boilerplate: tuple[Container, ...] = key(
        ("nav", "header", "footer", "aside"), "more elements that go with their content"
    )
    lines: tuple[LineRule, ...] = key(("licence", "copyright"), "rules that take whole lines out of HTML")
    title: Literal["fill", "off"] = key("fill", "fill an empty title from <h1> or <title>")


PLACEHOLDERS = (
    "无标题 标题 无题 未命名 未命名文档 新建文档 暂无标题 默认标题 测试 测试标题 untitled title null none nan n/a na "
    "undefined test index home"
)
_OURS = frozenset(
    "columns_permuted role_mismatch title_missing body_missing label_missing title_placeholder title_short title_long "
    "body_short body_long text_replacement text_mojibake text_control text_repeated text_symbols label_unknown "
    "body_over_long untitled roles_unchecked".split()
)


@dataclass(frozen=True)
class OwnRule:
    """A check of the user's: `sql` is true for a bad row, `name` is the reason or the flag."""

    __pydantic_config__ = STRICT
    name: str
    sql: Annotated[str, MinLen(1)]
    severity: Literal["reject", "flag"] = "reject"

    def __post_init__(self) -> None:
        """A name is lower_snake and none of ours; a condition is one that polars reads."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name) or self.name in _OURS:
            raise ValueError(f"rule name {self.name!r} is not lower_snake, or one of cleanse's own")
        import polars as pl  # late: the help needs none

        try:
            pl.sql_expr(self.sql)
        except pl.exceptions.PolarsError as problem:
            raise ValueError(f"rule {self.name}: {str(problem).splitlines()[0]}") from None


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


@dataclass(frozen=True)
class ResampleSettings:
    """resample: even out the classes of the train rows."""

    __pydantic_config__ = STRICT
    method: Literal["none", "under"] = key("none", "under: cut each class to its target")
    target: str = key("equal", "equal: the smallest class; ratio:R: at most smallest / R rows (0 < R <= 1)")
    all_train: bool = key(False, "there is no split column because every row is training data")

    def __post_init__(self) -> None:
        """The target is read where it is used; here it only has to be readable."""
        ratio(self.target)


@dataclass(frozen=True)
class ShardSettings:
    """shard: files of equal size. Takes `count`, or makes files of about `target_mb`."""

    __pydantic_config__ = STRICT
    count: Positive | None = key(None, "shards of the largest split; null: by target_mb")
    target_mb: Annotated[float, Gt(0)] = key(256.0, "MiB of text a shard, where count is null")
    by: Literal["bytes", "rows"] = key("bytes", "what is made even")


@dataclass(frozen=True)
class Settings:
    """All sections. A stage looks only at those that its `STAGE` names."""

    __pydantic_config__ = STRICT
    version: Literal[1] = 1
    columns: ColumnSettings = field(default_factory=ColumnSettings)
    run: RunSettings = field(default_factory=RunSettings)
    decode: DecodeSettings = field(default_factory=DecodeSettings)
    strip: StripSettings = field(default_factory=StripSettings)
    check: CheckSettings = field(default_factory=CheckSettings)
    resample: ResampleSettings = field(default_factory=ResampleSettings)
    shard: ShardSettings = field(default_factory=ShardSettings)
