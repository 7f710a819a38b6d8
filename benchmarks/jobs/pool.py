"""The job by hand: one lazy polars plan a shard, in spawned processes of one thread. It trusts its input and counts
nothing: a bad line stops it, an encoding other than UTF-8 too, and what it drops is gone.

    python pool.py IN_DIR OUT_DIR WORKERS
"""

import multiprocessing
import os
import sys
from pathlib import Path

TAGS = (r"(?is)<(?:script|style)\b.*?</(?:script|style)\s*>", r"(?s)<!--.*?-->", "<[^>]*>")
NAMED = {"&copy;": "©", "&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}


def shard(paths: tuple[str, str]) -> None:
    """Clean one file."""
    import polars as pl  # late: after the number of threads is set

    body = pl.col("body")
    for pattern in TAGS:
        body = body.str.replace_all(pattern, " ")
    body = body.str.replace_many(NAMED).str.replace_all(r"\s+", " ").str.strip_chars()
    rows = pl.scan_ndjson(paths[0], schema=dict.fromkeys(("id", "title", "body", "label"), pl.String))
    rows = rows.filter(pl.col("title").str.len_chars().is_between(10, 60)).with_columns(body)
    rows.filter(pl.col("body").str.len_chars() >= 100).sink_parquet(paths[1])


if __name__ == "__main__":
    os.environ["POLARS_MAX_THREADS"] = "1"
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    jobs = [(str(path), str(target / f"{path.stem}.parquet")) for path in sorted(source.glob("*.jsonl"))]
    with multiprocessing.get_context("spawn").Pool(int(sys.argv[3])) as pool:
        pool.map(shard, jobs, chunksize=1)
