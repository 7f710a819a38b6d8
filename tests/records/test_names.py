import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.records.names import fold, renamed, roles, unique

AUTO: dict[str, str | None] = {"title": None, "body": None, "label": None}
NAME = st.sampled_from(["x", "x_2", "x_3", " x", "", "column_1", "column_2", "title", "title_2", "标题"])


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
