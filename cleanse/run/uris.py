"""URIs of remote places as text: taken apart, and shown without what nobody is to see."""

import re
from typing import Any

from cleanse.errors import ConfigError

SCHEMES = ("s3:", "gs:", "hdfs:")
_URI = re.compile(r"(s3|gs|hdfs):(//?)(.*)", re.DOTALL)
_QUERY = re.compile(r"\?(?=[A-Za-z_]+=)")  # any other question mark is one of a glob
_IN_TEXT = re.compile(r"\b(?:s3|gs|hdfs)://\S*")


def parts(given: str) -> tuple[str, str, str] | None:
    """Scheme, store (with user info before it and the query behind it) and key; None for what is no URI.

    The key is taken as it is, without `%XX`. What a path makes of a URI, with one slash, has its query there already.
    Raises ConfigError (uri-invalid) where no bucket is named.

    >>> parts("s3://user@bucket/raw/a.csv?region=eu-west-1")
    ('s3:', 'user@bucket?region=eu-west-1', 'raw/a.csv')
    """
    uri = _URI.fullmatch(given)
    if not uri:
        return None
    scheme, slashes, rest = uri.groups()
    body, *query = _QUERY.split(rest, maxsplit=1) if slashes == "//" else [rest]
    store, _, key = body.partition("/")
    if not store and scheme == "hdfs":
        store = "default"  # the name node of the configuration
    if not store:
        raise ConfigError("uri-invalid", f"{shown(given)} names no bucket", f"{scheme}://BUCKET/PATH")
    return f"{scheme}:", "?".join([store, *(part.replace("/", "%2F") for part in query)]), key


def bare(store: str) -> str:
    """A store without user info and query.

    >>> bare("key:secret@bucket?region=eu-west-1")
    'bucket'
    """
    return store.partition("?")[0].rpartition("@")[2]


def shown(text: str) -> str:
    """Text in which no URI shows who asks or how.

    >>> shown("out: s3://key:secret@bucket/out?region=eu-west-1")
    'out: s3://bucket/out'
    """
    return _IN_TEXT.sub(lambda found: re.sub(r"//[^/]*@", "//", _QUERY.split(found.group(), maxsplit=1)[0]), text)


def shown_all(tree: Any) -> Any:
    """Plain JSON with every text `shown`."""
    if isinstance(tree, dict):
        return {key: shown_all(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [shown_all(value) for value in tree]
    return shown(tree) if isinstance(tree, str) else tree
