"""What the stages of one call share, and what each of them leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cleanse.errors import ConfigError
from cleanse.ledger import Entry
from cleanse.run import markers
from cleanse.run.engines.base import Engine
from cleanse.run.events import Event, Listener, silent
from cleanse.run.extent import WHOLE, Extent
from cleanse.run.markers import Marker
from cleanse.run.store import Output
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import ORDER
from cleanse.table import Schema


@dataclass(frozen=True)
class Table:
    """A folder of parts, as a stage finds it: `parts` are paths below `folder`, with their rows."""

    folder: Path
    parts: list[Output]
    schema: Schema
    exact: bool = True  # every part has just these columns, in this order


def kept(folder: Path, outputs: Sequence[Output], schema: Schema) -> Table:
    """The kept parts among what a stage wrote."""
    return Table(folder, [output for output in outputs if output.path.startswith("kept/")], schema)


@dataclass(frozen=True)
class Job:
    """What all stages of a call share. `final`: the folder for the finished shards of a run."""

    settings: Settings
    engine: Engine
    listen: Listener = silent
    final: Path | None = None
    extent: Extent = WHOLE

    def found(self, stage: str, folder: Path, part: str, key: str, root: Path | None = None) -> Marker | None:
        """The marker of a part that need not be made again. `root`: where its files lie, if not in the stage's folder.

        Raises ConfigError where a stage before the first one is not whole.
        """
        first, marker = self.extent.first, markers.read(folder, part)
        is_before = first is not None and ORDER.index(stage) < ORDER.index(first)
        is_anew = self.extent.force or (first is not None and not is_before)
        verify = self.settings.run.verify
        if (
            marker
            and marker.key == key
            and not is_anew
            and markers.there(marker.outputs, root or folder, verify=verify)
        ):
            return marker
        if is_before:
            what = f"--from {first}: {part} of {stage} is missing or damaged in {folder}, or made from something else"
            raise ConfigError("from-unfinished", what, "leave --from out: what is done is not done again")
        return None

    def told(self, name: str, entries: Sequence[Entry], **more: Any) -> None:
        """An event of a stage or of a part of it, with the counts of its last ledger line, the records."""
        last = entries[-1]
        counts = {"rows_in": last.rows_in, "kept": last.kept, "rejected": last.n_rejected}
        self.listen(Event(name, {"stage": last.stage, **more, **counts}))


@dataclass(frozen=True)
class StageResult:
    """What one stage left: its ledger, its facts, its tables, the rejected ones, and the names of its markers.

    `files`: what it counted by source, of decode its records, problems and structural lines.
    """

    name: str
    entries: list[Entry]
    facts: Facts
    kept: Table
    outputs: list[Output]
    marked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    files: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def rejected(self) -> list[Output]:
        """The tables of rejected rows."""
        return [output for output in self.outputs if output.path.startswith("rejected/")]
