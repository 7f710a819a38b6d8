import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.records.dialect import SAMPLE_LINES, Dialect, cells, detect, fold, renamed, roles, unique

AUTO: dict[str, str | None] = {"title": None, "body": None, "label": None}
NAME = st.sampled_from(["x", "x_2", "x_3", " x", "", "column_1", "column_2", "title", "title_2", "标题"])


@pytest.mark.parametrize(
    ("lines", "delimiter", "names"),
    [
        pytest.param(["a\tb", "1\t2,3"], "\t", ("a", "b"), id="tab"),
        pytest.param(["a;b", "1,5;2,5"], ";", ("a", "b"), id="decimal commas"),
        pytest.param(["a;b", "1;2", "3"], ";", ("a", "b"), id="a ragged line"),
        pytest.param(["a,b;c;d", "1;2;3", "4;5;6"], ";", ("a,b", "c", "d"), id="what most lines agree on"),
        pytest.param(["a,b|c", "1,2|3"], ",", ("a", "b|c"), id="a tie goes to the first"),
        pytest.param(['"a,b";c', '"1,2";3'], ";", ("a,b", "c"), id="commas in quotes"),
        pytest.param(["标题", "天气，很好"], ",", ("标题",), id="one column, full-width comma"),
        pytest.param(["\ufeff a , b "], ",", ("a", "b"), id="a BOM and blanks are no part of a name"),
        pytest.param(["a,,a", "1,2,3"], ",", ("a", "column_2", "a_2"), id="empty and double names"),
    ],
)
def test_the_delimiter_is_the_one_that_fits_most_lines(
    lines: list[str], delimiter: str, names: tuple[str, ...]
) -> None:
    header = tuple(cells(lines[0].removeprefix("\ufeff"), delimiter))
    assert detect(lines) == Dialect(delimiter, header, names)


def test_a_given_delimiter_is_not_doubted_and_only_the_first_lines_are_looked_at() -> None:
    assert detect(["a,b", "1,2"], ";") == Dialect(";", ("a,b",), ("a,b",))
    assert detect(["a,b;c"] + ["1,2"] * (SAMPLE_LINES - 1) + ["1;2"] * 3 * SAMPLE_LINES).delimiter == ","
    assert detect(["a,b;c"] + ["1;2"] * 3 * SAMPLE_LINES).delimiter == ";"


@pytest.mark.parametrize(
    ("first", "expect", "header", "names"),
    [
        pytest.param("x,Body ", ["title", "body"], ("x", "Body "), ("x", "Body"), id="one name in any case"),
        pytest.param("天,气", ["title", "body"], None, ("title", "body"), id="none: names by position"),
        pytest.param("天,气,晴", ["title", "body"], None, ("title", "body", "column_3"), id="a column more"),
        pytest.param("天,气", ["title", "body", "label"], None, ("title", "body"), id="a column less"),
        pytest.param("天,气", [], ("天", "气"), ("天", "气"), id="nothing expected"),
        pytest.param("天,气", None, ("天", "气"), ("天", "气"), id="null"),
    ],
)
def test_the_first_line_is_a_header_unless_expected_names_are_not_in_it(
    first: str, expect: list[str] | None, header: tuple[str, ...] | None, names: tuple[str, ...]
) -> None:
    assert detect([first], ",", expect) == Dialect(",", header, names)


@pytest.mark.parametrize("first", ["\ufeff", '""', ",", "\u3000"])
def test_a_strange_first_line_still_makes_columns(first: str) -> None:
    names = detect([first, "1,2"]).names
    assert names
    assert all(names)


@given(names=st.lists(NAME))
def test_column_names_are_unique_and_never_empty(names: list[str]) -> None:
    found = unique(names)
    assert len(set(found)) == len(found) == len(names)
    assert all(found)
    assert unique(found) == found


@pytest.mark.parametrize(
    ("names", "mapped", "want"),
    [
        pytest.param(["id", "标题", "正文"], {}, {"标题": "title", "正文": "body"}, id="Chinese"),
        pytest.param([" HEADLINE", "Text"], {}, {" HEADLINE": "title", "Text": "body"}, id="any case"),
        pytest.param(["headline", "title"], {}, {"title": "title"}, id="the first of the list wins"),
        pytest.param(["Title", "title"], {}, {"Title": "title"}, id="of two alike the left one"),
        pytest.param(["titel", "bodies"], {"label": "absent"}, {}, id="similar is not equal"),
        pytest.param(["a", "title"], {"title": "a"}, {"a": "title"}, id="the user's word"),
        pytest.param(["text", "content"], {"title": "text"}, {"text": "title", "content": "body"}, id="taken"),
        pytest.param(
            ["title", "headline"], {"body": "title"}, {"headline": "title", "title": "body"}, id="taken later"
        ),
    ],
)
def test_roles_are_found_by_name_unless_mapped(names: list[str], mapped: dict[str, str], want: dict[str, str]) -> None:
    assert roles(names, {**AUTO, **mapped}) == want
    assert all(fold(name) == fold(f" {name.upper()} ") for name in names)


@given(names=st.lists(NAME, unique=True))
def test_renaming_keeps_every_column_apart(names: list[str]) -> None:
    found = renamed(names, roles(names, AUTO))
    assert found.keys() == set(names)
    assert len(set(found.values())) == len(names)
