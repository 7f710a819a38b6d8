"""Plain text: one record a file, a line, or a paragraph."""

import polars as pl

from cleanse.records.framed import PLACE
from cleanse.records.lines import joined


def by_line(lines: pl.DataFrame) -> pl.DataFrame:
    """Each line is a record, an empty one too. Columns of PLACE, and `body`."""
    return lines.rename({"text": "body"}).drop("end")


def by_paragraph(lines: pl.DataFrame) -> pl.DataFrame:
    """Runs of lines between blank lines are records, line ends inside kept. Columns as `by_line`."""
    blank = lines["text"].str.strip_chars() == ""
    numbered = lines.with_columns(group=blank.cum_sum()).filter(~blank)
    records = []
    for _, group in numbered.group_by("group", maintain_order=True):
        text, size, replaced = joined(group.drop("group"))
        records.append((*group.row(0)[:2], size, replaced, group["_encoding"][0], text))
    schema = {name: lines.schema[name] for name in PLACE}
    return pl.DataFrame(records, {**schema, "body": pl.String()}, orient="row")
