"""What a person sees at the end of a run: the funnel, why rows left, what is skewed, and the last line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cleanse.ledger import Entry
from cleanse.report.safe import safe
from cleanse.run.manifest import RunManifest
from cleanse.run.runner import StageResult

if TYPE_CHECKING:  # rich is imported where a screen is drawn: 20 ms that a stage command does not need
    from rich.console import Console

TOP = 8  # reasons, encodings, changes that are named


def funnel(manifest: RunManifest, results: Sequence[StageResult], console: "Console") -> None:
    """A line a stage: rows in, rows out, what it noticed."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for column in ("stage", "in", "arrow", "out", "what"):
        grid.add_column(column, justify="right" if column in ("in", "out") else "left", no_wrap=column != "what")
    for result in results:
        entry = result.entries[-1]
        notes = _encodings(manifest) if entry.stage == "decode" else _counts(entry.changed)
        grid.add_row(f"  {entry.stage}", f"{entry.rows_in:,}", "→", f"{entry.kept:,}", Text(notes))
    console.print(grid)


def why(manifest: RunManifest, results: Sequence[StageResult], console: "Console") -> None:
    """The reasons for which rows and files left, and what skew found."""
    from rich.table import Table
    from rich.text import Text

    records, files = Counter[str](), Counter[str]()
    for entry in manifest.entries:
        (files if entry.unit == "file" else records).update(entry.rejected)
    grid = Table.grid(padding=(0, 2))
    for name, counts in (("Why rows left", records), ("Why files left", files)):
        if counts:
            grid.add_row(name, Text(_counts(counts)))
    for result in results:
        for finding in result.facts.get("skew", {}).get("report", {}).get("findings", []):
            grid.add_row(f"Skew {finding['severity']}", Text(safe(f"{finding['id']}: {finding['cost']}")))
    if grid.row_count:
        console.print(grid)


def last_line(entries: Sequence[Entry], out: Path) -> str:
    """Rows in, rows out, and where they lie."""
    records = [entry for entry in entries if entry.unit == "record"]
    left = sum(entry.n_rejected for entry in records)
    return f"{records[0].rows_in:,} in → {records[-1].kept:,} out · {left:,} rejected · {safe(str(out))}"


def stage_line(name: str, entries: Sequence[Entry]) -> str:
    """What a log says when a stage is done."""
    entry = entries[-1]
    return f"stage={name} done rows_in={entry.rows_in} kept={entry.kept} rejected={entry.n_rejected}"


def _encodings(manifest: RunManifest) -> str:
    found = [planned.facts.decision for planned in manifest.plan.sources]
    return _counts(Counter(decision.encoding for decision in found if decision))


def _counts(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{safe(name)} {n:,}" for name, n in ranked[:TOP]]
    return " · ".join([*named, f"{len(ranked) - TOP} more"] if len(ranked) > TOP else named)
