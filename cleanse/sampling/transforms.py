"""Transforms of numeric and id-like columns: what each is called, and its parameters from the train rows."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

FORMS = "standardise, minmax, log1p, clip:Q with 0 < Q <= 1, bins:N or hash:N with N >= 2"
Kind = Literal["standardise", "minmax", "log1p", "clip", "bins", "hash"]
PLAIN: dict[str, Kind] = {"standardise": "standardise", "minmax": "minmax", "log1p": "log1p"}
COUNTED: dict[str, Kind] = {"bins": "bins", "hash": "hash"}


@dataclass(frozen=True)
class Transform:
    """`quantile`: of clip, a decimal; `n`: bins or hash values."""

    kind: Kind
    quantile: str = "1"
    n: int = 0


def transform(text: str) -> Transform:
    """A transform from its text. Raises ValueError that names all forms.

    >>> transform("clip:0.999").quantile, transform("bins:10").n
    ('0.999', 10)
    """
    kind, _, rest = text.partition(":")
    if text in PLAIN:
        return Transform(PLAIN[text])
    if kind == "clip":
        try:
            if 0 < Decimal(rest) <= 1:
                return Transform("clip", quantile=rest)
        except ArithmeticError:
            pass  # no number: the error below says so
    if kind in COUNTED and rest.isdecimal() and int(rest) >= 2:
        return Transform(COUNTED[kind], n=int(rest))
    raise ValueError(f"a transform is {FORMS}, got '{text}'")
