"""The settings: one frozen dataclass a section, each key with its default, bounds and meaning.

Validated by pydantic only when a config is read (cli/config.py); built in code, they are trusted.
`title_min` of section `check` is `--title-min` on `cleanse check` and `check.title_min` in YAML.
"""

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

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


Format = Literal["auto", "csv", "tsv", "jsonl", "text", "html", "parquet"]


@dataclass(frozen=True)
class DecodeSettings:
    """decode: bytes to UTF-8 records."""

    __pydantic_config__ = STRICT
    format: Format = key("auto", "of every input; auto: magic bytes, suffix, content")
    encoding: str = key("auto", "of every input, any usual label; auto: decided per file")
    text_mode: Literal["file", "line", "paragraph"] = key("file", "what a record of plain text is")
    repair: bool = key(True, "take mojibake back where it is proven; false: only count it")
    max_record_mb: Annotated[float, Gt(0)] = key(64.0, "MiB; a longer record is rejected as too_large")
    max_expand_ratio: Annotated[float, Gt(1)] = key(300.0, "output / input of a compressed source above 256 MiB")
    expect: tuple[str, ...] | None = key(None, "required columns or JSON keys; their order names a file without header")
    delimiter: Literal["auto", ",", "\t", ";", "|"] = key("auto", "of delimited text")
    max_join_lines: Positive = key(64, "lines that one quoted field may span")

    def __post_init__(self) -> None:
        """An encoding must be one we can read."""
        if self.encoding != "auto":
            canonical(self.encoding)


Container = Annotated[str, MinLen(1)]
CONTAINERS = (
    "noscript template iframe noembed noframes textarea select button head title datalist audio video canvas svg"
)
STRIP_COUNTS = (  # what strip counts besides its line rules
    "controls pre svg raw_text containers boilerplate cut_off instructions source_breaks tags unknown_tags references "
    "space density main html_rows title_filled unterminated capped thin fell_back already_stripped"
).split()
LineRule = Literal["nav_row", "nav_run", "licence", "copyright", "reprint", "share", "label", "code"]


@dataclass(frozen=True)
class StripRule:
    """A rule of the user's own, after the built-in ones, in HTML cells only; counted under its name."""

    __pydantic_config__ = STRICT
    name: str
    pattern: str
    replacement: str = ""

    def __post_init__(self) -> None:
        """A name must be free, a pattern one of Rust's regex: nothing is read before that is known."""
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name) or self.name in (*STRIP_COUNTS, *get_args(LineRule)):
            raise ValueError(f"rule '{self.name}': a name is lower case letters, digits and _, and none of our own")
        import polars as pl  # top-level help builds settings, too, and needs none of it

        try:
            pl.Series([""]).str.replace_all(self.pattern, self.replacement)
        except pl.exceptions.ComputeError as problem:
            said = str(problem).partition("\n\nThis error")[
                0
            ]  # of polars: what was wrong, then where it stands in the query
            raise ValueError(f"rule '{self.name}': {' '.join(said.split())}") from None


@dataclass(frozen=True)
class StripSettings:
    """strip: script, markup and boilerplate out of HTML; text that is not HTML stays as it is."""

    __pydantic_config__ = STRICT
    columns: tuple[str, ...] = key((), "more columns of text, treated like the body")
    drop: tuple[Container, ...] = key(tuple(CONTAINERS.split()), "elements that go with their content")
    boilerplate: tuple[Container, ...] = key(
        ("nav", "header", "footer", "aside"), "more elements that go with their content"
    )
    lines: tuple[LineRule, ...] = key(get_args(LineRule), "rules that take whole lines out of HTML")
    references: Literal["html", "row", "all"] = key("row", "where &amp; decodes in a cell without a tag")
    title: Literal["fill", "off"] = key("fill", "fill an empty title from <h1> or <title>")
    density: bool = key(False, "keep only headings and lines of prose, with the lines between")
    main: bool = key(False, "keep only the first <article> or <main> of more than 2,000 characters")
    extractor: Literal["regex", "resiliparse", "trafilatura"] = key("regex", "others: extra `extract`; body only")
    thin_below: Annotated[float, Ge(0), Le(1)] = key(0.05, "share of letters kept below which a row is flagged thin")
    max_fallback: Count = key(1_000_000, "characters; in longer rows tags of unknown names stay")
    rules: tuple[StripRule, ...] = key((), "own rules: name, pattern (Rust regex), replacement", flag=None)

    def __post_init__(self) -> None:
        """Elements are part of a pattern; two rules of one name could not be told apart in the ledger."""
        for element in (*self.drop, *self.boilerplate):
            if not re.fullmatch("[A-Za-z][A-Za-z0-9-]*", element):
                raise ValueError(f"'{element}' is no name of an element")
        names = [rule.name for rule in self.rules]
        if len(set(names)) < len(names):
            raise ValueError(f"two rules have one name: {', '.join(names)}")


@dataclass(frozen=True)
class CheckSettings:
    """check: fields in their columns, titles and bodies of a usable length. Bounds are inclusive."""

    __pydantic_config__ = STRICT
    title_min: Count | None = key(10, "characters; null: no bound")
    title_max: Count | None = key(60, "characters; null: no bound")
    body_min: Count | None = key(50, "characters; null: no bound")
    body_max: Count | None = key(None, "characters; null: no bound")

    def __post_init__(self) -> None:
        """A window that no text fits is a mistake, not a wish to reject all."""
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
