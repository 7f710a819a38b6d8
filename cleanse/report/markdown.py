"""Markdown for a CI step summary and for the data set card. Text of the data can make no link, picture or tag in it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cleanse.ledger import Entry
from cleanse.report.gate import Judged, Verdict, number
from cleanse.report.safe import safe

MAX_SUMMARY = 200_000  # bytes of $GITHUB_STEP_SUMMARY: above 1 MiB it is dropped whole
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~@:])")


def md(text: str) -> str:
    """Text of the data as Markdown that shows just that text.

    >>> md("![x](http://e/p.png) | <b>")
    '\\\\!\\\\[x\\\\]\\\\(http\\\\://e/p\\\\.png\\\\) \\\\| &lt;b&gt;'
    """
    plain = "".join(_ENTITIES.get(char, char) for char in safe(text))
    return _SPECIAL.sub(r"\\\1", plain)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summary(verdict: Verdict, entries: Sequence[Entry], samples: Sequence[Mapping[str, Any]]) -> str:
    """Verdict, gates, funnel, and some rows of the largest reason."""
    parts = [f"## cleanse: {verdict.word}", gates(verdict), "### Rows after each stage", funnel(entries)]
    if samples:
        parts += [f"### Some rows rejected as {md(str(samples[0]['_reason']))}", _samples(samples)]
    text = "\n\n".join(parts) + "\n"
    data = text.encode()
    if len(data) <= MAX_SUMMARY:
        return text
    cut = data[:MAX_SUMMARY].decode(errors="ignore")
    return cut[: cut.rfind("\n") + 1] + "\nCut: the whole is in gate\\.json\\.\n"


def gates(verdict: Verdict) -> str:
    """All gates, failed ones first."""
    head = ("result", "metric", "observed", "limit", "baseline", "where", "note")
    return table(head, [_gate(gate) for gate in verdict.gates])


def _gate(gate: Judged) -> list[str]:
    figures = ["" if value is None else number(value) for value in (gate.observed, gate.baseline)]
    note = "; ".join(text for text in (gate.note, gate.why) if text)
    return [gate.result, *(md(text) for text in (gate.metric, figures[0], gate.limits, figures[1], gate.where, note))]


def funnel(entries: Sequence[Entry]) -> str:
    """Rows in and out of each stage, and why rows left."""
    rows = []
    for entry in entries:
        reasons = sorted(entry.rejected.items(), key=lambda item: (-item[1], item[0]))
        why = ", ".join(f"{md(reason)} {n:,}" for reason, n in reasons)
        rows.append([entry.stage, entry.unit, f"{entry.rows_in:,}", f"{entry.added:,}", f"{entry.kept:,}", why])
    return table(("stage", "unit", "in", "added", "kept", "rejected"), rows)


def _samples(samples: Sequence[Mapping[str, Any]]) -> str:
    columns = [name for name in ("_source", "_line", "title", "body", "_raw", "_detail") if name in samples[0]]
    rows = [[md("" if row[name] is None else str(row[name])) for name in columns] for row in samples]
    return table([md(name) for name in columns], rows)
