"""The section `decode`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Gt, MinLen

from cleanse.settings.base import STRICT, Positive, Share, key
from cleanse.text.codecs import canonical

Repair = Literal[
    "trailing_delim", "empty_surplus", "fold_surplus", "quote_literal", "quote_unescaped", "escape_backslash",
    "delim_alt", "lines_joined", "nul_stripped", "objects_split", "json_trailing_comma", "json_control_char",
    "key_case", "key_alias", "key_duplicate_same",
]  # fmt: skip
Format = Literal["auto", "csv", "tsv", "jsonl", "text", "html", "parquet", "warc"]


@dataclass(frozen=True)
class DecodeSettings:
    """decode: bytes to UTF-8 records."""

    __pydantic_config__ = STRICT
    format: Format = key("auto", "of every input; auto: magic bytes, suffix, content")
    encoding: str = key("auto", "of every input, any usual label; auto: decided per file")
    text_mode: Literal["file", "line", "paragraph"] = key("file", "what a record of plain text is")
    repair: bool = key(True, "take mojibake back where it is proven; false: only count it")
    declared_col: str | None = key(None, "column with the charset or content type of binary cells")
    max_replaced_share: Share = key(0.03, "of a record's characters that U+FFFD may replace, else damaged")
    min_confidence: Share = key(0.0, "of the decision on an encoding, else undecodable")
    max_record_mb: Annotated[float, Gt(0)] = key(64.0, "MiB; a longer record is rejected as too_large")
    max_expand_ratio: Annotated[float, Gt(1)] = key(300.0, "output / input of a compressed source above 256 MiB")
    max_members: Positive = key(100_000, "members of an archive")
    limit: Positive | None = key(None, "records of each source that are read, from the first on; null: all")
    expect: tuple[str, ...] | None = key(None, "required columns or JSON keys; their order names a file without header")
    delimiter: Annotated[str, MinLen(1)] = key("auto", "of delimited text")
    quote: Annotated[str, MinLen(1)] = key("auto", "of delimited text: a character, auto or none")
    escape: Annotated[str, MinLen(1)] = key("auto", "of a quote within quotes: the quote doubled, \\, auto or none")
    header: Literal["auto", "present", "absent"] = key("auto", "the first line of delimited text")
    refuse: tuple[Repair, ...] = key((), "repairs of records that are not wanted: they have the problem instead")
    max_join_lines: Positive = key(64, "lines that one quoted field may span")

    def __post_init__(self) -> None:
        """An encoding must be one we can read, a delimiter one character, and no quote."""
        if self.encoding != "auto":
            canonical(self.encoding)
        for name, words in (("delimiter", ("auto",)), ("quote", ("auto", "none")), ("escape", ("auto", "none"))):
            value = getattr(self, name)
            if value not in words and (len(value) > 1 or value in "\r\n\0"):
                raise ValueError(f"{name} {value!r} is not one character")
        if self.delimiter == self.quote != "auto":
            raise ValueError(f"delimiter and quote are both {self.quote!r}")
