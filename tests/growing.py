"""Made-up rows of one class as run/ has them made: picked, searched in two halves, drawn block by block."""

import polars as pl

from cleanse.sampling.targets import Draws
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import growing


def grown(rows: pl.DataFrame, label: str, n_new: int, settings: Settings, facts: Facts) -> pl.DataFrame:
    counts = {label: rows.height, "": rows.height + n_new}
    facts = {**facts, "classes": {"before": counts, "target": dict.fromkeys(counts, rows.height + n_new)}}
    parts = [growing.aside(part, settings, facts) for part in (rows[:3], rows[3:], rows[:0])]
    crowd, size = growing.pick(parts, label, settings, facts), settings.resample.block_rows
    half = crowd.height // 2
    near = pl.concat(
        growing.search(crowd, label, start, stop, settings, facts)
        for start, stop in ((0, half), (half, crowd.height))
        if start < stop
    )
    blocks = [Draws(n_new, size, range(number, number + 1)) for number in range(-(-n_new // size))]
    return pl.concat(table for draws in blocks for table in growing.grow(crowd, near, label, draws, settings, facts))
