"""Deciding how the bytes of a source became text: BOM, the user's word, UTF-8, a mixture, then a detector.

The order is the point: UTF-8 that decodes is UTF-8 whatever a statistical detector says, and the detector sees only
encodings in which people write text (bare, it calls 999 UTF-8 lines with one GBK line an EBCDIC page).
"""

from dataclasses import dataclass

from cleanse.text.codecs import TABLE, canonical, decodes, high_bytes, is_legacy, utf8_share

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
}
DETECTABLE = (*TABLE, "cp932", "cp949")  # a detector's names: no EBCDIC, DOS or Mac pages, nobody writes text in them
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


def decide(data: bytes, setting: str = "auto") -> Decision:
    """The encoding of a whole source. Raises ValueError, with the cause in words, when it is no text.

    >>> decide("天气".encode("utf-8")).decided_by, decide("今天天气很好，我们去公园".encode("gbk")).encoding
    ('utf8', 'gb18030')
    """
    for bom, name in BOMS:
        if data.startswith(bom):
            return Decision(name, 1.0, "bom", len(bom))
    if kind := next((kind for magic, kind in BINARY.items() if data.startswith(magic)), None):
        raise ValueError(f"binary: {kind}")
    if setting != "auto":
        return Decision(canonical(setting), 1.0, "setting")
    if not data:
        return Decision("utf-8", 1.0, "empty")
    if decodes(data, "utf-8"):
        return Decision("utf-8", 1.0, "utf8")
    if mixed := _mixed(data):
        return mixed
    if (share := utf8_share(data)) >= DAMAGED_SHARE:
        return Decision("utf-8", share, "utf8_damaged")
    return _detect(data)


def _mixed(data: bytes) -> Decision | None:
    """UTF-8 and one other encoding by turns. The other lines are decided as one block: a line is too short for that."""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    legacy = [line for line in lines if is_legacy(line)]
    utf8 = [line for line in lines if decodes(line, "utf-8")]
    if min(high_bytes(b"".join(legacy)), high_bytes(b"".join(utf8))) < MIXED_BYTES or len(utf8) < MIXED_LINES * len(
        lines
    ):
        return None
    other = _detect(b"\n".join(legacy))
    return Decision(f"utf-8+{other.encoding}", other.confidence, "mixed")


def _detect(data: bytes) -> Decision:
    import chardet  # late: only a source that is not UTF-8 pays for it

    evidence = b"\n".join(line for line in data.split(b"\n") if not line.isascii())  # it looks at 200 kB only
    found = chardet.detect(evidence, compat_names=False, include_encodings=DETECTABLE)
    if not found["encoding"]:
        raise ValueError("no encoding fits")
    return Decision(canonical(found["encoding"]), found["confidence"], "chardet")


def refuse_controls(text: str) -> None:
    """Raises ValueError when too many characters are control characters: a binary file that happens to decode."""
    sample = text[:SAMPLE]
    n = sum(1 for c in sample if (c < " " or c == "\x7f") and c not in TEXT_CONTROLS)
    if n > MAX_CONTROL_SHARE * len(sample):
        raise ValueError(f"binary: {n / len(sample):.0%} control characters")
