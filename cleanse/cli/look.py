"""`cleanse show` and `cleanse diff`: looking at runs."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from cleanse.cli.screen import Screen
from cleanse.errors import ConfigError
from cleanse.report import diff as comparing
from cleanse.report import rows
from cleanse.report.reasons import REASONS
from cleanse.report.safe import safe
from cleanse.report.told import json_text
from cleanse.run import locks
from cleanse.run.finished import Finished, finished, not_a_run
from cleanse.run.store import read_json

Given = Mapping[str, Any]
TEXTS = ("title", "body", "label", "_raw")


def show(given: Given, screen: Screen) -> int:
    """`cleanse show`."""
    if given["status"]:
        return _status(given, screen)
    run, reason = finished(given["out"]), given["reason"]
    if reason:
        _known(run, reason)
    if given["id"]:
        found = rows.journey(run, given["id"])
    else:
        found = rows.found(run, reason, given["stage"], given["rows"])
    kind = given["output_format"]
    if kind == "text":
        screen.result(*(_card(row) for row in found))
    else:
        screen.result(rows.as_csv(found) if kind == "csv" else rows.as_json(found, lines=kind == "jsonl"))
    return 0


def _known(run: Finished, reason: str) -> None:
    """Raises ConfigError for a reason that neither cleanse nor this run's own rules give."""
    own = {name for entry in run.manifest["entries"] for name in entry["rejected"]}
    if reason not in own and reason not in REASONS:
        near = difflib.get_close_matches(reason, [*REASONS, *own], 1, 0.5)
        help = f"'{near[0]}'?" if near else "cleanse explain lists them"
        raise ConfigError("reason-unknown", f"unknown reason '{reason}'", help)


def _card(row: Mapping[str, Any]) -> Text:
    """One row on a few lines: verdict, place, texts, and why."""
    ended = row.get("_reason") or row.get("_kind") or "kept"
    place = f"{row['_source']}:{row['_line'] or row['_record']}" if row.get("_source") else ""
    text = Text(safe(str(ended)), style="red" if row.get("_reason") else "green")
    text.append(
        f"  {safe(row.get('_at') or row.get('_stage') or 'data')}  {safe(place)}  {safe(row['_id'])}", "default"
    )
    shown = [name for name in TEXTS if row.get(name) is not None]
    for name in [*shown, *(["_detail"] if row.get("_detail") else [])]:
        text.append(f"\n  {name.strip('_'):7}", "dim").append(safe(str(row[name])), "default")
    return text


def _status(given: Given, screen: Screen) -> int:
    """How far the run in a folder is: the last words of its log; a torn last line is left out."""
    path = given["out"] / "logs/run.jsonl"
    try:
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    except (OSError, ValueError) as problem:
        raise not_a_run(given["out"], f"logs/run.jsonl: {problem}") from None
    begun = max((i for i, record in enumerate(records) if record["event"] == "run_started"), default=0)
    told = [record for record in records[begun:] if record["event"] in ("stage_done", "run_done")]
    told += [record for record in records[-1:] if record not in told]
    by, status = locks.holder(given["out"]), (read_json(given["out"] / "run.json") or {}).get("status")
    if given["output_format"] != "text":
        screen.result(json_text({"running": by, "status": status, "events": records[begun:]}))
        return 0
    screen.result(f"running: {safe(by)}" if by else f"not running: {safe(str(status))}")
    screen.result(*(_said(record) for record in told))
    return 0


def _said(record: Mapping[str, Any]) -> str:
    fields = " ".join(
        f"{key}={safe(str(value))}" for key, value in record.items() if key not in ("ts", "level", "argv")
    )
    return f"{record['ts']} {fields}"


def diff(given: Given, screen: Screen) -> int:
    """`cleanse diff`."""
    tree = comparing.compare(finished(given["a"]), finished(given["b"]))
    if given["output_format"] == "json":
        screen.result(json_text(tree))
    else:
        screen.result(*(_told(tree) if tree["changed"] else ["no difference"]))
    return int(given["fail_on_change"] and tree["changed"])


def _told(tree: Mapping[str, Any]) -> Sequence[str]:
    lines = [f"settings  {safe(each)}" for each in tree["settings"]]
    for name in ("metrics", "labels"):
        lines += [f"{name[:-1]:9} {safe(key)}  {_plain(was)} → {_plain(now)}" for key, (was, now) in tree[name].items()]
    for way, what in tree["moved"].items():
        lines.append(f"rows      {safe(way)}  {what['rows']:,}  ({', '.join(map(safe, what['ids'][:3]))} …)")
    return lines


def _plain(value: Any) -> str:
    return "–" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
