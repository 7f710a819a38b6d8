"""How long framing takes beside polars' own reader of the same clean file: `scan_csv → sink_parquet`, in one run.

    python benchmarks/framing.py [--mb 100] [--rounds 3]

Last line: JSON. `framing_*`: bytes of a file to Parquet through the framer; `decode_*`: the whole command, start-up
apart; each as a multiple of polars on that file (dirty rows: of polars on the clean one). The least of the rounds
counts: other work on the machine only adds.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import polars as pl

import cleanse.run.engines.prepared  # noqa: F401  # as the command begins
from cleanse.records.stretch import Lines, as_stretch, together
from cleanse.run.sources import Source
from cleanse.run.streams import Reader
from cleanse.settings import Settings
from cleanse.stages import tables
from cleanse.stages.reading import Cut, stretches
from cleanse.stages.spans import GATHERED, ahead
from cleanse.text.encoding import Decision

WORDS = "天气 很好 我们 去 公园 散步 回来 时 买了 两斤 苹果 记录 显示 这一 数字 上月 高出 百分之 十二".split()
LABELS = ("财经", "体育", "健康")
UTF8 = Decision("utf-8", 1.0, "utf8")
BATCHES = 4  # of lines in a part: 16 MiB
CHARS = 180  # of a body: 600 bytes a row


def row(i: int, draw: random.Random, *, dirty: bool) -> str:
    """A row of id, title, body, label; 5 % have a body in quotes, and of dirty files 1 % a fault."""
    body = "".join(draw.choices(WORDS, k=CHARS // 2))[:CHARS]
    if dirty and i % 100 == 50:
        body = (f"{body[:60]},{body[60:]}", f'"{body[:60]}"好"{body[60:]}"', f'"{body}', f"{body},,")[i // 100 % 4]
    elif i % 20 == 7:
        body = f'"{body[:60]},""{body[60:]}"""'
    return f"N{i:07},第{i}天的标题今天天气很好,{body},{LABELS[i % 3]}\n"


def make(path: Path, n_bytes: int, *, dirty: bool) -> None:
    """A file of about so many bytes."""
    draw, size, i = random.Random(1), 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write("id,title,body,label\n")
        while size < n_bytes:
            line = row(i, draw, dirty=dirty)
            file.write(line)
            size += len(line.encode())
            i += 1


def polars(path: Path, out: Path) -> None:
    """What we compare with."""
    pl.scan_csv(path, infer_schema=False).sink_parquet(out)


def framing(path: Path, out: Path) -> None:
    """The bytes of the file to Parquet through our framer, the survey of its layout included: part by part, one written
    while the next is framed.
    """
    settings = Settings()
    asked = tables.options("csv", settings)
    size, found = path.stat().st_size, list[Lines]()
    blocks = Reader(Source(str(path), path.name, size), 1).gathered(0, size, GATHERED)

    def read() -> Iterator[Lines]:
        for batch in ahead(stretches(blocks, UTF8, "lf", Cut(), 1 << 26)):
            found.append(batch.lines)
            yield batch.lines

    shape = tables.survey("csv", read(), settings)
    assert not isinstance(shape, tables.Refused)
    types = tables.columns(shape, settings)
    names = {name: name for name in types}
    with ThreadPoolExecutor(1) as pool:
        rest: list[Lines] = []
        for at in range(0, len(found), BATCHES):
            lines = together([*rest, *found[at : at + BATCHES]])
            final = at + BATCHES >= len(found)
            framed, used = tables.frame(lines, shape, names, types, asked, final=final)
            rest = [as_stretch(lines).part(used, lines.height)]
            written = pool.submit(framed.records.write_parquet, f"{out}-{at:03}", compression_level=1)
        written.result()


def decode(path: Path, out: Path) -> None:
    """The whole command."""
    shutil.rmtree(out, ignore_errors=True)
    command = [
        sys.executable,
        "-c",
        "from cleanse.cli.start import main; main()",
        "decode",
        str(path),
        "-o",
        str(out),
        "-qq",
    ]
    subprocess.run(command, check=True)


def least(rounds: int, run: Callable[[], None]) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Make the files, run all, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clean, dirty, tiny, out = (Path(folder, name) for name in ("clean.csv", "dirty.csv", "tiny.csv", "out"))
        make(clean, args.mb * 10**6, dirty=False)
        make(dirty, args.mb * 10**6, dirty=True)
        make(tiny, 1000, dirty=False)
        base = least(args.rounds, lambda: polars(clean, Path(folder, "p.parquet")))
        start_up = least(args.rounds, lambda: decode(tiny, out))
        found = {"polars_seconds": base, "start_up_seconds": start_up}
        for name, path in (("clean", clean), ("dirty", dirty)):
            found[f"framing_{name}"] = least(args.rounds, partial(framing, path, Path(folder, "f.parquet"))) / base
            found[f"decode_{name}"] = (least(args.rounds, partial(decode, path, out)) - start_up) / base
    print(json.dumps({name: round(value, 3) for name, value in found.items()}))


if __name__ == "__main__":
    main()
