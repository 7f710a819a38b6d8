"""Files on disk: each appears whole or not at all, by rename; a folder is ours or it is not touched."""

import contextlib
import hashlib
import io
import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from cleanse.errors import ConfigError, MachineError
from cleanse.stage import Side

DISK_FULL = (28, 122, 27)  # ENOSPC, EDQUOT, EFBIG
Kind = Literal["stages", "final", "vectors"]
CODEC: dict[Kind, tuple[Literal["zstd", "snappy"], int | None]] = {
    "stages": ("zstd", 1),  # 30 % faster than 3
    "final": ("zstd", 3),  # 14 % smaller than 1
    "vectors": ("snappy", None),  # a third of the time of zstd; 9 % larger, for floats are mostly noise
}
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")
_STAGE_FILE = (
    r"(?:(?:(?:kept|rejected|structural|scatter)/part|scatter/(?:class|near))-\d{5,}(?:-\d{5,})?\.(?:parquet|npz|arrow)"
    r"|vectors/(?:(?:real|synthetic)-\d{5,}\.parquet|vectorizer\.(?:npz|json)|categories\.json)"
    r"|(?:stage|plan|facts|roles|skew|weights|transforms|shards)\.json|(?:files|classes|shards|lengths|keys)\.parquet)"
)
_OURS = {  # what lies in a folder of each manifest: exact names, so that nobody else's file is ever deleted
    "stage.json": re.compile(_STAGE_FILE),
    "run.json": re.compile(
        rf"stages/(?:plan\.json|\d-[a-z]+/{_STAGE_FILE})|(?:run|metrics|gate|profile)\.json|_SUCCESS|_FAILED"
        r"|report\.html|README\.md|logs/(?:run\.jsonl|crash-[^/]+\.txt)|data/(?:weights|transforms)\.json"
        r"|data/[^/]+-\d{5,}-of-\d{5,}\.parquet|rejects/rejects-\d{5,}-of-\d{5,}\.parquet"
    ),
}


@dataclass(frozen=True)
class Output:
    """A Parquet file that was written: its path below the folder it belongs to, and what is in it."""

    path: str
    rows: int
    bytes: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        """Plain JSON for a manifest."""
        return asdict(self)


def part_name(number: int) -> str:
    """What the files of a part are called, before their suffix.

    >>> part_name(7)
    'part-00007'
    """
    return f"part-{number:05}"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an OS error into a MachineError that says what could not be written and what helps."""
    try:
        yield
    except OSError as problem:
        full = problem.errno in DISK_FULL
        raise MachineError(
            "disk-full" if full else "out-not-writable",
            f"cannot write {path}: {problem.strerror}",
            "free some space or take another disk, then the same command" if full else "choose another --out",
        ) from None


def commit(path: Path, data: bytes | memoryview) -> None:
    """Write beside, fsync, rename, fsync the folder: after a death there is the whole file or none."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def write_table(path: Path, root: Path, frame: pl.DataFrame, row_group_mb: float, kind: Kind = "stages") -> Output:
    """A table as Parquet below `root`: polars writes to memory, Python to disk. The bytes follow from the rows."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String()]
    size = int(frame.select(pl.sum_horizontal(pl.col(texts).str.len_bytes().sum())).item() or 0) if texts else 0
    groups = max(1, math.ceil(size / (row_group_mb * 2**20)))
    buffer, (codec, level), rows = io.BytesIO(), CODEC[kind], max(1, math.ceil(frame.height / groups))
    frame.write_parquet(buffer, compression=codec, compression_level=level, row_group_size=rows)
    data = buffer.getbuffer()
    commit(path, data)
    return Output(path.relative_to(root).as_posix(), frame.height, len(data), hashlib.sha256(data).hexdigest())


def write_scratch(path: Path, frame: pl.DataFrame) -> None:
    """A table that is read again at once and then gone: as it lies in memory, so that a reader may map it."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    commit(path, buffer.getbuffer())


def link(source: Path, target: Path) -> None:
    """The same file in a second folder: a hard link, a copy where links fail."""
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:
            beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
            shutil.copyfile(source, beside)
            beside.replace(target)


def write_json(path: Path, tree: Mapping[str, Any]) -> None:
    """Strict JSON, UTF-8 unescaped; floats with 12 significant digits."""
    commit(path, (json.dumps(_rounded(tree), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode())


def _rounded(tree: Any) -> Any:
    if isinstance(tree, Mapping):
        return {key: _rounded(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_rounded(value) for value in tree]
    return float(f"{tree:.12g}") if isinstance(tree, float) else tree


def write_side(folder: Path, files: Mapping[str, Side]) -> None:
    """What a stage leaves beside its parts: tables and JSON trees by file name."""
    for name, content in files.items():
        if isinstance(content, pl.DataFrame):
            write_table(folder / name, folder, content, row_group_mb=1)
        else:
            write_json(folder / name, content)


def write_beside(path: Path, content: bytes | Mapping[str, Any]) -> None:
    """A file of bytes or a JSON tree."""
    commit(path, content) if isinstance(content, bytes) else write_json(path, content)


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file, None when it is not there or no such thing."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return tree if isinstance(tree, dict) else None


def claim(folder: Path, manifest: Literal["run.json", "stage.json"], head: Mapping[str, Any]) -> None:
    """Make a folder ours: it must be absent, empty or hold our `manifest` and nothing foreign; then it is emptied.

    The manifest is written at once, with status `interrupted`: any death leaves a folder that is ours. Raises
    ConfigError when there is anything that cleanse did not write; then nothing was changed.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        present = sorted(path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    names = [path.relative_to(folder).as_posix() for path in present]
    ours = {"cleanse", "schema_version"} <= (read_json(folder / manifest) or {}).keys()
    foreign = [n for p, n in zip(present, names, strict=True) if not _TEMPORARY.fullmatch(p.name)]
    foreign = [name for name in foreign if not (ours and _OURS[manifest].fullmatch(name))]
    if foreign:
        raise ConfigError(
            "out-not-empty",
            f"{folder} holds {len(foreign)} file{'s' * (len(foreign) > 1)} cleanse did not write",
            "choose another --out",
            found=", ".join(foreign[:5]) + (", …" if len(foreign) > 5 else ""),
        )
    write_json(folder / manifest, {**head, "status": "interrupted"})
    with writing(folder):
        for path in present:
            if path != folder / manifest:
                path.unlink()
    prune(folder)


def prune(folder: Path) -> None:
    """Remove empty folders below."""
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()
