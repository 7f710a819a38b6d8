"""A run that has nothing to do: told from the state of files alone, without a look into any of them.

`logs/call.json` says what the last whole run was asked, which files it read and which it left. Its place is logs/, as
it knows this machine.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cleanse.run import sources, store
from cleanse.run.places import place
from cleanse.run.sources import Source
from cleanse.run.store import Output
from cleanse.run.uris import shown

CALL = "logs/call.json"
LAST = ("run.json", "_SUCCESS", "_FAILED")  # written behind call.json
WHOLE = ("ok", "gate_failed")  # as run.json says it of a run that has all its files
_KEYS = {"call", "max_members", "sources", "files", "outputs"}  # of call.json
Stamp = tuple[int, int, int]  # bytes, time of change, number of the file


def stamp(path: str) -> Stamp:
    """What tells that a file has changed; zeros where there is none."""
    try:
        status = place(path).stat()
    except OSError:
        return (0, 0, 0)
    return status.st_size, status.st_mtime_ns, status.st_ino


def remember(
    out: Path,
    call: str,
    read: Mapping[Source, Stamp],
    files: Sequence[str],
    max_members: int,
    outputs: Sequence[Output] = (),
) -> None:
    """Write call.json, when all files of a run but LAST are there. `call`: the digest of what was asked; `read`: the
    sources with their stamps when they were read, zeros for those that were not; `files`: what else was read;
    `max_members`: as `sources.find` has it; `outputs`: those of run.json.
    """
    there = _there(out)
    digests = {output.path: output.sha256 for output in outputs} | _noted(out, there)
    tree = {
        "call": call,
        "max_members": max_members,
        "sources": _digest({source: seen if any(seen) else stamp(source.path) for source, seen in read.items()}),
        "files": {shown(name): stamp(name) if name == shown(name) else None for name in files},  # None: not to be told
        "outputs": {name: [size, digests.get(name) or _sha256(out / name)] for name, size in there.items()},
    }
    store.write_json(out / CALL, tree)


def _noted(out: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests of tables that stages noted when they wrote them: what is large is not read again."""
    found: dict[str, str] = {}
    for folder in (name.removesuffix("stage.json") for name in names if name.endswith("/stage.json")):
        for each in (store.read_json(out / folder / "stage.json") or {}).get("outputs", []):
            found[f"{folder}{each['path']}"] = each["sha256"]
    return found


def unchanged(out: Path, call: str, inputs: Sequence[str], *, verify: bool) -> bool:
    """True when the last run was asked the same, read the same files and left what lies there now; `verify`: to the
    last byte.
    """
    tree = store.read_json(out / CALL)
    manifest = store.read_json(out / "run.json") or {}
    if not tree or tree.keys() != _KEYS or tree["call"] != call or manifest.get("status") not in WHOLE:
        return False
    there = _there(out)
    if {name: size for name, (size, _) in tree["outputs"].items()} != there or not _has_ended(out):
        return False
    if any(before is None or list(stamp(name)) != before for name, before in tree["files"].items()):
        return False
    found = sources.find(inputs, out, tree["max_members"])
    if _digest({source: stamp(source.path) for source in found}) != tree["sources"]:
        return False
    return not verify or all(_sha256(out / name) == digest for name, (_, digest) in tree["outputs"].items())


def _has_ended(out: Path) -> bool:
    return (out / "_SUCCESS").exists() != (out / "_FAILED").exists()


def _there(out: Path) -> dict[str, int]:
    """Every file with its bytes, but for those that are written last, or to the end."""
    found = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if not path.is_dir()}
    return {
        name: (path.lstat() if path.is_symlink() else path.stat()).st_size for name, path in sorted(found.items())
        if name not in (*LAST, CALL, ".lock") and not name.startswith("logs/")
    }  # fmt: skip


def _digest(read: Mapping[Source, Stamp]) -> str:
    seen = [(source.path, source.name, source.member, stamp) for source, stamp in read.items()]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
