"""The same text in train and in another split, recognised by the hash of what is left of it without case and space."""

import hashlib
import unicodedata
from typing import Any

import polars as pl

BETWEEN = "\x1f"  # stands between title and body


def text_hash(title: str | None, body: str | None) -> int:
    """BLAKE2b-64 of title and body after NFKC and casefold, without whitespace; the same for texts that look alike.

    >>> text_hash(None, "Ａ b") == text_hash("", "ab\\n")
    True
    """
    text = unicodedata.normalize("NFKC", f"{title or ''}{BETWEEN}{body or ''}").casefold()
    plain = BETWEEN.join("".join(piece.split()) for piece in text.split(BETWEEN))  # U+001F is space to Python, too
    return int.from_bytes(hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def text_hashes(frame: pl.DataFrame) -> pl.Series:
    """`text_hash` of each row, UInt64. A Python loop: polars knows neither casefold nor BLAKE2b."""
    nothing = [None] * frame.height
    titles, bodies = (frame[name] if name in frame.columns else nothing for name in ("title", "body"))
    return pl.Series("text", [text_hash(t, b) for t, b in zip(titles, bodies, strict=True)], pl.UInt64)


def shared_with_train(counts: pl.DataFrame, what: str) -> dict[str, Any]:
    """split → rows whose `what` is in train, too, and their share of the split. `counts`: tally by split and `what`."""
    train = counts.filter(pl.col("split") == "train").select(what).unique()
    others = counts.filter(pl.col("split") != "train")
    found = others.join(train.with_columns(_hit=True), on=what, how="left").group_by("split").agg(
        pl.col("rows").filter(pl.col("_hit")).sum().alias("hit"), pl.col("rows").sum()
    )  # fmt: skip
    return {split: {"rows": hit, "share": hit / rows} for split, hit, rows in found.sort("split").iter_rows()}
