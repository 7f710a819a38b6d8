"""The section `strip`."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from annotated_types import Ge, Le, MinLen

from cleanse.settings.base import STRICT, Count, key

Container = Annotated[str, MinLen(1)]
CONTAINERS = (
    "noscript template iframe noembed noframes textarea select button head title datalist audio video canvas svg"
)
STRIP_COUNTS = (  # what strip counts besides its line rules
    "controls pre svg raw_text containers boilerplate cut_off instructions source_breaks tags unknown_tags references "
    "space density main html_rows title_filled unterminated capped thin fell_back already_stripped"
).split()
LineRule = Literal["nav_row", "nav_run", "licence", "copyright", "reprint", "share", "label", "code"]


@dataclass(frozen=True)
class StripRule:
    """A rule of the user's own, after the built-in ones, in HTML cells only; counted under its name."""

    __pydantic_config__ = STRICT
    name: str
    pattern: str
    replacement: str = ""

    def __post_init__(self) -> None:
        """A name must be free, a pattern one of Rust's regex: nothing is read before that is known."""
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name) or self.name in (*STRIP_COUNTS, *get_args(LineRule)):
            raise ValueError(f"rule '{self.name}': a name is lower case letters, digits and _, and none of our own")
        import polars as pl  # top-level help builds settings, too, and needs none of it

        try:
            pl.Series([""]).str.replace_all(self.pattern, self.replacement)
        except pl.exceptions.ComputeError as problem:
            said = str(problem).partition("\n\nThis error")[
                0
            ]  # of polars: what was wrong, then where it stands in the query
            raise ValueError(f"rule '{self.name}': {' '.join(said.split())}") from None


@dataclass(frozen=True)
class StripSettings:
    """strip: script, markup and boilerplate out of HTML; text that is not HTML stays as it is."""

    __pydantic_config__ = STRICT
    columns: tuple[str, ...] = key((), "more columns of text, treated like the body")
    drop: tuple[Container, ...] = key(tuple(CONTAINERS.split()), "elements that go with their content")
    boilerplate: tuple[Container, ...] = key(
        ("nav", "header", "footer", "aside"), "more elements that go with their content"
    )
    lines: tuple[LineRule, ...] = key(get_args(LineRule), "rules that take whole lines out of HTML")
    references: Literal["html", "row", "all"] = key("row", "where &amp; decodes in a cell without a tag")
    title: Literal["fill", "off"] = key("fill", "fill an empty title from <h1> or <title>")
    density: bool = key(False, "keep only headings and lines of prose, with the lines between")
    main: bool = key(False, "keep only the first <article> or <main> of more than 2,000 characters")
    extractor: Literal["regex", "resiliparse", "trafilatura"] = key("regex", "others: extra `extract`; body only")
    thin_below: Annotated[float, Ge(0), Le(1)] = key(0.05, "share of letters kept below which a row is flagged thin")
    max_fallback: Count = key(1_000_000, "characters; in longer rows tags of unknown names stay")
    rules: tuple[StripRule, ...] = key((), "own rules: name, pattern (Rust regex), replacement", flag=None)

    def __post_init__(self) -> None:
        """Elements are part of a pattern; two rules of one name could not be told apart in the ledger."""
        for element in (*self.drop, *self.boilerplate):
            if not re.fullmatch("[A-Za-z][A-Za-z0-9-]*", element):
                raise ValueError(f"'{element}' is no name of an element")
        names = [rule.name for rule in self.rules]
        if len(set(names)) < len(names):
            raise ValueError(f"two rules have one name: {', '.join(names)}")
