"""The verdict for machines: JSON for pipelines, JUnit for CI systems, annotations for GitHub."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cleanse.report.gate import Judged, Verdict
from cleanse.report.safe import safe

MAX_LINES = 10  # of each level: a CI step shows about ten and drops the rest without a word
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_json(status: str, exit_code: int, metrics: Mapping[str, Any], verdict: Verdict, paths: Mapping[str, str]) -> str:
    """What `--output-format json` prints."""
    gates = verdict.as_json()["gates"]
    tree = {"schema_version": 1, "status": status, "exit_code": exit_code}
    whole = {**tree, "metrics": metrics, "gates": gates, "paths": paths}
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False)


def junit(verdict: Verdict, reasons: Sequence[tuple[str, int]]) -> str:
    """A suite for each first part of a metric's name, a case for each gate. `reasons`: the largest, for the text."""
    root = ET.Element("testsuites", {"name": "cleanse", **_counts(verdict.gates)})
    for name in sorted({gate.metric.partition(".")[0] for gate in verdict.gates}):
        mine = [gate for gate in verdict.gates if gate.metric.partition(".")[0] == name]
        suite = ET.SubElement(root, "testsuite", {"name": _xml(name), **_counts(mine)})
        for gate in mine:
            _case(suite, gate, reasons)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(gates: Sequence[Judged]) -> dict[str, str]:
    results = [gate.result for gate in gates]
    named = {"tests": len(gates), "failures": results.count("fail"), "skipped": results.count("skip"), "errors": 0}
    return {**{name: str(n) for name, n in named.items()}, "time": "0"}


def _case(suite: ET.Element, gate: Judged, reasons: Sequence[tuple[str, int]]) -> None:
    first, name = gate.metric.partition(".")[0], f"{gate.metric} {gate.limits}"
    case = ET.SubElement(suite, "testcase", classname=_xml(f"cleanse.{first}"), name=_xml(name), time="0")
    if gate.result == "fail":
        largest = ", ".join(f"{reason} {n}" for reason, n in reasons[:3])
        failure = ET.SubElement(case, "failure", message=_xml(gate.note), type="gate")
        failure.text = _xml("; ".join(part for part in (gate.where, gate.why, largest) if part))
    elif gate.result == "skip":
        ET.SubElement(case, "skipped", message=_xml(gate.note))
    elif gate.result == "warn":
        ET.SubElement(case, "system-out").text = _xml(f"warning: {gate.note} ({gate.where})")


def _xml(text: str) -> str:
    """Visible text without what XML 1.0 forbids, such as U+FFFE."""
    return _NOT_XML.sub("", safe(text))


def github(verdict: Verdict) -> list[str]:
    """A workflow command for each failed or warned gate, at most ten of each level; the tenth counts the others."""
    return [line for level, result in (("error", "fail"), ("warning", "warn")) for line in _level(level, [
        gate for gate in verdict.gates if gate.result == result
    ])]  # fmt: skip


def _level(level: str, gates: Sequence[Judged]) -> Iterator[str]:
    shown = gates if len(gates) <= MAX_LINES else gates[: MAX_LINES - 1]
    for gate in shown:
        file, _, at = gate.where.rpartition(":")
        place = {"file": file, "line": at} if file and at.isdigit() else {}
        properties = {"title": f"cleanse gate {gate.metric}", **place}
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{level} {given}::{_escaped(safe(gate.note))}"
    if len(gates) > len(shown):
        yield f"::{level} title=cleanse gates::and {len(gates) - len(shown)} more, see the summary"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "# #[")


def _property(text: str) -> str:
    return _escaped(safe(text)).replace(":", "%3A").replace(",", "%2C")


def ranked(entries: Iterable[Mapping[str, int]]) -> list[tuple[str, int]]:
    """Reasons of several ledger entries, the largest first."""
    sums: dict[str, int] = {}
    for rejected in entries:
        for reason, n in rejected.items():
            sums[reason] = sums.get(reason, 0) + n
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))
