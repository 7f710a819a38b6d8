"""Libraries that find the article of a page: another way to clean a body. Extra `extract`; imported when used."""

import importlib
from collections.abc import Callable
from types import ModuleType

import polars as pl

from cleanse.errors import ConfigError

MODULES = {"resiliparse": "resiliparse.extract.html2text", "trafilatura": "trafilatura"}


def load(name: str) -> ModuleType | None:
    """The module of an extractor, None for `regex`. Raises ConfigError when it is not installed."""
    if name not in MODULES:
        return None
    try:
        return importlib.import_module(MODULES[name])
    except ImportError as problem:
        raise ConfigError(
            "extractor-missing",
            f"strip.extractor {name} is not installed ({problem})",
            "pip install 'cleanse[extract]'",
        ) from None


def extract(pages: pl.Series, name: str) -> pl.Series:
    """The article of each page as the extractor sees it; "" where it finds none."""
    module = load(name)
    assert module is not None  # regex is no extractor
    one: Callable[[str], str | None] = (
        (lambda page: module.extract_plain_text(page, main_content=True))
        if name == "resiliparse"
        else (lambda page: module.extract(page))
    )
    return pl.Series(pages.name, [(one(page) or "").strip() for page in pages], pl.String)
