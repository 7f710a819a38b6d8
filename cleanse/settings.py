"""The settings: one frozen dataclass a section, each key with its default, bounds and meaning.

Validated by pydantic only when a config is read (cli/config.py); built in code, they are trusted.
`title_min` of section `check` is `--title-min` on `cleanse check` and `check.title_min` in YAML.
"""

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


Share = Annotated[float, Ge(0)]
BOUNDS = ("min", "max", "max_increase", "max_decrease", "max_change")


@dataclass(frozen=True)
class GateSettings:
    """One limit on one number of metrics.json. All bounds are inclusive; at least one is given."""

    __pydantic_config__ = STRICT
    metric: str  # a name of metrics.json
    min: float | None = key(None, "smallest number that passes")
    max: float | None = key(None, "largest number that passes")
    max_increase: Share | None = key(None, "rise against the baseline, relative: 0.05 is 5 %")
    max_decrease: Share | None = key(None, "fall against the baseline, relative")
    max_change: Share | None = key(None, "change against the baseline in either direction, absolute")
    severity: Literal["error", "warn"] = key("error", "what a miss counts as")
    if_missing: Literal["fail", "skip"] = key("fail", "what it is when the number was not measured")
    why: str | None = key(None, "shown with the result")

    def __post_init__(self) -> None:
        """A gate without a bound, or whose window no number fits, is a mistake."""
        if all(getattr(self, bound) is None for bound in BOUNDS):
            raise ValueError(f"no bound on {self.metric}: give one of {', '.join(BOUNDS)}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")


DEFAULT_GATES = (
    GateSettings("rows.reject_rate", max=0.5, severity="warn", if_missing="skip"),
    GateSettings("decode.replaced_rate", max=0.001, severity="warn", if_missing="skip"),
    GateSettings("skew.classes.majority.share", max=0.9, severity="warn", if_missing="skip"),
)


@dataclass(frozen=True)
class ReportSettings:
    """report.html: how much of the data it shows, and in which language it opens."""

    __pydantic_config__ = STRICT
    samples: Annotated[int, Ge(0), Le(5000)] = key(200, "rows in the before/after viewer")
    excerpt: Annotated[int, Ge(20), Le(10000)] = key(600, "characters of text per sample", flag=None)
    lang: Literal["auto", "en", "zh-CN"] = key("auto", "language it opens in; auto: that of --lang", flag=None)
    redact: bool = key(False, "mask personal data in samples")
    title: str | None = key(None, "heading; null: the name of the run folder", flag=None)
    max_labels: Positive = key(30, "labels shown before the rest is summed up", flag=None)
    max_shards: Positive = key(40, "sources shown before the rest is summed up", flag=None)


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
    baseline: str | None = None  # a run folder or a metrics.json to compare with
    gates: tuple[GateSettings, ...] = DEFAULT_GATES
    report: ReportSettings = field(default_factory=ReportSettings)
