"""What a summary is made of, and its last line as plain text. Imports no screen: a stage command needs no more."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cleanse.ledger import Entry
from cleanse.report.safe import safe, safe_lines
from cleanse.report.words import word

if TYPE_CHECKING:  # a run that has nothing to do does not load polars
    from cleanse.report.gate import Verdict
    from cleanse.run.job import StageResult

TOP_SOURCES = 20  # of a plan
WARNINGS = {  # counts of the ledger that somebody should hear of
    "setting_doubted": "files are valid UTF-8, and were read as decode.encoding says",
    "already_stripped": "rows were stripped before and passed untouched",
}


@dataclass(frozen=True)
class Told:
    """What a summary is made of. `seconds`: by stage, and of the whole as `all`; `signs`: ✓ can be shown."""

    out: str
    entries: Sequence[Entry]
    encodings: Mapping[str, int] = field(default_factory=dict)
    findings: Sequence[Mapping[str, Any]] = ()
    verdict: "Verdict | None" = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    bytes: int = 0
    files: int = 0
    lang: str = "en"
    signs: bool = True
    narrow: bool = False  # no room for what a stage noticed


def size(n: int) -> str:
    """Bytes as people say them.

    >>> size(512), size(412_000_000), size(1_500)
    ('512 B', '412 MB', '1.5 kB')
    """
    for unit, one in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= one:
            return f"{n / one:.0f} {unit}" if n >= 10 * one else f"{n / one:.1f} {unit}"
    return f"{n} B"


def planned(tree: Mapping[str, Any]) -> str:
    """What a run would do: its sources, the largest first, and its parts. `tree`: `plan` as in plan.json, `workers` and
    `parts_done`.
    """
    sources = sorted(tree["plan"]["sources"], key=lambda each: -each["bytes"])
    lines = [f"{size(each['bytes']):>8}  {_read_as(each)}  {safe(each['source'])}" for each in sources[:TOP_SOURCES]]
    if len(sources) > TOP_SOURCES:
        lines.append(f"{'…':>8}  {len(sources) - TOP_SOURCES:,} more")
    parts, total = len(tree["plan"]["parts"]), sum(each["bytes"] for each in sources)
    done = f"{_many(parts, 'part')}, {tree['parts_done']:,} of them decoded already"
    lines.append(f"{_many(len(sources), 'source')}, {size(total)} · {done} · nothing was written")
    return "\n".join(lines)


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _read_as(source: Mapping[str, Any]) -> str:
    if source["refused"]:
        return f"{source['refused'][0]:20}"
    encoding = (source["decision"] or {}).get("encoding", "")
    return f"{source['format']:8}{encoding:12}"


def counts(told: Told, report: str | None = None) -> str:
    """Rows in and out, and where they lie: the last line without its verdict."""
    records = [entry for entry in told.entries if entry.unit == "record"]
    left, lang = sum(entry.n_rejected for entry in records), told.lang
    moved = f"{records[0].rows_in:,} {word('in', lang)} → {records[-1].kept:,} {word('out', lang)}"
    parts = [moved, f"{left:,} {word('rejected', lang)}"]
    if "all" in told.seconds:
        parts.append(f"{told.seconds['all']:.1f} s")
    parts.append(f"{word('report', lang)} {safe(report)}" if report else safe(told.out))
    return " · ".join(parts)


def notes(results: Sequence["StageResult"], quiet: int) -> list[str]:
    """What a person should know beside the figures, a line each: warnings and, unless `quiet`, choices made."""
    changed = sum((Counter(entry.changed) for result in results for entry in result.entries), Counter[str]())
    warned = [f"warning: {changed[what]} {text}" for what, text in WARNINGS.items() if changed[what]]
    warned += [f"warning: {text}" for result in results for text in result.warnings]
    told = [f"note: {note}" for result in results for note in result.notes]
    return [safe_lines(line) for line in (warned + told if not quiet else warned if quiet == 1 else [])]


def json_text(tree: Mapping[str, Any]) -> str:
    """Strict JSON for stdout, Chinese unescaped."""
    return json.dumps(tree, ensure_ascii=False, indent=1, allow_nan=False)
