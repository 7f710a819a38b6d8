"""What the stages before one took, by label: read from the rejected tables of their folders in a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from cleanse.run.store import read_json
from cleanse.run.tables import readable
from cleanse.stages import ORDER


def history(folder: Path) -> list[dict[str, Any]]:
    """`stage`, `rows_in`, `added`, `kept` and `lost` (label → records rejected) of each stage up to `folder` in a run;
    of one that added rows, whose labels are not to be known from its own tables, also `came` (label → records).

    Empty where the folder is no stage of a run. An unlabelled row stands under the empty name.
    """
    number, _, name = folder.name.partition("-")
    if name not in ORDER or not (folder.parent.parent / "run.json").exists():
        return []
    past = [folder.parent / f"{i}-{stage}" for i, stage in enumerate(ORDER, 1) if i <= int(number)]
    return [_taken(each, before) for before, each in zip([None, *past], past, strict=False)]


def _taken(folder: Path, before: Path | None) -> dict[str, Any]:
    manifest = read_json(folder / "stage.json") or {}
    (entry,) = (each for each in manifest["entries"] if each["unit"] == "record")
    counts = {name: entry[name] for name in ("rows_in", "added", "kept")}
    found = {"stage": manifest["stage"], **counts, "lost": _by_label(folder, manifest, "rejected")}
    if entry["added"] and before:
        found["came"] = _by_label(before, read_json(before / "stage.json") or {}, "kept")
    return found


def _by_label(folder: Path, manifest: Mapping[str, Any], kind: str) -> dict[str, int]:
    """label → records of the tables of one kind."""
    found: dict[str, int] = {}
    for output in manifest["outputs"]:
        if output["path"].startswith(f"{kind}/") and output["rows"]:
            for label, n in _labels(folder / output["path"]).iter_rows():
                found[label] = found.get(label, 0) + n
    return dict(sorted(found.items()))


def _labels(table: Path) -> pl.DataFrame:
    """label → records; all under "" where there is no such column. A row with `_record` 0 is a file, and no record."""
    content = readable(table)
    rows = pl.scan_parquet(content).filter(pl.col("_record") > 0)
    label = pl.col("label") if "label" in pl.read_parquet_schema(content) else pl.lit(None, pl.String)
    labelled = rows.with_columns(label=label.fill_null(""))  # a select of a literal alone has one row
    return labelled.group_by("label").agg(pl.len()).collect()
