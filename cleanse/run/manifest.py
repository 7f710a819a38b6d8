"""run.json: settings, versions, inputs, ledger and outputs of a run; heads of manifests. No clock, host or path."""

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleanse import __version__
from cleanse.ledger import Entry
from cleanse.run import store
from cleanse.run.store import Output
from cleanse.run.uris import shown_all
from cleanse.run.versions import files, versions
from cleanse.settings import Settings
from cleanse.stages import load

if TYPE_CHECKING:  # a stage alone has none, but for decode
    from cleanse.run.plan import Plan

HOW = (  # keys of section run that change no byte of the result
    "workers", "engine", "ray_address", "memory_limit", "keep_stages", "verify",
)  # fmt: skip


@dataclass(frozen=True)
class RunManifest:
    """What a run was and what it left."""

    settings: Settings
    plan: "Plan"
    entries: list[Entry]
    outputs: list[Output]
    records: dict[str, int]  # by source

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, the same for any number of workers and engine."""
        inputs = [
            {"path": p.source.name, "bytes": p.source.size, "sha256": p.sha256, "records": self.records[p.source.name]}
            for p in self.plan.sources
        ]
        entries, outputs = [entry.as_json() for entry in self.entries], [output.as_json() for output in self.outputs]
        return {**head(self.settings), "inputs": inputs, "entries": entries, "outputs": outputs}


def stage_head(name: str, settings: Settings) -> dict[str, Any]:
    """What a stage.json begins with."""
    sections = shown_all(asdict(settings))
    used = {section: sections[section] for section in load(name).sections}
    tree = {"schema_version": 1, "cleanse": __version__, "stage": name, "settings": used}
    return tree | _files(settings, used)


def head(settings: Settings) -> dict[str, Any]:
    """What a run.json begins with: it also stands there while the run goes on."""
    tree = shown_all(asdict(settings))
    tree["run"] = {key: value for key, value in tree["run"].items() if key not in HOW}
    found = {"schema_version": 1, "cleanse": __version__, "versions": versions(settings), "settings": tree}
    return found | _files(settings, tree)


def _files(settings: Settings, sections: Container[str]) -> dict[str, Any]:
    """`files` of a manifest, where there are some."""
    found = files(settings, sections)
    return {"files": found} if found else {}


def status(exit_code: int) -> str:
    """What run.json says of a run that came to its end."""
    return "ok" if exit_code == 0 else "gate_failed"


def seal(out: Path, tree: Mapping[str, Any], exit_code: int) -> None:
    """The last files of a run: run.json (`tree`) with its verdict, then `_SUCCESS` or `_FAILED`, never both."""
    marks = ("_SUCCESS", "_FAILED") if exit_code == 0 else ("_FAILED", "_SUCCESS")
    with store.writing(out):
        (out / marks[1]).unlink(missing_ok=True)
    store.write_json(out / "run.json", {**tree, "status": status(exit_code), "exit_code": exit_code})
    store.commit(out / marks[0], b"")


def digest_of(tree: Mapping[str, Any]) -> dict[str, str]:
    """Which settings and version a metrics.json was measured with; `tree`: that of run.json."""
    text = json.dumps(tree["settings"], ensure_ascii=False, sort_keys=True)
    return {"config_sha256": hashlib.sha256(text.encode()).hexdigest(), "cleanse": tree["cleanse"]}
