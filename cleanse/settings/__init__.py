"""The settings: one frozen dataclass a section, each key with its default, bounds and meaning.

Validated by pydantic only when a config is read (cli/config.py); built in code, they are trusted.
`title_min` of section `check` is `--title-min` on `cleanse check` and `check.title_min` in YAML.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from cleanse.measures.thresholds import THRESHOLDS, Limits
from cleanse.sampling.features import Features
from cleanse.sampling.splitting import shares
from cleanse.sampling.targets import MIX, parse
from cleanse.sampling.transforms import transform
from cleanse.settings.base import STRICT, Count, Positive, key
from cleanse.settings.check import CheckSettings as CheckSettings
from cleanse.settings.check import OwnRule as OwnRule
from cleanse.settings.decode import DecodeSettings as DecodeSettings
from cleanse.settings.judging import BOUNDS as BOUNDS
from cleanse.settings.judging import DEFAULT_GATES
from cleanse.settings.judging import GateSettings as GateSettings
from cleanse.settings.judging import ReportSettings as ReportSettings
from cleanse.settings.strip import STRIP_COUNTS as STRIP_COUNTS
from cleanse.settings.strip import StripRule as StripRule
from cleanse.settings.strip import StripSettings as StripSettings


@dataclass(frozen=True)
class ColumnSettings:
    """Which of the user's columns play the roles. Null: found by name (title 标题 题目 headline …)."""

    __pydantic_config__ = STRICT
    title: str | None = key(None, "column that holds the title", flag="title-col")
    body: str | None = key(None, "column that holds the body", flag="body-col")
    label: str | None = key(None, "column that holds the label", flag="label-col")
    split: str | None = key(None, "column that holds train, validation or test", flag="split-col")
    group: str | None = key(None, "column whose equal values must stay in one split", flag="group-col")
    tokens: str | None = key(None, "column that counts the tokens of the body", flag="tokens-col")


@dataclass(frozen=True)
class RunSettings:
    """How the work is done. Nothing here changes a byte of the result but `seed`, `skip`, `part_mb`, `row_group_mb`."""

    __pydantic_config__ = STRICT
    seed: Count = key(42, "the one seed of all stages")
    workers: Positive | Literal["auto"] = key("auto", "processes; auto: cores that fit in memory, 1 for small input")
    engine: Literal["inline", "processes", "ray"] = key("processes", "where the work runs; one worker is always inline")
    ray_address: str | None = key(None, "of a running Ray cluster, HOST:PORT; engine ray needs it")
    memory_limit: Positive | Literal["auto"] = key("auto", "MiB for all processes; auto: 60 % of what is available")
    skip: tuple[Literal["strip", "check", "skew", "resample"], ...] = key((), "stages that pass all rows on untouched")
    keep_stages: bool = key(True, "leave the Parquet of every stage in OUT/stages")
    verify: bool = key(False, "hash files again before they count as done")
    part_mb: Annotated[float, Ge(0.25), Le(256)] = key(16.0, "MiB of source that share a part", flag=None)
    row_group_mb: Annotated[float, Ge(1), Le(256)] = key(32.0, "MiB of text per Parquet row group", flag=None)

    def __post_init__(self) -> None:
        """A cluster is never guessed: the address of one that is gone would break the next run."""
        if self.engine == "ray" and not self.ray_address:
            raise ValueError("engine ray needs ray_address")


ShardCount = Annotated[int, Ge(1), Le(4096)]


@dataclass(frozen=True)
class SkewSettings:
    """skew: how uneven classes, lengths, features and shards are, and what it costs. Changes no row."""

    __pydantic_config__ = STRICT
    keys: tuple[str, ...] = key((), "columns for hot keys and plans", flag="key-col")
    features: tuple[str, ...] = key((), "columns of numbers or categories to look at", flag="feature")
    shard_by: str = key("input", "what a shard is: input (the source), part, column:NAME or hash:COLUMN:N")
    plan_shards: tuple[ShardCount, ...] = key((8, 16, 64), "numbers of shards that a key is planned for")
    limits: tuple[Positive, ...] = key((512, 1024, 2048, 4096, 8192), "context limits, tokens or characters")
    batch: Positive = key(32, "rows of a training batch")
    windows: tuple[Positive, ...] = key((512, 2048), "windows that rows are packed into")
    hill_k: Positive | None = key(None, "rows of the tail; null: 1 %, at least 10")
    workers: Positive | None = key(None, "workers that would share the shards", flag="workers-plan")
    keys_cap: Positive = key(200_000, "keys in keys.parquet, the heaviest", flag=None)
    keys_top: Positive = key(100, "keys in skew.json", flag=None)
    labels_cap: Positive = key(10_000, "more labels than that are no classes", flag=None)
    thresholds: dict[str, Limits] = field(
        default_factory=dict, metadata={"description": "finding: [notice, warn, severe]; null: never", "flag": None}
    )

    def __post_init__(self) -> None:
        """A finding has a known name, a way to shard a known form."""
        unknown = sorted(self.thresholds.keys() - THRESHOLDS.keys())
        if unknown:
            raise ValueError(f"no finding is called {', '.join(unknown)}; there are {', '.join(THRESHOLDS)}")
        kind, _, rest = self.shard_by.partition(":")
        n = rest.rpartition(":")[2] if kind == "hash" else "1"
        named = bool(rest.rpartition(":")[0] if kind == "hash" else rest) == (kind in ("column", "hash"))
        if kind not in ("input", "part", "column", "hash") or not named or not (n.isdecimal() and 0 < int(n) <= 4096):
            raise ValueError(
                f"shard_by is input, part, column:NAME or hash:COLUMN:N (1 to 4096), got '{self.shard_by}'"
            )


@dataclass(frozen=True)
class ResampleSettings:
    """resample: even out the classes of the train rows. Other splits pass untouched, always."""

    __pydantic_config__ = STRICT
    method: Literal["none", "weights", "under", "over", "mix", "smote"] = key("none", "what becomes of the train rows")
    target: str = key("equal", "equal, ratio:R, counts:LABEL=N,…; of mix temperature:A or unimax:CAP")
    budget: Positive | None = key(None, "rows of a mix; null: as many as there are")
    max_repeats: Positive | None = key(None, "times a row may appear; null: 4 in a temperature mix, else no bound")
    make_split: str | None = key(None, "shares of train, validation, test (0.9,0.05,0.05) to write as column split")
    all_train: bool = key(False, "there is no split column because every row is training data")
    features: str | None = key(None, "vectors of smote: svd, embedding:COLUMN, cols:A,B or mixed:A,B")
    under_kind: Literal["random", "nearmiss1", "nearmiss2", "nearmiss3", "tomek", "enn", "cluster"] = key(
        "random", "which rows of a class go: by the seed, or by a cleaning sampler on `features`"
    )
    floor: Count = key(0, "rows below which no cleaning sampler takes a class")
    pool_rows: Annotated[int, Ge(100)] = key(50_000, "train rows that a cleaning sampler sees at once", flag=None)
    k_neighbors: Annotated[int, Ge(1), Le(64)] = key(5, "neighbours that smote draws between")
    small_class: Literal["error", "shrink", "copy"] = key("error", "a class of fewer than k + 1 different vectors")
    kind: Literal["smote", "borderline", "adasyn"] = key(
        "smote",
        "where smote makes rows up; borderline, adasyn: near the other classes, of which neighbour_rows rows enter "
        "memory, and no parents are told",
    )
    even: bool = key(False, "smote: use each row as a parent equally often")
    renormalise: bool = key(False, "smote: bring made-up vectors to length 1")
    neighbour_rows: Positive = key(
        50_000, "rows of a class, and around it, among which neighbours are sought", flag=None
    )
    svd_dim: Annotated[int, Ge(2), Le(1024)] = key(128, "dimensions of svd")
    svd_fit_rows: Positive = key(50_000, "train rows that svd is fitted on", flag=None)
    block_rows: Positive = key(8192, "made-up rows of one draw", flag=None)
    memory_mb: Positive = key(2048, "MiB that vectors may take")
    transforms: dict[str, str] = field(
        default_factory=dict,
        metadata={
            "description": "column: standardise, minmax, log1p, clip:Q, bins:N or hash:N, as a new column",
            "flag": None,
        },
    )

    def __post_init__(self) -> None:
        """Target, split shares and features are read where they are used; here they only have to be readable."""
        mixed = parse(self.target).kind in MIX
        if mixed != (self.method == "mix") and (mixed or self.target != "equal"):
            raise ValueError(
                f"a target {self.target} is not for method {self.method}: temperature and unimax are of mix"
            )
        if self.method == "mix" and not mixed:
            raise ValueError("method mix needs a target temperature:A or unimax:CAP")
        if self.make_split is not None:
            shares(self.make_split)
        if self.features is not None:
            mixed_features = Features.parse(self.features).kind == "mixed"
            if self.kind != "smote" and (mixed_features or self.even):
                raise ValueError(f"kind {self.kind} draws between numbers as it likes: neither mixed features nor even")
        for how in self.transforms.values():
            transform(how)


@dataclass(frozen=True)
class ShardSettings:
    """shard: files of equal size. Takes `count`, or makes files of about `target_mb`."""

    __pydantic_config__ = STRICT
    count: Positive | None = key(None, "shards of the largest split; null: by target_mb")
    target_mb: Annotated[float, Gt(0)] = key(256.0, "MiB of text a shard, where count is null")
    by: Literal["rows", "bytes", "tokens"] | None = key(None, "what is made even; null: tokens if mapped, else bytes")
    batch: Positive = key(32, "rows of a training batch, for order length")
    order: Literal["shuffle", "input", "length"] = key(
        "shuffle", "of the rows: by the seed, as read, or in even batches"
    )
    salt: bool = key(False, "cut a key that is too large for one shard in pieces")
    slack: Annotated[float, Ge(0)] = key(0.25, "room above an even load before a key is cut")
    placement: Literal["lpt", "ring"] = key(
        "lpt", "of keys: the most even one, or one that few keys leave when N grows"
    )
    key: str | None = key(None, "column whose equal values stay together")  # the last: it hides the function

    def __post_init__(self) -> None:
        """One of `count` and `target_mb`."""
        if self.count is not None and self.target_mb != 256:
            raise ValueError("count and target_mb are two answers to one question: give one")


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
    skew: SkewSettings = field(default_factory=SkewSettings)
    resample: ResampleSettings = field(default_factory=ResampleSettings)
    shard: ShardSettings = field(default_factory=ShardSettings)
    baseline: str | None = None  # a run folder or a metrics.json to compare with
    gates: tuple[GateSettings, ...] = DEFAULT_GATES
    report: ReportSettings = field(default_factory=ReportSettings)
