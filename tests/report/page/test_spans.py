from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.report.page.spans import MAX_UNITS, Span, diff, excerpt, redacted

TEXT = st.text("ab<>/p 天气\n&;", max_size=60)
LONG = MAX_UNITS + 1


def side(spans: list[Span], op: str) -> str:
    return "".join(text for kind, text in spans if kind in ("=", op))


@pytest.mark.parametrize(
    ("before", "after", "want"),
    [
        *[("", "", []), ("a", "a", [("=", "a")]), ("a", "", [("-", "a")]), ("", "a", [("+", "a")])],
        ("<b>天气</b>好", "天气好", [("-", "<b>"), ("=", "天气"), ("-", "</b>"), ("=", "好")]),
        ("aaa", "aa", [("=", "aa"), ("-", "a")]),
        ("锟斤拷", "今天", [("-", "锟斤拷"), ("+", "今天")]),
    ],
)
def test_what_stays_goes_and_comes(before: str, after: str, want: list[Span]) -> None:
    assert diff(before, after) == want


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<p>" + "今天天气很好，" * LONG + "</p>x<br>",
            "今天天气很好，" * LONG + "x",
        ),  # by characters at both ends only
        ("x" + "字，" * LONG + "y", "z" + "字，" * LONG + "w"),  # too many tokens: by lines
        ("".join(f"<i>{i}</i>\n" for i in range(LONG)), "".join(f"{i}\n" for i in range(LONG))),  # one block
        ("哈" * 4000, "哈" * 3000),
    ],
    ids=["ends", "lines", "block", "equal characters"],
)
def test_long_texts_are_compared_by_larger_units(before: str, after: str) -> None:
    spans = diff(before, after)
    assert (side(spans, "-"), side(spans, "+")) == (before, after)


@given(before=TEXT, after=TEXT)
def test_both_texts_can_be_read_out_of_one_stream(before: str, after: str) -> None:
    spans = diff(before, after)
    assert (side(spans, "-"), side(spans, "+")) == (before, after)
    assert all(one[0] != other[0] for one, other in pairwise(spans))


@given(before=TEXT, after=TEXT, limit=st.integers(1, 80))
def test_an_excerpt_is_one_stretch_of_both_texts_around_the_first_change(before: str, after: str, limit: int) -> None:
    spans = diff(before, after)
    shown, more = excerpt(spans, limit)
    total, seen = (sum(len(text) for _, text in each) for each in (spans, shown))
    assert seen + more == total
    assert seen == min(limit, total)
    assert side(shown, "-") in before
    assert side(shown, "+") in after
    assert not any(op != "=" for op, _ in spans) or any(op != "=" for op, _ in shown)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        *[
            ("11010519491231002X。", "█" * 18 + "。"),
            ("13800138000", "█" * 11),
            ("a.b+c@d-e.com.cn 来", "█" * 16 + " 来"),
        ],
        *[
            ("123456789", "█" * 9),
            ("12345678", "12345678"),
            ("2024-11-30", "2024-11-30"),
            ("第12800138000号", "第" + "█" * 11 + "号"),
        ],
    ],
)
def test_personal_data_is_masked_at_its_length(text: str, want: str) -> None:
    assert redacted(text) == want
