"""The ledger: what came into a stage, what left it and why. A ledger that does not balance is a bug."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cleanse.errors import LedgerError


@dataclass(frozen=True)
class Entry:
    """The counts of one stage in one unit: `record`, and for decode also `file`.

    `rejected`: reason → rows; `changed`: what → count, in the unit that the stage's page names.
    """

    stage: str
    unit: str
    rows_in: int
    kept: int
    added: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_rejected(self) -> int:
        """Rows rejected for any reason."""
        return sum(self.rejected.values())

    def as_json(self) -> dict[str, Any]:
        """Plain JSON with sorted reasons, the same for any order in which parts were added."""
        tree = asdict(self)
        return {**tree, **{key: dict(sorted(tree[key].items())) for key in ("rejected", "changed")}}


def balance(entry: Entry, where: str) -> Entry:
    """The entry itself when `rows_in + added == kept + Σ rejected`; raises LedgerError naming `where` if not.

    >>> balance(Entry("check", "record", rows_in=3, kept=2, rejected={"title_short": 1}), "part-00000").kept
    2
    """
    came, left = entry.rows_in + entry.added, entry.kept + entry.n_rejected
    if came != left:
        raise LedgerError(
            "ledger-unbalanced",
            f"{entry.stage}: {came} {entry.unit}s came in, {left} left",
            "this is a bug in cleanse: report it with the run.json",
            where,
            f"rows_in {entry.rows_in}, added {entry.added}, kept {entry.kept}, rejected {entry.n_rejected}",
        )
    return entry


def total(entries: Iterable[Entry]) -> list[Entry]:
    """Entries of many parts as one per (stage, unit), in order of first sight; the order of parts does not matter."""
    sums: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        sums.setdefault((entry.stage, entry.unit), []).append(entry)
    return [_add(stage, unit, parts) for (stage, unit), parts in sums.items()]


def _add(stage: str, unit: str, parts: list[Entry]) -> Entry:
    rejected, changed = Counter[str](), Counter[str]()
    for part in parts:
        rejected.update(part.rejected)
        changed.update(part.changed)
    rows_in, kept, added = (sum(getattr(p, name) for p in parts) for name in ("rows_in", "kept", "added"))
    return Entry(stage, unit, rows_in, kept, added, dict(rejected), dict(changed))


def chain(before: Entry, after: Entry) -> None:
    """Raises LedgerError unless a stage took in exactly the records that the stage before it kept."""
    if before.kept != after.rows_in:
        raise LedgerError(
            "ledger-unbalanced",
            f"{before.stage} kept {before.kept} records, {after.stage} read {after.rows_in}",
            "this is a bug in cleanse: report it with the run.json",
        )
