"""Control characters and what else no text shows, as classes for a regex.

A class of few characters is a search for bytes: ten of these are faster than one class of them all (docs/adr/0035).
"""

from collections.abc import Sequence

ASCII = (*range(9), 0x0B, *range(0x0E, 0x20), 0x7F)  # but for tab and line ends
C1 = (*range(0x80, 0x85), *range(0x86, 0xA0))
NONCHARACTERS = (*range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF)
LINE_ENDS = (0x0C, 0x0D, 0x85, 0x2028, 0x2029)  # but for LF
_FEW = 10  # characters a class; twelve take twenty times as long


def one(codes: Sequence[int]) -> str:
    """One class of all these characters.

    >>> one([0, 0x2028])
    '[\\\\u0000\\\\u2028]'
    """
    return "[" + "".join(f"\\u{code:04x}" for code in codes) + "]"


def few(codes: Sequence[int]) -> list[str]:
    """Classes of a few of these characters each."""
    return [one(codes[i : i + _FEW]) for i in range(0, len(codes), _FEW)]
