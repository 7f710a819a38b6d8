"""Makes `tables` importable under import mode `importlib`; laws have no deadline: a busy machine is no failure. A store
that speaks S3, for the tests of remote places, which are skipped without it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from s3_server import Store

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("timeless", deadline=None)
settings.load_profile("timeless")


@pytest.fixture(scope="session")
def server() -> "Iterator[Store]":
    """One for all tests: each has objects of its own, and all read those below `bucket/in`."""
    pytest.importorskip("moto.moto_server")
    from runs import usual
    from s3_server import serving

    with serving() as found:
        for name, text in usual().items():
            found.write(f"bucket/in/{name}", text.encode())
        found.write("bucket/in/.hidden/x.csv", b"a,b\n1,2\n")
        yield found


@pytest.fixture
def s3(server: "Store", monkeypatch: pytest.MonkeyPatch) -> "Iterator[Store]":
    """The store, whole again after each test; nothing waits for it."""
    from s3_server import KEYS

    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("cleanse.run.filesystems.DELAYS", (0.0,))
    monkeypatch.setattr("cleanse.run.leases.SETTLE", 0.0)
    yield server
    server.dies_at, server.left, server.denies = None, None, False
