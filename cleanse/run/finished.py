"""A finished run folder, read by its manifest and never by glob."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from cleanse.errors import InputError
from cleanse.ledger import Entry
from cleanse.run.store import read_json
from cleanse.run.tables import schema_of
from cleanse.stages import ORDER

_KEYS = {"cleanse", "schema_version", "settings", "inputs", "entries", "outputs"}  # of the run.json of a run that ended


@dataclass(frozen=True)
class Finished:
    """What a run left. `manifest`: the tree of run.json."""

    out: Path
    manifest: Mapping[str, Any]

    @property
    def entries(self) -> list[Entry]:
        """The ledger."""
        return [Entry(**entry) for entry in self.manifest["entries"]]

    def tree(self, name: str) -> dict[str, Any]:
        """A JSON object of the run folder; empty when it is not there. Strict: NaN is no number of ours."""
        try:
            return _strict((self.out / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as problem:
            raise not_a_run(self.out, f"{name}: {problem}") from None

    def metrics(self) -> dict[str, int | float]:
        """The numbers of metrics.json. Raises InputError when there are none."""
        found = self.tree("metrics.json").get("metrics")
        if not found:
            raise not_a_run(self.out, "no metrics.json")
        return {name: value for name, value in found.items() if isinstance(value, int | float)}

    def stage(self, name: str) -> Path:
        """The folder of a stage."""
        return self.out / "stages" / f"{ORDER.index(name) + 1}-{name}"

    def parts(self, stage: str, kind: str) -> list[Path]:
        """The Parquet files that a stage wrote: `kind` is kept, rejected or structural. Empty when they are gone."""
        listed = (read_json(self.stage(stage) / "stage.json") or {}).get("outputs", [])
        files = [self.stage(stage) / each["path"] for each in listed if each["path"].startswith(f"{kind}/")]
        return files if all(file.exists() for file in files) else []

    def tables(self, folder: str) -> list[Mapping[str, Any]]:
        """What run.json says of the rows of data/ or rejects/; weights and vectors are none."""
        listed: list[Mapping[str, Any]] = self.manifest["outputs"]
        return [each for each in listed if re.fullmatch(rf"{folder}/(?!vectors-)[^/]+\.parquet", each["path"])]

    def outputs(self, folder: str) -> list[Path]:
        """The Parquet files of data/ or rejects/ with rows. Raises InputError when one is gone or damaged since."""
        return [self._whole(each["path"]) for each in self.tables(folder)]

    def _whole(self, name: str) -> Path:
        import polars as pl  # late

        try:
            schema_of(self.out / name)
        except (OSError, pl.exceptions.PolarsError) as problem:
            raise not_a_run(self.out, f"{name}: {str(problem).splitlines()[0]}") from None
        return self.out / name


def finished(out: Path) -> Finished:
    """The run in a folder. Raises InputError (not-a-run) when there is none."""
    manifest = read_json(out / "run.json")
    if manifest is None or not manifest.keys() >= _KEYS:
        try:
            held = sorted(path.name for path in out.iterdir())[:5] if out.is_dir() else ["nothing there"]
        except OSError as problem:
            raise not_a_run(out, problem.strerror or "unreadable") from None
        raise not_a_run(out, ", ".join(held) or "nothing")
    return Finished(out, manifest)


def not_a_run(out: Path, found: str) -> InputError:
    """The error for a folder that holds no finished run."""
    return InputError("not-a-run", f"{out} is no finished run", "cleanse run INPUT -o OUT makes one", found=found)


def _strict(text: str) -> dict[str, Any]:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is not JSON")

    tree = json.loads(text, parse_constant=refuse)
    if not isinstance(tree, dict):
        raise ValueError("no JSON object")
    return tree
