"""`decode` over files on disk, and what came of each, for tests."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from cleanse.run import commands
from cleanse.settings import DecodeSettings, RunSettings, Settings


class Result(NamedTuple):
    """Tables of all parts, and what the ledger says was changed."""

    kept: pl.DataFrame
    rejected: pl.DataFrame
    changed: dict[str, int]

    @property
    def reasons(self) -> dict[str, str]:
        """The reason of each source that was rejected as a whole."""
        files = self.rejected.filter(pl.col("_record") == 0)
        return dict(files.select("_source", "_reason").rows())

    @property
    def bodies(self) -> dict[str, list[str]]:
        """The kept bodies of each source."""
        found: dict[str, list[str]] = {}
        for source, body in self.kept.sort("_source", "_record").select("_source", "body").rows():
            found.setdefault(source, []).append(body)
        return found


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Files of this content, in a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def decoded(inputs: Path | str, out: Path, *, part_mb: float = 16, workers: int = 1, **settings: Any) -> Result:
    """Run `decode`."""
    s = Settings(run=RunSettings(workers=workers, part_mb=part_mb), decode=DecodeSettings(**settings))
    commands.stage("decode", [str(inputs)], out, s, lambda event: None)
    tables = {
        name: pl.concat([pl.read_parquet(path) for path in sorted((out / name).glob("*.parquet"))])
        for name in ("kept", "rejected")
    }
    changed: dict[str, int] = {}
    for entry in json.loads((out / "stage.json").read_text())["entries"]:
        changed |= entry["changed"]
    return Result(tables["kept"], tables["rejected"], changed)
