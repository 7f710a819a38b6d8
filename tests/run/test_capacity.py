"""How many workers fit: cores and memory of machines and containers, as folders of their own."""

import os
from pathlib import Path

import pytest

from cleanse.run.engines.capacity import at_once, available_mb, cores, n_workers, share_mb
from cleanse.settings import RunSettings

MEMINFO = "MemTotal:       16384000 kB\nMemAvailable:   10240000 kB\n"  # 10,000 MiB


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"proc/meminfo": MEMINFO, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


V2, V1 = (
    {"proc/self/cgroup": "0::/pod/box\n"},
    {"proc/self/cgroup": "4:memory:/pod/box\n3:cpu,cpuacct:/pod/box\n0::/\n"},
)


@pytest.mark.parametrize(
    ("files", "n"),
    [
        pytest.param({}, 8, id="no control groups"),
        pytest.param({**V2, "sys/fs/cgroup/pod/box/cpu.max": "max 100000"}, 8, id="no quota"),
        pytest.param({**V2, "sys/fs/cgroup/pod/box/cpu.max": "200000 100000"}, 2, id="two cores"),
        pytest.param({**V2, "sys/fs/cgroup/pod/box/cpu.max": "150000 100000"}, 2, id="one and a half"),
        pytest.param({**V2, "sys/fs/cgroup/pod/box/cpu.max": "10000 100000"}, 1, id="a tenth"),
        pytest.param({**V2, "sys/fs/cgroup/pod/box/cpu.max": "1600000 100000"}, 8, id="more than there are"),
        pytest.param({**V2, "sys/fs/cgroup/pod/cpu.max": "300000 100000"}, 3, id="of the group above"),
        pytest.param({**V2, "sys/fs/cgroup/cpu.max": "300000 100000"}, 3, id="its own root, another path"),
        pytest.param(
            {**V1, "sys/fs/cgroup/cpu/pod/box/cpu.cfs_quota_us": "400000",
             "sys/fs/cgroup/cpu/pod/box/cpu.cfs_period_us": "100000"}, 4, id="version 1",
        ),
        pytest.param(
            {**V1, "sys/fs/cgroup/cpu/pod/box/cpu.cfs_quota_us": "-1",
             "sys/fs/cgroup/cpu/pod/box/cpu.cfs_period_us": "100000"}, 8, id="version 1, no quota",
        ),
    ],
)  # fmt: skip
def test_cores_are_bounded_by_quotas(tmp_path: Path, files: dict[str, str], n: int) -> None:
    assert cores(machine(tmp_path, files)) == n


BOX = "sys/fs/cgroup/pod/box/memory"
BOX1 = "sys/fs/cgroup/memory/pod/box/memory"


@pytest.mark.parametrize(
    ("files", "mb"),
    [
        pytest.param({}, 10000, id="the machine"),
        pytest.param({**V2, f"{BOX}.max": "max"}, 10000, id="no limit"),
        pytest.param({**V2, f"{BOX}.max": f"{512 << 20}", f"{BOX}.current": f"{100 << 20}"}, 412, id="limit less used"),
        pytest.param(
            {**V2, f"{BOX}.max": f"{512 << 20}", f"{BOX}.current": f"{500 << 20}",
             f"{BOX}.stat": f"anon 1\ninactive_file {300 << 20}\n"}, 312, id="page cache is given back",
        ),
        pytest.param({**V2, f"{BOX}.max": "1000", f"{BOX}.current": "2000"}, 0, id="over its limit"),
        pytest.param({**V2, "sys/fs/cgroup/memory.max": f"{64 << 20}"}, 64, id="its own root"),
        pytest.param(
            {**V1, f"{BOX1}.limit_in_bytes": f"{256 << 20}", f"{BOX1}.usage_in_bytes": f"{56 << 20}",
             f"{BOX1}.stat": f"total_inactive_file {10 << 20}\n"}, 210, id="version 1",
        ),
        pytest.param({**V1, f"{BOX1}.limit_in_bytes": "9223372036854771712"}, 10000, id="version 1, no limit"),
    ],
)  # fmt: skip
def test_memory_is_what_can_be_had(tmp_path: Path, files: dict[str, str], mb: float) -> None:
    assert available_mb(machine(tmp_path, files)) == mb


@pytest.mark.parametrize(
    ("run", "n"),
    [
        pytest.param(RunSettings(), 8, id="auto: as many as cores"),
        pytest.param(RunSettings(part_mb=256), 3, id="auto: (6000 - 150) / (100 + 6 x 256)"),
        pytest.param(RunSettings(workers=12), 12, id="as many as one says"),
        pytest.param(RunSettings(memory_limit=149), 1, id="less than the driver takes"),
        pytest.param(RunSettings(memory_limit=541), 1, id="just not two"),
        pytest.param(RunSettings(memory_limit=542), 2, id="just two"),
        pytest.param(RunSettings(workers=12, memory_limit=542), 2, id="both: the smaller"),
        pytest.param(RunSettings(workers=1, memory_limit=542), 1, id="both: the smaller, the other way"),
    ],
)
def test_workers_are_as_many_as_fit(tmp_path: Path, run: RunSettings, n: int) -> None:
    assert n_workers(run, machine(tmp_path, {})) == n


def test_a_share_is_never_less_than_a_part_needs(tmp_path: Path) -> None:
    root = machine(tmp_path, {})
    assert share_mb(RunSettings(memory_limit=1150), 4, root) == 250
    assert share_mb(RunSettings(memory_limit=542), 12, root) == 196


@pytest.mark.parametrize(
    ("run", "text_mb", "n"),
    [
        pytest.param(RunSettings(memory_limit=2598), 256, 4, id="room for all"),
        pytest.param(RunSettings(memory_limit=2597), 256, 3, id="just not"),
        pytest.param(RunSettings(memory_limit=300), 256, 1, id="one has to do"),
        pytest.param(RunSettings(memory_limit=300), 0, 1, id="nothing in them"),
        pytest.param(RunSettings(), 100, 4, id="of what is there"),
        pytest.param(RunSettings(engine="ray", ray_address="auto", memory_limit=300), 256, None, id="a cluster"),
    ],
)
def test_large_tables_are_held_by_as_many_as_have_room(
    tmp_path: Path, run: RunSettings, text_mb: float, n: int | None
) -> None:
    assert at_once(run, 4, text_mb, machine(tmp_path, {})) == n
