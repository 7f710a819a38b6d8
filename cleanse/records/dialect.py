"""How a delimited text is written: its delimiter and its header. Decided from the first lines of the text."""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

csv.field_size_limit(sys.maxsize)  # the default refuses a field of 128 KiB
DELIMITERS = (",", "\t", ";", "|")
SAMPLE_LINES = 200
ROLE_NAMES = {  # the first in this order wins
    "title": ("title", "标题", "题目", "headline"),
    "body": ("body", "text", "content", "正文", "内容", "文本"),
    "label": ("label", "class", "category", "标签", "类别", "分类"),
}


@dataclass(frozen=True)
class Dialect:
    """`header`: the cells as read, None where the text has none. `names`: one per column, unique, none empty."""

    delimiter: str
    header: tuple[str, ...] | None
    names: tuple[str, ...]


def cells(line: str, delimiter: str) -> list[str]:
    """The fields of one line; a quote that never closes is taken as it stands.

    >>> cells('a,"b,c",d', ",")
    ['a', 'b,c', 'd']
    """
    return next(csv.reader([line], delimiter=delimiter), [])


def detect(lines: Sequence[str], delimiter: str = "auto", expect: Sequence[str] | None = None) -> Dialect:
    """The dialect of a delimited text.

    `lines`: its first lines that are not blank, at least one. Of the candidates the one wins that cuts most lines into
    as many fields as the first line has. The first line is a header unless `expect` names the columns and it holds
    none of these names.
    """
    sample = list(lines[:SAMPLE_LINES])
    found = delimiter if delimiter != "auto" else max(DELIMITERS, key=lambda d: _fit(sample, d))
    first = tuple(cells(sample[0].removeprefix("\ufeff"), found)) or ("",)
    if expect and not {fold(cell) for cell in first} & {fold(name) for name in expect}:
        return Dialect(found, None, unique([*expect[: len(first)], *[""] * (len(first) - len(expect))]))
    return Dialect(found, first, unique(first))


def _fit(sample: list[str], delimiter: str) -> tuple[float, int]:
    n = len(cells(sample[0], delimiter))
    if n < 2:
        return 0.0, 0
    return sum(len(cells(line, delimiter)) == n for line in sample) / len(sample), n


def fold(name: str) -> str:
    """A column name as it is compared: trimmed, without regard to case."""
    return name.strip().casefold()


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Names for columns: an empty one becomes `column_3`, a second `x` becomes `x_2`.

    >>> unique(["x", "", "x"])
    ('x', 'column_2', 'x_2')
    """
    given = {name.strip() for name in names}  # a name that somebody wrote is not made up for another column
    out: list[str] = []
    for position, name in enumerate(names, 1):
        wanted = name.strip()
        if not wanted or wanted == "*" or (wanted[0] == "^" and wanted[-1] == "$"):  # polars reads these as patterns
            wanted = f"column_{position}"
        free = (f"{wanted}_{n}" for n in count(2) if f"{wanted}_{n}" not in given and f"{wanted}_{n}" not in out)
        out.append(wanted if wanted not in out else next(free))
    return tuple(out)


def roles(names: Sequence[str], mapped: dict[str, str | None]) -> dict[str, str]:
    """Which of a source's columns plays which role: column → role, as mapped by the user, else by ROLE_NAMES.

    >>> roles(["id", "标题", "text"], {"title": None, "body": None, "label": None})
    {'标题': 'title', 'text': 'body'}
    """
    folded = {fold(name): name for name in reversed(names) if name != mapped.get("split")}
    found = {name: role for role, name in mapped.items() if role in ROLE_NAMES and name in names and name is not None}
    for role, candidates in ROLE_NAMES.items():
        name = next((folded[c] for c in candidates if c in folded and folded[c] not in found), None)
        if name and not mapped.get(role):
            found[name] = role
    return found


def renamed(names: Sequence[str], role_of: dict[str, str]) -> dict[str, str]:
    """Column → name in the table. A column that is called like a role but does not play it gets a number.

    >>> renamed(["headline", "title"], {"headline": "title"})
    {'headline': 'title', 'title': 'title_2'}
    """
    ordered = sorted(names, key=lambda name: name not in role_of)  # roles take their names first
    return dict(zip(ordered, unique([role_of.get(name, name) for name in ordered]), strict=True))
