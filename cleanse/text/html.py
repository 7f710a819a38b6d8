"""What is HTML, and the rules that make it the text a reader sees: patterns only, in the common subset of Rust's
regex and Python's `re`. Each pass ends at the end of the text at the latest, so none is quadratic on unclosed openers.
"""

from collections.abc import Sequence
from html import unescape
from typing import NamedTuple


class Pass(NamedTuple):
    """One `replace_all`: `name` is what the ledger counts."""

    name: str
    pattern: str
    replacement: str


KNOWN = (
    "a abbr acronym address area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br "
    "button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em "
    "embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
    "iframe image img input ins kbd label legend li link listing main map mark marquee menu meta meter nav nobr "
    "noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rp rt ruby s "
    "samp script search section select slot small source span strike strong style sub summary sup svg table tbody td "
    "template textarea tfoot th thead time title tr track tt u ul var video wbr xmp "
    "rss channel item description pubdate guid feed entry"
).split()
BLOCK = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol option p pre "
    "section summary table tbody tfoot thead title tr ul"
).split()
_NAMES = "|".join(sorted(KNOWN, key=lambda name: (-len(name), name)))
_BARE = "p|br|hr|div|li|td|tr|ul|ol|h[1-6]|table|script|style|html|body|head|iframe|svg"

GATE = (
    rf"(?i)<!doctype|<!--|<!\[CDATA\[|</(?:{_NAMES})[ \t\r\n]*>|<(?:{_BARE})[ \t]*/?>"
    rf"|<(?:{_NAMES})[ \t\r\n]+[a-z-]+[ \t]*="
)
CODE = (r"(?s)```.*?(?:```|\z)", r"(?s)~~~.*?(?:~~~|\z)", r"`[^`\n]*`")  # one kind a pass: together they are quadratic
CODE_SIGN = "`|~~~"
REFERENCE = r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});"
TITLES = (  # where a page says its title: the only h1 first
    r"(?is)<h1(?:[ \t\r\n][^>]*)?>(.*?)</h1[ \t\r\n]*>",
    r"(?is)<title(?:[ \t\r\n][^>]*)?>(.*?)</title[ \t\r\n]*>",
)
_RAW = (
    r"(?is)<!--.*?(?:-->|\z)"
    r"|<script(?:[ \t\r\n/][^>]*)?>.*?(?:</script[ \t\r\n]*[^>]*>|\z)"
    r"|<style(?:[ \t\r\n/][^>]*)?>.*?(?:</style[ \t\r\n]*[^>]*>|\z)"
)
_REST = r"(?:[ \t\r\n/](?:[^>\"']|\"[^\"]*\"|'[^']*')*)?"  # of a tag, after its name; quoted values may hold >


def passes(containers: Sequence[str]) -> list[Pass]:
    """The passes over an HTML cell, in order: each may rely on what the ones before it took.

    `containers`: elements that go with their content. References are decoded after these, and never stripped again.
    """
    block = "|".join(BLOCK)
    return [
        Pass("raw_text", _RAW, " "),  # first: a tag inside a script is no tag
        *(Pass("containers", rf"(?is)<{name}{_REST}>.*?</{name}[ \t\r\n]*>", " ") for name in containers),
        Pass("instructions", r"(?i)<(?:![a-z]|\?)[^>]*>", ""),
        Pass("source_breaks", r"[ \t\r\n]+", " "),  # before tags: then a line break is a block's
        Pass("tags", rf"(?i)</?(?:{block}){_REST}>", "\n"),
        Pass("tags", rf"(?i)</?(?:td|th){_REST}>", " "),
        Pass("tags", rf"(?i)</?(?:{_NAMES}){_REST}>", ""),
    ]


SPACE = [  # after the references, which may be blanks
    Pass("space", "[\u200b\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]", ""),
    Pass("space", "[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+", " "),
    Pass("space", r" ?\n[ \n]*", "\n"),
]
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼港澳台"
LINES = {  # whole lines that say nothing of the matter
    "licence": Pass(
        "licence",
        rf"(?m)^[^\n。！？]*(?:[{_PROVINCES}]ICP(?:备|证|備|證)|ICP(?:备案|備案)|[{_PROVINCES}]公网安备)[^\n。！？]*$",
        "",
    ),
    "copyright": Pass(
        "copyright",
        r"(?mi)^(?:(?:©|copyright|\(c\)).{0,20}?(?:19|20)[0-9]{2}.*|.{0,40}(?:版权所有|版權所有|著作权所有)[^\n。！？，]*"
        r"|.*all rights reserved.*)$",
        "",
    ),
}


def decode_reference(reference: str) -> str:
    """A character reference as its character, by HTML's rules; an unknown one stays as it is.

    >>> decode_reference("&amp;"), decode_reference("&#x4e2d;"), decode_reference("&nosuch;")
    ('&', '中', '&nosuch;')
    """
    return unescape(reference)
