"""The page itself: template, one style and one script with their hashes, the samples as inert JSON."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cleanse import __version__
from cleanse.report.gate import number
from cleanse.report.page import view
from cleanse.report.page.samples import samples
from cleanse.report.safe import HOSTILE, sign
from cleanse.run import store
from cleanse.run.finished import Finished
from cleanse.settings import ReportSettings

N_CARDS = 20  # samples that stand in the page as plain HTML
MAX_BYTES = 5_000_000  # of the page: then samples are cut, and the page says so
MAX_SOURCES = 200  # inputs listed under provenance
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def write_report(run: Finished, settings: ReportSettings, path: Path, lang: str) -> None:
    """Write report.html: a function of the run folder, the settings and the first language."""
    store.commit(path, html(run, settings, lang).encode("utf-8", "backslashreplace"))


def html(run: Finished, settings: ReportSettings, lang: str) -> str:
    """The text of the page."""
    log = _log(run.out / "logs/run.jsonl")
    found = samples(run, settings)
    page = _page(run, settings, lang, log, found)
    while len(page.encode("utf-8", "replace")) > MAX_BYTES and found:
        found = found[: len(found) * 2 // 3]
        page = _page(run, settings, lang, log, found, cut=True)
    return page


def _page(
    run: Finished, settings: ReportSettings, lang: str, log: Sequence[Mapping[str, Any]], found: Sequence[Any],
    *, cut: bool = False,
) -> str:  # fmt: skip
    style, script = _asset("report.css"), _asset("report.js")
    context: dict[str, Any] = {
        "lang": lang if settings.lang == "auto" else settings.lang,
        "title": settings.title or run.out.resolve().name,
        "version": __version__,
        "csp": _policy(style, script),
        "style": Markup(style),
        "script": Markup(script),
        "data": Markup(as_data(found)),
        "samples": found,
        "n_cards": N_CARDS,
        "cut": cut,
        "verdict": view.verdict(run, log),
        "gates": run.tree("gate.json").get("gates", []),
        "funnel": view.funnel(run),
        "entries": run.entries,
        "reasons": view.reasons(run),
        "decode": run.tree("profile.json").get("decode"),
        "lengths": view.lengths(run),
        "quantiles": [name for name, _ in view.QUANTILES],
        "classes": view.classes(run, settings),
        "shards": view.shards(run, settings),
        "resampling": view.resampling(run),
        "provenance": view.provenance(run, log),
        "max_sources": MAX_SOURCES,
    }
    return _environment().get_template("report.html.j2").render(context)


def as_data(found: Sequence[Any]) -> str:
    """JSON that no HTML parser takes for a tag, with everything that steers a terminal or a text direction escaped.

    >>> as_data(["</script>\\u202e"])
    '["\\\\u003c/script\\\\u003e\\\\u202e"]'
    """
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPED)
    return HOSTILE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def shown(text: Any) -> str:
    """Text of the data with hostile signs made visible; line breaks and tabs stay."""
    return HOSTILE.sub(lambda match: match.group() if match.group() in "\n\t" else sign(ord(match.group())), str(text))


def _policy(style: str, script: str) -> str:
    """Nothing may load or run but the one style and the one script of this page."""
    rules = {"style-src": style, "script-src": script}
    digests = {name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for name, text in rules.items()}
    own = "; ".join(f"{name} 'sha256-{digest}'" for name, digest in digests.items())
    return f"default-src 'none'; {own}; img-src data:; base-uri 'none'; form-action 'none'"


def _asset(name: str) -> str:
    return files("cleanse.report.page").joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    loader = PackageLoader("cleanse.report", "page")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"shown": shown, "number": number, "thousands": lambda n: f"{n:,}", "one_line": _one_line}
    return made


def _one_line(text: Any) -> str:
    return re.sub(r"\s+", " ", shown(text))


def _log(path: Path) -> list[dict[str, Any]]:
    """The records of the last run up to the end of its work; a torn last line is left out."""
    try:
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    except (OSError, ValueError):  # no log, or one that somebody wrote into: the report goes without
        return []
    begun = max((i for i, record in enumerate(records) if record["event"] == "run_started"), default=0)
    return records[begun:]
