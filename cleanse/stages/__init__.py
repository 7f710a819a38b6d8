"""The stages in the order of a run. A name is a module of this folder, imported when the stage runs."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cleanse.stage import Stage

ORDER = ("decode", "strip", "check", "skew", "resample", "shard")


def load(name: str) -> "Stage":
    """The `STAGE` of a module of this folder."""
    stage: Stage = import_module(f"cleanse.stages.{name}").STAGE
    return stage
