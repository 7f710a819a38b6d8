"""What `cleanse init --from FILE` proposes: the columns that play the roles, and length limits that few rows miss."""

import tempfile
from pathlib import Path
from typing import Any

from cleanse.report.profile import measure_texts, nearest_rank
from cleanse.run import commands, store
from cleanse.run.events import silent
from cleanse.run.tables import scan
from cleanse.settings import Settings
from cleanse.table import ROLES

LIMITS = {
    "title_min": ("title", "0.01"),
    "title_max": ("title", "0.99"),
    "body_min": ("body", "0.01"),
}  # key → role, quantile


def proposed(text: str, source: str, settings: Settings) -> str:
    """A profile with columns and limits as they are in `source`. Raises InputError when it cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "decoded"
        commands.stage("decode", [source], out, settings, silent)
        for role, name in _columns(store.read_json(out / "plan.json") or {}).items():
            text = put(text, "columns", role, f'"{name}"', f"found in {Path(source).name}")
        lengths, _ = measure_texts(scan(sorted((out / "kept").glob("*.parquet"))))
        for key, (role, q) in LIMITS.items():
            if role in lengths:
                text = put(text, "check", key, str(nearest_rank(lengths[role], q)), f"rank {q} of {Path(source).name}")
    return text


def _columns(plan: dict[str, Any]) -> dict[str, str]:
    """role → the user's column of that role, from the first source that has it."""
    found: dict[str, str] = {}
    for source in plan.get("sources", []):
        for name, called in source.get("names", {}).items():
            if called in ROLES:
                found.setdefault(called, name)
    return found


def put(text: str, section: str, key: str, value: str, comment: str) -> str:
    """The YAML text with one key of a section set, where it stands or at the head of its section.

    >>> print(put("check:\\n  title_min: 10  # old\\n", "check", "title_min", "4", "new"), end="")
    check:
      title_min: 4  # new
    """
    lines, line = text.splitlines(), f"  {key}: {value}  # {comment}"
    at = next((i for i, each in enumerate(lines) if each.startswith(f"{section}:")), None)
    if at is None:
        return "\n".join([*lines, "", f"{section}:", line]) + "\n"
    for i in range(at + 1, len(lines)):
        if lines[i][:1] not in (" ", "#", ""):
            break
        if lines[i].startswith(f"  {key}:"):
            return "\n".join([*lines[:i], line, *lines[i + 1 :]]) + "\n"
    return "\n".join([*lines[: at + 1], line, *lines[at + 1 :]]) + "\n"
