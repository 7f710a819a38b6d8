"""A lock on a store: refused while its holder lives, renewed, and free again after ten minutes."""

import os
from contextlib import nullcontext
from pathlib import Path
from socket import gethostname
from threading import Event

import pytest
from s3_server import Store

from cleanse.errors import MachineError
from cleanse.run import leases, locks, store
from cleanse.run.places import place


@pytest.mark.parametrize(
    ("first", "second", "is_refused"),
    [(False, False, True), (False, True, True), (True, False, True), (True, True, False)],
)
def test_a_folder_in_use_is_refused(s3: Store, first: bool, second: bool, is_refused: bool) -> None:
    out = place(s3.uri("bucket/locked"))
    assert locks.holder(out) is None
    with locks.locked(out, shared=first):
        assert (locks.holder(out) or "").startswith(f"pid {os.getpid()} on ")
        refused = pytest.raises(MachineError, match=r"s3://bucket/locked is in use\n  found: pid ")
        with refused if is_refused else nullcontext(), locks.locked(out, shared=second):
            assert not is_refused
    assert s3.sizes("bucket/locked") == {}


def test_a_lock_of_the_same_moment_is_seen(s3: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: s3.write("bucket/race/.lock", b"pid 1 on elsewhere, 0"))
    with pytest.raises(MachineError, match="in use"), locks.locked(place(s3.uri("bucket/race"))):
        pass
    assert s3.objects("bucket/race") == {".lock": b"pid 1 on elsewhere, 0"}


@pytest.mark.parametrize(
    ("said", "stale", "is_free"),
    [
        ("pid 1 on elsewhere, 0", 600.0, False),
        ("pid 1 on elsewhere, 0", -1.0, True),
        ("pid 4194304 on {host}, 0", 600.0, True),  # above the largest number of a process
        ("pid 1 on {host}, 0", 600.0, False),
        ("no word of ours", 600.0, False),
    ],
)
def test_the_lock_of_a_dead_call_ends(
    s3: Store, monkeypatch: pytest.MonkeyPatch, said: str, stale: float, is_free: bool
) -> None:
    monkeypatch.setattr(leases, "STALE", stale)
    s3.write("bucket/stale/.lock", said.format(host=gethostname()).encode())
    try:
        with locks.locked(place(s3.uri("bucket/stale"))):
            assert is_free
    except MachineError:
        assert not is_free


def test_a_lock_is_renewed_while_it_is_ours(s3: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEW", 0.01)
    renewed, again = Event(), Event()

    def seen(path: Path, data: bytes) -> None:
        if renewed.is_set():
            again.set()
        store.commit(path, data)
        if len(s3.puts) > 2:
            s3.write("bucket/renewed/.lock", b"pid 1 on elsewhere, 0")
            renewed.set()

    monkeypatch.setattr("cleanse.run.leases.commit", seen)
    s3.puts = []
    with locks.locked(place(s3.uri("bucket/renewed"))):
        assert renewed.wait(10)
        assert not again.wait(0.2)
    assert s3.objects("bucket/renewed") == {".lock": b"pid 1 on elsewhere, 0"}
