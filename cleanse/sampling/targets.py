"""How many rows each class shall have: exact whole numbers from class counts."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

Counts = Mapping[str, int]  # label → train rows, each >= 1

MIX = ("temperature", "unimax")
REPEAT_WORTH = 15.387756  # R*: Muennighoff et al. 2023, how fast repeated text loses its worth
MIX_REPEATS = 4  # epochs of a class in a mix, unless `max_repeats` says otherwise: worth 93 % of fresh rows
_PAIR = re.compile(r"(.+?)=(\d+)(?:,|$)")  # of `counts:`; a label may hold `=` and `,`
_FORMS = "equal, ratio:R with 0 < R <= 1, counts:LABEL=N,…, temperature:A with 0 <= A <= 1 or unimax:CAP"


@dataclass(frozen=True)
class Target:
    """What a user asked for. `value`: R, A or CAP, an exact decimal; `counts`: rows by label."""

    kind: Literal["equal", "ratio", "counts", "temperature", "unimax"]
    value: Fraction = Fraction(1)
    counts: Counts = field(default_factory=dict)


def parse(text: str) -> Target:
    """A target from its text. Raises ValueError that names all forms.

    >>> parse("ratio:0.1").value
    Fraction(1, 10)
    >>> parse("counts:a=b,c=5,d=2").counts
    {'a=b,c': 5, 'd': 2}
    """
    kind, _, rest = text.partition(":")
    if text == "equal":
        return Target("equal")
    if kind == "counts" and rest and not _PAIR.sub("", rest):
        return Target("counts", counts={label: int(n) for label, n in _PAIR.findall(rest)})
    try:
        value = Fraction(Decimal(rest))
    except (ArithmeticError, ValueError, OverflowError):
        value = Fraction(-1)
    if kind == "ratio" and 0 < value <= 1:
        return Target("ratio", value)
    if kind == "temperature" and 0 <= value <= 1:
        return Target("temperature", value)
    if kind == "unimax" and value >= 1:
        return Target("unimax", value)
    raise ValueError(f"target is {_FORMS}, got '{text}'")


def under(counts: Counts, target: Target) -> dict[str, int]:
    """Rows each class keeps when it is cut: at most ⌊smallest / R⌋ (or what `counts` says), never more than it has.

    >>> under({"a": 100, "b": 3}, parse("ratio:0.1"))
    {'a': 30, 'b': 3}
    """
    cap = math.floor(min(counts.values(), default=0) / target.value)
    return {label: min(n, target.counts.get(label, n if target.counts else cap)) for label, n in counts.items()}


def over(counts: Counts, target: Target, max_repeats: int | None = None) -> dict[str, int]:
    """Rows each class has when it is raised: at least ⌈R · largest⌉, at most `max_repeats` times what it has.

    >>> over({"a": 10, "b": 1}, parse("ratio:0.1")), over({"a": 100, "b": 1}, parse("equal"), 4)
    ({'a': 10, 'b': 1}, {'a': 100, 'b': 4})
    """
    floor = math.ceil(max(counts.values(), default=0) * target.value)
    wanted = {label: max(n, target.counts.get(label, n if target.counts else floor)) for label, n in counts.items()}
    return (
        wanted if max_repeats is None else {label: min(wanted[label], n * max_repeats) for label, n in counts.items()}
    )


def mix(counts: Counts, target: Target, budget: int, max_repeats: int | None) -> dict[str, int]:
    """Rows of each class within a budget: by temperature (p ∝ n^A) or unimax, whole by largest remainder.

    `max_repeats`: epochs of a class; None: CAP of unimax, MIX_REPEATS of a temperature. Unimax: Chung et al. 2023.

    >>> mix({"zh": 8000, "en": 1000, "ja": 100}, parse("unimax:4"), 9000, None)
    {'zh': 4600, 'en': 4000, 'ja': 400}
    """
    if target.kind == "temperature":
        cap = max_repeats or MIX_REPEATS
        return over_cap(whole(temperature(counts, target.value, budget)), counts, cap)
    return over_cap(whole(unimax(counts, target.value, budget)), counts, max_repeats)


def over_cap(wanted: Counts, counts: Counts, cap: int | None) -> dict[str, int]:
    """The wanted rows, each class at most `cap` times what it has."""
    return {label: n if cap is None else min(n, counts[label] * cap) for label, n in wanted.items()}


def temperature(counts: Counts, a: Fraction, budget: int) -> dict[str, Fraction]:
    """budget · n^A / Σ n^A of each class; A 1 is as it is, 0 is even. There is no brake on repeats in it."""
    exponent = Decimal(a.numerator) / Decimal(a.denominator)
    weight = {label: Fraction(Decimal(n) ** exponent) for label, n in counts.items()}
    total = sum(weight.values())
    return {label: budget * w / total for label, w in weight.items()}


def unimax(counts: Counts, cap: Fraction, budget: int) -> dict[str, Fraction]:
    """Smallest class first (ties by label): each takes min(rest / classes left, n · cap), the rest flows on."""
    left, shares = Fraction(budget), dict.fromkeys(counts, Fraction(0))
    order = sorted(counts, key=lambda label: (counts[label], label))
    for number, label in enumerate(order):
        shares[label] = min(left / (len(order) - number), counts[label] * cap)
        left -= shares[label]
    return shares


def whole(shares: Mapping[str, Fraction]) -> dict[str, int]:
    """Whole rows with the same sum, by largest remainder, ties by label.

    >>> whole({"a": Fraction(1, 2), "b": Fraction(3, 2)})
    {'a': 1, 'b': 1}
    """
    rows = {label: math.floor(share) for label, share in shares.items()}
    spare = round(sum(shares.values()) - sum(rows.values()))
    for label in sorted(shares, key=lambda label: (rows[label] - shares[label], label))[:spare]:
        rows[label] += 1
    return rows


def worth(rows: int, epochs: Fraction) -> float:
    """How many fresh rows `epochs` of `rows` are worth: U + U·R*·(1 − e^(−(epochs − 1)/R*)), U·epochs below one epoch.

    >>> round(worth(1000, Fraction(4)), 4)
    3725.6731
    """
    if epochs <= 1:
        return float(rows * epochs)
    return rows + rows * REPEAT_WORTH * -math.expm1(-(float(epochs) - 1) / REPEAT_WORTH)


class Draws(NamedTuple):
    """Which blocks are made up: `numbers` of those of `rows` rows each, `n_new` in all; the last may be shorter."""

    n_new: int
    rows: int
    numbers: range

    def wanted(self, number: int) -> int:
        """Rows of a block.

        >>> Draws(20, 8, range(3)).wanted(2)
        4
        """
        return min(self.rows, self.n_new - self.rows * number)
