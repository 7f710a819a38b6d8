"""Names of columns: which plays which role, and what a column is called in the table."""

from collections.abc import Mapping, Sequence
from itertools import count

ROLE_NAMES = {  # the first in this order wins
    "title": ("title", "标题", "题目", "headline"),
    "body": ("body", "text", "content", "正文", "内容", "文本"),
    "label": ("label", "class", "category", "标签", "类别", "分类"),
}
ROLE_OF = {name: role for role, names in ROLE_NAMES.items() for name in names}


def fold(name: str) -> str:
    """A column name as it is compared: trimmed, without regard to case."""
    return name.strip().casefold()


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Names for columns: an empty one becomes `column_3`, a second `x` becomes `x_2`.

    >>> unique(["x", "", "x"])
    ('x', 'column_2', 'x_2')
    """
    given = {name.strip() for name in names}  # a name that somebody wrote is not made up for another column
    out = dict[str, None]()  # in order
    for position, name in enumerate(names, 1):
        wanted = name.strip()
        if not wanted or wanted == "*" or (wanted[0] == "^" and wanted[-1] == "$"):  # polars reads these as patterns
            wanted = f"column_{position}"
        free = (f"{wanted}_{n}" for n in count(2) if f"{wanted}_{n}" not in given and f"{wanted}_{n}" not in out)
        out[wanted if wanted not in out else next(free)] = None
    return tuple(out)


def roles(names: Sequence[str], mapped: Mapping[str, str | None]) -> dict[str, str]:
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


def renamed(names: Sequence[str], role_of: Mapping[str, str]) -> dict[str, str]:
    """Column → name in the table. A column that is called like a role but does not play it gets a number.

    >>> renamed(["headline", "title"], {"headline": "title"})
    {'headline': 'title', 'title': 'title_2'}
    """
    ordered = sorted(names, key=lambda name: name not in role_of)  # roles take their names first
    return dict(zip(ordered, unique([role_of.get(name, name) for name in ordered]), strict=True))
