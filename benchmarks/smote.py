"""SMOTE at scale: `cleanse resample` against plain imbalanced-learn that reads and writes the same Parquet.

    python benchmarks/smote.py [ROWS] [--memory MIB]

Prints wall and CPU seconds and peak memory of both, start-up included, and the ratios. With `--memory` both run under
that limit of address space: plain imbalanced-learn holds matrix, copy and result at once and ends where cleanse does
not.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from cleanse.table import conform, run_schema

DIM, RATIO = 128, 21  # numbers of a vector; one row in RATIO is of the rare class
PLAIN = """
import sys, polars as pl
from imblearn.over_sampling import SMOTE
f = pl.read_parquet(sys.argv[1], columns=["label", "embedding"])
x, y = SMOTE(random_state=0).fit_resample(f["embedding"].list.to_array(128).to_numpy(), f["label"].to_numpy())
pl.DataFrame({"features": x, "label": y}).with_columns(pl.col("features").arr.to_list()).write_parquet(sys.argv[2])
"""
LAUNCH = """
import json, resource, subprocess, sys, time
limit = int(sys.argv[1]) << 20
def bound():
    if limit: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
start = time.perf_counter()
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=bound)
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = used.ru_utime + used.ru_stime
print(json.dumps({"code": done.returncode, "seconds": wall, "cpu": cpu, "mib": used.ru_maxrss >> 10}))
"""


def corpus(folder: Path, rows: int) -> Path:
    """A folder of Parquet parts as decode writes them, 12,500 rows each."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    middle = rng.normal(size=(40, DIM))
    for start in range(0, rows, 12_500):
        n = min(12_500, rows - start)
        x = (middle[rng.integers(0, 40, n)] + 0.7 * rng.standard_normal((n, DIM))).astype(np.float32)
        label = ["rare" if (start + i) % RATIO == 0 else "common" for i in range(n)]
        frame = pl.DataFrame({"label": label, "split": ["train"] * n, "embedding": pl.Series(x).arr.to_list()})
        ids = pl.format("80a7f3fdc5b6:{}", pl.int_range(start + 1, start + n + 1))
        full = conform(frame.with_columns(_id=ids), run_schema(frame.schema.items()))
        full.write_parquet(folder / f"part-{start // 12_500:05}.parquet")
    return folder


def measured(command: list[str], memory: int) -> dict[str, float]:
    """Exit code, wall and CPU seconds, peak MiB, from a small process: a child begins with the peak of its parent."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCH, str(memory), *command], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Run both and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=500_000)
    parser.add_argument("--memory", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tmp, found = Path(name), {}
        small, large = corpus(tmp / "small", 420), corpus(tmp / "large", given.rows)
        cleanse = str(Path(sys.executable).with_name("cleanse"))
        for source, memory in ((small, 0), (large, given.memory)):
            flags = ["--method", "smote", "--features", "embedding:embedding"]
            ours = [cleanse, "resample", str(source), "-o", str(tmp / f"out-{source.name}"), *flags]
            plain = [sys.executable, "-c", PLAIN, f"{source}/*.parquet", str(tmp / "plain.parquet")]
            for who, command in (("cleanse", ours), ("plain", plain)):
                found[who, source.name] = measured(command, memory)
                print(f"{who:8} {source.name:6} {found[who, source.name]}")
    extra = {who: found[who, "large"]["mib"] - found[who, "small"]["mib"] for who in ("cleanse", "plain")}
    speed, cpu = (found["plain", "large"][of] / found["cleanse", "large"][of] for of in ("seconds", "cpu"))
    print(f"speed ratio {speed:.2f} (CPU {cpu:.2f}), memory ratio {extra['cleanse'] / max(1, extra['plain']):.3f}")


if __name__ == "__main__":
    main()
