from typing import Any

import pytest
from tables import records

from cleanse.settings import CheckSettings, Settings
from cleanse.stages import check

BODY = "正" * 50
TITLE = "标" * 10


def reason(row: dict[str, Any], **settings: Any) -> str | None:
    """The `_reason` of one row, None when it is kept."""
    outcome = check.apply(records({k: [v] for k, v in row.items()}), Settings(check=CheckSettings(**settings)), {})
    assert outcome.kept.height + outcome.rejected.height == 1
    return None if outcome.kept.height else outcome.rejected["_reason"].item()


@pytest.mark.parametrize(
    ("title", "want"),
    [
        pytest.param("标" * 9, "title_short", id="min-1"),
        pytest.param("标" * 10, None, id="min"),
        pytest.param("标" * 60, None, id="max"),
        pytest.param("标" * 61, "title_long", id="max+1"),
        pytest.param("标" * 60 + "  \u3000", None, id="blanks at the end do not count"),
        pytest.param("  " + "标" * 9, "title_short", id="blanks at the start do not count"),
        pytest.param("👍🏽" * 5, None, id="code points, not clusters"),
        pytest.param(None, "title_missing", id="null"),
        pytest.param("", "title_missing", id="empty"),
        pytest.param("\u200b" * 20, "title_missing", id="nothing visible"),
    ],
)
def test_titles_are_measured_in_characters(title: str | None, want: str | None) -> None:
    assert reason({"title": title, "body": BODY}) == want


@pytest.mark.parametrize(
    ("body", "want"),
    [("正" * 49, "body_short"), ("正" * 50, None), ("正" * 51, None), (None, "body_missing"), ("", "body_missing")],
)
def test_bodies_have_a_minimum(body: str | None, want: str | None) -> None:
    assert reason({"title": TITLE, "body": body}) == want


@pytest.mark.parametrize(("n", "want"), [(99, None), (100, None), (101, "body_long")])
def test_a_body_maximum_is_inclusive(n: int, want: str | None) -> None:
    assert reason({"title": TITLE, "body": "正" * n}, body_max=100) == want


def test_a_null_bound_is_no_bound() -> None:
    assert reason({"title": "短", "body": "短"}, title_min=None, title_max=None, body_min=None) is None


def test_a_problem_of_framing_comes_before_all_other_reasons() -> None:
    assert reason({"title": None, "body": None, "_problem": "fields_missing", "_fields": 2}) == "fields_missing"


def test_the_detail_names_figure_limit_and_the_other_rules_hit() -> None:
    rejected = check.apply(records({"title": ["标" * 7], "body": ["短"]}), Settings(), {}).rejected
    assert rejected["_detail"].item() == "7 characters, at least 10; also body_short"


def test_title_rules_are_off_for_plain_text_and_for_a_corpus_without_titles() -> None:
    assert reason({"title": None, "body": BODY, "_flags": "untitled"}) is None
    assert reason({"body": BODY}) is None


def test_kept_rows_are_untouched_and_rejected_rows_keep_all_columns_in_order() -> None:
    frame = records({"title": [TITLE, "短", TITLE, None], "body": [BODY, BODY, "短", BODY], "n": ["1", "2", "3", "4"]})
    outcome = check.apply(frame, Settings(), {})
    assert outcome.kept.equals(frame[:1])
    assert outcome.rejected.drop("_reason", "_detail").equals(frame[1:])


def test_a_window_that_no_title_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="title_min 61 is above title_max 60"):
        CheckSettings(title_min=61)
