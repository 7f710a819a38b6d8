"""Laws over the row-wise stages, for any rows: none lost, the rest untouched, parts and order without effect."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import records

from cleanse.settings import Settings
from cleanse.stage import Outcome
from cleanse.stages import check, strip

PIECES = [
    "文",
    "天气很好。",
    "<p>",
    "</p>",
    "<!--",
    "<script>",
    "</script>",
    "&amp;",
    "a<b",
    "\n",
    " ",
    "版权所有 ICP",
    "\x00",
    "\u2028",
    "🙂",
]
TEXT = st.none() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "title": TEXT,
            "body": TEXT,
            "label": st.sampled_from(["a", "b", None]),
            "_problem": st.sampled_from([None, None, "json_syntax"]),
        }
    ),
    max_size=6,
)
LAW = settings(deadline=None, max_examples=40)  # strip compiles its patterns in every call: 40 ms
STAGES = {"strip": strip.apply, "check": check.apply}


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return records({name: [row[name] for row in rows] for name in ("title", "body", "label", "_problem")})


def by_id(outcome: Outcome) -> dict[str, tuple[Any, ...]]:
    kept, rejected = outcome.kept, outcome.rejected
    return {row[0]: row for frame in (kept, rejected) for row in frame.iter_rows()}


@pytest.mark.parametrize("stage", STAGES)
@LAW
@given(rows=ROWS)
def test_no_row_is_lost_or_made_up_and_order_stays(stage: str, rows: list[dict[str, Any]]) -> None:
    frame = table(rows)
    outcome = STAGES[stage](frame, Settings(), {})
    ids = [*outcome.kept["_id"], *outcome.rejected["_id"]]
    assert sorted(ids) == sorted(frame["_id"])
    assert outcome.kept["_record"].is_sorted()
    assert outcome.kept.schema == frame.schema
    assert outcome.rejected.columns == [*frame.columns, "_reason", "_detail"]


@pytest.mark.parametrize("stage", STAGES)
@LAW
@given(rows=ROWS)
def test_a_second_run_changes_nothing(stage: str, rows: list[dict[str, Any]]) -> None:
    once = STAGES[stage](table(rows), Settings(), {}).kept
    twice = STAGES[stage](once, Settings(), {})
    assert twice.kept.equals(once)
    assert twice.rejected.is_empty()


@pytest.mark.parametrize("stage", STAGES)
@LAW
@given(rows=ROWS, cut=st.integers(0, 6))
def test_part_size_and_row_order_do_not_change_a_row(stage: str, rows: list[dict[str, Any]], cut: int) -> None:
    frame = table(rows)
    whole = by_id(STAGES[stage](frame, Settings(), {}))
    parts: dict[str, tuple[Any, ...]] = {}
    for piece in (frame[:cut], frame[cut:], frame[:0]):
        parts |= by_id(STAGES[stage](piece.reverse(), Settings(), {}))
    assert parts == whole
