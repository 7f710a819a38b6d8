import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.records.reading import MAX_STEPS, Dialect, Reading, cheapest, read

COMMA = Dialect(",")
FIELD = st.text(alphabet='a天,;" \n\\', max_size=6)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", [""]),
        (",", ["", ""]),
        ('"",""', ["", ""]),
        ('"a,b","c""d",e', ["a,b", 'c"d', "e"]),
        ('5" disk,x"y"z,3"', ['5" disk', 'x"y"z', '3"']),
        ('"a\nb",c', ["a\nb", "c"]),
        ('"""a""",b', ['"a"', "b"]),
    ],
)
def test_fields_are_read_by_the_rules(text: str, fields: list[str]) -> None:
    found = read(text, COMMA)
    assert (found.fields, found.state, found.repairs) == (fields, "ok", [])
    assert [text[a:b] for a, b in found.spans] == [text[a:b] for a, b in sorted(found.spans)]


@pytest.mark.parametrize(
    ("text", "state"), [('"', "open"), ('a,"b', "open"), ('"a""', "open"), ('"a"b', "garbage"), ('"a" ,b', "garbage")]
)
def test_quotes_that_do_not_add_up_are_told_apart(text: str, state: str) -> None:
    assert read(text, COMMA).state == state


@pytest.mark.parametrize(
    ("dialect", "text", "fields"),
    [
        (Dialect(", "), 'a, "b, c", d,e', ["a", "b, c", "d,e"]),
        (Dialect(";", "'"), "'a;b';\"c\"", ["a;b", '"c"']),
        (Dialect(",", None), '"a,b"', ['"a', 'b"']),
        (Dialect(",", '"', backslash=True), r'"a \"b\" \\",c', ['a "b" \\', "c"]),
        (Dialect(",", '"', backslash=True), r'"a \n",c', [r"a \n", "c"]),
    ],
)
def test_any_delimiter_quote_and_escape_will_do(dialect: Dialect, text: str, fields: list[str]) -> None:
    assert read(text, dialect).fields == fields


@pytest.mark.parametrize(
    ("text", "n", "fields", "repairs"),
    [
        pytest.param('1,"x "y" z",3', 3, ["1", 'x "y" z', "3"], ["quote_unescaped"], id="wireservice/csvkit#672"),
        pytest.param('"a,b,c', 3, ['"a', "b", "c"], ["quote_literal"], id="never closed"),
        pytest.param('1,""x, y",3', 3, ["1", '"x, y', "3"], ["quote_unescaped"], id="twice at the start"),
        pytest.param('1,"x, y"",3', 3, ["1", 'x, y"', "3"], ["quote_unescaped"], id="twice at the end"),
        pytest.param('"a","b"c","d"', 3, ["a", 'b"c', "d"], ["quote_unescaped"], id="stray within"),
        pytest.param('"a"b","c,d', 3, ['a"b', '"c', "d"], ["quote_literal", "quote_unescaped"], id="two faults"),
    ],
)
def test_the_cheapest_reading_says_what_it_assumed(text: str, n: int, fields: list[str], repairs: list[str]) -> None:
    found = cheapest(text, COMMA, n)
    assert found is not None
    assert (found.fields, found.repairs) == (fields, repairs)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        pytest.param('1,"2"x,3', 3, id="text after a closing quote"),
        pytest.param('"a","b","c","d"', 3, id="two ways"),
        pytest.param("a,b", 3, id="too few"),
        pytest.param("a,b,c,d", 3, id="too many"),
    ],
)
def test_without_one_cheapest_reading_there_is_none(text: str, n: int) -> None:
    assert cheapest(text, COMMA, n) is None


def test_the_search_is_bounded() -> None:
    start = time.process_time()
    assert cheapest('"a",' * MAX_STEPS, COMMA, 3) is None
    assert cheapest('"a""b",' * 3000, COMMA, 2000) is None
    assert time.process_time() - start < 20  # a guard against squares of the length, not a measure of speed


@given(fields=st.lists(FIELD, min_size=1, max_size=4))
def test_fields_written_by_the_rules_come_back_and_are_the_cheapest(fields: list[str]) -> None:
    text = ",".join('"' + field.replace('"', '""') + '"' for field in fields)
    assert read(text, COMMA) == Reading(fields, read(text, COMMA).spans)
    again = cheapest(text, COMMA, len(fields))
    assert again is None or again.fields == fields
