"""What a step made of a part, before it is written; and how things are named in a log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from cleanse.ledger import Entry


@dataclass(frozen=True)
class Ready:
    """What a step made of a part, not written yet. `files`: what it counted by source."""

    tables: dict[str, pl.DataFrame]
    entries: list[Entry]
    files: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def some(names: Sequence[str]) -> str:
    """The first of some names, and how many there are.

    >>> some(["a.csv", "b.csv", "c.csv"])
    'a.csv and 2 more'
    """
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)
