"""Which format a source has: by its first bytes, then by its suffix below that of a compression, then by content."""

import re

SUFFIXES = {
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".txt", ".text", ".md"), "text"),
}
MAGIC = {b"PAR1": "parquet", b"WARC/": "warc"}
COMPRESSED = {  # first bytes
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY|\x17rE)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_ARCHIVES = {"zip": re.compile(rb"PK\x03\x04"), "tar": re.compile(rb"(?s).{257}ustar")}
_PACKED = re.compile(r"\.(gz|bz2|xz|zst)$")
_JSON = re.compile(rb"\{|\[\s*\{")  # an object, an array of them
_HTML = re.compile(rb"<(?:!doctype|html|head|body|p|div)\b", re.I)


def packed(head: bytes) -> str | None:
    """The compression or archive that begins with these bytes.

    >>> packed(b"BZh91AY&SY"), packed(b"BZh, said he")
    ('bzip2', None)
    """
    return next((kind for kind, magic in (COMPRESSED | _ARCHIVES).items() if magic.match(head)), None)


def is_misnamed(head: bytes, name: str) -> bool:
    """True for what is called Parquet or WARC and does not begin like it: it is empty, or a pointer to the real one.

    >>> is_misnamed(b"", "a.parquet"), is_misnamed(b"version https:", "a.warc.gz"), is_misnamed(b"PAR1", "a.parquet")
    (True, True, False)
    """
    stem = _PACKED.sub("", name.lower())
    return any(stem.endswith(f".{kind}") and not head.startswith(magic) for magic, kind in MAGIC.items())


def sniff(head: bytes, name: str) -> str | None:
    """csv, tsv, jsonl, text, html, parquet or warc, from the beginning of a source and its name; None where neither
    tells.

    >>> sniff(b'{"a": 1}', "x"), sniff(b"a,b", "x.csv.gz"), sniff(b"PAR1", "x.txt"), sniff(b"[1] says", "x")
    ('jsonl', 'csv', 'parquet', None)
    """
    if found := next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None):
        return found
    stem = _PACKED.sub("", name.lower())
    if found := next((kind for suffix, kind in SUFFIXES.items() if stem.endswith(suffix)), None):
        return found
    first = head.lstrip()
    return "jsonl" if _JSON.match(first) else "html" if first.startswith(b"<") and _HTML.search(first) else None
