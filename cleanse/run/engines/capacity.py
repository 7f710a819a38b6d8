"""How many workers a machine or its container has room for: cores and memory as the kernel gives them to us."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from cleanse.settings import RunSettings

DRIVER_MB, WORKER_MB, PART_FACTOR = 150, 100, 6  # MiB; of a part's bytes (specs: measured on strip, the hungriest)
TABLE_FACTOR = 2  # of the text of a table that is read, sorted and written (500 MiB for 256)
AVAILABLE = 0.6  # of what is available; the rest is for the page cache and the neighbours
UNLIMITED = 1 << 60  # bytes; cgroup 1 writes a number near 2**63 for no limit
ROOT = Path("/")


def budget_mb(run: RunSettings, root: Path = ROOT) -> float:
    """MiB that all processes of a run may take."""
    return run.memory_limit if run.memory_limit != "auto" else AVAILABLE * available_mb(root)


def share_mb(run: RunSettings, n_workers: int, root: Path = ROOT) -> float:
    """MiB for each of the workers, at least what one needs for a part."""
    return max((budget_mb(run, root) - DRIVER_MB) / n_workers, _need_mb(run))


def n_workers(run: RunSettings, root: Path = ROOT) -> int:
    """What the setting says; `auto`: a worker a core, as far as memory goes. A memory limit that is set bounds both."""
    fits = max(1, int((budget_mb(run, root) - DRIVER_MB) / _need_mb(run)))
    if run.workers == "auto":
        return min(cores(root), fits)
    return run.workers if run.memory_limit == "auto" else min(run.workers, fits)


def _need_mb(run: RunSettings) -> float:
    return WORKER_MB + PART_FACTOR * run.part_mb


def at_once(run: RunSettings, n_workers: int, text_mb: float, root: Path = ROOT) -> int | None:
    """How many tasks that hold a table of so many MiB of text each have room beside each other, one at least; None on a
    cluster, whose memory is its own matter.
    """
    if run.engine == "ray":
        return None
    room = budget_mb(run, root) - DRIVER_MB - WORKER_MB * n_workers
    return max(1, min(n_workers, int(room / (TABLE_FACTOR * max(text_mb, 1)))))


def cores(root: Path = ROOT) -> int:
    """Cores this process may use: by its affinity, and by the quota of its control groups (1.5 are 2)."""
    quotas = [math.ceil(quota) for group in _groups(root, "cpu") if (quota := _quota(group))]
    return min([len(os.sched_getaffinity(0)), *quotas])


def available_mb(root: Path = ROOT) -> float:
    """MiB that can be had without swapping: on the machine, and in each control group this process is in."""
    rooms = [_fields(root / "proc/meminfo").get("MemAvailable:", UNLIMITED >> 10) << 10]
    for group in _groups(root, "memory"):
        limit = _number(group / "memory.max") or _number(group / "memory.limit_in_bytes")
        used = _number(group / "memory.current") or _number(group / "memory.usage_in_bytes") or 0
        stat = _fields(group / "memory.stat")
        cache = stat.get("total_inactive_file", stat.get("inactive_file", 0))  # given back when there is need
        if limit and limit < UNLIMITED:
            rooms.append(max(0, limit - used + cache))
    return min(rooms) / 2**20


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The folders of the control groups that this process is in, and of those above; of version 2 and 1."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, names, inside = line.split(":", 2)
        if names and controller not in names.split(","):
            continue
        mount = root / "sys/fs/cgroup" / (controller if names else "")
        path = mount / inside.lstrip("/")
        yield from (group for group in (path, *path.parents) if group.is_relative_to(mount) and group.is_dir())


def _quota(group: Path) -> float | None:
    """Cores that a group may keep busy."""
    quota, period = _number(group / "cpu.cfs_quota_us"), _number(group / "cpu.cfs_period_us")
    words = _text(group / "cpu.max").split()
    if len(words) == 2 and words[0] != "max":
        quota, period = int(words[0]), int(words[1])
    return quota / period if quota and period and quota > 0 else None


def _fields(path: Path) -> dict[str, int]:
    lines = [line.split() for line in _text(path).splitlines()]
    return {words[0]: int(words[1]) for words in lines if len(words) > 1 and words[1].isdigit()}


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.lstrip("-").isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # not there on this kernel, or not for us: then it sets no limit
        return ""
