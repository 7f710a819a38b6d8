"""What may change a byte of the result beside input and settings: versions of packages, files that settings name."""

import hashlib
import unicodedata
from collections.abc import Container
from functools import cache
from typing import TYPE_CHECKING

from cleanse import __version__
from cleanse.run.places import place

if TYPE_CHECKING:
    from cleanse.settings import Settings

PACKAGES = ("polars", "pyarrow", "chardet", "imbalanced-learn", "numpy", "scikit-learn")


def versions(settings: "Settings | None" = None) -> dict[str, str]:
    """Package → version, and that of Unicode in this Python, which knows what is a mark; with `settings` also of the
    extras that they ask for.
    """
    extra = list[str]()
    if settings and settings.strip.extractor != "regex":
        extra.append(settings.strip.extractor)
    if settings and settings.check.over_long_unit == "token":
        extra.append("tokenizers")
    found = {name: _version(name) for name in [*PACKAGES, *extra]}
    return {"cleanse": __version__, **found, "unicode": unicodedata.unidata_version}


@cache
def _version(package: str) -> str:
    from importlib.metadata import version  # late: 16 ms

    return version(package)


def files(settings: "Settings", sections: Container[str]) -> dict[str, str]:
    """Setting of one of the sections → sha256 of the file that it names, where rows depend on what is in that file and
    no facts hold it.
    """
    s = settings.check
    if "check" not in sections or s.over_long_unit != "token" or not s.tokenizer:
        return {}
    with place(s.tokenizer).open("rb") as file:
        return {"check.tokenizer": hashlib.file_digest(file, "sha256").hexdigest()}
