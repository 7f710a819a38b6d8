import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stripping import stripped as by_python
from tables import records

from cleanse.errors import ConfigError, InputError
from cleanse.settings import STRIP_COUNTS, Settings, StripRule, StripSettings
from cleanse.stage import Outcome
from cleanse.stages import strip

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "strip.jsonl").read_text().splitlines()]
PIECES = (
    "文 a &lt; &amp;lt; &copy <p> </p> <b> </b> <td> <pre> </pre> <xmp> </xmp> <code> </code> <script> </script> <!-- "
    "--> <nav> </nav> <a/href=x> </a> <img/src='x <x-y> </x-y> <u1> </u1> <svg> </svg> <![CDATA[ ]]> <?php ?> ``` ` | "
    "© 2020 ;"
).split()
TEXT = st.lists(st.sampled_from([*PIECES, " ", "  ", "\n", "\n\n", "\t", "\x00", "\u3000", "# a\n", "- "])).map("".join)


def apply(columns: dict[str, list[Any]], s: StripSettings | None = None) -> Outcome:
    return strip.apply(records(columns), Settings(strip=s or StripSettings()), {})


def stripped(body: str | None, s: StripSettings | None = None) -> str | None:
    text: str | None = apply({"body": [body]}, s).kept["body"].item()
    return text


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_cases_from_the_wild(case: dict[str, str]) -> None:
    outcome = apply({"body": [case["before"]]} | ({"title": [case["title"]]} if "title" in case else {}))
    if case["after"] is None:
        assert outcome.rejected["_reason"].to_list() == ["empty_after_strip"], case["why"]
        return
    assert outcome.kept["body"].item() == case["after"], case["why"]
    assert "title" not in case or outcome.kept["title"].item() == case["title_after"]


@pytest.mark.parametrize("case", [case for case in CASES if case["after"]], ids=lambda case: str(case["id"]))
def test_the_same_rules_by_python_give_the_same_text(case: dict[str, str]) -> None:
    assert by_python(case["before"]) == case["after"]


@settings(deadline=None, max_examples=50)
@given(bodies=st.lists(TEXT, min_size=1, max_size=8))
def test_both_engines_agree_whatever_the_part_holds(bodies: list[str]) -> None:
    outcome = apply({"body": bodies})
    found = dict(outcome.kept.select("_record", "body").rows())
    for number, body in enumerate(bodies, 1):
        assert found.get(number, "") == by_python(body)


def test_null_stays_null_and_empty_stays_empty_in_every_role() -> None:
    roles = {name: [None, "", " "] for name in ("title", "body", "label", "note")}
    kept = apply(roles, StripSettings(columns=("note",))).kept
    assert kept.select(*roles).to_dict(as_series=False) == roles
    assert kept["_strip"].to_list() == ["plain"] * 3


def test_rows_without_html_are_byte_identical_beside_rows_with_html() -> None:
    texts = ["a<b and c>d", "<p>x&amp;y</p>", "  two  blanks &nbsp; \r\n\x00", None, "List<String>"]
    kept = apply({"body": texts}).kept
    assert kept["body"].to_list() == ["a<b and c>d", "x&y", "  two  blanks &nbsp; \r\n\x00", None, "List<String>"]
    assert kept["_strip"].to_list() == ["plain", "html", "plain", "plain", "plain"]


def test_a_body_of_nothing_but_script_is_rejected_with_its_text_and_what_took_it() -> None:
    outcome = apply({"body": ["<p><script>alert(1)</script></p>", "<p>文</p>"]})
    assert outcome.kept.height == 1
    assert outcome.rejected.select("body", "_reason", "_strip").rows() == [
        ("<p><script>alert(1)</script></p>", "empty_after_strip", "html")
    ]
    assert outcome.rejected["_detail"].item() == "32 characters before, none after; raw_text 24, tags 6"


def test_an_empty_title_is_filled_from_the_only_h1_else_from_the_title_element() -> None:
    bodies = [
        *[
            "<title>页</title><h1>大 &amp; 小</h1><p>文</p>",
            "<title>页</title><h1>一</h1><h1>二</h1>",
            "<p>文</p>",
            "文",
        ],
        *["<svg><title>图</title></svg><title>页\n题</title>文", "<script>'<h1>x</h1>'</script><h1><b>真</b></h1>"],
    ]
    kept = apply({"title": [None, "", None, None, " ", None], "body": bodies}, StripSettings(thin_below=0)).kept
    assert kept["title"].to_list() == ["大 & 小", "页", None, None, "页题", "真"]
    assert kept["_flags"].to_list() == ["title_filled", "title_filled", None, None, "title_filled", "title_filled"]
    off = apply({"title": [None], "body": bodies[:1]}, StripSettings(title="off"))
    assert off.kept["title"].item() is None


def test_a_given_title_is_cleaned_by_the_short_rules_and_not_replaced() -> None:
    titles = ["自己的", "<b>打印</b> | <a href=x>a</a><br>b\nc", "<title>x</title>", "版权所有 &lt;"]
    kept = apply({"title": titles, "body": ["<h1>页面的</h1>"] * 4}).kept
    assert kept["title"].to_list() == ["自己的", "打印 | a b c", "x", "版权所有 <"]


@pytest.mark.parametrize(
    ("where", "want"),
    [("html", ["&lt;", "&lt;"]), ("row", ["<", "&lt;"]), ("all", ["<", "<"])],
)
def test_references_in_a_title_without_a_tag(where: Any, want: list[str]) -> None:
    kept = apply({"title": ["&lt;", "&lt;"], "body": ["<p>x</p>", "x &copy"]}, StripSettings(references=where)).kept
    assert kept["title"].to_list() == want
    assert kept["body"].to_list() == ["x", "x &copy"]


def test_boilerplate_and_line_rules_can_be_switched_off() -> None:
    page = "<nav>导航</nav><p>正文</p><p>京ICP备12345678号-1</p><p>版权所有 示例网</p>"
    assert stripped(page) == "正文"
    off = StripSettings(boilerplate=(), lines=())
    assert stripped(page, off) == "导航\n正文\n京ICP备12345678号-1\n版权所有 示例网"
    assert stripped(page, StripSettings(lines=("licence",))) == "正文\n版权所有 示例网"
    assert stripped("<p>编辑：王</p>文", StripSettings(lines=("label",))) == "文"
    assert stripped("<h1>题</h1>文", StripSettings(lines=(), density=True)) == "题"


def test_other_columns_are_cleaned_like_the_body() -> None:
    kept = apply({"body": ["文"], "note": ["<p>a</p><nav>b</nav>"]}, StripSettings(columns=("note",))).kept
    assert kept.select("body", "note", "_strip").rows() == [("文", "a", "html")]


def test_a_column_that_is_absent_or_no_text_is_an_input_error() -> None:
    s = Settings(strip=StripSettings(columns=("note",)))
    with pytest.raises(InputError, match="no column 'note'"):
        strip.accepts(s, {"body": pl.String()})
    with pytest.raises(InputError, match="is Int64, not text"):
        strip.apply(records({"body": ["x"], "note": [1]}), s, {})


def test_a_second_run_changes_nothing() -> None:
    once = apply({"body": ["<p>&lt;b&gt;粗&lt;/b&gt;</p>", "plain"]}).kept
    twice = strip.apply(once, Settings(), {})
    assert twice.kept.equals(once)
    assert twice.changed == {"already_stripped": 2}


def test_rows_touched_are_counted_by_rule_whatever_the_roles() -> None:
    rows: dict[str, list[Any]] = {
        "title": ["<b>x</b>", None, "y"],
        "body": ["<p>a</p>", "<p>b</p><!-- x --><nav>n</nav>", "c"],
    }
    changed = apply(rows, StripSettings(title="off")).changed
    assert changed == {"html_rows": 2, "raw_text": 1, "boilerplate": 1, "tags": 2}


def test_a_row_counts_once_for_a_rule_that_touched_it_in_several_places() -> None:
    rows = {"body": ["<p>a\x07b\x00</p>", "<pre>\n\nx</pre>文<pre>\n\ny</pre>", "<p>c</p>"]}
    changed = apply(rows).changed
    assert (changed["controls"], changed["pre"], changed["tags"]) == (1, 1, 3)


@pytest.mark.parametrize(
    ("body", "flag"),
    [
        *[
            ("<p>文</p><!-- x", "unterminated"),
            ("<p>文</p><script>x", "unterminated"),
            ("<p>文</p><style>x</style", "unterminated"),
        ],
        *[("<p>文</p><!-- x -->", None), ("<p>文</p><!-- </script>", "unterminated")],
    ],
)
def test_a_text_that_ends_inside_a_script_or_comment_is_flagged(body: str, flag: str | None) -> None:
    assert apply({"body": [body]}, StripSettings(thin_below=0)).kept["_flags"].item() == flag


@pytest.mark.parametrize(("kept", "flag"), [(4, "thin"), (5, None), (6, None)])
def test_a_row_that_keeps_less_than_its_share_of_letters_is_thin(kept: int, flag: str | None) -> None:
    body = f"<p>{'x' * kept}</p><!--{'y' * (98 - kept)}-->"  # of 100 letters
    assert apply({"body": [body]}).kept["_flags"].item() == flag


@pytest.mark.parametrize(("limit", "text", "flag"), [(10, "a<u1>b</u1>", "capped"), (11, "ab", None), (12, "ab", None)])
def test_a_row_above_the_limit_keeps_tags_of_unknown_names(limit: int, text: str, flag: str | None) -> None:
    s = StripSettings(max_fallback=limit, thin_below=0)
    kept = apply({"body": ["<i>a</i><u1>b</u1>"]}, s).kept
    assert (kept["body"].item(), kept["_flags"].item()) == (text, flag)


def test_flags_are_joined_in_their_order_after_those_that_were_there() -> None:
    rows = {"title": [""], "body": ["<h1>x</h1><!--" + "y" * 100], "_flags": ["untitled"]}
    assert apply(rows).kept["_flags"].item() == "untitled+title_filled+unterminated+thin"


def test_own_rules_run_last_on_html_cells_and_are_counted() -> None:
    rules = (StripRule("editor", r"(?m)^小编(.)$", "${1}！"), StripRule("dots", r"\.{3,}", ""))
    outcome = apply({"body": ["<p>小编说</p><p>a....</p>", "小编说 ...."]}, StripSettings(rules=rules))
    assert outcome.kept["body"].to_list() == ["说！\na", "小编说 ...."]
    assert (outcome.changed["editor"], outcome.changed["dots"]) == (1, 1)


def test_main_takes_the_first_article_that_holds_enough() -> None:
    s = StripSettings(main=True)
    long, short = "文" * 2001, "文" * 2000
    assert stripped(f"<p>x</p><article><p>{long}</p></article><p>y</p>", s) == long
    assert stripped(f"<p>x</p><main><p>{short}</p></main><p>y</p>", s) == f"x\n{short}\ny"


def test_density_keeps_headings_prose_and_what_lies_between() -> None:
    prose, page = "这就是一个完整的句子。", "<h2>标题</h2><p>短</p><p>{0}</p><p>中</p><p>{0}</p><p>尾</p><pre>a;</pre>"
    assert stripped(page.format(prose[1:]), StripSettings(density=True)) == "标题\na;"
    assert stripped(page.format(prose), StripSettings(density=True)) == f"标题\n短\n{prose}\n中\n{prose}\n尾\na;"


def test_the_page_of_strip_names_every_rule_and_flag() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "strip.md").read_text(encoding="utf-8")
    counted = {"html_rows", "already_stripped"}  # of rows, no rules
    for name in {*STRIP_COUNTS, *StripSettings().lines} - counted:
        assert f"`{name}`" in page, name


def test_part_sizes_do_not_change_a_row() -> None:
    bodies = [case["before"] for case in CASES]
    whole = apply({"body": bodies}).kept["body"].to_list()
    frame = records({"body": bodies})
    for size in (1, 7):
        parts = [strip.apply(part, Settings(), {}).kept["body"] for part in frame[:40].iter_slices(size)]
        assert pl.concat(parts).to_list() == [text for text in whole if text is not None][: sum(map(len, parts))]


def test_a_preview_shows_the_first_bodies_that_change() -> None:
    frame = records({"body": ["plain", "<p>a</p>", "<script>x</script>", "<p>b</p>", None]})
    found = strip.preview(frame, Settings(), 2)
    assert [(each.before, each.after) for each in found] == [("<p>a</p>", "a"), ("<script>x</script>", None)]
    assert strip.preview(records({"title": ["<b>x</b>"]}), Settings(), 1) == []


@pytest.mark.parametrize("name", ["resiliparse", "trafilatura"])
def test_an_extractor_that_is_not_installed_is_named_with_its_extra(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("resiliparse", "resiliparse.extract.html2text", "trafilatura"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError, match=name) as error:
        strip.accepts(Settings(strip=StripSettings(extractor=name)), {"body": pl.String()})
    assert "cleanse[extract]" in error.value.help


@pytest.mark.parametrize("name", ["resiliparse", "trafilatura"])
def test_an_extractor_that_finds_nothing_falls_back_to_the_rules(name: Any) -> None:
    pytest.importorskip(name)
    s = StripSettings(extractor=name, thin_below=0)
    article = f"<html><body><nav>n</nav><article><h1>题</h1><p>{'一个完整的句子。' * 40}</p></article></body></html>"
    kept = apply({"body": [article, "<td>a</td>", "plain <T>"]}, s).kept
    assert "一个完整的句子。" in kept["body"][0]
    assert kept["body"][2] == "plain <T>"
    assert kept["_flags"][0] is None
