import json
from pathlib import Path

import pytest
from tables import records

from cleanse.settings import Settings, StripSettings
from cleanse.stages import strip

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "strip.jsonl").read_text().splitlines()]


def stripped(body: str | None, **settings: tuple[str, ...]) -> str | None:
    outcome = strip.apply(records({"body": [body]}), Settings(strip=StripSettings(**settings)), {})  # type: ignore[arg-type]  # names are checked by the schema only
    text: str | None = outcome.kept["body"].item()
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_cases_from_the_wild(case: dict[str, str]) -> None:
    assert stripped(case["before"]) == case["after"], case["why"]


def test_null_stays_null_and_empty_stays_empty() -> None:
    assert stripped(None) is None
    assert stripped("") == ""


def test_rows_without_html_are_byte_identical_beside_rows_with_html() -> None:
    texts = ["a<b and c>d", "<p>x&amp;y</p>", "  two  blanks &nbsp; ", None, "List<String>"]
    kept = strip.apply(records({"body": texts}), Settings(), {}).kept
    assert kept["body"].to_list() == ["a<b and c>d", "x&y", "  two  blanks &nbsp; ", None, "List<String>"]
    assert kept["_strip"].to_list() == ["plain", "html", "plain", "plain", "plain"]


def test_references_are_decoded_once() -> None:
    assert stripped("<p>&amp;lt;b&amp;gt;</p>") == "&lt;b&gt;"


def test_a_body_of_nothing_but_script_is_rejected_with_its_text() -> None:
    outcome = strip.apply(records({"body": ["<script>alert(1)</script>", "<p>文</p>"]}), Settings(), {})
    assert outcome.kept.height == 1
    assert outcome.rejected.select("body", "_reason").rows() == [("<script>alert(1)</script>", "empty_after_strip")]


def test_an_empty_title_is_filled_from_the_only_h1_else_from_the_title_element() -> None:
    bodies = [
        "<title>页</title><h1>大 &amp; 小</h1><p>文</p>",
        "<title>页</title><h1>一</h1><h1>二</h1>",
        "<p>文</p>",
        "文",
    ]
    kept = strip.apply(records({"title": [None, "", None, None], "body": bodies}), Settings(), {}).kept
    assert kept["title"].to_list() == ["大 & 小", "页", None, None]
    assert kept["_flags"].to_list() == ["title_filled", "title_filled", None, None]


def test_a_given_title_is_not_replaced() -> None:
    kept = strip.apply(records({"title": ["自己的"], "body": ["<h1>页面的</h1>"]}), Settings(), {}).kept
    assert kept["title"].item() == "自己的"


def test_boilerplate_and_line_rules_can_be_switched_off() -> None:
    page = "<nav>导航</nav><p>正文</p><p>京ICP备12345678号-1</p><p>版权所有 示例网</p>"
    assert stripped(page) == "正文"
    assert stripped(page, boilerplate=(), lines=()) == "导航\n正文\n京ICP备12345678号-1\n版权所有 示例网"


def test_a_second_run_changes_nothing() -> None:
    once = strip.apply(records({"body": ["<p>&lt;b&gt;粗&lt;/b&gt;</p>", "plain"]}), Settings(), {}).kept
    twice = strip.apply(once, Settings(), {})
    assert twice.kept.equals(once)
    assert twice.changed["already_stripped"] == 2


def test_rows_touched_are_counted_by_rule() -> None:
    changed = strip.apply(records({"body": ["<p>a</p>", "<p>b</p><!-- x -->", "c"]}), Settings(), {}).changed
    assert (changed["html_rows"], changed["raw_text"]) == (2, 1)
