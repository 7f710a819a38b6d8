"""Where the config file of a call lies, and all that the call asks for."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleanse.run.versions import versions

Given = Mapping[str, Any]

NAME = "cleanse.yaml"
SPEECH = ("quiet", "verbose", "color", "progress", "log_format", "output_format", "write", "run__verify")


def discover(folder: Path) -> Path | None:
    """`cleanse.yaml` here or in a parent, up to the first folder that holds `.git`."""
    for here in (folder, *folder.parents):
        if (here / NAME).is_file():
            return here / NAME
        if (here / ".git").exists():
            return None
    return None


def asked(given: Given) -> str:
    """The digest of all that a call asks for but the form of its answer: options, config file, versions."""
    path = config_file(given["config"], isolated=given["isolated"])
    options = {name: value for name, value in sorted(given.items()) if name not in SPEECH}
    text = path.read_bytes() if path and path.is_file() else b""
    content = [options, str(path), hashlib.sha256(text).hexdigest(), str(Path.cwd()), versions()]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()


def config_file(named: Path | None, *, isolated: bool) -> Path | None:
    """The config file of a call: the one that is named, else the one that is found, unless there shall be none."""
    return named or (None if isolated else discover(Path.cwd()))
