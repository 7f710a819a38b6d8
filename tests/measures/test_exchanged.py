from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures import roles, swapped
from cleanse.measures.exchanged import FEW, MOST, WHOLE, share, undone

COPIES = 10
LENGTH = st.integers(0, 200)


def column(values: list[tuple[int, bool]]) -> dict[str, Any]:
    """The counts of a column from the length of each value and whether it ends in a sentence mark."""
    return {"n": len(values), "lengths": dict(Counter(at for at, _ in values)), "ends": sum(end for _, end in values)}


def exchanged(rows: list[tuple[tuple[int, bool], tuple[int, bool]]], n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two columns: each row stands there COPIES times, in `n` of them with its values exchanged."""
    pairs = [pair[::-1] if copy < n else pair for pair in rows for copy in range(COPIES)]
    return column([one for one, _ in pairs]), column([other for _, other in pairs])


CELL = st.tuples(LENGTH, st.booleans())
ROWS = st.lists(st.tuples(CELL, CELL), min_size=1, max_size=20)


@given(ROWS, st.integers(0, COPIES // 2 - 1))
def test_no_more_rows_are_exchanged_than_the_share_says(
    rows: list[tuple[tuple[int, bool], tuple[int, bool]]], n: int
) -> None:
    one, other = exchanged(rows, n)
    assert share(one, other) == share(other, one) <= MOST
    assert share(one, other) >= n * WHOLE // COPIES
    assert share(one, other) == 0 or share(one, other) > FEW


@given(ROWS, st.integers(0, COPIES // 2 - 1))
def test_what_was_exchanged_is_undone(rows: list[tuple[tuple[int, bool], tuple[int, bool]]], n: int) -> None:
    before, (one, other) = column([cell for cell, _ in rows]), exchanged(rows, n)
    found = undone(one, other, n * WHOLE // COPIES)
    scale = found["n"] // before["n"]
    assert {at: rows for at, rows in found["lengths"].items() if rows} == {
        at: rows * scale for at, rows in before["lengths"].items()
    }
    assert found["ends"] == before["ends"] * scale


def news(i: int) -> dict[str, str]:
    """A short title without a mark at its end, a body of one to six sentences."""
    sentences = ["参与者多为附近居民，年龄不等。", "相关费用由三方分担。", "试验数据将在下月发布。"]
    body = "".join(sentences[(i + k) % 3] for k in range(1 + i % 6))
    return {"title": "海带养殖户公布了新办法"[: 6 + i % 6] + str(i), "body": body, "label": "甲乙丙"[i % 3]}


@pytest.mark.parametrize("percent", [1, 10, 30])
def test_titles_and_bodies_that_changed_places_are_found_though_they_are_many(percent: int) -> None:
    rows, hit = [news(i) for i in range(1000)], [i for i in range(1000) if i * 37 % 100 < percent]
    for i in hit:
        rows[i] = {**rows[i], "title": rows[i]["body"], "body": rows[i]["title"]}
    frame = pl.DataFrame(rows)
    facts = roles.finish(roles.tally(frame, frame.columns))
    assert [verdict.row for verdict in swapped.judge(frame, facts, 6.0)] == hit


@pytest.mark.parametrize(("percent", "cover"), [(0, 1.0), (30, 0.7)])
def test_labels_are_known_where_longer_values_of_another_column_stand_among_them(percent: int, cover: float) -> None:
    rows, hit = [news(i) for i in range(1000)], [i for i in range(1000) if i * 37 % 100 < percent]
    for i in hit:
        rows[i] = {**rows[i], "title": rows[i]["label"], "label": rows[i]["title"]}
    frame = pl.DataFrame(rows)
    facts = roles.finish(roles.tally(frame, frame.columns))
    look = facts["columns"]["label"]
    assert (look["kind"], look["words"], look["cover"]) == ("vocab", ["丙", "乙", "甲"], cover)
    assert [verdict.row for verdict in swapped.judge(frame, facts, 6.0) if verdict.move] == hit


def test_a_column_of_many_longer_values_is_no_vocabulary_that_others_are_judged_by() -> None:
    rows = [
        {**news(i), "label": "甲" if i % 10 < 6 else f"一个很长的标签，谁也没有见过，编号是{i}"} for i in range(1000)
    ]
    frame = pl.DataFrame(rows)
    facts = roles.finish(roles.tally(frame, frame.columns))
    assert facts["columns"]["label"]["cover"] == 0.6
    assert swapped.judge(frame, facts, 6.0) == []
