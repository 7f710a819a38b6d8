"""The job with pandas and BeautifulSoup, as one writes it first: one process.

python in_pandas.py IN.jsonl OUT.parquet
"""

import sys

import pandas as pd
from bs4 import BeautifulSoup


def text_of(page: str) -> str:
    """What is left of a page without script, style and tags."""
    soup = BeautifulSoup(page, "html.parser")
    for element in soup(["script", "style"]):
        element.decompose()
    return " ".join(soup.get_text(" ").split())


if __name__ == "__main__":
    rows = pd.read_json(sys.argv[1], lines=True, dtype=False)
    rows["body"] = rows["body"].map(text_of)
    rows = rows[rows["title"].str.len().between(10, 60) & (rows["body"].str.len() >= 100)]
    rows.to_parquet(sys.argv[2], index=False)
