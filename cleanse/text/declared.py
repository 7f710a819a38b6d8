"""What a page says of its own encoding: <meta> and XML declarations. A claim, to be believed only if it decodes."""

import re

from cleanse.text.codecs import canonical

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
HEAD = 4096  # bytes in which a declaration stands
_NAME = rb"[ \t]*=[ \t]*[\"']?([\w.:-]{2,40})"
_CLAIM = re.compile(rb"<meta[^>]{0,200}?charset" + _NAME + rb"|<\?xml[^>]{0,200}?encoding" + _NAME, re.I)


def claimed(data: bytes) -> str | None:
    """The encoding that the head of a page names, by its name in the table; None when there is none that we know.

    >>> claimed(b'<meta charset="gb2312">'), claimed(b"plain")
    ('gb18030', None)
    """
    found = _CLAIM.search(data[:HEAD])
    name = _known((found[1] or found[2]).decode("latin-1")) if found else None
    return "utf-8" if name and name.startswith("utf-16") else name  # it could not have been read if it were


def in_content_type(value: str) -> str | None:
    """The encoding that a content type, or a bare label, names.

    >>> in_content_type("text/html; charset=GBK"), in_content_type("big5"), in_content_type("text/html")
    ('gb18030', 'big5', None)
    """
    found = _CHARSET.search(value)
    return _known(found[1] if found else value)


def _known(label: str) -> str | None:
    try:
        return canonical(label)
    except ValueError:
        return None
