"""What `cleanse inspect` shows of a source."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from cleanse.report.safe import safe
from cleanse.run.inspection import Inspected, Worst

NAME = 24  # characters of a class


def as_json(found: Inspected) -> dict[str, Any]:
    """Plain JSON, the same figures as on screen."""
    return asdict(found)


def shown(found: Inspected) -> list[Text | Table]:
    """A line of what it is, a grid of what it holds."""
    head = Text(f"{safe(found.source)}  {found.bytes:,} bytes · {_what(found)}", style="bold")
    grid = Table.grid(padding=(0, 2), expand=False)
    for name, text in _rows(found):
        grid.add_row(f"  {name}", Text(text))
    for row in found.worst:
        grid.add_row("  worst", _worst(row))
    return [head, grid] if grid.row_count else [head]


def _what(found: Inspected) -> str:
    if found.refused:
        return f"{found.refused[0]}: {safe(found.refused[1])}"
    told = f"{found.encoding} {found.confidence:.2f} by {found.decided_by} · " if found.encoding else ""
    records = f"{found.records:,} record{'' if found.records == 1 else 's'}"
    return f"{found.format} · {told}{records if found.is_all else f'the first {records}'}"


def _rows(found: Inspected) -> list[tuple[str, str]]:
    columns = [f"{safe(name)} ({role})" if (role := _role(found, name)) else safe(name) for name in found.columns]
    lengths = [(role, f"{low:,} to {high:,} characters, median {median:,.0f}")
               for role, (low, median, high) in ((r, of) for r, of in found.lengths.items() if of)]  # fmt: skip
    rows = [
        ("columns", " · ".join(columns)),
        *lengths,
        ("classes", _counts(found.classes)),
        ("encodings", _counts(found.encodings) if len(found.encodings) > 1 else ""),
        ("noticed", _counts(found.changed)),
        ("problems", _counts({**found.problems, **found.rejected})),
    ]
    return [(name, text) for name, text in rows if text]


def _role(found: Inspected, column: str) -> str | None:
    return next((role for role, name in found.roles.items() if name == column and role != column), None)


def _counts(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{safe(name, NAME)} {n:,}" for name, n in counts.items())


def _worst(row: Worst) -> Text:
    place = f"line {row.line:,}" if row.line else f"record {row.record:,}"
    return Text(f"{place}  {row.why}  {safe(row.text)}", no_wrap=True, overflow="ellipsis")
