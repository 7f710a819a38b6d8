"""What the stages before one took, by label: read from the rejected tables of their folders in a run."""

from pathlib import Path
from typing import Any

import polars as pl

from cleanse.run.store import read_json
from cleanse.run.tables import readable
from cleanse.stages import ORDER


def history(folder: Path) -> list[dict[str, Any]]:
    """`stage`, `rows_in`, `kept` and `lost` (label → records rejected) of each stage up to `folder` in a run.

    Empty where the folder is no stage of a run. An unlabelled row stands under the empty name.
    """
    number, _, name = folder.name.partition("-")
    if name not in ORDER or not (folder.parent.parent / "run.json").exists():
        return []
    past = [folder.parent / f"{i}-{stage}" for i, stage in enumerate(ORDER, 1) if i <= int(number)]
    return [_taken(each) for each in past]


def _taken(folder: Path) -> dict[str, Any]:
    manifest = read_json(folder / "stage.json") or {}
    tables = [o["path"] for o in manifest["outputs"] if o["path"].startswith("rejected/") and o["rows"]]
    (entry,) = (each for each in manifest["entries"] if each["unit"] == "record")
    lost: dict[str, int] = {}
    for table in tables:
        for label, n in _labels(folder / table).iter_rows():
            lost[label] = lost.get(label, 0) + n
    return {
        "stage": manifest["stage"],
        "rows_in": entry["rows_in"],
        "kept": entry["kept"],
        "lost": dict(sorted(lost.items())),
    }


def _labels(table: Path) -> pl.DataFrame:
    """label → records. A row with `_record` 0 is a file, and no record."""
    content = readable(table)
    rows = pl.scan_parquet(content).filter(pl.col("_record") > 0)
    label = pl.col("label").fill_null("") if "label" in pl.read_parquet_schema(content) else pl.lit("").alias("label")
    return rows.select(label).group_by("label").agg(pl.len()).collect()
