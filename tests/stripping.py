"""The rules of strip run by Python's `re`: what the expressions of `stages/` are held against."""

import re
from collections.abc import Iterable
from itertools import groupby

from cleanse.settings import StripSettings
from cleanse.text import boilerplate, entities, html, passes, unknown
from cleanse.text.boilerplate import LineRule
from cleanse.text.marks import CODE_LINE, REGION
from cleanse.text.passes import Pass, Region

S = StripSettings()


def python(pattern: str) -> str:
    """Rust's pattern for the end of the text is another one."""
    return pattern.replace(r"\z", r"\Z")


def substituted(each: Pass, text: str) -> str:
    """One pass, whatever it needs."""
    replacement = re.sub(r"\$\{(\d)\}", r"\\g<\1>", each.replacement)
    return re.sub(python(each.pattern), replacement, text)


def takes(rule: LineRule, line: str) -> bool:
    """Whether a rule takes a line, whatever its keys."""
    short = rule.max_chars is None or len(line) <= rule.max_chars
    saved = re.search(f"[{CODE_LINE}]", line) or (rule.unless and re.search(python(rule.unless), line))
    return short and not saved and bool(re.search(python(rule.pattern), line))


def run(text: str, chosen: Iterable[Pass], before: str = "", *, made: bool = False) -> str:
    """Passes in their order. `before`: the text in which openers are looked for."""
    for (opener, needs, in_made), same in groupby(chosen, lambda each: (each.opener, each.needs, each.in_made)):
        if opener in before.lower() and re.search(python(needs), text) and (in_made or not made):
            for each in same:
                text = substituted(each, text)
    return text


def in_region(text: str, region: Region) -> str:
    marked = substituted(Pass("", region.pattern, region.marked), text)
    pieces = marked.split(REGION)
    return "".join(run(each, region.passes) if re.search(python(region.begins), each) else each for each in pieces)


def without_code(text: str) -> str:
    for pattern in html.CODE_REGIONS:
        text = re.sub(python(pattern), " ", text)
    return text


def is_made(text: str) -> bool:
    prose = without_code(text)
    marked = len(re.findall(html.MARKDOWN_LINE, prose)) >= html.MARKDOWN_LINES
    return not re.search(html.HAS_BLOCK, prose) or (marked and not re.search(html.IS_PAGE, prose))


def without_navigation(text: str) -> str:
    kept: list[str] = []
    for is_item, group in groupby(text.split("\n"), lambda line: bool(re.search(passes.NAV_ITEM, line))):
        lines = [line for line in group if not re.search(passes.NAV_ROW, line)]
        kept += [] if is_item and len(lines) >= passes.MIN_ITEMS else lines
    return "\n".join(kept)


def without_lines(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not any(takes(rule, line) for rule in boilerplate.RULES))


def stripped(body: str) -> str:
    """A body by the default settings, all in Python."""
    text = clear = run(body, passes.CONTROLS)
    if not re.search(html.GATE, without_code(clear)):
        return body
    made = is_made(text)
    for region in [*(passes.CODE if made else []), passes.XMP]:
        text = in_region(text, region)
    text = run(text, [passes.RAW, *passes.SVG], clear)
    for region in passes.PRE:
        text = in_region(text, region)
    every = passes.containers("containers", S.drop) + passes.containers("boilerplate", S.boilerplate)
    text = run(text, [passes.BLANK_LINES, *every, *passes.INSTRUCTIONS, *passes.CUT_OFF], clear, made=made)
    tags = run(text, passes.TAGS, made=made)
    if "<" in tags:
        tags = run(run(text, passes.UNENDED), passes.TAGS, made=made)
        tags = unknown.without_ended(run(tags, passes.LEFT_OVER))
    text = re.sub(entities.REFERENCE, lambda found: entities.decode_reference(found[0]), tags)
    text = run(without_navigation(run(text, passes.SPACES)), passes.ONE_LINE[:-1])  # the last makes one line of all
    return run(without_lines(text), passes.LAST).strip()
