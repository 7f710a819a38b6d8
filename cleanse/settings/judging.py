"""The sections `gates` and `report`: what judges and tells a run. No stage looks at them."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from cleanse.settings.base import STRICT, Positive, key

Factor = Annotated[float, Ge(0)]
BOUNDS = ("min", "max", "max_increase", "max_decrease", "max_change")


@dataclass(frozen=True)
class GateSettings:
    """One limit on one number of metrics.json. All bounds are inclusive; at least one is given."""

    __pydantic_config__ = STRICT
    metric: str  # a name of metrics.json
    min: float | None = key(None, "smallest number that passes")
    max: float | None = key(None, "largest number that passes")
    max_increase: Factor | None = key(None, "rise against the baseline, relative: 0.05 is 5 %")
    max_decrease: Factor | None = key(None, "fall against the baseline, relative")
    max_change: Factor | None = key(None, "change against the baseline in either direction, absolute")
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
