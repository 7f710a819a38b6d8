"""README.md of a run folder: a data set card, so that `datasets.load_dataset(OUT)` finds its splits and its rejects."""

import re
from pathlib import Path
from typing import Any

import yaml

from cleanse.report import markdown
from cleanse.report.gate import Verdict
from cleanse.report.markdown import md
from cleanse.report.profile import label_counts
from cleanse.run import store
from cleanse.run.finished import Finished

MAX_LABELS = 20
_SHARD = re.compile(r"-\d{5,}-of-\d{5,}\.parquet$")


def write(run: Finished, verdict: Verdict) -> None:
    """Write OUT/README.md."""
    store.commit(run.out / "README.md", text(run, verdict).encode())


def text(run: Finished, verdict: Verdict) -> str:
    """The card: a YAML head for loaders, then what a reader wants to know."""
    records = [entry for entry in run.entries if entry.unit == "record"]
    head = yaml.safe_dump({"configs": configs(run)}, allow_unicode=True, sort_keys=False)
    counts = f"{records[0].rows_in:,} records in, {records[-1].kept:,} out; gates: {verdict.word}."
    parts = [
        f"---\n{head}---",
        "# Data cleaned by cleanse",
        f"{counts} Every record that was taken out lies in `rejects/` with its reason.",
        '    datasets.load_dataset("OUT")             # the clean rows\n'
        '    datasets.load_dataset("OUT", "rejects")  # what was taken out, and why',
        "## Rows after each stage", markdown.funnel(run.entries),
        "## Gates", markdown.gates(verdict),
        *_labels(run),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def configs(run: Finished) -> list[dict[str, Any]]:
    """One config for the clean rows, one for the rejects: their columns differ, as splits of one they fail to load."""
    splits = sorted({_SHARD.sub("", Path(each["path"]).name) for each in run.tables("data")}, key=_order)
    files = [{"split": re.sub(r"\W", "_", stem), "path": f"data/{stem}-*.parquet"} for stem in splits]
    found: list[dict[str, Any]] = [{"config_name": "default", "data_files": files}]
    found.append({"config_name": "rejects", "data_files": "rejects/*.parquet"})
    if any(each["path"].startswith("data/vectors-") for each in run.manifest["outputs"]):
        found.append({"config_name": "vectors", "data_files": "data/vectors-*.parquet"})
    return found


def _order(split: str) -> tuple[int, str]:
    usual = ("train", "validation", "test")
    return (usual.index(split) if split in usual else len(usual), split)


def _labels(run: Finished) -> list[str]:
    labels = label_counts(run.tree("profile.json"))
    if not labels:
        return []
    shown = [[md(label), f"{n:,}"] for label, n in list(labels.items())[:MAX_LABELS]]
    rest = sum(list(labels.values())[MAX_LABELS:])
    others = [[f"other ({len(labels) - MAX_LABELS})", f"{rest:,}"]] if len(labels) > MAX_LABELS else []
    return ["## Labels", markdown.table(("label", "rows"), [*shown, *others])]
