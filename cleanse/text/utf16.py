"""UTF-16 without a BOM: recognised by its NULs, or by one order of the bytes reading like a text."""

from cleanse.text.codecs import MULTI_BYTE, TABLE
from cleanse.text.everyday import everyday, share
from cleanse.text.evidence import Look

MIN_BYTES = 8
SAMPLE = 1 << 13  # bytes that are read both ways
MIN_NULS = 0.125  # of the bytes: every fourth character ASCII
PLAUSIBLE = 0.97  # of the characters
MIN_EVERYDAY, MARGIN = 0.8, 0.1
_SCRIPTS = (
    (0x20, 0x7E), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x0400, 0x04FF),
    (0xFF01, 0xFF5E), (0x3000, 0x3020), (0x2010, 0x2026), (0xA0, 0xFF),
)  # fmt: skip


def order(look: Look) -> tuple[str, float] | None:
    """`utf-16le` or `utf-16be` and a confidence (1 when NULs decided), None when it is neither."""
    nuls = look.nuls / max(1, look.size)
    if look.size < MIN_BYTES or (look.size % 2 and nuls < MIN_NULS):
        return None
    if nuls <= 0.02 and look.utf8:
        return None
    sample = look.head[: min(SAMPLE, len(look.head) // 2 * 2)]
    readings = {name: sample.decode(name, "replace") for name in ("utf-16le", "utf-16be")}
    found = {name: everyday(text) for name, text in readings.items() if share(text, _plausible) >= PLAUSIBLE}
    if nuls >= MIN_NULS and found:
        return max(found, key=lambda name: share(readings[name], str.isascii)), 1.0
    best = max(found, key=lambda name: found[name], default=None)
    if best is None or found[best] <= MIN_EVERYDAY:
        return None
    others = (everyday(sample.decode(TABLE[name][1], "replace")) for name in MULTI_BYTE)
    return (best, found[best]) if found[best] >= max(others) + MARGIN else None


def _plausible(char: str) -> bool:
    return char in "\t\n\r\ufeff" or any(first <= ord(char) <= last for first, last in _SCRIPTS)
