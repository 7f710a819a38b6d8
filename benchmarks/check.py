"""What check costs: CPU time of both its passes on what decode and strip made of some input, one process.

    python benchmarks/check.py INPUT [--rounds 5]

Last line: JSON, in ms a MB of title and body in UTF-8, the least of the rounds: `passes` is the work on tables in
memory, `stage` with reading and writing Parquet and JSON. The bar is 20 for both passes.
"""

import argparse
import functools
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from cleanse.run import commands
from cleanse.run.events import silent
from cleanse.settings import RunSettings, Settings
from cleanse.stages import check
from cleanse.table import TEXTS

SETTINGS = Settings(run=RunSettings(workers=1))


def passes(tables: list[pl.DataFrame]) -> None:
    """Learn what the columns look like, then judge each row."""
    (measure,) = check.STAGE.measures(SETTINGS)
    states = [measure.tally(table, SETTINGS, {}) for table in tables]
    facts = {measure.name: measure.finish(functools.reduce(measure.merge, states), SETTINGS, {})}
    for table in tables:
        check.apply(table, SETTINGS, facts)


def megabytes(tables: list[pl.DataFrame]) -> float:
    """Of title and body in UTF-8."""
    sizes = [table.select(pl.sum_horizontal(pl.col(list(TEXTS)).str.len_bytes().sum())).item() for table in tables]
    return float(sum(sizes)) / 1e6


def least(rounds: int, work: Callable[[], object]) -> float:
    """CPU seconds of all threads, the least of so many times."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def main() -> None:
    """Prepare the rows, then measure."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("input")
    ask.add_argument("--rounds", type=int, default=5)
    args = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        decoded, stripped, out = (Path(folder) / name for name in ("decode", "strip", "check"))
        commands.stage("decode", [args.input], decoded, SETTINGS, silent)
        commands.stage("strip", [str(decoded)], stripped, SETTINGS, silent)
        tables = [pl.read_parquet(path).rechunk() for path in sorted((stripped / "kept").iterdir())]
        mb = megabytes(tables)

        def stage() -> None:
            commands.stage("check", [str(stripped)], out, SETTINGS, silent, overwrite=True)

        seconds = {"passes": least(args.rounds, lambda: passes(tables)), "stage": least(args.rounds, stage)}
    print(f"{sum(table.height for table in tables):,} rows, {mb:.1f} MB of title and body")
    print(json.dumps({name: round(each * 1e3 / mb, 2) for name, each in seconds.items()}))


if __name__ == "__main__":
    main()
