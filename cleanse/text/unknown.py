"""Tags whose name HTML does not know: whether they are markup depends on the rest of the text."""

import re

from cleanse.text.html import KNOWN, LOOSE

ENDED = r"</[A-Za-z][A-Za-z0-9_.]*[ \t\n]*>"
_END = re.compile(r"</([A-Za-z][A-Za-z0-9_.]*)[ \t\n]*>")
_TAG = re.compile(rf"</?([A-Za-z][A-Za-z0-9_.]*){LOOSE}>")
_KNOWN = frozenset(KNOWN)


def without_ended(text: str) -> str:
    """The text without tags of unknown names that have an end tag in it; `List<String>` has none.

    >>> without_ended("<lead>one</lead> List<T>")
    'one List<T>'
    """
    ended = {name.lower() for name in _END.findall(text)} - _KNOWN
    return _TAG.sub(lambda found: "" if found[1].lower() in ended else found[0], text) if ended else text
