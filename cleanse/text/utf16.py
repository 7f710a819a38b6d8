"""UTF-16 without a BOM: recognised by its NULs, or by one order of the bytes reading like a text."""

import re

from cleanse.text.codecs import MULTI_BYTE, TABLE
from cleanse.text.everyday import everyday, share
from cleanse.text.evidence import Look

MIN_BYTES = 8
SAMPLE = 1 << 13  # bytes that are read both ways
MIN_NULS = 0.125  # of the bytes: every fourth character ASCII
PLAUSIBLE = 0.97  # of the characters
MIN_EVERYDAY, MARGIN = 0.8, 0.1
_ODD = (  # what is neither ASCII, kana, hanzi, hangul, Cyrillic, full-width nor common punctuation
    "[^\t\n\r\x20-\x7e\xa0-\xff\u0400-\u04ff\u2010-\u2026\u3000-\u3020\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e\ufeff]"
)


def order(look: Look) -> tuple[str, float] | None:
    """`utf-16le` or `utf-16be` and a confidence (1 when NULs decided), None when it is neither."""
    nuls = look.nuls / max(1, look.size)
    if look.size < MIN_BYTES or (look.size % 2 and nuls < MIN_NULS):
        return None
    if nuls <= 0.02 and look.utf8:
        return None
    sample = look.head[: min(SAMPLE, len(look.head) // 2 * 2)]
    readings = {name: sample.decode(name, "replace") for name in ("utf-16le", "utf-16be")}
    found = {name: everyday(text) for name, text in readings.items() if _is_plausible(text)}
    if nuls >= MIN_NULS and found:
        return max(found, key=lambda name: share(readings[name], str.isascii)), 1.0
    best = max(found, key=lambda name: found[name], default=None)
    if best is None or found[best] <= MIN_EVERYDAY:
        return None
    others = (everyday(sample.decode(TABLE[name][1], "replace")) for name in MULTI_BYTE)
    return (best, found[best]) if found[best] >= max(others) + MARGIN else None


def _is_plausible(text: str) -> bool:
    return len(re.findall(_ODD, text)) <= (1 - PLAUSIBLE) * len(text)
