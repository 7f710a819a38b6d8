"""The verdict: numbers and limits in, results out. Pure: no file, no clock, no screen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cleanse.report.names import measured_when
from cleanse.settings import BOUNDS, GateSettings

Metrics = Mapping[str, int | float]
Result = Literal["fail", "warn", "skip", "pass"]
RESULTS: tuple[Result, ...] = ("fail", "warn", "skip", "pass")  # in the order in which they are shown
RELATIVE = ("max_increase", "max_decrease", "max_change")  # bounds that need a baseline
EMPTY = GateSettings("rows.out", min=1, if_missing="skip")  # an empty result is never training data
BUILT_IN = "built-in"


@dataclass(frozen=True)
class Limits:
    """What to judge by. `places`: where each gate stands; `baseline`: a run folder or a metrics.json."""

    gates: Sequence[GateSettings]
    places: Sequence[str]
    baseline: str | None = None
    fail_on: Literal["error", "warn", "never"] = "error"
    allow_empty: bool = False


@dataclass(frozen=True)
class Judged:
    """One gate and what came of it. `observed`: null when it was not measured; `where`: file:line of the limit."""

    metric: str
    observed: int | float | None
    limit: Mapping[str, float]
    baseline: int | float | None
    severity: str
    result: Result
    where: str
    why: str | None
    note: str

    @property
    def missed(self) -> bool:
        """True for a limit that was not kept."""
        return self.result in ("fail", "warn")

    @property
    def limits(self) -> str:
        """`max 0.1`, as in the settings."""
        return " ".join(f"{bound} {number(value)}" for bound, value in self.limit.items())


@dataclass(frozen=True)
class Verdict:
    """All gates: failed first, then warned, skipped, passed, each in the order of the config."""

    gates: tuple[Judged, ...]
    baseline: str | None = None

    def count(self, result: Result) -> int:
        """Gates with this result."""
        return sum(gate.result == result for gate in self.gates)

    @property
    def word(self) -> str:
        """`passed`, `warned` or `failed`."""
        return "failed" if self.count("fail") else "warned" if self.count("warn") else "passed"

    def as_json(self) -> dict[str, Any]:
        """The tree of gate.json."""
        counts = {"failed": "fail", "warned": "warn", "skipped": "skip", "passed": "pass"}
        found = Counter(gate.result for gate in self.gates)
        return {
            "schema_version": 1,
            "verdict": self.word,
            **{name: found[result] for name, result in counts.items()},  # type: ignore[index]  # the four results
            "baseline": self.baseline,
            "gates": [asdict(gate) for gate in self.gates],
        }


def verdict_of(tree: Mapping[str, Any]) -> Verdict:
    """The verdict that a gate.json tells of."""
    return Verdict(tuple(Judged(**gate) for gate in tree["gates"]), tree["baseline"])


def number(value: int | float) -> str:
    """As many digits as are needed to see why: 0.1004 is not 0.1.

    >>> number(0.1004), number(5.0), number(201288)
    ('0.1004', '5', '201288')
    """
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def judge(
    metrics: Metrics,
    gates: Sequence[GateSettings],
    places: Sequence[str],
    then: Metrics | None = None,
    *,
    baseline: str | None = None,
    allow_empty: bool = False,
) -> Verdict:
    """The verdict on `metrics`. `places`: where each gate stands; `then`: the numbers of the baseline."""
    own = [] if allow_empty else [_judged(EMPTY, BUILT_IN, metrics, None)]
    found = [*own, *(_judged(gate, place, metrics, then) for gate, place in zip(gates, places, strict=True))]
    return Verdict(tuple(sorted(found, key=lambda gate: RESULTS.index(gate.result))), baseline)


def exit_code(verdict: Verdict, fail_on: Literal["error", "warn", "never"]) -> int:
    """1 when the data is not good enough, else 0. An empty result is 1 whatever `fail_on` says."""
    if any(gate.where == BUILT_IN and gate.result == "fail" for gate in verdict.gates):
        return 1
    counted = {"error": ("failed",), "warn": ("failed", "warned"), "never": ()}[fail_on]
    return int(verdict.word in counted)


def bounds(gate: GateSettings) -> dict[str, float]:
    """The bounds that a gate has."""
    return {bound: value for bound in BOUNDS if (value := getattr(gate, bound)) is not None}


def _judged(gate: GateSettings, place: str, metrics: Metrics, then: Metrics | None) -> Judged:
    limit = bounds(gate)
    now, before = observed(metrics, gate.metric), observed(then, gate.metric) if then is not None else None
    result, note = _result(gate, limit, now, before, has_baseline=then is not None)
    shown = before if any(bound in RELATIVE for bound in limit) else None
    return Judged(gate.metric, now, limit, shown, gate.severity, result, place, gate.why, note)


def observed(metrics: Metrics, name: str) -> int | float | None:
    """The number of that name; 0 for a reason, encoding or label that did not occur; None when not measured."""
    if name in metrics:
        return metrics[name]
    measured = measured_when(name)
    return 0 if measured and measured in metrics else None


def _result(
    gate: GateSettings, limit: Mapping[str, float], now: float | None, then: float | None, *, has_baseline: bool
) -> tuple[Result, str]:
    if now is None and gate.metric.startswith("drift.") and not has_baseline:
        return "skip", "no baseline"
    missed: Result = "fail" if gate.severity == "error" else "warn"
    if now is None:
        return ("skip" if gate.if_missing == "skip" else missed), "not measured"
    notes = [_missed(bound, value, now, then) for bound, value in limit.items()]
    if any(notes):
        return missed, "; ".join(note for note in notes if note)
    if then is None and any(bound in RELATIVE for bound in limit):
        return "skip", "not in the baseline" if has_baseline else "no baseline"
    return "pass", ""


def _missed(bound: str, limit: float, now: float, then: float | None) -> str:
    """Why a bound is missed, or nothing. A bound that needs a baseline which is not there is not missed."""
    if bound == "min":
        return f"{number(now)} is below {number(limit)}" if now < limit else ""
    if bound == "max":
        return f"{number(now)} is above {number(limit)}" if now > limit else ""
    if then is None:
        return ""
    if bound == "max_change":
        return f"{number(now)} is {number(abs(now - then))} away from {number(then)}" if abs(now - then) > limit else ""
    change = (now - then) if bound == "max_increase" else (then - now)
    if change <= 0 or (then and change / abs(then) <= limit):
        return ""
    share = f"{number(change / abs(then))} of it " if then else ""
    return f"{number(now)} is {share}{'above' if bound == 'max_increase' else 'below'} {number(then)} before"
