"""A Ray cluster that runs already: one core task a call. Ray moves no data: all nodes see INPUT and OUT alike."""

import contextlib
import os
import secrets
import socket
from collections.abc import Hashable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

from cleanse.errors import ConfigError, MachineError
from cleanse.run import store
from cleanse.run.engines.attempts import LOSS, Death
from cleanse.run.engines.base import ONE_THREAD, answer
from cleanse.run.places import Remote
from cleanse.run.versions import PACKAGES

QUEUED = 4  # calls under way for each core: the next one is there when one ends
REACH = 10.0  # seconds to reach the address; Ray itself tries for minutes
ANSWER = 60.0  # seconds for the cluster to answer, and for all its nodes
LOSSES = ("WorkerCrashedError", "NodeDiedError", "ObjectLostError", "OutOfMemoryError")  # of Ray; they cost one call
HELP = "look after the cluster, then the same command goes on"


class Ray:
    """A crew of the cores of a cluster. `api`: the module of Ray, connected."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self.n_workers = max(1, int(api.cluster_resources().get("CPU", 0)))
        self.n_calls = QUEUED * self.n_workers
        # Ray retries nothing itself: what is tried again, and how often, is the same on every engine
        self._call = api.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(_answer)
        self._under_way: set[Any] = set()
        self._losses = tuple(getattr(api.exceptions, name) for name in LOSSES)

    def begin(self, call: bytes, *, alone: bool) -> Hashable:
        """A task for the cluster. `alone`: it is the only one of ours."""
        ref: Hashable = self._call.remote(call, os.getcwd())
        self._under_way.add(ref)
        return ref

    def news(self) -> list[tuple[Hashable, bytes | Death]]:
        """Answers and losses. Raises MachineError when the cluster is lost as a whole."""
        refs = list(self._under_way)
        with _lost(self._api):
            if ready := self._api.wait(refs, num_returns=1, timeout=1.0)[0]:
                ready = self._api.wait(refs, num_returns=len(refs), timeout=0)[0]
            return [(ref, self._taken(ref)) for ref in ready]

    def _taken(self, ref: Any) -> bytes | Death:
        self._under_way.remove(ref)
        try:
            found: bytes = self._api.get(ref)
        except self._losses:
            return Death(LOSS)
        return found

    def drop(self) -> None:
        """Cancel what is under way."""
        with contextlib.suppress(self._api.exceptions.RayError):
            while self._under_way:
                self._api.cancel(self._under_way.pop(), force=True)

    def close(self) -> None:
        """Leave the cluster as it is."""
        self._api.shutdown()


def _answer(call: bytes, folder: str) -> bytes:
    """What a node runs. One thread: polars reads the variable when the call, as it is opened, imports it."""
    os.environ.update(ONE_THREAD)
    with contextlib.suppress(OSError):  # a node without it has no relative paths, and needs none where all are absolute
        os.chdir(folder)
    return answer(call)


@contextlib.contextmanager
def _lost(api: Any) -> Iterator[None]:
    """Turns what Ray says of a cluster that is gone into a MachineError."""
    try:
        yield
    except (api.exceptions.RayError, ConnectionError) as problem:
        raise MachineError("cluster-lost", f"the Ray cluster is lost: {type(problem).__name__}", HELP) from None


def connected(address: str, out: Path) -> Ray:
    """The crew of the cluster at `address`, HOST:PORT, once every node has shown that it is like this machine.

    Raises ConfigError without Ray, for another kind of address, and for a node with other versions; MachineError when
    the cluster cannot be reached, or a node cannot read `out`.
    """
    api = _imported()
    _reach(address)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with _lost(api):
        _init(api, address)
    try:
        with _lost(api):
            _probe(api, out.absolute())
        return Ray(api)
    except BaseException:
        api.shutdown()
        raise


def _imported() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        what = "engine ray needs the package ray"
        raise ConfigError("extra-missing", what, "pip install 'cleanse[ray]' on every node") from None


def _reach(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigError("ray-address", f"'{address}' is not HOST:PORT", "--ray-address 10.0.0.1:6379")
    try:
        socket.create_connection((host, int(port)), REACH).close()
    except OSError as problem:
        raise MachineError("cluster-lost", f"no Ray cluster at {address}: {problem}", "ray status; ray start") from None


def _init(api: Any, address: str) -> None:
    """Connect, in a thread: at a port of something else Ray tries for ever, and in the main thread it would put a
    handler of SIGTERM of its own, which leaves at once.
    """
    failed: list[BaseException] = []

    def connect() -> None:
        try:
            api.init(address=address, log_to_driver=False, logging_level="CRITICAL")
        except BaseException as problem:  # noqa: BLE001  # raised below
            failed.append(problem)

    thread = Thread(target=connect, daemon=True)
    thread.start()
    thread.join(ANSWER)
    if thread.is_alive():
        raise MachineError("cluster-lost", f"what listens at {address} does not answer as Ray does", "ray status")
    for problem in failed:
        raise problem


def _probe(api: Any, out: Path) -> None:
    """Ask each node for its versions, and for the word that lies in `out`, or where that will lie, for the moment."""

    def look(names: Sequence[str], path: str) -> tuple[dict[str, str], str]:  # inner: it must run where cleanse is not
        from importlib.metadata import PackageNotFoundError, version
        from pathlib import Path

        found = dict.fromkeys(names, "none")
        for name in names:
            with contextlib.suppress(PackageNotFoundError):
                found[name] = version(name)
        return found, Path(path).read_text() if Path(path).exists() else ""

    is_far = isinstance(out, Remote)  # then each node asks the store, as this machine does
    word, there = (
        ("", Path("/")) if is_far else (secrets.token_hex(8), next(p for p in (out, *out.parents) if p.exists()))
    )
    path, ours = there / f".probe.{word}.tmp", {name: version(name) for name in ("cleanse", *PACKAGES)}
    if not is_far:
        store.commit(path, word.encode())
    try:
        nodes = [node for node in api.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        pinned = api.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        asked = [
            api.remote(num_cpus=0, scheduling_strategy=pinned(node["NodeID"], soft=False))(look).remote(
                list(ours), str(path)
            )
            for node in nodes
        ]
        for node, (versions, read) in zip(nodes, api.get(asked, timeout=ANSWER), strict=True):
            check(node["NodeManagerHostname"], ours, versions, is_shared=read == word, out=out)
    finally:
        path.unlink(missing_ok=True)


def check(node: str, ours: dict[str, str], versions: dict[str, str], *, is_shared: bool, out: Path) -> None:
    """Raises ConfigError for a node with other versions, MachineError for one that cannot read `out`."""
    if unlike := [f"{name} {theirs}, not {ours[name]}" for name, theirs in versions.items() if theirs != ours[name]]:
        what = f"node {node} has other versions, and would write other bytes"
        raise ConfigError("cluster-unlike", what, "the same environment on every node", found="; ".join(unlike))
    if not is_shared:
        what = f"node {node} cannot read {out}"
        raise MachineError("cluster-out", what, "INPUT and --out on a file system that all nodes mount alike")
