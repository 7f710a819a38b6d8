"""Speed of strip against the same rules by Python's `re`, BeautifulSoup and two naive regexes: CPU time, one process.

    python benchmarks/strip.py FOLDER [--mb N]

FOLDER: pages as .html files in UTF-8, repeated up to N MB (default 20). The rivals take turns in one run, best of
three each; only ratios are worth keeping. Needs the extra `test`, and beautifulsoup4 for its line.
"""

import argparse
import html
import importlib.util
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))
from stripping import stripped  # noqa: E402  # the rules by Python's re, beside the tests that use it
from tables import records  # noqa: E402  # so is this

from cleanse.settings import Settings  # noqa: E402  # after the path, with those above
from cleanse.stages import strip  # noqa: E402  # after the path, with those above

ROUNDS = 3
_CONTAINER, _TAG = re.compile(r"(?is)<(script|style).*?</\1>"), re.compile(r"<[^>]+>")


def naive(pages: Sequence[str]) -> None:
    """What most scripts do."""
    for page in pages:
        html.unescape(_TAG.sub(" ", _CONTAINER.sub(" ", page)))


def by_re(pages: Sequence[str]) -> None:
    """The rules of strip, page by page."""
    for page in pages:
        stripped(page)


def soup(pages: Sequence[str]) -> None:
    """BeautifulSoup with its parser of the standard library."""
    from bs4 import BeautifulSoup

    for page in pages:
        BeautifulSoup(page, "html.parser").get_text()


def expressions(pages: Sequence[str]) -> None:
    """The stage itself."""
    strip.apply(records({"body": list(pages)}), Settings(), {})


def megabytes(pages: Sequence[str]) -> float:
    """Of the pages in UTF-8."""
    return float(pl.Series(pages).str.len_bytes().sum()) / 1e6


def main() -> None:
    """Print each rival's ms per MB, and how many times strip is as fast."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--mb", type=float, default=20)
    args = ask.parse_args()
    once = [path.read_text(encoding="utf-8") for path in sorted(args.folder.rglob("*.html"))]
    many = once * max(1, round(args.mb / megabytes(once)))
    rivals: dict[str, tuple[Callable[[Sequence[str]], None], list[str]]] = {
        "strip": (expressions, many),
        "naive": (naive, many),
        "re": (by_re, once),
    }
    if importlib.util.find_spec("bs4"):
        rivals["soup"] = (soup, once)
    cost = dict.fromkeys(rivals, float("inf"))
    for _ in range(ROUNDS):
        for name, (work, pages) in rivals.items():
            began = time.process_time()
            work(pages)
            cost[name] = min(cost[name], (time.process_time() - began) * 1e3 / megabytes(pages))
    for name, each in cost.items():
        print(f"{name:6} {each:8.2f} ms/MB   strip is {each / cost['strip']:5.2f} times as fast")


if __name__ == "__main__":
    main()
