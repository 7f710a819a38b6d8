import pytest
from framing import stretch_of

from cleanse.records.layout import HEAD_LINES, Layout, Options, Refused, survey

ROWS = "\n".join(f"{i},word{i % 2},2024-01-{i:02}" for i in range(1, 31))


def layout(text: str, **options: object) -> Layout:
    found = survey([stretch_of(text)], Options(**options))  # type: ignore[arg-type]  # keys by name
    assert not isinstance(found, Refused), found
    return found


def kinds(found: Layout) -> list[str]:
    return [kind for _, _, kind in found.lead]


@pytest.mark.parametrize(
    ("head", "header", "lead"),
    [
        pytest.param("id,what,day\n", ("id", "what", "day"), ["header"], id="by type"),
        pytest.param("", None, [], id="none"),
        pytest.param(
            "Report,,\n,,\nid,what,day\n", ("id", "what", "day"), ["preamble"] * 2 + ["header"], id="preamble"
        ),
        pytest.param("made today\n\nid,what,day\n", ("id", "what", "day"), ["preamble", "header"], id="before a blank"),
        pytest.param("no,kind,date\nid,what,day\n", ("no id", "kind what", "date day"), ["header"] * 2, id="two lines"),
        pytest.param("sep=,\nid,what,day\n", ("id", "what", "day"), ["directive", "header"], id="directive"),
        pytest.param("id;what;day\n", ("id", "what", "day"), ["header"], id="other delimiter"),
        pytest.param("id,,what,day\n", ("id", "what", "day"), ["header"], id="an empty cell too many"),
        pytest.param('"id,what,day\n', ("id", "what", "day"), ["header"], id="a quote too many"),
    ],
)
def test_the_header_and_what_stands_before_it(head: str, header: tuple[str, ...] | None, lead: list[str]) -> None:
    found = layout(head + ROWS)
    assert (found.header, kinds(found)) == (header, lead)
    assert found.n == 3


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("name,town\nAnn,Rome\nBob,Oslo\n", ("name", "town")),
        ("Ann,Rome\nBob,Rome\nAnn,Oslo\n", None),
        ("name,\nAnn,Rome\nBob,Oslo\n", None),
        ("name,name\nAnn,Rome\nBob,Oslo\n", None),
        ("It is so.,town\nAnn,Rome\nBob,Oslo\n", None),
        ("标题很好。,正文\n一,二\n三,四\n", None),
        ("n" * 40 + ",town\nAnn,Rome\n", ("n" * 40, "town")),
        ("n" * 41 + ",town\nAnn,Rome\n", None),
        ("a,b\n", ("a", "b")),
    ],
)
def test_without_numbers_a_header_is_told_by_its_look(text: str, header: tuple[str, ...] | None) -> None:
    assert layout(text).header == header


def test_the_user_says_whether_there_is_a_header() -> None:
    assert layout("1,2\n3,4\n", header="present").header == ("1", "2")
    assert layout("a,b\nc,d\n", header="absent").header is None


@pytest.mark.parametrize(
    ("text", "names", "notes"),
    [
        ("x。,y\n一。,z\n", ("title", "body"), ("header_missing",)),
        ("x。,y,z\n一。,z,z\n", ("column_1", "column_2", "column_3"), ("header_missing",)),
        ("Title, Body \na,b\n", ("Title", "Body"), ()),
        ("标题,content\na,b\n", ("标题", "content"), ()),
    ],
)
def test_expected_names_name_a_table_without_header(text: str, names: tuple[str, ...], notes: tuple[str, ...]) -> None:
    found = layout(text, expect=("title", "body"))
    assert (found.names, found.notes) == (names, notes)


def test_a_header_without_an_expected_name_refuses_the_file() -> None:
    found = survey([stretch_of("title,text2\na,b\nc,d\n")], Options(expect=("title", "body")))
    assert found == Refused("header_mismatch", "no column body in the header (title, text2)")


@pytest.mark.parametrize(
    ("header", "names", "problem", "notes"),
    [
        ("id,what", ("id", "what", "column_3"), None, ("header_ragged",)),
        ("title,body", ("title", "body", "column_3"), "header_mismatch", ("header_ragged",)),
    ],
)
def test_a_header_of_another_size_names_by_position_unless_roles_are_at_stake(
    header: str, names: tuple[str, ...], problem: str | None, notes: tuple[str, ...]
) -> None:
    found = layout(f"{header}\n{ROWS}")
    assert (found.names, found.problem, found.notes) == (names, problem, notes)


def test_rows_that_all_end_in_a_delimiter_have_the_columns_of_the_header() -> None:
    found = layout("title,body,label\n" + "a,b,c,\n" * 9)
    assert (found.names, found.trailing, found.problem) == (("title", "body", "label"), True, None)


def test_no_dialect_is_guessed() -> None:
    found = survey([stretch_of("a,b,c\n1\n1,2\n1,2,3,4\n1;2\n1,2,3,4,5\n")], Options())
    assert isinstance(found, Refused)
    assert found.reason == "dialect_unclear"


def test_later_headers_are_known_by_their_line() -> None:
    rows = "\n".join(f"{i},x,y" for i in range(HEAD_LINES))
    found = layout(f"id,title,body\n{rows}\nID,Title,Body\n{rows}\nbody,id,title\n{rows}\nid,title,body,extra\nz")
    n = HEAD_LINES
    assert [(turn.line, turn.order) for turn in found.turns] == [(2 * n + 3, (2, 0, 1)), (3 * n + 4, None)]
    assert found.turn(1).order == found.turn(2 * n + 2).order == (0, 1, 2)
    assert found.turn(2 * n + 3).order == (2, 0, 1)
    assert found.notes == ("second_table",)


@pytest.mark.parametrize(("n", "problem"), [(4095, None), (4096, None), (4097, "too_many_fields")])
def test_a_table_of_very_many_columns_is_left_as_it_is(n: int, problem: str | None) -> None:
    found = layout("\n".join([",".join(f"c{i}" for i in range(n)), *[",".join(map(str, range(n)))] * 3]))
    assert (found.problem, found.n) == (problem, 1 if problem else n)
