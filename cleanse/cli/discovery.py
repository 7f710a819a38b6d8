"""Where the config file lies, where none is named."""

from pathlib import Path

NAME = "cleanse.yaml"


def discover(folder: Path) -> Path | None:
    """`cleanse.yaml` here or in a parent, up to the first folder that holds `.git`."""
    for here in (folder, *folder.parents):
        if (here / NAME).is_file():
            return here / NAME
        if (here / ".git").exists():
            return None
    return None
