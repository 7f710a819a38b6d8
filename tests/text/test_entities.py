import html
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.text.entities import CLOSED, REFERENCE, decode_reference, replacements

TEXT = st.lists(st.sampled_from(["&", "amp", "lt", "nbsp", "copy", "notin", ";", "=", "#65", "#x", "a", " ", "文"]))


@pytest.mark.parametrize(
    ("reference", "want"),
    [
        *[("&amp;", "&"), ("&nbsp;", "\xa0"), ("&#20013;", "中"), ("&#x4e2d;", "中"), ("&#X4E2D", "中")],
        *[("&#128;", "€"), ("&#x99;", "™"), ("&#129;", ""), ("&#0;", "\ufffd"), ("&#13;", "\n"), ("&#9;", "\t")],
        *[(f"&#x{code};", "\ufffd") for code in ("D800", "DFFF", "110000", "FFFFFFFF", "F" * 5000)],
        *[("&#x10FFFD;", "\U0010fffd"), ("&#1;", ""), ("&#xFDD0;", ""), ("&#x1FFFE;", ""), ("&#00000000065;", "A")],
        *[("&copy", "©"), ("&copy=", "&copy="), ("&copyx", "&copyx"), ("&copy1", "&copy1"), ("&hellip", "&hellip")],
        *[("&nbsp", "\xa0"), ("&nbspx", "\xa0x"), ("&nbsp=", "&nbsp="), ("&notin;", "∉"), ("&notit;", "&notit;")],
        *[("&nosuch;", "&nosuch;"), ("&nGt;", "≫⃒")],
    ],
)
def test_a_reference_becomes_its_character_and_an_unknown_one_stays(reference: str, want: str) -> None:
    assert decode_reference(reference) == want


def test_every_name_of_the_standard_is_known() -> None:
    for name, text in html.entities.html5.items():
        assert decode_reference(f"&{name}") == text


def test_references_are_found_whole() -> None:
    text = "&amp; &#20013; &#x4e2d; &; &#; & b; &amp &copy= &#65x &#xZ;"
    assert re.findall(REFERENCE, text) == ["&amp;", "&#20013;", "&#x4e2d;", "&amp", "&copy=", "&#65"]
    assert re.findall(CLOSED, text) == ["&amp;", "&#20013;", "&#x4e2d;"]


@given(pieces=TEXT)
def test_one_search_over_a_column_decodes_like_one_text_alone(pieces: list[str]) -> None:
    cells = ["".join(pieces), "&lt;&copy &nbsp"]
    table = replacements({found for cell in cells for found in re.findall(REFERENCE, cell)})
    column = pl.DataFrame({"x": cells}).select(
        pl.col("x").str.replace_many(list(table), list(table.values()), leftmost=True)
    )
    assert column["x"].to_list() == [re.sub(REFERENCE, lambda m: decode_reference(m[0]), cell) for cell in cells]
