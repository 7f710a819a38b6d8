"""How many rows each class shall have: exact whole numbers from class counts."""

from collections.abc import Mapping
from fractions import Fraction


def ratio(target: str) -> Fraction:
    """The ratio R of a target, 0 < R <= 1: `equal` is 1, `ratio:0.1` is exactly 1/10. Raises ValueError otherwise.

    >>> ratio("ratio:0.1")
    Fraction(1, 10)
    """
    if target == "equal":
        return Fraction(1)
    kind, _, value = target.partition(":")
    try:
        found = Fraction(value)
    except (ValueError, ZeroDivisionError):
        found = Fraction(0)
    if kind != "ratio" or not 0 < found <= 1:
        raise ValueError(f"target is equal or ratio:R with 0 < R <= 1, got '{target}'")
    return found


def under(counts: Mapping[str, int], target: str) -> dict[str, int]:
    """Rows each class keeps when it is cut: at most ⌊smallest / R⌋, and never more than it has.

    `counts`: label → train rows, each >= 1.

    >>> under({"a": 100, "b": 3}, "ratio:0.1")
    {'a': 30, 'b': 3}
    """
    cap = min(counts.values(), default=0) / ratio(target)
    return {label: min(n, cap.numerator // cap.denominator) for label, n in counts.items()}
