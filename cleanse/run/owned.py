"""A folder is ours or it is not touched: whose files lie in it, what of an older run goes."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

from cleanse.errors import ConfigError
from cleanse.run.leases import LOCK
from cleanse.run.store import prune, read_json, write_json, writing

Manifest = Literal["run.json", "stage.json"]
_TEMPORARY = r"\..+\.[0-9a-f]{16}\.tmp"  # patterns stay text until they are needed: the longest takes a millisecond
_MADE = (  # what may be taken over from an earlier call, by its markers
    r"(?:(?:(?:kept|rejected|structural|scatter)/part|scatter/(?:class|near))-\d{5,}(?:-\d{5,})?\.(?:parquet|npz|arrow)"
    r"|vectors/(?:(?:real|synthetic)-\d{5,}\.parquet|vectorizer\.(?:npz|json)|categories\.json)"
    r"|markers/(?:facts|vectors|(?:scatter-)?part-\d{5,}|[^/]+-\d{5,}-of-\d{5,})\.json|facts\.json)"
)
_SIDE = r"(?:(?:stage|plan|roles|skew|weights|transforms|shards)\.json|(?:files|classes|shards|lengths|keys)\.parquet)"
_TABLES = r"data/[^/]+-\d{5,}-of-\d{5,}\.parquet|rejects/rejects-\d{5,}-of-\d{5,}\.parquet"
SURVEYS = "stages/surveys"  # what calls that make shares of a run tell each other; nobody else's, whatever lies beside
ENDS = ("_SUCCESS", "_FAILED")  # that a run has ended, and how
_SURVEY = SURVEYS + r"/[0-9a-f]{64}"
_STAGE_TABLES = r"stages/\d-[a-z]+/(?:kept|rejected|structural)/part-\d{5,}\.parquet"
_REUSED = {
    "stage.json": _MADE,
    "run.json": rf"stages/\d-[a-z]+/{_MADE}|{_SURVEY}|logs/.*|{_TABLES}",
}
_OURS = {  # what lies in a folder of each manifest: exact names, so that nobody else's file is ever deleted
    "stage.json": rf"{_MADE}|{_SIDE}|\.lock",
    "run.json": (
        rf"stages/(?:plan\.json|\d-[a-z]+/(?:{_MADE}|{_SIDE}))|(?:run|metrics|gate|profile)\.json|_SUCCESS|_FAILED"
        rf"|report\.html|README\.md|\.lock|logs/(?:run\.jsonl|call\.json|crash-[^/]+\.txt)|data/(?:weights|transforms)\.json"
        rf"|{_TABLES}"
    ),
}


def refuse_foreign(folder: Path, manifest: Manifest) -> None:
    """Raises ConfigError (out-not-empty) when a folder holds anything that cleanse did not write: it must be absent,
    empty or hold our `manifest` and nothing else.
    """
    ours = {"cleanse", "schema_version"} <= (read_json(folder / manifest) or {}).keys()
    present = [
        name for name, path in _files(folder).items()
        if name != LOCK and not re.fullmatch(_TEMPORARY, path.name) and not re.fullmatch(_SURVEY, name)
    ]  # fmt: skip
    foreign = [name for name in present if not (ours and re.fullmatch(_OURS[manifest], name))]
    if foreign:
        raise ConfigError(
            "out-not-empty",
            f"{folder} holds {len(foreign)} file{'s' * (len(foreign) > 1)} cleanse did not write",
            "choose another --out",
            found=", ".join(foreign[:5]) + (", …" if len(foreign) > 5 else ""),
        )


def claim(
    folder: Path, manifest: Manifest, head: Mapping[str, Any], *, empty: bool = False, shared: bool = False
) -> None:
    """Make a folder ours. All goes that must not outlive an older call; what markers speak of stays, unless it is to be
    `empty`, and with `shared` what another call may be writing now.

    First of all goes what says that a run has ended, then the manifest is written, with status `interrupted`: any death
    leaves a folder that is ours and that nobody takes for a whole run. Raises ConfigError when there is anything that
    cleanse did not write; then nothing was changed.
    """
    refuse_foreign(folder, manifest)
    _unlink(folder, ENDS)
    write_json(folder / manifest, {**head, "status": "interrupted"})
    present = _files(folder)
    stay = {name for name in present if re.fullmatch(_REUSED[manifest], name) and not empty}
    if shared:
        stay |= {name for name, path in present.items() if re.fullmatch(_TEMPORARY, path.name)}
    _remove(folder, present.keys() - stay - {manifest, LOCK})


def sweep(folder: Path, manifest: Manifest, wanted: Collection[str]) -> None:
    """Remove what markers of an older call spoke of and this one does not want. `wanted`: paths below the folder."""
    made = [name for name in _files(folder) if re.fullmatch(_REUSED[manifest], name) and not name.startswith("logs/")]
    _remove(folder, set(made) - set(wanted))


def release(folder: Path) -> None:
    """Remove the tables of all stages of a run: data/ and rejects/ hold every record. Markers and stage.json stay."""
    _remove(folder, [name for name in _files(folder) if re.fullmatch(_STAGE_TABLES, name)])


def _files(folder: Path) -> dict[str, Path]:
    with writing(folder):
        found = sorted(path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return {path.relative_to(folder).as_posix(): path for path in found}


def _remove(folder: Path, names: Collection[str]) -> None:
    _unlink(folder, names)
    prune(folder)


def _unlink(folder: Path, names: Collection[str]) -> None:
    with writing(folder):
        for name in names:
            (folder / name).unlink(missing_ok=True)
