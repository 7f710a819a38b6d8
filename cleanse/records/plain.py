"""Plain text: one record a file, a line, or a paragraph."""

import polars as pl

from cleanse.records.framed import PLACE
from cleanse.records.lines import joined


def by_line(lines: pl.DataFrame) -> pl.DataFrame:
    """Each line is a record, an empty one too. Columns of PLACE, and `body`."""
    return lines.rename({"text": "body"}).drop("end")


def is_blank(lines: pl.DataFrame) -> pl.Series:
    """True for lines between paragraphs."""
    return lines["text"].str.strip_chars() == ""


def by_paragraph(lines: pl.DataFrame) -> pl.DataFrame:
    """Runs of lines between blank lines (or lines that are not there, being too large) are records, line ends inside
    kept. Columns as `by_line`.
    """
    blank = is_blank(lines)
    gap = (lines["_line"].diff() > 1).fill_null(False)
    numbered = lines.with_columns(group=(blank | gap).cum_sum()).filter(~blank)
    records = []
    for _, group in numbered.group_by("group", maintain_order=True):
        text, size, replaced = joined(group.drop("group"))
        records.append((*group.row(0)[:2], size, replaced, group["_encoding"][0], text))
    schema = {name: lines.schema[name] for name in PLACE}
    return pl.DataFrame(records, {**schema, "body": pl.String()}, orient="row")
