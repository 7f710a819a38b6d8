"""Which engine a call gets: what the settings say, and this process alone for little input."""

from pathlib import Path

from cleanse.run.engines import capacity
from cleanse.run.engines.base import Engine
from cleanse.run.engines.local import Inline, Processes, Threads
from cleanse.run.engines.supervisor import Supervised
from cleanse.run.events import Listener
from cleanse.settings import RunSettings

SMALL = 8 << 20  # bytes of input below which starting processes costs more than the work
LIGHT = 16  # bytes, or files, that are as much work for a light stage alone as one for a whole run
A_FILE = 1 << 15  # bytes whose work is that of opening one more file


def chosen(run: RunSettings, n_bytes: int, n_files: int, out: Path, listen: Listener, *, light: bool = False) -> Engine:
    """The engine for so many files and bytes of input. `out`: a folder that all nodes of a cluster must see;
    `light`: for a stage whose work is polars'.
    """
    if run.engine == "ray":
        from cleanse.run.engines.ray import connected  # late: an extra

        return Supervised(connected(run.ray_address or "", out), listen)
    if run.engine == "inline":
        return Inline()
    n_workers = capacity.n_workers(run)
    if run.workers == "auto" and n_bytes + n_files * A_FILE < SMALL * (LIGHT if light else 1):
        return Threads(n_workers) if light and n_workers > 1 else Inline()
    if n_workers == 1:
        return Inline()
    return Supervised(Processes(n_workers, capacity.share_mb(run, n_workers)), listen)
