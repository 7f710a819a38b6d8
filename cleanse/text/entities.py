"""Character references by HTML's rules: which texts are references, and what each stands for."""

from collections.abc import Iterable, Mapping
from html.entities import html5
from string import ascii_letters, digits

REFERENCE = r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*[;=]?)"
CLOSED = r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);"  # in a text without a tag only these are meant
_LAST = 0x10FFFF
_DIGITS = 8  # of a number, without leading zeros: more are out of range in any case


def decode_reference(reference: str) -> str:
    """What a match of REFERENCE becomes; one that is no reference stays as it is.

    Names without `;` are the 106 of old, and none before `=`, a letter or a digit, but for `&nbsp`. Source: HTML
    standard, numeric character reference end state, and named character references.

    >>> [decode_reference(each) for each in ("&amp;", "&#x4e2d;", "&#128;", "&#0;", "&nosuch;", "&copy", "&copy=")]
    ['&', '中', '€', '\\ufffd', '&nosuch;', '©', '&copy=']
    """
    if reference[1] == "#":
        return _number(reference[2:].rstrip(";"))
    if reference in ("&nbsp=", "&nbsp;"):
        return reference if reference.endswith("=") else html5["nbsp;"]
    if reference.startswith("&nbsp"):
        return html5["nbsp;"] + reference[len("&nbsp") :]
    return html5.get(reference[1:], reference)


def _number(text: str) -> str:
    hexadecimal = text[0] in "xX"
    number = text.lstrip("xX0") or "0"
    code = int(number, 16 if hexadecimal else 10) if len(number) <= _DIGITS else _LAST + 1
    if 0x80 <= code <= 0x9F:
        return bytes([code]).decode("windows-1252", "ignore")
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > _LAST:
        return "\ufffd"
    is_control = (code < 0x20 and code not in (9, 10, 12, 13)) or code == 0x7F
    is_noncharacter = 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE
    return "" if is_control or is_noncharacter else "\n" if code in (12, 13) else chr(code)


def replacements(found: Iterable[str]) -> Mapping[str, str]:
    """A table for one leftmost search, longest first, that decodes all references among `found` and nothing else.

    A name without `;` needs its guards: `&copy` must not be found in `&copyleft`.

    >>> list(replacements(["&lt;", "&AT", "&#65"]).items())
    [('&#65', 'A'), ('&lt;', '<')]
    """
    decoded = {_alone(each): decode_reference(_alone(each)) for each in found}
    changed = {reference: text for reference, text in decoded.items() if reference != text}
    open_names = [each for each in changed if each[1] != "#" and not each.endswith(";")]
    follow = {name: "=" if name == "&nbsp" else "=" + ascii_letters + digits for name in open_names}
    guards = {name + character: name + character for name in open_names for character in follow[name]}
    both = {**guards, **changed}
    return {each: both[each] for each in sorted(both, key=lambda each: (-len(each), each))}


def _alone(reference: str) -> str:
    """`&nbsp` is a reference whatever letters follow."""
    return "&nbsp" if reference.startswith("&nbsp") and reference not in ("&nbsp;", "&nbsp=") else reference
