"""`cleanse run --until check` beside what else one would take: a pool of polars plans written by hand, datatrove,
Data-Juicer, pandas with BeautifulSoup. All drop tags and keep titles of 10 to 60 characters and bodies of 100 and more.

    python benchmarks/peers.py [--mb 60] [--rounds 2] [--datatrove PYTHON] [--datajuicer DJ_PROCESS] [--pandas PYTHON]

Each peer in an environment of its own: `pip install 'datatrove[io,processing]'`, `py-data-juicer aiohttp selectolax`,
`pandas pyarrow beautifulsoup4`. Last line: JSON, `NAME_wall` and `NAME_cpu` as multiples of the pool's, start-up of
each included; the median of the rounds. CPU time is that of processes that were waited for: none of datatrove's. pandas
has one process and a tenth of the text, its figures are times ten.
"""

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

JOBS = Path(__file__).parent / "jobs"
WORKERS, SHARDS, PART_OF_PANDAS = "2", 16, 10
WORDS = "天气 很好 我们 去 公园 散步 回来 时 买了 两斤 苹果 记录 显示 这一 数字 上月 高出 百分之 十二".split()
LABELS = ("财经", "体育", "健康")


def page(rng: random.Random, number: int) -> str:
    """A page of a few kilobytes: script, navigation, paragraphs, a footer."""
    text = "\n".join(
        f"<p class='t{i % 7}'>{''.join(rng.choices(WORDS, k=12))}。</p>" for i in range(rng.randint(5, 40))
    )
    nav = " | ".join(f"<a href='/{i}'>{rng.choice(WORDS)}</a>" for i in range(4))
    script = f"<script>var d={rng.sample(range(10**6), 20)};</script>"
    return (
        f"<html><head>{script}</head><body><div>{nav}</div><!-- {number} -->{text}<div>&copy; 2024</div></body></html>"
    )


def corpus(folder: Path, megabytes: int) -> None:
    """The same rows as shards and, one in PART_OF_PANDAS of them, as one file."""
    rng, size, number = random.Random(7), 0, 0
    (folder / "shards").mkdir(parents=True)
    files = [(folder / "shards" / f"part-{k:02}.jsonl").open("w", encoding="utf-8") for k in range(SHARDS)]
    with (
        (folder / "all.jsonl").open("w", encoding="utf-8") as every,
        (folder / "few.jsonl").open("w", encoding="utf-8") as few,
    ):
        while size < megabytes * 10**6:
            title = "".join(rng.choices(WORDS, k=rng.choice((2, 8, 8, 8))))
            row = {"id": str(number), "title": title, "body": page(rng, number), "label": rng.choice(LABELS)}
            line = json.dumps(row, ensure_ascii=False) + "\n"
            for file in (files[number % SHARDS], every, *([] if number % PART_OF_PANDAS else [few])):
                file.write(line)
            size, number = size + len(line.encode()), number + 1
    for file in files:
        file.close()


def commands(folder: Path, out: Path, args: argparse.Namespace) -> dict[str, Sequence[str]]:
    """By name the command that does the job, for peers that are there."""
    shards, cleanse = str(folder / "shards"), str(Path(sys.executable).parent / "cleanse")
    limits = ["--set", "check.body_min=100", "--until", "check", "--no-report", "--no-card"]
    found: dict[str, Sequence[str]] = {
        "pool": [sys.executable, str(JOBS / "pool.py"), shards, str(out), WORKERS],
        "cleanse": [cleanse, "run", shards, "-o", str(out), "--isolated", "--workers", WORKERS, *limits],
    }
    if args.datatrove:
        found["datatrove"] = [args.datatrove, str(JOBS / "in_datatrove.py"), shards, str(out), WORKERS]
    if args.datajuicer:
        paths = ["--dataset_path", str(folder / "all.jsonl"), "--export_path", str(out / "out.jsonl")]
        found["datajuicer"] = [args.datajuicer, "--config", str(JOBS / "datajuicer.yaml"), "--np", WORKERS, *paths]
    if args.pandas:
        found["pandas"] = [args.pandas, str(JOBS / "in_pandas.py"), str(folder / "few.jsonl"), str(out / "out.parquet")]
    return found


def timed(command: Sequence[str], out: Path) -> tuple[float, float]:
    """Seconds of wall and of CPU, of all processes that it waits for; fails with the command."""
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(exist_ok=True)
    if "cleanse" not in command[0]:
        out.mkdir()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command[0]} left with {done.returncode}:\n{done.stderr[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    for peer in ("datatrove", "datajuicer", "pandas"):
        parser.add_argument(f"--{peer}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        corpus(folder, args.mb)
        every = commands(folder, folder / "out" / "of", args)
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in every}
        timed(every["pool"], folder / "out" / "of")  # the first warms the page cache
        for _ in range(args.rounds):
            for name, command in every.items():
                wall, cpu = timed(command, folder / "out" / "of")
                times = PART_OF_PANDAS if name == "pandas" else 1
                took[name].append((wall * times, cpu * times))
                print(f"{name:10} wall {wall:7.2f} s  cpu {cpu:7.2f} s")
    figures = {}
    for name, pairs in took.items():
        for kind, at in (("wall", 0), ("cpu", 1)):
            ratios = [own[at] / pool[at] for own, pool in zip(pairs, took["pool"], strict=True)]
            figures[f"{name}_{kind}"] = round(statistics.median(ratios), 2)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
