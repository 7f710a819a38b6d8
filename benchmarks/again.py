"""What a second run costs that has nothing to do: its CPU as a share of the first run's, start-up included.

    python benchmarks/again.py [--mb 300] [--rounds 3]

Last line: JSON, `again` (it looks at the state of files), `verify` (it hashes every output), `resumed` (it follows the
markers, as after a death in the last moment).
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

WORDS = "天气 很好 我们 去 公园 散步 回来 时 买了 两斤 苹果 记录 显示 这一 数字 上月 高出 百分之 十二".split()
SHARDS = 16


def corpus(folder: Path, megabytes: int) -> None:
    """Rows of about 2 kB as JSON Lines in some files."""
    rng, number = random.Random(5), 0
    for shard in range(SHARDS):
        with (folder / f"part-{shard:02}.jsonl").open("w", encoding="utf-8") as file:
            while file.tell() < megabytes * 10**6 / SHARDS:
                body = "".join(f"<p>{''.join(rng.choices(WORDS, k=20))}。</p>" for _ in range(16))
                row = {"title": f"第{number}天的公园散步记录", "body": body, "label": rng.choice(("天气", "体育"))}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                number += 1


def cpu(folder: Path, *more: str) -> float:
    """CPU seconds of a run and its workers."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cleanse = str(Path(sys.executable).with_name("cleanse"))
    subprocess.run([cleanse, "run", "in", "-o", "out", "--isolated", "-qq", *more], cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run it, then again in each way; the least of the rounds counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        corpus(folder / "in", args.mb)
        first = cpu(folder)
        took: dict[str, list[float]] = {"again": [], "verify": [], "resumed": []}
        for _ in range(args.rounds):
            took["again"].append(cpu(folder))
            took["verify"].append(cpu(folder, "--verify"))
            (folder / "out/_SUCCESS").unlink()
            took["resumed"].append(cpu(folder))
    shares = {name: round(min(each) / first, 4) for name, each in took.items()}
    print(json.dumps({"first_seconds": round(first, 2), **shares}))


if __name__ == "__main__":
    main()
