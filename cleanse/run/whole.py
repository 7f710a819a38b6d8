"""A whole run: the workers start first, and load what they need while this process does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cleanse.run import opening, owned
from cleanse.run.events import Listener
from cleanse.run.extent import WHOLE, Extent
from cleanse.settings import Settings

if TYPE_CHECKING:
    from cleanse.run.commands import Whole


@contextmanager
def whole(
    inputs: Sequence[str],
    out: Path,
    settings: Settings,
    listen: Listener,
    *,
    allow_empty: bool = False,
    overwrite: bool = False,
    extent: Extent = WHOLE,
) -> "Iterator[Whole]":
    """All stages in order, then rejects/. While the folder is locked the caller writes what follows from the numbers,
    and seals the run.
    """
    with opening.found(inputs, out, settings) as found:
        owned.refuse_foreign(out, "run.json")
        with owned.locked(out, shared=extent.share is not None), owned.fated(out):
            with opening.engine(found, out, settings, listen) as engine:
                from cleanse.run.commands import ran  # late: polars and all stages
                from cleanse.run.job import Job

                job = Job(settings, engine, listen, out / "data", extent)
                done = ran(found, out, job, allow_empty=allow_empty, overwrite=overwrite)
            yield done
