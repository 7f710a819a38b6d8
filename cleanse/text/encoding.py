"""Deciding how the bytes of a source became text: BOM, the user's word, UTF-8, a mixture, then a detector.

The order is the point: UTF-8 that decodes is UTF-8 whatever a statistical detector says, and the detector sees only
encodings in which people write text (bare, it calls 999 UTF-8 lines with one GBK line an EBCDIC page).
"""

import re
from dataclasses import dataclass, replace

from cleanse.text import utf16
from cleanse.text.codecs import TABLE, canonical, decodes, high_bytes, text_of
from cleanse.text.declared import claimed, in_content_type
from cleanse.text.everyday import everyday
from cleanse.text.evidence import Blocks, Look, Sample, escaped, is_page, look, sample
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
DAMAGED_SHARE = 0.93  # of the high bytes: below it, a text with a few bad bytes is rather no UTF-8
MIXED_LINES = 0.02  # of the lines with high bytes: so many at least are UTF-8 in a mixed source
MIXED_BYTES = 6  # high bytes on either side, below which a few odd bytes are rather damage
BAD_SHARE, MIN_EVERYDAY = 0.02, 0.7  # of the characters, in a reading that a page claims
MAX_CONTROL_SHARE = 0.05  # of characters; a text with more is no text
_CONTROLS = re.compile("[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")  # but NUL, tab, LF, CR, FF, ESC
SAMPLE = 1 << 16  # characters looked at for control characters


@dataclass(frozen=True)
class Decision:
    """`encoding`: a name of `codecs.TABLE`, or `utf-8+NAME` line by line; `confidence` 0–1; `bom` in bytes.

    `declared`: what the source claims of itself, where that is another encoding.
    """

    encoding: str
    confidence: float
    decided_by: str
    bom: int = 0
    declared: str | None = None


def decide(data: bytes, setting: str = "auto", declared: str | None = None) -> Decision:
    """`decide_look` for bytes at hand. Raises ValueError when they are no text.

    >>> decide("天气".encode("utf-8")).decided_by, decide("今天天气很好，我们去公园".encode("gbk")).encoding
    ('utf8', 'gb18030')
    """
    return decide_look(look(lambda: [data]), lambda: [data], setting, declared)


def decide_look(seen: Look, blocks: Blocks, setting: str = "auto", declared: str | None = None) -> Decision:
    """The encoding of a whole source: the first of the steps that answers. Raises ValueError when it is no text.

    `seen`: what a first pass found; `blocks` are read again only where it does not decide. `declared`: a name of the
    table that transport or a column claims; else the head of the data is asked.
    """
    for bom, name in BOMS:
        if seen.head.startswith(bom):
            return Decision(name, 1.0, "bom", len(bom))
    kind = next((kind for magic, kind in BINARY.items() if seen.head.startswith(magic)), None)
    if kind := kind or ("tar" if seen.head[257:262] == b"ustar" else None):
        raise ValueError(f"binary: {kind}")
    if setting != "auto":
        return Decision(canonical(setting), 1.0, "setting")
    if not seen.size:
        return Decision("utf-8", 1.0, "empty")
    if by_order := utf16.order(seen):  # before NULs are left out: they are half of it
        return Decision(*by_order, "utf16")
    claim = declared or claimed(seen.head)
    found = _escaped(seen, blocks) or (Decision("utf-8", 1.0, "utf8") if seen.utf8 else None)
    decision = found or _legacy(sample(blocks, is_page=is_page(seen.head)), claim)
    wrong = claim and not seen.is_ascii and claim not in decision.encoding.split("+")
    return replace(decision, declared=claim) if wrong else decision


def _legacy(shown: Sample, claim: str | None) -> Decision:
    """The steps for what has no BOM and is no UTF-8."""
    if mixed := _mixed(shown):
        return mixed
    if shown.share >= DAMAGED_SHARE:
        return Decision("utf-8", shown.share, "utf8_damaged")
    if claim and _believed(shown.shown, claim):
        return Decision(claim, 0.9, "declared")
    guessed = guess(shown.shown)
    if guessed is None:
        raise ValueError("no encoding fits")
    return Decision(*guessed)


def _escaped(seen: Look, blocks: Blocks) -> Decision | None:
    """ISO-2022 and HZ are ASCII bytes: only their escapes tell."""
    if not (seen.is_ascii and seen.has_escape):
        return None
    shown = escaped(blocks)
    found = detect(shown)
    if found and found[0].startswith(("iso-2022", "hz")) and decodes(shown, found[0]):
        return Decision(found[0], 1.0, "escape")
    return None


def _believed(shown: bytes, claim: str) -> bool:
    """A claim holds when it decodes; in a two-byte encoding 2 % of the characters beyond ASCII may be bad, if the rest
    are everyday ones: GBK read as Big5 has few bad ones, too.

    windows-1252 never fails, so a claim of it is no evidence; UTF-8 has been asked already.
    """
    if claim in ("windows-1252", "utf-8"):
        return False
    if decodes(shown, claim):
        return True
    text = "".join(c for c in shown.decode(TABLE[claim][1], "replace") if c > "\x7f")
    few = text.count("\ufffd") <= BAD_SHARE * len(text)
    return few and not is_single_byte(claim) and everyday(text) > MIN_EVERYDAY


def _mixed(shown: Sample) -> Decision | None:
    """UTF-8 and one other encoding by turns. The other lines are decided as one block: a line is too short for that."""
    if shown.utf8_lines < MIXED_LINES * shown.lines or shown.utf8_high < MIXED_BYTES:  # cheap, so it comes first
        return None
    if high_bytes(shown.legacy) < MIXED_BYTES:
        return None
    other = guess(shown.legacy)
    return Decision(f"utf-8+{other[0]}", other[1], "mixed") if other else None


@dataclass(frozen=True)
class Cell:
    """The text of some bytes that were decided by themselves: a binary cell, the body of a response.

    `n_replaced`: U+FFFD in it that were put there; `fault`: why there is no text (`text` is then None).
    """

    text: str | None
    decision: Decision
    n_replaced: int = 0
    fault: str | None = None


def decide_cell(data: bytes, declared: str | None = None) -> Cell:
    """Decide and decode; `declared` is a label or a content type, whatever names an encoding.

    >>> decide_cell("今天天气很好，我们去公园".encode("gbk")).text
    '今天天气很好，我们去公园'
    """
    try:
        found = decide(data, declared=in_content_type(declared) if declared else None)
        text, n = text_of(data[found.bom :], found.encoding)
        refuse_controls(text)
    except ValueError as problem:
        return Cell(None, Decision("utf-8", 0.0, "source"), fault=str(problem))
    return Cell(text, found, n)


def refuse_doubt(decision: Decision, min_confidence: float) -> None:
    """Raises ValueError for a decision of which there is more doubt than wanted."""
    if decision.confidence < min_confidence:
        raise ValueError(f"{decision.encoding} with confidence {decision.confidence:.2f}, at least {min_confidence:g}")


def refuse_controls(text: str) -> None:
    """Raises ValueError when too many characters are control characters: a binary file that happens to decode."""
    sample = text[:SAMPLE]
    n = len(_CONTROLS.findall(sample))
    if n > MAX_CONTROL_SHARE * len(sample):
        raise ValueError(f"binary: {n / len(sample):.0%} control characters")
