"""The job with datatrove's local executor; tags go by one regex, as its extractors do far more.

python in_datatrove.py IN_DIR OUT_DIR WORKERS
"""

import html
import re
import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters import LambdaFilter
from datatrove.pipeline.formatters.base import BaseFormatter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import ParquetWriter

NOISE = re.compile(r"(?is)<(?:script|style)\b.*?</(?:script|style)\s*>|<!--.*?-->|<[^>]*>")


class WithoutTags(BaseFormatter):
    """Text without tags, in one line."""

    name = "without tags"

    def format(self, text: str) -> str:
        """One document."""
        return " ".join(html.unescape(NOISE.sub(" ", text)).split())


if __name__ == "__main__":
    steps = [
        JsonlReader(sys.argv[1], text_key="body", glob_pattern="*.jsonl"),
        LambdaFilter(lambda document: 10 <= len(document.metadata["title"]) <= 60),
        WithoutTags(),
        LambdaFilter(lambda document: len(document.text) >= 100),
        ParquetWriter(f"{sys.argv[2]}/data"),
    ]
    LocalPipelineExecutor(steps, tasks=16, workers=int(sys.argv[3]), logging_dir=f"{sys.argv[2]}/logs").run()
