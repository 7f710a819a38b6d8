"""Which packages may change a byte of the result, and their versions."""

from functools import cache

from cleanse import __version__

PACKAGES = ("polars", "pyarrow", "chardet", "imbalanced-learn", "numpy", "scikit-learn")


def versions(extractor: str = "regex") -> dict[str, str]:
    """Package → version. `extractor`: as in section strip."""
    extra = [] if extractor == "regex" else [extractor]
    return {"cleanse": __version__, **{name: _version(name) for name in [*PACKAGES, *extra]}}


@cache
def _version(package: str) -> str:
    from importlib.metadata import version  # late: 16 ms

    return version(package)
