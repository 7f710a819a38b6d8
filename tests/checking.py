"""Rows for `check`, and what it makes of them."""

from typing import Any

from tables import records

from cleanse.settings import CheckSettings, Settings
from cleanse.stage import Facts, Outcome
from cleanse.stages import check

PROSE = "今天天气很好我们去公园散步回来时买了两斤苹果"
LABELS = ("财经", "体育", "健康")


def text(n: int) -> str:
    """A text of n letters without runs."""
    return (PROSE * (n // len(PROSE) + 1))[:n]


TITLE, BODY = text(10), text(50)


def checked(columns: dict[str, list[Any]], facts: Facts | None = None, **settings: Any) -> Outcome:
    frame = records(columns)
    outcome = check.apply(frame, Settings(check=CheckSettings(**settings)), facts or {})
    assert outcome.kept.height + outcome.rejected.height == frame.height + outcome.added
    return outcome


def corpus(n: int, shifted: int) -> tuple[dict[str, list[Any]], list[int]]:
    """n rows; of each `shifted` one has its label and body exchanged."""
    bad = list(range(7, n, shifted)) if shifted else []
    rows = [(text(15 + i % 9), f"{text(60 + i * 7 % 90)}。", LABELS[i % 3]) for i in range(n)]
    rows = [(t, lab, b) if i in bad else (t, b, lab) for i, (t, b, lab) in enumerate(rows)]
    return {name: [row[i] for row in rows] for i, name in enumerate(("title", "body", "label"))}, bad


def learnt(columns: dict[str, list[Any]], settings: Settings) -> Facts:
    (measure,) = check.STAGE.measures(settings)
    return {"roles": measure.finish(measure.tally(records(columns), settings, {}), settings, {})}
