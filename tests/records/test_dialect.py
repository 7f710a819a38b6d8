import pytest

from cleanse.records.dialect import detect, has_names, is_delimited
from cleanse.records.names import ROLE_OF
from cleanse.records.reading import ONE_COLUMN, Dialect


def dialect(
    *lines: str, expect: tuple[str, ...] = (), given: str = "", quote: str = "auto"
) -> tuple[Dialect, int] | None:
    """The dialect of some lines and its number of fields, None where it is not clear."""
    found = detect(lines, expect, ROLE_OF, Dialect(given) if given else None, quote, "auto")
    return (found.dialect, found.n) if found else None


@pytest.mark.parametrize(
    ("lines", "delimiter", "n"),
    [
        pytest.param(["a\tb", "1\t2,3"], "\t", 2, id="tab"),
        pytest.param(["a;b", "1,5;2,5"], ";", 2, id="decimal commas"),
        pytest.param(["a;b", "1;2", "3"], ";", 2, id="a ragged line"),
        pytest.param(["a,b;c;d", "1;2;3", "4;5;6"], ";", 3, id="what most lines agree on"),
        pytest.param(["a,b|c", "1,2|3"], ",", 2, id="a tie goes to the first"),
        pytest.param(['"a,b";c', '"1,2";3'], ";", 2, id="quotes beside delimiters"),
        pytest.param(["a, b, c", "1, 2, 3", '4, "5, 6", 7'], ", ", 3, id="a blank after each delimiter"),
        pytest.param(["a,b", "1, 2", "3,4", "5,6"], ",", 2, id="a blank after some"),
        pytest.param(['a b "c d"', '1 2 "x y"', '3 4 "z"'], " ", 3, id="blanks, as nothing else fits"),
        pytest.param(["a b,c", "d e,f", "g h,i"], ",", 2, id="blanks, but something else fits"),
        pytest.param(["d t n", "1 2 0,5", "3 4 1,5"], " ", 3, id="blanks, and decimal commas below"),
        pytest.param(['1 "GET /a,1" 200', '2 "GET /b,2" 404'], " ", 3, id="blanks, and commas within quotes"),
        pytest.param(["a b c,d", "e f,g", "h i,j"], ",", 2, id="a first row that blanks do not fit"),
        pytest.param(["id title label", "x y z,a", "u v w,b"], " ", 3, id="a header by blanks"),
        pytest.param(["a b", *["c d,e"] * 10], ",", 2, id="two words are soon found"),
        pytest.param(["标题", "天气，很好"], ONE_COLUMN, 1, id="one column, full-width comma"),
        pytest.param(["text", "a, b", "c, d"], ONE_COLUMN, 1, id="one column by its name"),
        pytest.param(["remarks", "a, b", "c, d", "e", "f", "g"], ONE_COLUMN, 1, id="one column of prose"),
        pytest.param(["a\n", "c*d*", "e*f*"], ONE_COLUMN, 1, id="no sign of ours"),
        pytest.param(["title,body", "x,y;z;w", "p;q;r"], ",", 2, id="a header by its names"),
        pytest.param(["title^body^label", "a, b^c, d, e^f"], "^", 3, id="a rarer sign cuts known names"),
        pytest.param(["id\x01title\x01body", "1\x01a, b\x01c"], "\x01", 3, id="a control sign"),
        pytest.param(["title||body", "a|b||c", "d||e"], "||", 2, id="doubled"),
        pytest.param(["id|title||body", "1|a||b"], "|", 4, id="an empty name"),
        pytest.param(["a^b^c", "1^2^3"], ONE_COLUMN, 1, id="a rarer sign and no name we know"),
    ],
)
def test_the_delimiter_is_the_one_that_most_rows_agree_with(lines: list[str], delimiter: str, n: int) -> None:
    found = dialect(*lines)
    assert found is not None
    assert (found[0].delimiter, found[1]) == (delimiter, n)


def test_a_rarer_sign_cuts_as_many_fields_as_are_expected() -> None:
    lines = ["x~1", "u, v~2"]
    assert dialect(*lines, expect=("body", "label")) == (Dialect("~"), 2)
    assert dialect(*lines, "w~3~4", expect=("body", "label")) != (Dialect("~"), 2)  # below nine tenths
    assert dialect("x~y", "u~v") == (Dialect(ONE_COLUMN), 1)


@pytest.mark.parametrize(
    ("lines", "quote"),
    [
        (["a,b", "1,2"], '"'),
        (["a,'b, c'", "1,'2'"], "'"),
        (["it's,'tis", "Tom's,x", '"a, b",y'], '"'),
        ([*['"w,x'] * 9, "a,b"], None),
        ([*["w,x"] * 12, '"a,b'], '"'),
        (['"w",x', '"y "z" u",v', '"a",b'], '"'),
    ],
    ids=["none there", "single", "apostrophes", "never closed", "one stray", "not doubled"],
)
def test_quotes_are_those_that_wrap_fields(lines: list[str], quote: str | None) -> None:
    found = dialect(*lines)
    assert found is not None
    assert found[0].quote == quote


@pytest.mark.parametrize(
    ("line", "backslash"),
    [('"a \\"b\\"",c', True), ('"a ""b""",c', False), ('"a \\"b\\" ""c""",c', False), ('"",c', False)],
)
def test_a_backslash_escapes_where_no_quote_is_doubled(line: str, backslash: bool) -> None:
    found = dialect("x,y", line, '"",z')
    assert found is not None
    assert found[0].backslash == backslash


def test_half_of_the_rows_must_agree() -> None:
    assert dialect("a,b,c", "1", "1,2", "1,2,3,4", "1,2,3,4,5") is None
    assert dialect("a,b,c", "1", "1,2,3", "1,2,3,4", "1,2,3") == (Dialect(","), 3)


def test_what_the_user_names_is_not_doubted() -> None:
    assert dialect("a,b", "1,2", given=";") == (Dialect(";"), 1)
    assert dialect("a,'b'", "1,2", quote="none") == (Dialect(",", None), 2)


@pytest.mark.parametrize(
    ("cells", "expect", "there"),
    [
        (["title", "body"], [], True),
        (["title", "x"], [], False),
        ([" BODY ", "Title"], [], True),
        (["title"], [], True),
        (["x"], ["x"], True),
        (["x", "y"], ["x", "z"], False),
        (["标题", "content"], ["title", "body"], True),
    ],
)
def test_a_header_holds_what_is_expected_or_two_names_of_roles(
    cells: list[str], expect: list[str], there: bool
) -> None:
    assert has_names(cells, expect, set(ROLE_OF)) == there


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("title,body,label|a,b,c|d,e,f", True),
        ("标题\t正文|甲\t乙|丙\t丁", True),
        pytest.param("title,body,label|a,b,c|d,e|f,g,h|i,j,k,l", True, id="a header, some rows ragged"),
        ("1;2;3|4;5;6|7;8;9", True),
        pytest.param("title,body,label|a,b,c", False, id="two rows"),
        pytest.param("x,y|a,b|c,d", False, id="two columns without names"),
        pytest.param("a,b,c|d,e|f", False, id="ragged"),
        pytest.param("今天天气很好，我们去公园。|回来时，买了苹果。|明天，再去。", False, id="prose"),
        pytest.param("one two three|four five six|seven eight nine", False, id="words"),
        ("", False),
    ],
)
def test_a_table_without_a_name_is_known_by_its_rows(text: str, want: bool) -> None:
    assert is_delimited(text.split("|")) == want
