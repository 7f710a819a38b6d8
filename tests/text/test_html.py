"""The patterns alone; how `strip` puts them together is in tests/stages/test_strip.py and tests/cases/strip.jsonl."""

import re
from collections.abc import Iterable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.text.html import GATE, LINES, REFERENCE, SPACE, Pass, decode_reference, passes

PASSES = [*passes(["nav", "title"]), *SPACE, *LINES.values()]
PIECES = "< p > </p> <!-- --> <script> </script> <nav> </nav> <td> ' \" = / 文 &amp; ©2020 京ICP备1号".split()
TEXT = st.lists(st.sampled_from([*PIECES, " ", "\n", "\u3000"])).map("".join)


def run(text: str, chosen: Iterable[Pass]) -> str:
    cells = pl.Series([text])
    for each in chosen:
        cells = cells.str.replace_all(each.pattern, each.replacement)
    out: str = cells.item()
    return out


TAGS = ["</B\n>", "<a\nhref = 'x'>", "<!DOCTYPE html>", "<br >", *"<p> <P/> <h1> </b> <!-- <![CDATA[".split()]
OTHER = ["", "a<b and c>d", "< p>", "<class name=x>", "x < 5 && y", *"List<T> <A> <b> </x> <h7> <p <你> &lt;".split()]


@pytest.mark.parametrize("text", TAGS)
def test_a_tag_that_only_html_has_opens_the_gate(text: str) -> None:
    assert pl.Series([f"前{text}后"]).str.contains(GATE).item()


@pytest.mark.parametrize("text", OTHER)
def test_comparisons_types_tokens_and_references_are_no_html(text: str) -> None:
    assert not pl.Series([text]).str.contains(GATE).item()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("raw_text", "前<SCRIPT a='b'>if (a<b) {}</SCRIPT\n><style>p{}</style>后<!-- <p> -->", "前  后 "),
        *[("raw_text", "前<script>unclosed", "前 "), ("raw_text", "前<!-- <p>", "前 ")],
        ("raw_text", "<scripture>x <!- b", "<scripture>x <!- b"),
        ("containers", '<nav class="a>b">x</nav>y<NAV>z</NAV>', " y "),
        ("containers", "<navy>x</navy><nav>never closed", "<navy>x</navy><nav>never closed"),
        ("instructions", "<!DOCTYPE html><?xml version='1'?>x<! b", "x<! b"),
        ("source_breaks", "a\r\n\t b  c\u3000\u00a0d", "a b c\u3000\u00a0d"),
        *[("tags", "<p>a</p>b<br/>c", "\na\nb\nc"), ("tags", "<td>a</td><th>b", " a  b")],
        *[("tags", "a<b>c</b>d<i class='>'>e", "acde"), ("tags", "List<T> a<bc d> 1<2", "List<T> a<bc d> 1<2")],
        ("space", "a \u00a0\u3000 b \n \n c\u200b\u00add 👩\u200d💻\u200f", "a b\ncd 👩\u200d💻\u200f"),
        ("licence", "文\n京ICP备12345678号-1\n浙公网安备 33010002号", "文\n\n"),
        ("licence", "他说京ICP备案很慢。\nICP是什么", "他说京ICP备案很慢。\nICP是什么"),
        ("copyright", "© 2024 网\nCopyright (c) 2020 x\n本站版权所有", "\n\n"),
        ("copyright", "版权所有，翻印必究\ncopyright is a right", "版权所有，翻印必究\ncopyright is a right"),
    ],
)
def test_each_pass_takes_what_it_names_and_no_more(name: str, before: str, after: str) -> None:
    assert run(before, [each for each in PASSES if each.name == name]) == after


def test_tags_in_scripts_go_before_containers_and_references_are_found_whole() -> None:
    assert run("<script>'<nav>'</script>文<nav>x</nav>", passes(["nav"])).strip() == "文"
    assert re.findall(REFERENCE, "&amp; &#20013; &#x4e2d; &; &#; & b; &amp") == ["&amp;", "&#20013;", "&#x4e2d;"]


@pytest.mark.parametrize(
    ("reference", "want"),
    [("&amp;", "&"), ("&nbsp;", "\xa0"), ("&#20013;", "中"), ("&#X4E2D;", "中"), ("&#128;", "€"), ("&#0;", "\ufffd")]
    + [(f"&#x{code};", "\ufffd") for code in ("D800", "110000", "FFFFFFFF")]
    + [(unknown, unknown) for unknown in ("&nosuch;", "&天;", "天", "")],
)
def test_a_reference_becomes_its_character_and_an_unknown_one_stays(reference: str, want: str) -> None:
    assert decode_reference(reference) == want


@settings(deadline=None)
@given(text=TEXT)
def test_both_regex_engines_agree(text: str) -> None:
    assert pl.Series([text]).str.contains(GATE).item() == bool(re.search(GATE, text))
    for each in PASSES:
        assert run(text, [each]) == re.sub(each.pattern.replace(r"\z", r"\Z"), each.replacement, text)
