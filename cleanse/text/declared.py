"""What a page says of its own encoding: <meta> and XML declarations. A claim, to be believed only if it decodes."""

import re

from cleanse.text.codecs import canonical

HEAD = 4096  # bytes in which a declaration stands
_NAME = rb"[ \t]*=[ \t]*[\"']?([\w.:-]{2,40})"
_CLAIM = re.compile(rb"<meta[^>]{0,200}?charset" + _NAME + rb"|<\?xml[^>]{0,200}?encoding" + _NAME, re.I)


def claimed(data: bytes) -> str | None:
    """The encoding that the head of a page names, by its name in the table; None when there is none that we know.

    >>> claimed(b'<meta charset="gb2312">'), claimed(b"plain")
    ('gb18030', None)
    """
    found = _CLAIM.search(data[:HEAD])
    if not found:
        return None
    try:
        name = canonical((found[1] or found[2]).decode("ascii"))
    except (ValueError, UnicodeDecodeError):
        return None
    return "utf-8" if name.startswith("utf-16") else name  # it could not have been read if it were
