"""The crew of a Ray cluster: what it refuses, and on two nodes the promises of every engine."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import CLEANSE, call, environment
from runs import lines, row

from cleanse.errors import ConfigError, MachineError
from cleanse.run.engines.base import RETRIES
from cleanse.run.engines.ray import check, connected

TESTS = Path(__file__).parent.parent
needs_ray = pytest.mark.skipif(not find_spec("ray"), reason="ray is not installed")
FINAL = ("data", "rejects", "run.json", "metrics.json")


def test_without_the_package_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"cleanse\[ray\]"):
        connected("127.0.0.1:1", tmp_path)


def test_the_address_must_be_given(tmp_path: Path) -> None:
    done = call(tmp_path, "run", ".", "-o", "out", "--engine", "ray")
    assert done.returncode == 2
    assert "engine ray needs ray_address" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("versions", "is_shared", "kind", "id"),
    [
        pytest.param({"cleanse": "1", "polars": "1"}, True, ConfigError, "cluster-unlike", id="another version"),
        pytest.param({"cleanse": "none", "polars": "2"}, True, ConfigError, "cluster-unlike", id="a package missing"),
        pytest.param({"cleanse": "1", "polars": "2"}, False, MachineError, "cluster-out", id="another disk"),
    ],
)
def test_a_node_that_is_not_like_this_machine_is_refused(
    versions: dict[str, str], is_shared: bool, kind: type[ConfigError | MachineError], id: str
) -> None:
    check("a", {"cleanse": "1", "polars": "2"}, {"cleanse": "1", "polars": "2"}, is_shared=True, out=Path("out"))
    with pytest.raises(kind, match="node b") as caught:
        check("b", {"cleanse": "1", "polars": "2"}, versions, is_shared=is_shared, out=Path("out"))
    assert caught.value.id == id


@pytest.fixture(scope="module")
def nodes() -> Iterator["subprocess.Popen[str]"]:
    env = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(TESTS / "ray_nodes.py")]
    with subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture(scope="module")
def address(nodes: "subprocess.Popen[str]") -> str:
    assert nodes.stdout
    found = nodes.stdout.readline().strip()
    assert found, "the cluster did not start: its words stand above"
    return found


DRIVER = """
import json, sys
from pathlib import Path
from deeds import Deed, do
from cleanse.run.engines.ray import connected
from cleanse.run.engines.supervisor import Supervised

folder, events, told = Path(sys.argv[2]), [], []
engine = Supervised(connected(sys.argv[1], folder), events.append)
for n, (what, times) in enumerate(json.loads(sys.argv[3])):
    (folder / str(n)).mkdir()
    events.clear()
    seen = []
    found = {"done": seen}
    deeds = [Deed(i, str(folder / str(n)), what if i == 2 else "", times) for i in range(6)]
    try:
        found["results"] = engine.map(do, deeds, seen.append)
    except Exception as error:
        found.update(error=type(error).__name__, text=str(error), frames=str(error.__cause__))
    told.append({**found, "events": [e.name for e in events]})
engine.close()
print(json.dumps(told))
"""


@pytest.mark.ray
@needs_ray
def test_two_nodes_keep_the_promises_of_an_engine(address: str, tmp_path: Path) -> None:
    what = [("", 0), ("os error", RETRIES), ("SIGKILL", 2), ("SIGKILL", 9), ("input error", 9), ("value error", 9)]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, address, str(tmp_path), json.dumps(what)],
        env=environment(PYTHONPATH=str(TESTS)), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    well, again, killed, poison, bad, bug = told
    for each in (well, again, killed):
        assert each.get("results") == list(range(6)), each
    assert well["events"] == []
    assert again["events"] == ["task_retried"] * RETRIES
    assert killed["events"] == ["worker_died", "task_retried"] * 2
    assert (poison["error"], sorted(poison["done"])) == ("MachineError", [0, 1, 3, 4, 5])
    assert "deed 2" in poison["text"]
    assert (bad["error"], bad["text"].split(":")[0]) == ("InputError", "error[bad]")
    assert bug["error"] == "ValueError"
    assert "in act" in bug["frames"]
    assert not list(tmp_path.glob(".probe*"))


@pytest.mark.ray
@needs_ray
def test_a_cluster_gives_the_bytes_of_one_machine_also_when_it_loses_a_node(
    nodes: "subprocess.Popen[str]", address: str, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    for n in range(6):
        rows = [row(i, body="第一段。" * 200 + str(i)) for i in range(120 * n, 120 * n + 120)]
        (tmp_path / "in" / f"{n}.jsonl").write_text(lines(rows), encoding="utf-8")
    args = ["run", "in", "--isolated", "--set", "run.part_mb=0.25", "-o"]
    cluster = ["--engine", "ray", "--ray-address", address]
    assert call(tmp_path, *args, "here").returncode == 0
    assert call(tmp_path, *args, "there", *cluster).returncode == 0
    with subprocess.Popen(
        [CLEANSE, *args, "less", *cluster], cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while process.poll() is None and not any((tmp_path / "less").rglob("*.parquet")):
            pass
        assert nodes.stdin
        assert process.poll() is None
        print("remove", file=nodes.stdin, flush=True)
    assert process.returncode == 0
    assert len(list((tmp_path / "here/stages/1-decode/kept").iterdir())) > 3
    assert finals(tmp_path / "here")["data/train-00000-of-00001.parquet"]
    here, there, less = (finals(tmp_path / name) for name in ("here", "there", "less"))
    assert here == there == less


def finals(out: Path) -> dict[str, bytes]:
    files = [path for name in FINAL for path in ([out / name] if (out / name).is_file() else (out / name).rglob("*"))]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(files)}


@pytest.mark.parametrize(
    ("address", "kind", "id"),
    [
        pytest.param("auto", ConfigError, "ray-address", id="no guess"),
        pytest.param("127.0.0.1", ConfigError, "ray-address", id="no port"),
        pytest.param(":6379", ConfigError, "ray-address", id="no host"),
        pytest.param("127.0.0.1:1", MachineError, "cluster-lost", id="nobody there"),
    ],
)
@needs_ray
def test_an_address_of_no_cluster_is_an_error_at_once(
    address: str, kind: type[ConfigError | MachineError], id: str, tmp_path: Path
) -> None:
    with pytest.raises(kind) as caught:
        connected(address, tmp_path)
    assert caught.value.id == id


@needs_ray
def test_a_port_of_something_else_is_an_error_and_no_hang(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = f"127.0.0.1:{server.getsockname()[1]}"
        code = f"from cleanse.run.engines import ray; ray.ANSWER = 3; ray.connected({where!r}, None)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "error[cluster-lost]" in done.stderr
