"""What is evidence of HTML, and what is a tag; the passes are in tests/text/test_passes.py."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.text import html
from cleanse.text.html import GATE, KNOWN, tag

PIECES = "< p > </p> <!-- <a href= ' \" = / b and 文 data-x checked `".split()
TEXT = st.lists(st.sampled_from([*PIECES, " ", "\n", "\x02"])).map("".join)
TAGS = [
    "</B\n>",
    "<a\nhref = 'x'>",
    "<!DOCTYPE html>",
    "<br >",
    "<i x:y=1",
    *"<p> <P/> <h1> </b> <!-- <![CDATA[".split(),
]
OTHER = ["", "a<b and c>d", "< p>", "<class name=x>", "x < 5 && y", *"List<T> <A> <b> </x> <h7> <p <你> &lt;".split()]
OTHER += ["</unknown>", "<unk>", "<mask>", "<think>x</think>", "<version>1</version>", "if x<p and y>z", "a<b c"]


@pytest.mark.parametrize("text", TAGS)
def test_a_tag_that_only_html_has_opens_the_gate(text: str) -> None:
    assert pl.Series([f"前{text}后"]).str.contains(GATE).item()


@pytest.mark.parametrize("text", OTHER)
def test_comparisons_types_tokens_and_references_are_no_html(text: str) -> None:
    assert not pl.Series([text]).str.contains(GATE).item()


def test_words_of_vocabularies_are_no_names() -> None:
    assert not {"class", "version", "name", "unk", "mask", "think"} & set(KNOWN)
    assert len(set(KNOWN)) == len(KNOWN)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *[("<b>", True), ("</B >", True), ("<b/>", True), ("<b\nclass='x'>", True), ("<b a=1 c>", False)],
        *[("<b a=1 nowrap>", True), ("<b a=\"x\"c='y'>", True), ('<b title="a>b">', True), ('<b a=x"">', True)],
        *[("<b and c>", False), ("<b c>", False), ("<b <i>", False), ("<bold>", False), ("< b>", False), ("<b", False)],
        *[("<b data-x>", True), ("<b _ngcontent-a-1>", True), ("<b\x02id\x01=\x04x>", True), ("<b a='>", False)],
    ],
)
def test_a_tag_has_a_known_name_and_attributes(text: str, found: bool) -> None:
    assert pl.Series([text]).str.contains(f"(?i){tag(['b'])}").item() == found


@settings(deadline=None)
@given(text=TEXT)
def test_both_regex_engines_see_the_same_tags(text: str) -> None:
    for pattern in (GATE, f"(?i){tag(['a', 'p', 'b'])}", html.HAS_BLOCK, html.IS_PAGE, html.MARKDOWN_LINE):
        assert pl.Series([text]).str.contains(pattern).item() == bool(re.search(pattern, text))
