"""Lines that are right by themselves into columns, all at once: those without a quote, and those with whole quotes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from cleanse.records.reading import ONE_COLUMN, Dialect, read
from cleanse.records.stretch import Mask, Rows, Stretch

BLANK = " \t\0"
MAX_PATTERN = 128  # fields; a pattern of more does not compile
Surplus = Literal["none", "alone", "any"]
"""Whether a line may end in a delimiter too many: no; if it has no other empty field that could go; whatever it has."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What lines are: `plain`, without a quote and with all their fields; `trailing`, plain but for a delimiter too
    many at the end; `regular`, each field bare without a quote or whole within quotes; `blank`.
    """

    plain: Mask
    trailing: Mask
    regular: Mask
    blank: Mask

    def among(self, rows: Mask) -> "Marks":
        """Of some of the lines; the others are nothing."""
        return Marks(self.plain & rows, self.trailing & rows, self.regular & rows, self.blank & rows)

    @property
    def records(self) -> Mask:
        """Lines that are a record by themselves."""
        return self.plain | self.trailing | self.regular


def field_names(n: int) -> list[str]:
    """Columns by position, as fields are called before they have names."""
    return [f"field{i}" for i in range(n)]


def marks(lines: Stretch, dialect: Dialect, n: int, surplus: Surplus) -> Marks:
    """What each of the lines is, where records have `n` fields."""
    n_cuts = _counts(lines, dialect.delimiter)
    quoted = _counts(lines, dialect.quote) > 0 if dialect.quote else np.zeros(lines.height, np.bool_)
    plain = ~quoted & (n_cuts == n - 1)
    regular, trailing, blank = (np.zeros(lines.height, np.bool_) for _ in range(3))
    if (rows := np.flatnonzero(quoted)).size and (pattern := _regular(dialect, n)):
        regular[rows] = lines.texts(rows).str.contains(pattern)
    blank[lines.sizes == 0] = True
    if (rows := np.flatnonzero(~quoted & (n_cuts == n))).size and surplus != "none":
        trailing[rows] = _ends_surplus(lines.texts(rows), dialect.delimiter, surplus)
    if (rows := np.flatnonzero(lines.begins(BLANK.encode()) & ~blank)).size:
        blank[rows] = lines.texts(rows).str.strip_chars(BLANK) == ""
    return Marks(plain & ~blank, trailing & ~blank, regular & ~blank, blank)


def _counts(lines: Stretch, sign: str) -> Rows:
    """How often a delimiter or a quote stands in each line."""
    if sign == ONE_COLUMN:
        return np.zeros(lines.height, np.int64)
    if len(sign) == 1 and sign.isascii():
        return lines.counts(sign)
    found = lines.texts(range(lines.height)).str.count_matches(sign, literal=True)
    return found.cast(pl.Int64).to_numpy()


def _ends_surplus(texts: pl.Series, cut: str, surplus: Surplus) -> pl.Series:
    ends = texts.str.ends_with(cut)
    others = texts.str.contains(cut * 2, literal=True) | texts.str.starts_with(cut)
    return ends if surplus == "any" else ends & ~others


def _regular(dialect: Dialect, n: int) -> str | None:
    """A line of n bare or whole fields as a pattern; None: such lines are read one by one."""
    if not dialect.quote or dialect.backslash or len(dialect.delimiter) > 1 or n > MAX_PATTERN:
        return None
    mark, edge = (f"\\x{{{ord(char):x}}}" for char in (dialect.quote, dialect.delimiter))
    one = rf"(?:[^{mark}{edge}]*|{mark}(?:[^{mark}]|{mark}{mark})*{mark})"
    return rf"^{one}(?:{edge}{one}){{{n - 1}}}$"


def split(lines: Stretch, rows: Mask, dialect: Dialect, n: int) -> pl.DataFrame:
    """The fields of plain and regular lines. A column a field. Any parser reads them alike, so the fastest does."""
    schema = dict.fromkeys(field_names(n), pl.String())
    data = lines.packed(rows)
    if not data:
        return pl.DataFrame(schema=schema)
    if not _for_parser(data, dialect):
        texts = lines.texts(np.flatnonzero(rows))
        if dialect.quote and texts.str.contains(dialect.quote, literal=True).any():
            return pl.DataFrame([read(text, dialect).fields for text in texts], schema, orient="row")
        return split_plain(texts, dialect, n)
    return pl.read_csv(
        data,
        has_header=False,
        schema=schema,
        separator=dialect.delimiter,
        quote_char=dialect.quote,
        empty_string_is_null=False,
    )


def _for_parser(data: bytes, dialect: Dialect) -> bool:
    """True where polars takes each line for what it is: it knows delimiters of one byte, and CR, NUL and BOM are more
    to it than signs.
    """
    one_byte = len(dialect.delimiter.encode()) == 1 and dialect.delimiter != ONE_COLUMN
    return one_byte and not (b"\r" in data or b"\0" in data or data.startswith(b"\xef\xbb\xbf"))


def split_plain(texts: pl.Series, dialect: Dialect, n: int) -> pl.DataFrame:
    """The fields of plain lines that are strings already."""
    if n == 1:
        return texts.alias("field0").to_frame()
    cut = texts.str.split_exact(dialect.delimiter, n - 1)
    return cut.struct.rename_fields(field_names(n)).struct.unnest()
