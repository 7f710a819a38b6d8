"""Deciding how the bytes of a source became text: BOM, the user's word, UTF-8, a mixture, then a detector.

The order is the point: UTF-8 that decodes is UTF-8 whatever a statistical detector says, and the detector sees only
encodings in which people write text (bare, it calls 999 UTF-8 lines with one GBK line an EBCDIC page).
"""

from dataclasses import dataclass

from cleanse.text import utf16
from cleanse.text.codecs import TABLE, canonical, decode_marked, decodes, high_bytes, is_legacy, settle, utf8_share
from cleanse.text.declared import claimed
from cleanse.text.guess import detect, guess, is_single_byte

BOMS = (  # UTF-32 before UTF-16: FF FE begins both
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
BINARY = {  # first bytes of what is no text
    b"%PDF-": "pdf",
    b"\x89PNG": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF8": "gif",
    b"\xd0\xcf\x11\xe0": "ole",
    b"\x7fELF": "elf",
    b"PK\x03\x04": "zip",
    b"SQLite format 3\0": "sqlite",
}
ESCAPES = (b"\x1b$", b"\x1b(", b"~{")
DAMAGED_SHARE = 0.93  # of the high bytes: below it, a text with a few bad bytes is rather no UTF-8; specs: decode 2
MIXED_LINES = 0.02  # of the lines with high bytes: so many at least are UTF-8 in a mixed source
MIXED_BYTES = 6  # high bytes on either side, below which a few odd bytes are rather damage
MAX_CONTROL_SHARE = 0.05  # of characters; specs: decode, inputs
TEXT_CONTROLS = frozenset("\0\t\n\r\f\x1b")
SAMPLE = 1 << 20  # characters looked at for control characters


@dataclass(frozen=True)
class Decision:
    """`encoding`: a name of `codecs.TABLE`, or `utf-8+NAME` line by line; `confidence` 0–1; `bom` in bytes."""

    encoding: str
    confidence: float
    decided_by: str
    bom: int = 0


def decide(data: bytes, setting: str = "auto", declared: str | None = None) -> Decision:
    """The encoding of a whole source: the first of the steps that answers. Raises ValueError when it is no text.

    `declared`: a name of the table that transport or a column claims; else the head of the data is asked.

    >>> decide("天气".encode("utf-8")).decided_by, decide("今天天气很好，我们去公园".encode("gbk")).encoding
    ('utf8', 'gb18030')
    """
    for bom, name in BOMS:
        if data.startswith(bom):
            return Decision(name, 1.0, "bom", len(bom))
    kind = next((kind for magic, kind in BINARY.items() if data.startswith(magic)), None)
    if kind := kind or ("tar" if data[257:262] == b"ustar" else None):
        raise ValueError(f"binary: {kind}")
    if setting != "auto":
        return Decision(canonical(setting), 1.0, "setting")
    if not data:
        return Decision("utf-8", 1.0, "empty")
    if found := utf16.order(data):  # before NULs are left out: they are half of it
        return Decision(*found, "utf16")
    return _decide(data.replace(b"\0", b""), declared)


def _decide(data: bytes, declared: str | None) -> Decision:
    """The steps that need no BOM and see no NUL."""
    if found := _escaped(data) or _utf8(data):
        return found
    mixed = _mixed(data)
    if not mixed and (share := utf8_share(data)) >= DAMAGED_SHARE:
        return Decision("utf-8", share, "utf8_damaged")
    if mixed:
        return mixed
    claim = declared or claimed(data)
    if claim and _believed(data, claim):
        return Decision(claim, 0.9, "declared")
    guessed = guess(data)
    if guessed is None:
        raise ValueError("no encoding fits")
    return Decision(guessed[0], guessed[1], guessed[2])


def _escaped(data: bytes) -> Decision | None:
    """ISO-2022 and HZ are ASCII bytes: only their escapes tell."""
    if not data.isascii() or not any(mark in data for mark in ESCAPES):
        return None
    found = detect(data)
    if found and found[0].startswith(("iso-2022", "hz")) and decodes(data, found[0]):
        return Decision(found[0], 1.0, "escape")
    return None


def _utf8(data: bytes) -> Decision | None:
    """Strict UTF-8, the last character of which may be cut, if a whole one stands before it."""
    if decodes(data, "utf-8"):
        return Decision("utf-8", 1.0, "utf8")
    for cut in (1, 2, 3):
        body, tail = data[:-cut], data[-cut:]
        if tail and tail[0] >= 0xC2 and _is_prefix(tail) and not body.isascii() and decodes(body, "utf-8"):
            return Decision("utf-8", 1.0, "utf8")
    return None


def _is_prefix(tail: bytes) -> bool:
    """True when more bytes could make it a character."""
    need = 2 if tail[0] < 0xE0 else 3 if tail[0] < 0xF0 else 4
    return len(tail) < need and all(0x80 <= byte < 0xC0 for byte in tail[1:])


def _believed(data: bytes, claim: str) -> bool:
    """A claim holds when it decodes; in a two-byte encoding 2 % of the characters beyond ASCII may be bad.

    windows-1252 never fails, so a claim of it is no evidence; UTF-8 has been asked already.
    """
    if claim in ("windows-1252", "utf-8"):
        return False
    text = "".join(c for c in data.decode(TABLE[claim][1], "replace") if c > "\x7f")
    return decodes(data, claim) or (not is_single_byte(claim) and text.count("\ufffd") <= 0.02 * len(text))


def _mixed(data: bytes) -> Decision | None:
    """UTF-8 and one other encoding by turns. The other lines are decided as one block: a line is too short for that."""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    utf8 = [line for line in lines if decodes(line, "utf-8")]
    if len(utf8) < MIXED_LINES * len(lines) or high_bytes(b"".join(utf8)) < MIXED_BYTES:  # cheap, so it comes first
        return None
    legacy = [line for line in lines if is_legacy(line)]
    if high_bytes(b"".join(legacy)) < MIXED_BYTES:
        return None
    other = guess(b"\n".join(legacy))
    return Decision(f"utf-8+{other[0]}", other[1], "mixed") if other else None


def cell_text(data: bytes | None) -> tuple[str | None, int]:
    """The text of one binary cell, decided by itself, and the characters that had to be replaced.

    >>> cell_text("今天天气很好，我们去公园".encode("gbk")), cell_text(None)
    (('今天天气很好，我们去公园', 0), (None, 0))
    """
    if data is None:
        return None, 0
    try:
        found = decide(data)
    except ValueError:
        found = Decision("utf-8", 0.0, "source")
    return settle(decode_marked(data[found.bom :], found.encoding))


def refuse_controls(text: str) -> None:
    """Raises ValueError when too many characters are control characters: a binary file that happens to decode."""
    sample = text[:SAMPLE]
    n = sum(1 for c in sample if (c < " " or c == "\x7f") and c not in TEXT_CONTROLS)
    if n > MAX_CONTROL_SHARE * len(sample):
        raise ValueError(f"binary: {n / len(sample):.0%} control characters")
