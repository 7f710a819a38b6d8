"""Which engine a call gets: what the settings say, and this process alone for little input."""

from pathlib import Path
from typing import Literal

from cleanse.run.engines import capacity
from cleanse.run.engines.base import Engine
from cleanse.run.engines.local import Inline, Processes, Threads
from cleanse.run.engines.supervisor import Supervised
from cleanse.run.events import Listener
from cleanse.settings import RunSettings

SMALL = 8 << 20  # bytes of input below which starting processes costs more than the work
Work = Literal["heavy", "light", "threads"]  # of Python; of polars; of numpy, with imports too dear to repeat
LIGHT = 16  # bytes, or files, that are as much work for a light stage alone as one for a whole run
A_FILE = 1 << 15  # bytes whose work is that of opening one more file


def chosen(
    run: RunSettings, n_bytes: int, n_files: int, out: Path, listen: Listener, work: Work = "heavy"
) -> Engine:  # fmt: skip
    """The engine for so many files and bytes of input. `out`: a folder that all nodes of a cluster must see."""
    if run.engine == "ray":
        from cleanse.run.engines.ray import connected  # late: an extra

        return Supervised(connected(run.ray_address or "", out), listen)
    n_workers = 1 if run.engine == "inline" else capacity.n_workers(run)
    if n_workers == 1:
        return Inline()
    if work == "threads":
        return Threads(n_workers, is_numpy=True)
    if run.workers == "auto" and n_bytes + n_files * A_FILE < SMALL * (LIGHT if work == "light" else 1):
        return Threads(n_workers) if work == "light" else Inline()
    return Supervised(Processes(n_workers, capacity.share_mb(run, n_workers)), listen)
