"""Lines that are right by themselves into columns, all at once: those without a quote, and those with whole quotes."""

import io

import polars as pl

from cleanse.records.reading import ONE_COLUMN, Dialect, read

MAX_PATTERN = 128  # fields; a pattern of more does not compile


def field_names(n: int) -> list[str]:
    """Columns by position, as fields are called before they have names."""
    return [f"field{i}" for i in range(n)]


def right(texts: pl.Series, dialect: Dialect, n: int) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Which lines are right by themselves: plain ones, without a quote and of exactly `n` fields; those that are plain
    but for one field too many; and regular ones, each field of which is bare without a quote or whole within quotes.
    """
    quoted = texts.str.contains(dialect.quote, literal=True) if dialect.quote else repeat(texts, value=False)
    n_cuts = texts.str.count_matches(dialect.delimiter, literal=True)
    regular = repeat(texts, value=False)
    if quoted.any() and (pattern := _regular(dialect, n)):  # a pattern costs: only lines with a quote are asked
        rows = quoted.arg_true()
        regular = regular.scatter(rows, texts.gather(rows).str.contains(pattern))
    return ~quoted & (n_cuts == n - 1), ~quoted & (n_cuts == n), regular


def repeat(texts: pl.Series, *, value: bool) -> pl.Series:
    """One answer for all lines."""
    return pl.repeat(value, texts.len(), dtype=pl.Boolean, eager=True)


def _regular(dialect: Dialect, n: int) -> str | None:
    """A line of n bare or whole fields as a pattern; None: such lines are read one by one."""
    if not dialect.quote or dialect.backslash or len(dialect.delimiter) > 1 or n > MAX_PATTERN:
        return None
    mark, edge = (f"\\x{{{ord(char):x}}}" for char in (dialect.quote, dialect.delimiter))
    one = rf"(?:[^{mark}{edge}]*|{mark}(?:[^{mark}]|{mark}{mark})*{mark})"
    return rf"^{one}(?:{edge}{one}){{{n - 1}}}$"


def split_plain(texts: pl.Series, dialect: Dialect, n: int) -> pl.DataFrame:
    """The fields of plain lines. A column a field."""
    if n == 1:
        return texts.alias("field0").to_frame()
    cut = texts.str.split_exact(dialect.delimiter, n - 1)
    return cut.struct.rename_fields(field_names(n)).struct.unnest()


def split_regular(texts: pl.Series, dialect: Dialect, n: int) -> pl.DataFrame:
    """The fields of regular lines: any parser reads them alike, so the fastest does."""
    schema = dict.fromkeys(field_names(n), pl.String())
    if texts.is_empty():
        return pl.DataFrame(schema=schema)
    if dialect.delimiter == ONE_COLUMN:
        return pl.DataFrame([read(text, dialect).fields for text in texts], schema, orient="row")
    return pl.read_csv(
        io.BytesIO("\n".join(texts.to_list()).encode()),
        has_header=False,
        schema=schema,
        separator=dialect.delimiter,
        quote_char=dialect.quote,
        empty_string_is_null=False,
    )
