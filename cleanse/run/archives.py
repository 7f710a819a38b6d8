"""What a zip archive holds. Nothing of it is written to disk, so its names can do no harm; the odd ones are refused."""

import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from cleanse.text import codecs, encoding

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  # of an archive, of an empty one
_NAME_AT, _HEAD = 30, 64  # bytes before the name of the first member; bytes looked at
_DOCUMENT = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"mimetype", b"META-INF/")  # OOXML, ODF and EPUB, Java
_UTF8 = 0x800  # flag: the name is UTF-8; else it came out as cp437
_ENCRYPTED = 0x1
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_OUTSIDE = re.compile(r"(?:^|/)\.\.(?:/|$)|^/|^[A-Za-z]:|\\")


class Member(NamedTuple):
    """`key`: the name to open it by; `name`: that to show; `size` in bytes, compressed; `refused`: reason, detail."""

    key: str
    name: str
    size: int
    refused: tuple[str, str] | None


def is_zip(path: Path) -> bool:
    """True for what begins like a zip archive, whatever its name; false for an office document or a program, which are
    archives inside.
    """
    try:
        with path.open("rb", _HEAD) as file:
            head = file.read(_HEAD)
    except OSError:  # who reads it for good says what is wrong
        return False
    return head.startswith(MAGIC) and not head[_NAME_AT:].startswith(_DOCUMENT)


def members(path: Path, max_members: int) -> list[Member]:
    """The files in an archive, without hidden ones and `__MACOSX`. Raises ValueError when it has no readable list, or
    one of more than `max_members`.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeDecodeError) as problem:
        raise ValueError(f"zip: {problem}") from None
    if len(infos) > max_members:
        raise ValueError(f"zip: {len(infos)} members, at most {max_members}")
    names = _names(infos)
    found = [Member(i.filename, name, i.compress_size, _fault(i, name)) for i, name in zip(infos, names, strict=True)]
    return list(_apart(each for each in found if not _hidden(each.name)))


def _names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Names without the UTF-8 flag are decided together: one alone is too short to tell its encoding."""
    raw = [None if info.flag_bits & _UTF8 else info.orig_filename.encode("cp437") for info in infos]
    told = b"\n".join(name for name in raw if name is not None)
    try:
        found = encoding.decide(told).encoding if not told.isascii() else "utf-8"
    except ValueError:
        found = "ibm866"
    named = zip(raw, infos, strict=True)
    return [info.filename if name is None else codecs.text_of(name, found)[0] for name, info in named]


def _fault(info: zipfile.ZipInfo, name: str) -> tuple[str, str] | None:
    if _OUTSIDE.search(name) or _OUTSIDE.search(info.orig_filename):
        return "bad_archive", "zip: the name of the member leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "bad_archive", "zip: the member is a symbolic link"
    if info.flag_bits & _ENCRYPTED:
        return "unsupported", "zip: the member is encrypted"
    if info.compress_type not in _READABLE:
        return "unsupported", f"zip: compression method {info.compress_type}"
    return None


def _hidden(name: str) -> bool:
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def _apart(found: Iterator[Member]) -> Iterator[Member]:
    """A second member of one name can only be opened as the last one: it is refused under a name of its own."""
    seen = Counter[str]()
    for each in found:
        seen[each.name] += 1
        twice = ("bad_archive", "zip: an earlier member has the same name")
        again = seen[each.name] > 1
        yield each._replace(name=f"{each.name}#{seen[each.name]}", refused=twice) if again else each
