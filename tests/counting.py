"""Stages on small tables without disk: tables are tallied in parts, merged and finished, as run/ does it."""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from cleanse.settings import Settings
from cleanse.stage import PART, Stage


def facts_of(stage: Stage, parts: Sequence[pl.DataFrame], settings: Settings) -> dict[str, Any]:
    """What the stage knows of the corpus, each part reduced to the columns that a measure reads."""
    facts: dict[str, Any] = {}
    for measure in stage.measures(settings):
        states = []
        for number, part in enumerate(parts):
            wanted = measure.columns(settings, frozenset(part.columns)) if measure.columns else frozenset(part.columns)
            narrow = part.select(name for name in part.columns if name in wanted)
            narrow = narrow if narrow.width else pl.DataFrame(height=part.height)
            states.append(measure.tally(narrow.with_columns(pl.lit(f"part-{number}").alias(PART)), settings, facts))
        while len(states) > 1:
            states = [measure.merge(states[1], states[0]), *states[2:]]
        facts[measure.name] = json.loads(json.dumps(measure.finish(states[0], settings, facts), allow_nan=False))
    return facts


def cut(frame: pl.DataFrame, n: int) -> list[pl.DataFrame]:
    """n parts of about equal size."""
    size = max(1, -(-frame.height // n))
    return [frame[i : i + size] for i in range(0, frame.height, size)] or [frame]
