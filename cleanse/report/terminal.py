"""What a person sees at the end of a run: the funnel, why rows left, what is skewed, the gates, and the last line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rich.table import Table
from rich.text import Text

from cleanse import __version__
from cleanse.report.gate import Judged, number
from cleanse.report.safe import safe
from cleanse.report.told import Told, counts, size
from cleanse.report.words import word

BRIEF = 100  # characters of a finding: it may name a label that is a text
MAX_FINDINGS = 5  # kinds of skew that are named, the gravest first
TOP = 8  # reasons, encodings, changes that are named
STYLE = {"fail": "bold red", "warn": "yellow", "skip": "dim", "pass": "green"}
SIGN = {"fail": "✗", "warn": "!", "skip": "-", "pass": "✓"}


def header(told: Told, config: str, seed: int, workers: int | None) -> Text:
    """The first line: what ran on what; without `workers` where nothing ran."""
    parts = [
        f"cleanse {__version__}", f"{word('config', told.lang)} {safe(config)}",
        f"{word('files', told.lang, told.files)}, {size(told.bytes)}",
        f"{word('seed', told.lang)} {seed}", *([word("workers", told.lang, workers)] if workers else []),
    ]  # fmt: skip
    return Text(" · ".join(parts), style="bold")


def funnel(told: Told) -> Table:
    """A line a stage: rows in, rows out, what it noticed, how long it took."""
    grid = Table.grid(padding=(0, 2))
    for name in ("stage", "in", "arrow", "out", "notes", "time"):
        justify: Literal["left", "right"] = "right" if name in ("in", "out", "time") else "left"
        grid.add_column(justify=justify, no_wrap=name != "notes", overflow="fold")
    for entry in (entry for entry in told.entries if entry.unit == "record"):
        notes = "" if told.narrow else _counts(told.encodings if entry.stage == "decode" else entry.changed)
        took = told.seconds.get(entry.stage, 0)
        fast = entry.stage == "decode" and told.bytes >= 1e6 * took > 1e6  # a rate of a short run says nothing
        rate = f"  {told.bytes / 1e6 / took:.0f} MB/s" if fast else ""
        shown = f"{took:.1f} s{rate}" if took >= 0.05 else ""
        sign = Text.assemble((" ✓ " if told.signs else " ok ", "green"), entry.stage)
        grid.add_row(sign, f"{entry.rows_in:,}", "→", f"{entry.kept:,}", Text(notes), shown)
    return grid


def sources(decoded: Sequence[Mapping[str, Any]]) -> Table:
    """A line a source: how its bytes became text, the least certain first. `decoded`: of profile.json."""
    grid = Table.grid(padding=(0, 2))
    for each in decoded:
        sure = "" if each["confidence"] is None else f"{each['confidence']:.2f}"
        encoding = Text(safe(str(each["_encoding"])))
        grid.add_row(Text(f"   {safe(each['_source'])}"), encoding, sure, f"{each['records']:,}")
    return grid


def why(told: Told) -> Table:
    """The reasons for which rows and files left, and what skew found."""
    records, files = Counter[str](), Counter[str]()
    for entry in told.entries:
        (files if entry.unit == "file" else records).update(entry.rejected)
    grid = _facts()
    if records:
        chosen = {reason for entry in told.entries if entry.stage == "resample" for reason in entry.rejected}
        faults = [reason for reason in sorted(records) if reason not in chosen] or sorted(records)
        largest = max(faults, key=lambda reason: records[reason])
        hint = f"   (cleanse show {safe(told.out)} --reason {largest})"
        grid.add_row(word("why_rows", told.lang), Text(_counts(records)).append(hint, style="dim"))
    if files:
        grid.add_row(word("why_files", told.lang), Text(_counts(files)))
    shown = list({finding["id"]: finding for finding in reversed(told.findings)}.values())[: -MAX_FINDINGS - 1 : -1]
    for finding in shown:
        style = {"severe": "red", "warn": "yellow"}.get(finding["severity"], "default")
        text = Text.assemble((finding["severity"], style), f" {safe(finding['id'])}: {safe(finding['cost'], BRIEF)}")
        grid.add_row(word("skew", told.lang), text)
    if len(told.findings) > len(shown):
        grid.add_row("", Text(f"{len(told.findings) - len(shown):,} {word('more', told.lang)}", style="dim"))
    return grid


def gates(told: Told, *, every: bool = False) -> Table:
    """Failed and warned gates in full, the others as a count unless `every`."""
    grid = _facts()
    if not told.verdict:
        return grid
    shown = [gate for gate in told.verdict.gates if gate.missed or every]
    for number_, gate in enumerate(shown):
        grid.add_row(word("gates", told.lang) if number_ == 0 else "", gate_line(gate, told))
    n_passed = told.verdict.count("pass")
    if not every and n_passed:
        text = Text(f"{word('n_passed', told.lang, n_passed)} ({word('lists_them', told.lang)})", style="dim")
        grid.add_row("" if shown else word("gates", told.lang), text)
    return grid


def gate_line(gate: Judged, told: Told) -> Text:
    """`✗ FAIL rows.reject_rate 0.104  limit max 0.1  cleanse.yaml:31`."""
    sign = f"{SIGN[gate.result]} " if told.signs else ""
    observed = gate.note if gate.observed is None else number(gate.observed)
    note = f"  ({gate.note})" if gate.note and gate.observed is not None else ""
    why = f"  {safe(gate.why)}" if gate.why else ""
    text = (f"{sign}{word(gate.result, told.lang)}", STYLE[gate.result])
    rest = f" {safe(gate.metric)} {observed}  {word('limit', told.lang)} {gate.limits}{note}  {safe(gate.where)}{why}"
    return Text.assemble(text, rest)


def last_line(told: Told, report: str | None = None) -> Text:
    """The verdict, rows in and out, and where they lie. It always comes."""
    rest = counts(told, report)
    return Text.assemble(_verdict(told), f" · {rest}") if told.verdict else Text(rest)


def _verdict(told: Told) -> Text:
    """`FAILED 1 of 7 gates, 1 warning`."""
    assert told.verdict
    v, lang = told.verdict, told.lang
    text = word(v.word, lang)
    if v.count("fail"):
        text += f" {v.count('fail')} {word('of_gates', lang, len(v.gates))}"
    if v.count("warn"):
        text += f"{',' if v.count('fail') else ''} {word('warnings', lang, v.count('warn'))}"
    return Text(text, style=STYLE[{"failed": "fail", "warned": "warn", "passed": "pass"}[v.word]])


def _facts() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, min_width=14)
    grid.add_column(overflow="fold")
    return grid


def _counts(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{safe(name)} {n:,}" for name, n in ranked[:TOP]]
    return " · ".join([*named, f"{len(ranked) - TOP} more"] if len(ranked) > TOP else named)
