"""Files on disk: each appears whole or not at all, by rename."""

import contextlib
import hashlib
import io
import json
import math
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cleanse.errors import MachineError, limit
from cleanse.run.places import Remote

if TYPE_CHECKING:  # a run that has nothing to do does not load polars
    import polars as pl

    from cleanse.stage import Side

Kind = Literal["stages", "final", "vectors"]
CODEC: dict[Kind, tuple[Literal["zstd", "snappy"], int | None]] = {
    "stages": ("zstd", 1),  # 30 % faster than 3
    "final": ("zstd", 3),  # 14 % smaller than 1
    "vectors": ("snappy", None),  # a third of the time of zstd; 9 % larger, for floats are mostly noise
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


def output(path: Path, root: Path) -> Output:
    """A file that lies there and is no table of rows."""
    content = path.read_bytes()
    return Output(path.relative_to(root).as_posix(), 0, len(content), hashlib.sha256(content).hexdigest())


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
        what = f"cannot write {path}: {problem.strerror}"
        raise limit(problem.errno, what) or MachineError("out-not-writable", what, "choose another --out") from None


def commit(path: Path, data: bytes, *, durable: bool = True) -> None:
    """After a death there is the whole file or none. `durable`: also after one of the machine."""
    with writing(path):
        if isinstance(path, Remote):
            path.put(data)
        else:
            _commit(path, data, durable)


def _commit(path: Path, data: bytes, durable: bool) -> None:
    """Write beside, fsync, rename, fsync the folder."""
    beside = _beside(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def append(path: Path, text: str) -> None:
    """Add to a log. On an object store that is a new object: a reader there sees whole ones."""
    with writing(path):
        if isinstance(path, Remote):
            path.put((path.read_bytes() if path.exists() else b"") + text.encode("utf-8", "backslashreplace"))
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


def write_table(path: Path, root: Path, frame: "pl.DataFrame", row_group_mb: float, kind: Kind = "stages") -> Output:
    """A table as Parquet below `root`: polars writes to memory, Python to disk. The bytes follow from the rows."""
    import polars as pl  # late

    groups = max(1, math.ceil(text_bytes(frame) / (row_group_mb * 2**20)))
    buffer, (codec, level), rows = io.BytesIO(), CODEC[kind], max(1, math.ceil(frame.height / groups))
    # polars 2.1 reads a null behind a long text as a view of that text, and writing copies what is under nulls
    nulls = [name for name, dtype in frame.schema.items() if dtype == pl.String() and frame[name].null_count()]
    frame = frame.with_columns(pl.when(pl.col(nulls).is_not_null()).then(pl.col(nulls).fill_null("")))
    frame.write_parquet(buffer, compression=codec, compression_level=level, row_group_size=rows)
    data = buffer.getvalue()  # no copy, and no view: Python 3.12.1 dies of one in the traceback of a failed write
    commit(path, data)
    return Output(path.relative_to(root).as_posix(), frame.height, len(data), hashlib.sha256(data).hexdigest())


def text_bytes(frame: "pl.DataFrame") -> int:
    """Bytes of all texts of a table."""
    import polars as pl  # late

    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String()]
    return int(frame.select(pl.sum_horizontal(pl.col(texts).str.len_bytes().sum())).item() or 0) if texts else 0


def write_scratch(path: Path, frame: "pl.DataFrame") -> None:
    """A table that is read again at once and then gone: as it lies in memory, so that a reader may map it."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    commit(path, buffer.getvalue(), durable=False)


def link(source: Path, target: Path) -> None:
    """The same file in a second folder, whatever lay there: a hard link, a copy where links fail."""
    if isinstance(source, Remote) or isinstance(target, Remote):
        commit(target, source.read_bytes())
        return
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = _beside(target)
        try:
            os.link(source, beside)
        except OSError:
            shutil.copyfile(source, beside)
        beside.replace(target)
        beside.unlink(missing_ok=True)  # to rename a file to another name of itself does nothing


def _beside(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


def write_json(path: Path, tree: Mapping[str, Any]) -> None:
    """Strict JSON, UTF-8 unescaped; floats with 12 significant digits."""
    commit(path, (json.dumps(_rounded(tree), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode())


def _rounded(tree: Any) -> Any:
    if isinstance(tree, Mapping):
        return {key: _rounded(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_rounded(value) for value in tree]
    return float(f"{tree:.12g}") if isinstance(tree, float) else tree


def write_side(folder: Path, files: Mapping[str, "Side"]) -> None:
    """What a stage leaves beside its parts: tables and JSON trees by file name."""
    for name, content in files.items():
        if isinstance(content, Mapping):
            write_json(folder / name, content)
        else:
            write_table(folder / name, folder, content, row_group_mb=1)


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


def prune(folder: Path) -> None:
    """Remove empty folders below."""
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()
