import json
from itertools import permutations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.measures import roles, swapped

NAMES = ("title", "body", "label")
LABELS = ("财经", "体育", "健康")


def row(i: int) -> dict[str, str]:
    title = "天气很好公园散步苹果" * 2
    return {"title": title[: 10 + i * 5 % 11], "body": "我们去公园" * (16 + i * 7 % 23) + "。", "label": LABELS[i % 3]}


def table(n: int, shifted: dict[int, tuple[str, ...]] | None = None) -> pl.DataFrame:
    """n rows; in those of `shifted` each column of NAMES has the value of another."""
    rows = [row(i) for i in range(n)]
    for i, order in (shifted or {}).items():
        rows[i] = {name: rows[i][source] for name, source in zip(NAMES, order, strict=True)}
    return pl.DataFrame(rows)


def learnt(frame: pl.DataFrame) -> roles.Facts:
    return roles.finish(roles.tally(frame, frame.columns))


@pytest.mark.parametrize("order", [order for order in permutations(NAMES) if order != NAMES], ids=">".join)
@pytest.mark.parametrize("step", [300, 33, 4, 3], ids=["0.3 %", "3 %", "25 %", "33 %"])
def test_every_shift_is_found_and_nothing_else(order: tuple[str, ...], step: int) -> None:
    shifted = dict.fromkeys(range(9, 900, step), order)
    frame = table(900, shifted)
    found = swapped.judge(frame, learnt(frame), 6.0)
    assert [verdict.row for verdict in found] == list(shifted)
    for verdict in found:
        back = dict(frame.row(verdict.row, named=True))
        back |= {to: frame[source][verdict.row] for source, to in verdict.move}
        assert back == row(verdict.row)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"label": "新"}, id="a new short label"),
        pytest.param({"body": "好"}, id="a body of one word"),
        pytest.param({"body": "财经"}, id="a body that is a label"),
        pytest.param({"title": "天气很好" * 15, "body": "短。"}, id="a title longer than its body"),
        pytest.param({"title": "公园" * 40}, id="a long title"),
    ],
)
def test_odd_rows_in_order_are_left_alone(odd: dict[str, str]) -> None:
    frame = pl.concat([table(600), pl.DataFrame([{**row(0), **odd}])])
    assert swapped.judge(frame, learnt(frame), 6.0) == []


def test_a_long_value_in_a_vocabulary_is_named_without_a_proposal() -> None:
    frame = pl.concat([table(600), pl.DataFrame([{**row(0), "label": "我们去公园" * 30}])])
    found = swapped.judge(frame, learnt(frame), 6.0)
    assert [(verdict.row, verdict.move) for verdict in found] == [(600, ())]
    assert learnt(frame)["columns"]["label"]["words"] == sorted(LABELS)


@pytest.mark.parametrize(("n", "names"), [(29, []), (30, list(NAMES)), (31, list(NAMES))])
def test_a_few_rows_teach_nothing(n: int, names: list[str]) -> None:
    facts = learnt(table(n))
    assert (facts["n"], sorted(facts["columns"])) == (n, sorted(names))


def test_other_columns_count_when_they_are_closed_and_at_most_six_do() -> None:
    more = {f"id{i}": [f"N{n:03}" for n in range(60)] for i in range(4)}
    frame = table(60).with_columns(**{name: pl.Series(values) for name, values in more.items()}, free=pl.col("body"))
    facts = learnt(frame)
    assert [(name, look["kind"]) for name, look in facts["columns"].items()][2:] == [
        *[("label", "vocab"), ("id0", "pattern"), ("id1", "pattern"), ("id2", "pattern")]
    ]


@pytest.mark.parametrize(("different", "kept"), [(roles.MAX_DIFFERENT, True), (roles.MAX_DIFFERENT + 1, False)])
def test_an_overflow_stays_an_overflow(different: int, kept: bool) -> None:
    values = pl.DataFrame({"label": [f"w{i}" for i in range(different)]})
    halves = [roles.tally(half, ["label"]) for half in (values[: different // 2], values[different // 2 :])]
    whole = roles.tally(values, ["label"])
    assert (whole["label"]["values"] is not None) == kept
    assert roles.merge(*halves)["label"]["values"] == whole["label"]["values"]
    assert roles.merge(roles.merge(*halves), halves[0])["label"]["values"] is None or kept


def test_a_vocabulary_the_user_gives_wins() -> None:
    frame = table(60)
    facts = roles.finish(roles.tally(frame, frame.columns), ["b", "a"])
    assert facts["columns"]["label"] == {**facts["columns"]["label"], "kind": "vocab", "words": ["a", "b"]}


def test_nulls_teach_nothing_and_are_not_judged() -> None:
    frame = pl.concat([table(60, {3: ("title", "label", "body")}), pl.DataFrame([{**row(0), "label": None}])])
    assert [verdict.row for verdict in swapped.judge(frame, learnt(frame), 6.0)] == [3]


def _sorted(facts: Any) -> str:
    return json.dumps(facts, sort_keys=True)


@settings(deadline=None, max_examples=25)
@given(order=st.permutations(range(90)), size=st.sampled_from([1, 7, 90]))
def test_parts_and_their_order_do_not_change_the_facts(order: list[int], size: int) -> None:
    frame = table(90, {5: ("body", "title", "label")})
    shuffled = frame[list(order)]
    states = [roles.tally(shuffled[at : at + size], NAMES) for at in range(0, 90, size)]
    merged = states[0]
    for state in states[1:]:
        merged = roles.merge(state, merged)
    assert _sorted(roles.finish(merged)) == _sorted(learnt(frame))
