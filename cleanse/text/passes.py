"""The rules that make an HTML cell the text a reader sees, in their order. Each may rely on what those before it took.

A pattern runs the same in Rust's regex and in Python's `re`. A search that fails must end the pass, else time grows
with the square of the length: one kind of opener a pass, or every alternative also ends at the end of the text
(docs/adr/0014).
"""

from collections.abc import Sequence
from typing import NamedTuple

from cleanse.text import controls, html
from cleanse.text.html import SPACE
from cleanse.text.marks import (
    AMP,
    BLANK,
    BREAK,
    CHARACTERS,
    CODE_LINE,
    HEADING,
    HOLE,
    KEEP,
    LESS,
    LINE,
    LINK,
    REGION,
    TAB,
)


class Pass(NamedTuple):
    """One `replace_all`: `name` is what the ledger counts, if any.

    `needs`: a pattern that finds something in every cell that it changes, sooner than its own. `opener`: a rare
    beginning of a tag, in lower case, that each of these cells held before all passes. `in_made`: also for cells whose
    line breaks are the writer's own.
    """

    name: str
    pattern: str
    replacement: str
    needs: str = ""
    opener: str = ""
    in_made: bool = True


class Region(NamedTuple):
    """Passes for a part of a text alone: it is cut at the marks of `marked`; `begins` says which pieces are meant.

    Opener and end tag are found apart where they can be: a search for all between them reads the text twice.
    """

    pattern: str
    marked: str
    begins: str
    passes: tuple[Pass, ...]
    opener: str = ""


_END = r"(?:[ \t\n/][^>]*)?(?:>|\z)"  # of a tag that ends here, at the end of the text at the latest
_RAW = "|".join(
    [
        r"<!--(?:-?>|.*?(?:--!?>|\z))",
        *(rf"<{name}(?:[ \t\n/][^>]*)?(?:>.*?(?:</{name}{_END}|\z)|\z)" for name in ("script", "style")),
    ]
)
RAW = Pass("raw_text", rf"(?is){_RAW}", HOLE)
_UNLIKE_SVG = r"(?:[^<]|<+(?:[^<s/]|s[^<v]|sv[^<g]|/[^<s]|/s[^<v]|/sv[^<g]))*"
SVG = [
    Pass("svg", rf"(?is)<svg{html.LOOSE}{_UNLIKE_SVG}</svg[ \t\n]*>", " ", opener="<svg")
] * 2  # one may hold another

_SHOWN = (  # white space that the reader sees; single blanks are safe
    Pass("pre", "\n", LINE),
    Pass("pre", "  ", BLANK * 2),
    Pass("pre", "\t", TAB),
)
_LITERAL = (Pass("pre", "<", LESS), Pass("pre", "&", AMP))
_TRIMMED = (
    Pass("pre", r"\A(<[^>]*>(?:<[^>]*>)*)(?:[ \t]*\n)+", "${1}"),
    Pass("pre", r"\n[ \t\n]*((?:</[A-Za-z]+>?)*)\z", "${1}"),
)
XMP = Region(  # in it < is text; what else may hold its name must be known to begin before it
    rf"(?is){_RAW}|<xmp(?:[ \t\n/][^>]*)?>.*?(?:</xmp|\z)",
    REGION + "${0}" + REGION,
    "(?i)^<xmp",
    (
        *_TRIMMED,
        *_LITERAL,
        Pass("pre", f"(?i)^{LESS}xmp[^>]*>", "<xmp>" + KEEP),
        Pass("pre", rf"(?i){LESS}/xmp\z", "</xmp"),
        *_SHOWN,
    ),
    "<xmp",
)
_NO_BREAK = Pass("pre", "(?i)&nbsp;|&#160;|&#xa0;|\u00a0", BLANK)
_EACH_LINE = Pass("pre", rf"(?i){html.tag(html.BLOCK, html.LOOSE)}", "${0}" + KEEP)  # each may begin a line
PRE = [
    Region(
        rf"(?i)</?{name}[ \t\n/>]",
        REGION + "${0}",
        f"(?i)^<{name}",
        (*_TRIMMED, _EACH_LINE, _NO_BREAK, *_SHOWN),
        f"<{name}",
    )
    for name in ("pre", "listing")
]
CODE = [  # of Markdown, where the line breaks are the writer's
    Region(pattern, REGION + "${0}" + REGION, f"^{pattern}", (*_LITERAL, *_SHOWN, Pass("pre", r"\A", KEEP)))
    for pattern in html.CODE_REGIONS
]

HAS_CONTROL = controls.few([*controls.LINE_ENDS, *controls.ASCII, *controls.C1, *controls.NONCHARACTERS])
CONTROLS = [  # first of all: a NUL may split a name
    Pass("controls", controls.one([*controls.ASCII, *controls.C1, *controls.NONCHARACTERS]), ""),
    Pass("controls", "\r\n?|[\f\\x85\u2028\u2029]", "\n"),
]
TITLES = (  # where a page says its title: the only h1 first
    r"(?is)<h1(?:[ \t\n/][^>]*)?>(.*?)</h1[ \t\n]*>",
    r"(?is)<title(?:[ \t\n/][^>]*)?>(.*?)</title[ \t\n]*>",
)
H1 = "(?i)<h1[ \t\n/>]"
MAIN = "(?is)(" + "|".join(rf"<{name}(?:[ \t\n/][^>]*)?>.*?</{name}[ \t\n]*>" for name in ("article", "main")) + ")"
BLANK_LINES = Pass("source_breaks", r"\n[ \t]*\n[ \t\n]*", BREAK, r"\n[ \t]*\n", in_made=False)


def containers(name: str, elements: Sequence[str]) -> list[Pass]:
    """Elements that go with their content. One that never closes loses its tag only, with all tags."""
    return [
        Pass(name, rf"(?is)<{each}(?:[ \t\n/][^>]*)?>.*?</{each}(?:[ \t\n/][^>]*)?>", " ", opener=f"<{each.lower()}")
        for each in elements
    ]


INSTRUCTIONS = [
    Pass("instructions", r"(?i)<!\[CDATA\[|\]\]>", HOLE, opener="<![cdata["),
    Pass("instructions", r"(?is)<\?php[ \t\n].*?(?:\?>|\z)", HOLE, opener="<?php"),
    Pass("instructions", r"(?s)<\?=.*?(?:\?>|\z)", HOLE, opener="<?="),
    Pass("instructions", r"(?s)<%.*?%>", HOLE, opener="<%"),
    Pass("instructions", r"(?i)<(?:![a-z\[]|\?[a-z])[^>]*>", HOLE, "<!|<\\?"),  # to the first >: Office text has no ?>
]
OPENERS = [  # beside those of containers
    *(region.opener for region in (XMP, *PRE)),
    *(each.opener for each in (*SVG, *INSTRUCTIONS) if each.opener),
]
_KNOWN = html.either(html.KNOWN)
CUT_OFF = [
    Pass(  # else a tag would arise
        "cut_off",
        rf"(?i)</?[a-z][a-z0-9]*(?:{HOLE}+[a-z0-9]+)+[^<>]*>",
        "",
        f"[A-Za-z0-9]{HOLE}+[A-Za-z0-9]",
    ),
    Pass("", HOLE, ""),
    Pass("cut_off", rf"(?i)(?:<(?:{_KNOWN})[{SPACE}][^<>]*=[^<>]*|</[a-z]+)\z", "", r"<[^<>]*\z"),
]
UNENDED = [  # a tag that lacks its > right before the next: must run before any tag goes, but only where a < is left
    Pass(
        "cut_off",
        rf"(?i)<(?:{_KNOWN})(?:[{SPACE}]+[^{SPACE}\"'<>/=]+=(?:\"[^\"<>]*\"|'[^'<>]*'|[^{SPACE}\"'<>]+))+[{SPACE}/]*<",
        "<",
    )
] * 2  # twice: the < is of two tags
HEADINGS = Pass("tags", rf"(?i)<h[1-6]{html.REST}>", BREAK + HEADING)
_CJK = "[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003ffff]"
_WRAPPED = rf"{_CJK}[ \t]*\n[ \t\n]*{_CJK}"  # Chinese and Japanese have no blank where the source breaks a sentence
_JOINED = Pass("source_breaks", rf"({_CJK})[ \t]*\n[ \t\n]*({_CJK})", "${1}${2}", _WRAPPED, in_made=False)
TAGS = [  # a line break of the source is a blank: after block elements made theirs, before inline tags close the gaps
    Pass("tags", rf"(?i)(?:{html.tag(html.BLOCK)}[ \t\n]*)+", BREAK),
    _JOINED,
    _JOINED,  # twice: matches share a character
    Pass("source_breaks", r"\n[ \t\n]*", " ", "\n", in_made=False),
    Pass("tags", rf"(?i){html.tag(html.CELL)}", " ", "(?i)</?t[dh][^a-z]"),
    Pass("tags", rf"(?i){html.tag(['a'])}", LINK),
    Pass("tags", rf"(?i){html.tag(html.CODE)}", KEEP, "(?i)</?(?:code|kbd|samp|tt)[^a-z]"),
    Pass("tags", rf"(?i){html.tag(html.KNOWN)}", "", "<"),
]
_DASHED = r"[a-z][a-z0-9]*(?:[-:][a-z0-9_.]+)+"
LEFT_OVER = [  # only where a < is left
    Pass("unknown_tags", rf"(?i)</?{_DASHED}{html.LOOSE}>", "", rf"(?i)</{_DASHED}[ \t\n]*>"),  # an end makes all tags
    Pass("tags", rf"(?i)</?(?:{html.either(html.BLOCK)})[{SPACE}/][^<>]*[\"'=][^<>]*>", BREAK),
    Pass("tags", rf"(?i)</?(?:{_KNOWN})[{SPACE}/][^<>]*[\"'=][^<>]*>", ""),
    Pass("unknown_tags", rf"(?i)<{_DASHED}(?:[{SPACE}][^<>]*=[^<>]*|[{SPACE}]*/)>", ""),
]

_BLANKS = ("\t", "\u00a0", "\u3000", "[\u1680\u2000-\u2007]", "[\u2008-\u200a\u202f\u205f]")
_NO_WIDTH = ("[\u200b\u2060\ufeff\u00ad\u202a-\u202e]", "[\u2066-\u2069]")  # a few a class: text/controls.py
_TWO_BLANKS = Pass("space", " {2,}", " ", "  ")
_LINE_ENDS = Pass("space", r"\n[ \n]+", "\n", r"\n[ \n]")
_BLANK_END = Pass("space", " \n", "\n", " \n")
SPACES = [  # after the references, which may be blanks
    *(Pass("space", each, "", each) for each in _NO_WIDTH),
    *(Pass("space", each, " ", each) for each in _BLANKS),
    _TWO_BLANKS,
    Pass("space", BREAK, "\n", BREAK),
    _LINE_ENDS,
    _BLANK_END,
]
_GAP = r"[ |·>»/•:,、\[\]()【】（）｜]"
_WORDS = f"[^{LINK}{CODE_LINE}]"
NAV_ROW = rf"^{_GAP}*(?:{LINK}{_WORDS}*{LINK}{_GAP}*){{3,}}$"  # a line of links
NAV_ITEM, MIN_ITEMS = f"^ ?{LINK}{_WORDS}+{LINK} ?$", 4  # a line that is one link; so many lines are navigation
UNLINKED = [Pass("", LINK, ""), _TWO_BLANKS]  # an empty link between two blanks leaves two
ONE_LINE = [*UNLINKED, _LINE_ENDS, _BLANK_END, Pass("", "\n", " ")]
LAST = [Pass("", mark, text) for mark, text in CHARACTERS.items()]
MARKED = "[" + "".join(CHARACTERS) + "]"
