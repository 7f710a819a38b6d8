"""The ways to compress a source, for tests."""

import bz2
import gzip
import lzma

import pyarrow as pa


def zstd(data: bytes) -> bytes:
    """One frame of Zstandard."""
    packed: bytes = pa.compress(data, "zstd", asbytes=True)
    return packed


PACKERS = [gzip.compress, bz2.compress, lzma.compress, zstd]
