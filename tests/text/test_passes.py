"""Each pass alone: what it must change, and what it must not. In which order they run: tests/stages/test_markup.py."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stripping import run, substituted

from cleanse.text import passes
from cleanse.text.passes import Pass

CONTAINERS = passes.containers("containers", ["nav", "title"])
EVERY = [
    *[*passes.CONTROLS, passes.RAW, *passes.SVG, passes.BLANK_LINES, *CONTAINERS, *passes.INSTRUCTIONS],
    *[*passes.CUT_OFF, *passes.UNENDED, passes.HEADINGS, *passes.TAGS, *passes.LEFT_OVER, *passes.SPACES],
    *[*passes.ONE_LINE, *passes.LAST],
    *(each for region in (passes.XMP, *passes.PRE, *passes.CODE) for each in region.passes),
]
PIECES = (
    "< p > </p> <!-- --> <script> </script> <nav> </nav> <td> <svg> </svg> <?php <% %> <![CDATA[ ]]> <img/src=x </x-y> "
    "<x-y> <a> </a> ' \" = / | 文 &amp; \x04 \x05 \x07 \x06 \x01"
).split()
TEXT = st.lists(st.sampled_from([*PIECES, " ", "\n", "\u3000", "\x00", "\r\n"])).map("".join)
A, Z = "\x07", "\x07"  # a link begins, a link ends


def rust(text: str, each: Pass) -> str:
    out: str = pl.Series([text]).str.replace_all(each.pattern, each.replacement).item()
    return out


@pytest.mark.parametrize(
    ("chosen", "before", "after"),
    [
        (passes.CONTROLS, "a\x00b\x1fc\x7fd\x80e\ufdd0\tf", "abcde\tf"),
        (passes.CONTROLS, "a\r\nb\rc\x0cd\x85e\u2028f\u2029g\n", "a\nb\nc\nd\ne\nf\ng\n"),
        ([passes.RAW], "前<SCRIPT a='b'>if (a<b) {}</SCRIPT\n><style>p{}</style>后<!-- <p> -->", "前\x05\x05后\x05"),
        *[([passes.RAW], "前<script>unclosed", "前\x05"), ([passes.RAW], "前<!-- <p>", "前\x05")],
        ([passes.RAW], "<scripture>x <!- b", "<scripture>x <!- b"),
        ([passes.RAW], "<!--><!--->a<!--x--!>b<script", "\x05\x05a\x05b\x05"),
        (passes.SVG, "a<svg><g><svg><g/></svg></g></svg>b<svg>", "a b<svg>"),
        ([passes.BLANK_LINES], "a\nb\n \t\n\n c", "a\nb\x04c"),
        (CONTAINERS, '<nav class="x">x</nav>y<NAV>z</NAV >', " y "),
        (CONTAINERS, "<navy>x</navy><nav>never closed", "<navy>x</navy><nav>never closed"),
        (passes.INSTRUCTIONS, "<!DOCTYPE html><?xml version='1'?>x<! b", "\x05\x05x<! b"),
        (passes.INSTRUCTIONS, "<![CDATA[a<p>]]><?= '>' ?>b<% > %>c<![if !IE]>", "\x05a<p>\x05\x05b\x05c\x05"),
        (passes.INSTRUCTIONS, "a <? b <%c ?> <?1> <?phpx >", "a <? b <%c ?> <?1> \x05"),
        (passes.CUT_OFF, "<scr\x05ipt>a\x05b</p>", "ab</p>"),
        *[(passes.CUT_OFF, "a<p title='x", "a"), (passes.CUT_OFF, "a</di", "a"), (passes.CUT_OFF, "a<b", "a<b")],
        *[(passes.CUT_OFF, "a<x y=1", "a<x y=1"), (passes.CUT_OFF, "a<p b", "a<p b")],
        (passes.CUT_OFF, "<p a=1>", "<p a=1>"),
        (passes.UNENDED, "<img src='x' a=b <img src=y<p>c", "<p>c"),
        (passes.UNENDED, "a<b c<d <p class <i>", "a<b c<d <p class <i>"),
        ([passes.HEADINGS], "<h2>a</h2><hr>", "\x04\x11a</h2><hr>"),
        *[(passes.TAGS, "<p>a</p>\n b<br/>c", "\x04a\x04b\x04c"), (passes.TAGS, "<td>a</td><th>b", " a  b")],
        (passes.TAGS, "a<b>c</b>d<i class='>'>e", "acde"),
        *[(passes.TAGS, "List<T> a<bc d> 1<2", "List<T> a<bc d> 1<2")],
        (passes.TAGS, "<a href=x>b</a><code>c</code>", "\x07b\x07\x06c\x06"),
        (passes.TAGS, "一\n 二\n三\nd\n  e", "一二三 d e"),
        (passes.LEFT_OVER, "<p a!='1' b>x<b ='>y<b c>", "\x04xy<b c>"),
        (passes.LEFT_OVER, "<x-y a=1>b<x:y/><x-y /><x-y>", "b<x-y>"),
        (passes.LEFT_OVER, "<x-y>a</x-y><p:q>", "a"),
        (passes.SPACES, "a \u00a0\u3000 b \n \x04 c\u200b\u00add", "a b\ncd"),
        (passes.SPACES, "👩\u200d💻\u200f\u200c\ufe0f", "👩\u200d💻\u200f\u200c\ufe0f"),
        (passes.ONE_LINE, f"a {A}{Z} b\n{A} {Z}c\n\nd", "a b c d"),
        (passes.LAST, "\x06a\x01\x02\x03b\x0e\x0f\x11", "a\n \tb<&"),
    ],
)  # fmt: skip
def test_passes_take_what_they_name_and_no_more(chosen: list[Pass], before: str, after: str) -> None:
    assert run(before, chosen, before) == after
    by_rust = before
    for each in chosen:
        if run(by_rust, [each], before) != by_rust:
            by_rust = rust(by_rust, each)
    assert by_rust == after


@pytest.mark.parametrize(
    ("line", "row", "item"),
    [
        (f"{A}a{Z} | {A}b{Z} · {A}c{Z}", True, False),
        *[(f"{A}a{Z} | {A}b{Z}", False, False), (f"x {A}a{Z} {A}b{Z} {A}c{Z}", False, False)],
        *[
            (f"{A}a{Z}", False, True),
            (f" {A}a b{Z} ", False, True),
            (f"{A}{Z}", False, False),
            (f"{A}a{Z}x", False, False),
        ],
        *[(f"\x06{A}a{Z} {A}b{Z} {A}c{Z}", False, False), (f"{A}a\x06{Z}", False, False)],
    ],
)
def test_lines_of_links_and_lines_that_are_one_are_known(line: str, row: bool, item: bool) -> None:
    by_rust = [pl.Series([line]).str.contains(pattern).item() for pattern in (passes.NAV_ROW, passes.NAV_ITEM)]
    by_python = [bool(re.search(pattern, line)) for pattern in (passes.NAV_ROW, passes.NAV_ITEM)]
    assert by_rust == by_python == [row, item]


@settings(deadline=None)
@given(text=TEXT)
def test_both_regex_engines_agree_on_every_pass(text: str) -> None:
    for each in EVERY:
        assert rust(text, each) == substituted(each, text), each


IMPLIED = [each for each in EVERY if each.needs and each is not passes.LEFT_OVER[0]]  # there it is a condition


@settings(deadline=None)
@given(text=TEXT)
def test_what_a_pass_needs_is_in_all_that_it_changes(text: str) -> None:
    for each in IMPLIED:
        assert run(text, [each], text) == substituted(each, text), each
