"""What a CI system reads: nothing of the data may become markup, a command or a link in it."""

import json
import xml.etree.ElementTree as ET

import pytest

from cleanse.ledger import Entry
from cleanse.report import machine, markdown
from cleanse.report.gate import judge
from cleanse.settings import GateSettings

HOSTILE = [
    "a%b:c,d",
    "x\n::error::y",
    "\ufffe\x1b[31m",
    "]]><x/>",
    "\ud800",
    "![x](http://e/p.png)",
    "@user",
    "| a |",
    "</td>",
]


def gates(*names: str, severity: str = "error") -> list[GateSettings]:
    return [GateSettings(name, max=0, severity=severity) for name in names]  # type: ignore[arg-type]  # error or warn


def lines(n: int, severity: str = "error") -> list[str]:
    names = [f"skew.classes.shares.{i:02}" for i in range(n)]
    verdict = judge(dict.fromkeys(names, 1), gates(*names, severity=severity), ["c.yaml:3"] * n, allow_empty=True)
    return machine.github(verdict)


@pytest.mark.parametrize(
    ("n", "shown", "last"), [(0, 0, None), (9, 9, None), (10, 10, None), (11, 10, 2), (25, 10, 16)]
)
def test_a_step_shows_ten_lines_so_the_tenth_counts_the_others(n: int, shown: int, last: int | None) -> None:
    found = lines(n)
    assert len(found) == shown
    if last:
        assert found[-1] == f"::error title=cleanse gates::and {last} more, see the summary"
    assert len(lines(n, "warn")) == shown


def test_an_annotation_names_file_and_line_where_there_is_a_file() -> None:
    verdict = judge({"rows.reject_rate": 0.104, "rows.out": 1}, gates("rows.reject_rate"), ["a/cleanse.yaml:31"])
    title = "::error title=cleanse gate rows.reject_rate"
    assert machine.github(verdict) == [f"{title},file=a/cleanse.yaml,line=31::0.104 is above 0"]
    (line,) = machine.github(judge({"rows.out": 0}, [], []))
    assert line == "::error title=cleanse gate rows.out::0 is below 1"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_stay_one_line_and_one_property(text: str) -> None:
    name = f"skew.classes.shares.{text}"
    (line,) = machine.github(judge({name: 1}, gates(name), ["default"], allow_empty=True))
    assert "\n" not in line
    head, _, message = line.removeprefix("::error title=").partition("::")
    assert message == "1 is above 0"
    assert not set(":,") & set(head)


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_parses_whatever_a_label_is(text: str) -> None:
    name = f"skew.classes.shares.{text}"
    verdict = judge({name: 1}, gates(name), ["default"], allow_empty=True)
    (case,) = ET.fromstring(machine.junit(verdict, [(text, 3)]).encode()).iter("testcase")
    assert case.find("failure") is not None
    assert case.get("classname") == "cleanse.skew"


def test_junit_has_a_suite_for_each_first_part_and_a_case_for_each_gate() -> None:
    listed = [
        GateSettings("rows.out", max=1, why="too many"), GateSettings("rows.out", max=2, severity="warn"),
        GateSettings("rows.added", max=1, if_missing="skip"), GateSettings("check.rows_in", max=9),
    ]  # fmt: skip
    verdict = judge({"rows.out": 3, "check.rows_in": 3}, listed, ["c.yaml:1"] * 4, allow_empty=True)
    root = ET.fromstring(machine.junit(verdict, [("title_short", 9), ("a", 3), ("b", 2), ("c", 1)]).encode())
    assert root.attrib == {"name": "cleanse", "tests": "4", "failures": "1", "skipped": "1", "errors": "0", "time": "0"}
    assert [suite.get("name") for suite in root] == ["check", "rows"]
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.attrib == {"message": "3 is above 1", "type": "gate"}
    assert failure.text == "c.yaml:1; too many; title_short 9, a 3, b 2"
    assert [case.get("name") for case in root.iter("testcase")][:2] == ["check.rows_in max 9", "rows.out max 1"]
    assert len(list(root.iter("system-out"))) == 1


def test_json_is_strict_and_unescaped() -> None:
    verdict = judge({"rows.out": 3}, gates("skew.classes.shares.体育"), ["default"])
    text = machine.as_json("ok", 0, {"rows.out": 3}, verdict, {"data": "out/data"})
    assert "体育" in text
    assert list(json.loads(text)) == ["schema_version", "status", "exit_code", "metrics", "gates", "paths"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        machine.as_json("ok", 0, {"x": float("nan")}, verdict, {})


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_the_data_makes_nothing_in_markdown(text: str) -> None:
    shown = markdown.md(text)
    assert not set(shown) & set("<>\n")
    for char in "![]()|@*_`":
        assert shown.count(char) == shown.count(f"\\{char}")


def test_a_summary_that_is_too_long_is_cut_at_a_line() -> None:
    names = [f"skew.classes.shares.{'长' * 80}{i}" for i in range(1000)]
    verdict = judge(dict.fromkeys(names, 1), gates(*names), ["default"] * 1000, allow_empty=True)
    text = markdown.summary(verdict, [Entry("decode", "record", 1, 1)], [])
    assert len(text.encode()) <= markdown.MAX_SUMMARY + 100
    assert text.endswith("Cut: the whole is in gate\\.json\\.\n")
    assert text.split("\n")[-4].endswith("|")
