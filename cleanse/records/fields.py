"""Lines that are right by themselves into columns, all at once: those without a quote, and those with whole quotes."""

import io

import polars as pl

from cleanse.records.reading import ONE_COLUMN, Dialect, read


def field_names(n: int) -> list[str]:
    """Columns by position, as fields are called before they have names."""
    return [f"field{i}" for i in range(n)]


def is_plain(dialect: Dialect, n: int, column: str = "text") -> pl.Expr:
    """True for a line without a quote that has exactly `n` fields: right by definition."""
    text = pl.col(column)
    quoted = text.str.contains(dialect.quote, literal=True) if dialect.quote else pl.lit(False)
    return ~quoted & (text.str.count_matches(dialect.delimiter, literal=True) == n - 1)


def is_regular(dialect: Dialect, n: int, column: str = "text") -> pl.Expr:
    """True for a line of exactly `n` fields, each bare without a quote or whole within quotes."""
    if not dialect.quote or dialect.backslash or len(dialect.delimiter) > 1:
        return pl.lit(False)
    mark, edge = (f"\\x{{{ord(char):x}}}" for char in (dialect.quote, dialect.delimiter))
    one = rf"(?:[^{mark}{edge}]*|{mark}(?:[^{mark}]|{mark}{mark})*{mark})"
    return pl.col(column).str.contains(rf"^{one}(?:{edge}{one}){{{n - 1}}}$")


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
