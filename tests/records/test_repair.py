"""Records that do not fit, in a table of which nothing is known beforehand: title, body, label, thirty good rows."""

import random
import time
from typing import Any

import pytest
from framing import lines_of, stretch_of

from cleanse.records.delimited import frame
from cleanse.records.framed import FAULT, PLACE
from cleanse.records.layout import Options, Refused, survey
from cleanse.records.repair import REFUSED
from cleanse.records.stretch import of_table

LABELS = ("财经", "体育", "健康")
GOOD = [f"第{i}天的标题,今天天气很好{'，去公园' * (i % 4)}。,{LABELS[i % 3]}" for i in range(30)]


def placed(
    *lines: str, header: str = "title,body,label", refuse: str = "", good: list[str] = GOOD
) -> list[tuple[Any, ...]]:
    """(fields or None, repair, problem) of these lines in the midst of good ones; all good ones must be clean."""
    table = stretch_of("\n".join([header, *good[:15], *lines, *good[15:]]) + "\n")
    options = Options(refuse=frozenset(refuse.split()))
    layout = survey([table], options)
    assert not isinstance(layout, Refused)
    records = frame(table, layout, options)[0].records
    names = [name for name in records.columns if name not in PLACE and name not in FAULT]
    rows = [(row[: len(names)], *row[len(names) :]) for row in records.select(*names, "_repair", "_problem").rows()]
    clean = [(tuple(line.split(",")), None, None) for line in good]
    assert (rows[:15], rows[len(rows) - len(good) + 15 :]) == (clean[:15], clean[15:])
    found = rows[15 : len(rows) - len(good) + 15]
    return [(None if problem else fields, repair, problem) for fields, repair, problem in found]


CASES = [
    ("trailing_delim", ["t,b,财经,"], ("t", "b", "财经")),
    ("empty_surplus", ["t,,b,财经"], ("t", "b", "财经")),
    ("empty_surplus", ["t,,,财经"], ("t", "", "财经")),
    ("quote_literal", ['"t,b,财经'], ('"t', "b", "财经")),
    ("quote_unescaped", ['t,"b "c" d",财经'], ("t", 'b "c" d', "财经")),
    ("delim_alt", ["t;b;财经"], ("t", "b", "财经")),
    ("delim_alt", ["t\tb, c\t财经"], ("t", "b, c", "财经")),
    ("delim_alt", ["t，b，财经"], ("t", "b", "财经")),
    ("delim_alt", ["t    b    财经"], ("t", "b", "财经")),
    ("lines_joined", ["t,b", "c,财经"], ("t", "b\nc", "财经")),
    ("fold_surplus", ['"t",b, c, d,财经'], ("t", "b, c, d", "财经")),
]


@pytest.mark.parametrize(("code", "lines", "fields"), CASES)
def test_one_structural_repair_puts_a_record_in_place(code: str, lines: list[str], fields: tuple[str, ...]) -> None:
    assert placed(*lines) == [(fields, code, None)]


@pytest.mark.parametrize(("code", "lines", "fields"), CASES)
def test_a_repair_that_is_refused_is_its_problem(code: str, lines: list[str], fields: tuple[str, ...]) -> None:
    found = placed(*lines, refuse=code)
    assert [row[0] for row in found] == [None] * len(lines)
    assert found[0][2] == REFUSED[code]


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        pytest.param(["t,u,b,财经"], ["fields_extra"], id="two columns could take the surplus"),
        pytest.param(["t,b,c,xx"], ["fields_extra"], id="the label does not fit"),
        pytest.param([",b,,财经"], ["fields_extra"], id="two empty fields, each could go"),
        pytest.param(["," * 4096], ["too_many_fields"], id="4,097 fields"),
        pytest.param(["," * 4095], ["fields_extra"], id="4,096 fields"),
        pytest.param(["t,b"], ["fields_missing"], id="a field too few"),
        pytest.param(["t,b", "c,d"], ["fields_missing"] * 2, id="joined they do not fit"),
        pytest.param(["t,b", "", "c,财经"], ["fields_missing"] * 2, id="a blank line between"),
        pytest.param(["t;b;xx"], ["fields_missing"], id="another delimiter, but no label"),
        pytest.param(['t,"b"c,财经'], ["quote_garbage"], id="text after a closing quote"),
        pytest.param(['t,"b', "c"], ["quote_unterminated"], id="up to the next record"),
    ],
)
def test_nothing_is_guessed(lines: list[str], problems: list[str]) -> None:
    assert [row[2] for row in placed(*lines)] == problems


COUNTED = [f"{i * 37 % 900},今天天气很好{i},{i * 11 % 700},{LABELS[i % 3]}" for i in range(30)]


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("5,天气,好,6,财经", "天气,好"),
        ("5,12,天气,6,财经", "12,天气"),
        ("5,1234,天气,6,财经", "1234,天气"),
        ("1234,234,天气,6,财经", "234,天气"),
        ("5,234,天气,6,财经", None),
        ("5,234,567,天气,6,财经", None),
        ("5,234,天气,好,6,财经", None),
        ("5,天气,6,789,财经", None),
        ("5,天,气,6,789,财经", None),
        ("5,天气,6,78,财经", "天气,6"),
    ],
)
def test_a_comma_that_may_stand_within_a_number_is_not_folded_into_the_text(line: str, body: str | None) -> None:
    ((fields, repair, problem),) = placed(line, header="views,body,replies,label", good=COUNTED)
    assert (fields and fields[1], repair, problem) == (
        (body, "fold_surplus", None) if body else (None, None, "fields_extra")
    )


def test_whole_lines_in_quotes_are_one_field_however_many_there_are() -> None:
    for n in (1, 4, 9):
        assert placed(*['"t,b,财经"'] * n) == [(None, None, "fields_missing")] * n


def test_a_stray_quote_costs_no_other_row() -> None:  # frictionlessdata/frictionless-py#1048: 68 rows of 100 gone
    rows = [f'{i},"text {i}",{LABELS[i % 3]}' for i in range(100)]
    rows[34] = '34,"text 34,财经'
    table = stretch_of("id,note,label\n" + "\n".join(rows))
    layout = survey([table], Options())
    assert not isinstance(layout, Refused)
    records = frame(table, layout, Options())[0].records
    assert records.height == 100
    assert records["_repair"].drop_nulls().to_list() == ["quote_literal"]


def test_text_in_quotes_may_look_like_records_with_quotes_of_its_own() -> None:
    body = '一\n编后:""以上数字,均为初步统计""'
    assert placed(f'"""t""","{body}",体育') == [(('"t"', body.replace('""', '"'), "体育"), None, None)]


@pytest.mark.parametrize(
    ("line", "kinds"),
    [("合计,30", ["footer"]), ("共 30 条", ["footer"]), ("30 rows", ["footer"]), ("Total: 30,,", []), ("完", [])],
)
def test_totals_after_the_last_record_are_a_footer(line: str, kinds: list[str]) -> None:
    rows = lines_of("\n".join(["title,body,label", *GOOD, "", line, ""]))
    table = of_table(rows)
    layout = survey([table], Options())
    assert not isinstance(layout, Refused)
    found = frame(table, layout, Options())[0].structural["_kind"].to_list()
    assert found == ["header", "blank", *kinds]
    assert placed(line) == placed(line, line)[:1]
    assert "footer" not in frame(of_table(rows[:-1].vstack(rows[1:3])), layout, Options())[0].structural["_kind"]


def quoted(i: int, n: int) -> str:
    """A line of n fields in quotes, a comma in each."""
    return ",".join(f'"{chr(97 + k)} {i}, x"' for k in range(n))


def problems(*lines: str) -> list[str | None]:
    table = stretch_of("\n".join(lines) + "\n")
    layout = survey([table], Options())
    assert not isinstance(layout, Refused)
    records = frame(table, layout, Options())[0].records
    return records.sort("_line")["_problem"].to_list()


@pytest.mark.parametrize(
    "faulty", ['"a 3, x,"b 3, x","c 3, x"', '"a 3, x","b 3, x,"c 3, x"', '"a 3, x","b 3, x","c 3, x']
)
@pytest.mark.parametrize("n_faulty", [1, 2])
def test_a_field_in_quotes_is_not_torn_apart_to_mend_another(faulty: str, n_faulty: int) -> None:
    good = [quoted(i, 3) for i in range(40)]
    found = problems("title,body,note", *good[:20], *[faulty] * n_faulty, *good[20:])
    assert found[:20] == [None] * 20
    assert found[-20:] == [None] * 20
    assert set(found[20:-20]) <= {"quote_garbage", "quote_unterminated"}


@pytest.mark.parametrize("n_faulty", [1, 2, 4])
def test_few_lines_with_stray_quotes_do_not_make_quotes_text(n_faulty: int) -> None:
    good, faulty = (
        [quoted(i, 3) for i in range(9 - n_faulty)],
        [quoted(i, 3).replace(' x"', " x", 1) for i in range(n_faulty)],
    )
    found = problems("title,body,note", *good, *faulty)
    assert found == [None] * (9 - n_faulty) + ["quote_garbage"] * n_faulty


def test_a_reading_of_stray_quotes_fits_the_closed_columns() -> None:
    assert placed('"a, x,"b, y","财经"') == [(None, None, "quote_garbage")]


def test_stray_quotes_among_fields_in_quotes_take_hardly_longer() -> None:
    header, took, draw = ",".join(f"c{k}" for k in range(12)), [], random.Random(1)
    for share in (0, 0.07):
        fields = [[f'"{"".join(draw.choices("abcdefg", k=9))}, x"' for _ in range(12)] for _ in range(300)]
        for each in fields:
            if draw.random() < share:
                k = draw.randrange(12)
                each[k] = each[k][:-1]
        began = time.process_time()
        problems(header, *map(",".join, fields))
        took.append(time.process_time() - began)
    assert took[1] < 10 * took[0] + 0.5
