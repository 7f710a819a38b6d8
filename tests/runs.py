"""Small finished runs for tests of what is told about them."""

import json
from pathlib import Path
from typing import Any

from cleanse.cli.run import run
from cleanse.cli.screen import Screen

PWN = "</script><script>document.documentElement.setAttribute('data-pwned',6*7)</script>"
STRANGE = [
    "no rows out",
    "no labels",
    "one label",
    "many labels",
    "many sources",
    "long label",
    "equal rows",
    "huge title",
    "plain text",
]
BODY = "气象台表示未来一周多云转晴，气温比往年偏高。"
GIVEN: dict[str, Any] = {
    "config": None, "isolated": True, "set_": [], "quiet": 2, "verbose": 0, "color": "auto", "progress": "none",
    "log_format": "text", "lang": "en", "baseline": None, "fail_on": "never", "write": [], "output_format": "text",
    "with_card": True, "with_report": False, "allow_empty": True, "overwrite": False, "from_": None, "until": None,
    "part": None, "force": False, "dry_run": False,
}  # fmt: skip


def row(i: int, **more: object) -> dict[str, object]:
    """A good record."""
    return {
        "title": f"第{i}条今年气温比往年偏高",
        "body": BODY * (3 + i % 9),
        "label": "天气" if i % 3 else "体育",
        **more,
    }


def usual() -> dict[str, str]:
    """Two sources: good rows, pages, short and broken ones, a hostile title, a number to mask."""
    noisy = f"<div><script>var a=1;</script><p>{BODY * 4}</p>&nbsp;</div>"
    rows = [row(i) for i in range(60)] + [row(i, body=noisy) for i in range(60, 80)]
    rows += (
        [row(i, title="短") for i in range(12)] + [row(i, body="少") for i in range(3)] + [row(0, body="x 13800138000")]
    )
    rows += [row(0, title=PWN, label=PWN), row(1, title=f"\x1b[31m\u202e{PWN}"[:60], label="a,b:c\n::error::x")]
    more = (
        "title,body,label\n"
        + "".join(f"第{i}行来自第二个文件的标题,{BODY * 5},财经\n" for i in range(20))
        + "只有,两格\n"
    )
    return {"a.jsonl": lines(rows), "b.csv": more, "empty.csv": ""}


def lines(rows: list[dict[str, object]]) -> str:
    """JSON Lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)


def strange(kind: str) -> dict[str, str]:
    """Runs that are hard to draw."""
    return {
        "no rows out": lambda: {"a.jsonl": lines([row(1, body="少")])},
        "no labels": lambda: {"a.csv": "title,body\n" + f"一个足够长的标题第一号,{BODY * 4}\n"},
        "one label": lambda: {"a.jsonl": lines([row(i, label="体育") for i in range(9)])},
        "many labels": lambda: {"a.jsonl": lines([row(i, label=f"类别{i}") for i in range(2000)])},
        "many sources": lambda: {f"{i}.jsonl": lines([row(i), row(i + 1)]) for i in range(300)},
        "long label": lambda: {"a.jsonl": lines([row(i, label="长" * 300) for i in range(3)])},
        "equal rows": lambda: {"a.jsonl": lines([row(1)] * 30)},
        "huge title": lambda: {"a.jsonl": lines([row(1, title="哈" * 1_000_000), row(2, title="</b>" * 9)])},
        "plain text": lambda: {"a.txt": BODY * 30},
    }[kind]()


def made_run(folder: Path, kind: str = "usual") -> Path:
    """The run folder of such a corpus."""
    (folder / "in").mkdir()
    for name, text in (usual() if kind == "usual" else strange(kind)).items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    sets = ["resample.method=under", "resample.target=ratio:0.5", "resample.all_train=true"] if kind == "usual" else []
    given = {**GIVEN, "inputs": [str(folder / "in")], "out": folder / "out", "set_": sets}
    run(given, Screen(given, {}))
    return folder / "out"
