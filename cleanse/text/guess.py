"""Guessing the encoding of bytes that no rule decides: a statistical detector, then structure, then a vote of lines."""

import re
from collections import Counter

from cleanse.text.codecs import MULTI_BYTE, TABLE, canonical, decodes, high_bytes
from cleanse.text.everyday import plausible

DETECTABLE = (*TABLE, "cp932", "cp949")  # a detector's names: no EBCDIC, DOS or Mac pages, nobody writes text in them
MAX_BAD = 0.03  # of the characters, replaced, in a reading that may be right
MIN_SCORE, CLOSE = 0.85, 0.06
SURE_HIGH, SURE_SAMPLE = 1 << 12, 1 << 14  # bytes above 7F that are much evidence, among so many bytes
SURE_SCORE, SURE_MARGIN = 0.9, 0.2
RUN, IN_RUNS = 4, 0.6  # high bytes in a row, and their share, that speak of two-byte characters
_RUNS = re.compile(rb"[\x80-\xff]+")


def detect(data: bytes) -> tuple[str, float] | None:
    """The detector's answer on `data` as it is: a name of the table and its confidence 0–1."""
    import chardet  # late: only a source that is not UTF-8 pays for it

    found = chardet.detect(data, compat_names=False, include_encodings=DETECTABLE)
    return (canonical(found["encoding"]), found["confidence"]) if found["encoding"] else None


def is_single_byte(name: str) -> bool:
    """True for a code page, in which every byte is a character."""
    return name not in MULTI_BYTE and not name.startswith(("utf", "iso-2022", "hz"))


def sure(data: bytes) -> tuple[str, float] | None:
    """The one two-byte reading that makes everyday text of much evidence, all others being far behind; else None.

    Chinese in GB 18030 or Big5 and Japanese in Shift_JIS are that clear, Korean and EUC-JP are not. The detector would
    say the same, but takes 70 ms to load its models.
    """
    shown = data if len(data) <= SURE_SAMPLE else data[:SURE_SAMPLE].rpartition(b"\n")[0]
    scores = _readings(shown) if high_bytes(shown) >= SURE_HIGH else {}
    best, next_best = [*sorted(scores.values(), reverse=True), 0.0, 0.0][:2]
    if best < SURE_SCORE or best - next_best < SURE_MARGIN:
        return None
    return max(scores, key=lambda name: scores[name]), min(1.0, best)


def structure(data: bytes) -> tuple[str, float] | None:
    """The best two-byte reading by its shape: high bytes in long runs, few bad characters, everyday ones.

    Returns None when they stand alone, or no reading is convincing. Close ones are left to the detector.
    """
    scores = _readings(data)
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is None or scores[best] <= MIN_SCORE:
        return None
    near = [name for name in scores if scores[best] - scores[name] <= CLOSE]
    told = detect(data) if len(near) > 1 else None
    chosen = told[0] if told and told[0] in near else best
    return chosen, min(1.0, scores[chosen])


def _readings(data: bytes) -> dict[str, float]:
    """The score of each two-byte reading that may be right; none where high bytes stand alone."""
    high = high_bytes(data)
    in_runs = sum(len(run) for run in _RUNS.findall(data) if len(run) >= RUN)
    if not high or in_runs <= IN_RUNS * high:
        return {}
    return {name: score for name in MULTI_BYTE if (score := _score(data, name, high)) is not None}


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


def guess(shown: bytes) -> tuple[str, float, str] | None:
    """Name, confidence and the step that answered: `chardet`, `structure` or `vote`; None: nothing to say.

    `shown`: lines with bytes above 7F (`evidence.sample`).
    """
    if clear := sure(shown):
        return *clear, "structure"
    found = detect(shown)
    fits = found is not None and decodes(shown, found[0])
    if found is None or not fits or is_single_byte(found[0]):
        if better := structure(shown):
            return *better, "structure"
        if not fits and (voted := vote(shown)):
            return *voted, "vote"
    return (*found, "chardet") if found and fits else None
