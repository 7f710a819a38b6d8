"""Guessing the encoding of bytes that no rule decides: a statistical detector, then structure, then a vote of lines."""

import re
from collections import Counter

from cleanse.text.codecs import MULTI_BYTE, TABLE, canonical, decodes, high_bytes
from cleanse.text.everyday import plausible

DETECTABLE = (*TABLE, "cp932", "cp949")  # a detector's names: no EBCDIC, DOS or Mac pages, nobody writes text in them
EVIDENCE = 1 << 18  # bytes shown to the detector: it looks at 200 kB of what it gets
HEAD = 1 << 20  # bytes in which a page shows that it is one
MAX_BAD = 0.03  # of the characters, replaced, in a reading that may be right
MIN_SCORE, CLOSE = 0.85, 0.06
RUN, IN_RUNS = 4, 0.6  # high bytes in a row, and their share, that speak of two-byte characters
_MARKUP = re.compile(rb"(?is)<(script|style)\b.*?</\1[^>]*>|<[^>]*>")
_RUNS = re.compile(rb"[\x80-\xff]+")


def evidence(data: bytes) -> bytes:
    """Lines with a high byte, about EVIDENCE bytes of them from anywhere in the data; of a page without script, style
    and tags, which say nothing of its language. Never ends inside a character, if the data does not.
    """
    text = _MARKUP.sub(b" ", data) if b"</" in data[:HEAD] else data
    found, size = list[bytes](), 0
    for line in text.split(b"\n"):
        if not line.isascii():
            found.append(line)
            size += len(line)
        if size > EVIDENCE:
            break
    shown = b"\n".join(found)
    if size <= 2 * EVIDENCE:
        return shown
    cut = next((at for at in range(EVIDENCE, 0, -1) if shown[at] < 0x30), EVIDENCE)
    return shown[:cut]  # one huge line: cut before a byte that is no half of a character


def detect(data: bytes) -> tuple[str, float] | None:
    """The detector's answer on `data` as it is: a name of the table and its confidence 0–1."""
    import chardet  # late: only a source that is not UTF-8 pays for it

    found = chardet.detect(data, compat_names=False, include_encodings=DETECTABLE)
    return (canonical(found["encoding"]), found["confidence"]) if found["encoding"] else None


def is_single_byte(name: str) -> bool:
    """True for a code page, in which every byte is a character."""
    return name not in MULTI_BYTE and not name.startswith(("utf", "iso-2022", "hz"))


def structure(data: bytes) -> tuple[str, float] | None:
    """The best two-byte reading by its shape: high bytes in long runs, few bad characters, everyday ones.

    Returns None when they stand alone, or no reading is convincing. Close ones are left to the detector.
    """
    high = high_bytes(data)
    in_runs = sum(len(run) for run in _RUNS.findall(data) if len(run) >= RUN)
    if not high or in_runs <= IN_RUNS * high:
        return None
    scores = {name: score for name in MULTI_BYTE if (score := _score(data, name, high)) is not None}
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is None or scores[best] <= MIN_SCORE:
        return None
    near = [name for name in scores if scores[best] - scores[name] <= CLOSE]
    told = detect(data) if len(near) > 1 else None
    chosen = told[0] if told and told[0] in near else best
    return chosen, min(1.0, scores[chosen])


def _score(data: bytes, name: str, high: int) -> float | None:
    text = data.decode(TABLE[name][1], "replace")
    bad = text.count("\ufffd")
    if bad > MAX_BAD * len(text):
        return None
    return plausible(text, name) - 2 * bad / high


def vote(data: bytes) -> tuple[str, float] | None:
    """The detector line by line, each line as heavy as its high bytes; readings with few bad characters first."""
    votes = Counter[str]()
    for line in data.split(b"\n"):
        if not line.isascii() and (found := detect(line)):
            votes[found[0]] += high_bytes(line)
    total = votes.total()
    ranked = sorted(votes, key=lambda name: (_too_bad(data, name), -votes[name]))
    return (ranked[0], votes[ranked[0]] / total) if ranked else None


def _too_bad(data: bytes, name: str) -> bool:
    text = data.decode(TABLE[name][1], "replace")
    return text.count("\ufffd") > MAX_BAD * len(text)


def guess(data: bytes) -> tuple[str, float, str] | None:
    """Name, confidence and the step that answered: `chardet`, `structure` or `vote`; None: nothing to say."""
    shown = evidence(data) or data
    found = detect(shown)
    fits = found is not None and decodes(shown, found[0])
    if found is None or not fits or is_single_byte(found[0]):
        if better := structure(shown):
            return *better, "structure"
        if not fits and (voted := vote(shown)):
            return *voted, "vote"
    return (*found, "chardet") if found and fits else None
