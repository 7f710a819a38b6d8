"""Texts in tokens of a tokenizer that lies on disk: how much of one fits, and where each token ends."""

from array import array
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import Any

from cleanse.errors import ConfigError
from cleanse.text.cutting import behind

WINDOW = 1 << 16  # characters that are read at once: the offsets of one token take some 200 bytes
PER_TOKEN = 8  # characters of most tokens, at most
TAIL = 256  # characters at the end of a window whose tokens may be others within the whole text


@cache
def tokenizer(path: str) -> Any:
    """A tokenizer from its file, with its own cutting and padding off. Raises ConfigError for none that can be read."""
    try:
        from tokenizers import Tokenizer  # late: an extra
    except ImportError:
        raise ConfigError(
            "tokenizer", "over_long_unit token needs tokenizers", "pip install 'cleanse[tokens]'"
        ) from None
    try:
        found = Tokenizer.from_file(path)
    except Exception as problem:  # noqa: BLE001  # the library raises bare exceptions
        raise ConfigError("tokenizer", f"cannot read {path}: {problem}", "check.tokenizer: a tokenizer.json") from None
    found.no_truncation()
    found.no_padding()
    return found


def ends(text: str, path: str) -> "array[int]":
    """Where each token ends, in characters, without special tokens. A long text is read in windows, whose borders may
    cut a token.
    """
    found = array("Q")
    for start in range(0, len(text), WINDOW):
        read = tokenizer(path).encode(text[start : start + WINDOW], add_special_tokens=False)
        found.extend(accumulate((start + end for _, end in read.offsets), max))
    return found


def fits(text: str, limit: int, path: str) -> int:
    """How many characters have at most `limit` tokens, read by themselves: all where the text has no more, else at
    least 1, for a character may have several.
    """
    room = min(len(text), PER_TOKEN * limit + TAIL)
    while bisect_right(found := ends(text[:room], path), room - TAIL) <= limit and room < len(text):
        room = min(len(text), 2 * room)
    while len(found) > limit and room > 1:  # a beginning may be read in other tokens than within the whole
        room = max(1, min(room - 1, behind(found, limit)))
        found = ends(text[:room], path)
    return room
