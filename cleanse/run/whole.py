"""A whole run: the workers start first, and load what they need while this process does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cleanse.errors import CleanseError, MachineError
from cleanse.run import locks, opening, owned
from cleanse.run.events import Listener
from cleanse.run.extent import WHOLE, Extent
from cleanse.run.store import commit, read_json, write_json
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
        with locks.locked(out, shared=extent.share is not None), _fated(out):
            with opening.engine(found, out, settings, listen) as engine:
                from cleanse.run.commands import ran  # late: polars and all stages
                from cleanse.run.job import Job

                job = Job(settings, engine, listen, out / "data", extent)
                done = ran(found, out, job, allow_empty=allow_empty, overwrite=overwrite)
            yield done


@contextmanager
def _fated(out: Path) -> Iterator[None]:
    """A run that ends in an error says so in its run.json, and so does a bug with `_FAILED`; else it would look as if
    somebody had stopped it.
    """
    try:
        yield
    except Exception as problem:
        code = problem.exit_code if isinstance(problem, CleanseError) else CleanseError.exit_code
        tree = read_json(out / "run.json") or {}
        if tree.get("status") == "interrupted":
            with suppress(MachineError):  # a full disk is full
                write_json(out / "run.json", {**tree, "status": "error", "exit_code": code})
                if code == CleanseError.exit_code:
                    commit(out / "_FAILED", b"")
        raise
