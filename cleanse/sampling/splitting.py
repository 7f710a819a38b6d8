"""Train, validation and test from a draw: which share of all draws each of them takes."""

from decimal import Decimal
from fractions import Fraction

NAMES = ("train", "validation", "test")


def shares(text: str) -> list[Fraction]:
    """Two or three shares that sum to 1, exact decimals. Raises ValueError.

    >>> shares("0.9,0.05,0.05")[1]
    Fraction(1, 20)
    """
    try:
        found = [Fraction(Decimal(part.strip())) for part in text.split(",")]
    except (ArithmeticError, ValueError, OverflowError):
        found = []
    if len(found) not in (2, 3) or sum(found) != 1 or min(found) <= 0:
        raise ValueError(f"two or three shares above 0 with sum 1, like 0.9,0.05,0.05, got '{text}'")
    return found


def bounds(parts: list[Fraction], space: int) -> list[tuple[str, int]]:
    """(split, first draw that is no longer in it) of each share of a space of draws.

    >>> bounds(shares("0.5,0.5"), 10)
    [('train', 5), ('validation', 10)]
    """
    ends = [sum(parts[: i + 1], Fraction(0)) * space // 1 for i in range(len(parts))]
    return list(zip(NAMES, ends, strict=False))
