from contextlib import nullcontext
from typing import Any

import polars as pl
import pytest
from checking import BODY, TITLE, checked, corpus, learnt, text
from tables import records

from cleanse.errors import ConfigError
from cleanse.settings import CheckSettings, OwnRule, Settings
from cleanse.stages import check


def reason(row: dict[str, Any], **settings: Any) -> str | None:
    """The `_reason` of one row, None when it is kept."""
    outcome = checked({name: [value] for name, value in row.items()}, **settings)
    return None if outcome.kept.height else outcome.rejected["_reason"].item()


def flags(row: dict[str, Any], **settings: Any) -> str | None:
    """The `_flags` of one row that is kept."""
    found: str | None = checked({name: [value] for name, value in row.items()}, **settings).kept["_flags"].item()
    return found


@pytest.mark.parametrize(
    ("title", "want"),
    [
        pytest.param(text(9), "title_short", id="min-1"),
        pytest.param(text(10), None, id="min"),
        pytest.param(text(60), None, id="max"),
        pytest.param(text(61), "title_long", id="max+1"),
        pytest.param(text(60) + "  \u3000", None, id="blanks at the end do not count"),
        pytest.param("  " + text(9), "title_short", id="blanks at the start do not count"),
        pytest.param("e\u0301" * 5, None, id="code points, not clusters"),
        pytest.param(None, "title_missing", id="null"),
        pytest.param("", "title_missing", id="empty"),
        pytest.param("\u200b" * 20, "title_missing", id="nothing visible"),
    ],
)
def test_titles_are_measured_in_characters(title: str | None, want: str | None) -> None:
    assert reason({"title": title, "body": BODY}) == want


@pytest.mark.parametrize(
    ("body", "want"),
    [(text(49), "body_short"), (text(50), None), (text(51), None), (None, "body_missing"), ("", "body_missing")],
)
def test_bodies_have_a_minimum(body: str | None, want: str | None) -> None:
    assert reason({"title": TITLE, "body": body}) == want


@pytest.mark.parametrize(("n", "want"), [(99, None), (100, None), (101, "body_long")])
def test_a_body_maximum_is_inclusive(n: int, want: str | None) -> None:
    assert reason({"title": TITLE, "body": text(n)}, body_max=100) == want


def test_a_null_bound_is_no_bound() -> None:
    assert reason({"title": "短", "body": "短"}, title_min=None, title_max=None, body_min=None) is None


@pytest.mark.parametrize(
    "title",
    [
        "【无标题】",
        "Untitled",
        " NO TITLE ",
        "2024-11-30",
        "——————",
        "👍🏽👍🏽",
        "https://example.com/a/b?c",
        "n/a",
        "(test)",
    ],
)
def test_a_title_that_is_none_is_told_before_its_length(title: str) -> None:
    assert reason({"title": title, "body": BODY}) == "title_placeholder"
    assert reason({"title": f"{title} 的来历与今天的用法", "body": BODY}) is None


def test_the_list_of_placeholders_is_the_users() -> None:
    assert reason({"title": "Lorem ipsum.", "body": BODY}, placeholders=("lorem ipsum",)) == "title_placeholder"
    assert reason({"title": "untitled", "body": BODY}, placeholders=(), title_min=None) is None


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param(text(97) + "\ufffd" * 2, None, id="two replacement characters"),
        pytest.param(text(97) + "\ufffd" * 3, "text_replacement", id="three, above 2 %"),
        pytest.param(text(190) + "\ufffd" * 3, None, id="three, below 2 %"),
        pytest.param(text(60) + "锟斤拷", None, id="quoted once"),
        pytest.param(text(60) + "锟斤拷" * 3, "text_mojibake", id="three times"),
        pytest.param("Ã©Ã¨Ã§" + text(44), "text_mojibake", id="UTF-8 read as Latin-1"),
        pytest.param("ÃÂ" + text(50), None, id="capitals"),
        pytest.param(text(60) + "\x01\x7f\x9f", "text_control", id="controls"),
        pytest.param(text(60) + "\t\n\r" * 9 + "\u2028\x0b\x0c" + text(40), None, id="line ends are no damage"),
        pytest.param(text(50) + "哈" * 30, "text_repeated", id="a run"),
        pytest.param(text(50) + "哈" * 9, None, id="no run"),
        pytest.param(text(50) + " " * 90 + "x", None, id="a run of blanks"),
        pytest.param("哈" * 200, "text_repeated", id="nothing but a run"),
        pytest.param(text(50) + "\n----------\n" + text(20), None, id="a rule under a heading"),
        pytest.param(text(30) + "#$" * 30, "text_symbols", id="symbols"),
        pytest.param(text(40) + "#$" * 20, None, id="half of them"),
    ],
)
def test_damaged_text_is_told_by_its_share(body: str, want: str | None) -> None:
    assert reason({"title": TITLE, "body": body}) == want
    off = {f"max_{name}_share": None for name in ("replacement", "mojibake", "control", "repeated", "symbol")}
    assert reason({"title": TITLE, "body": body}, **off) is None


@pytest.mark.parametrize(
    ("label", "settings", "want"),
    [
        (" 财经 ", {"label_values": ("财经",)}, None),
        ("体育", {"label_values": ("财经",)}, "label_unknown"),
        (None, {"label_values": ("财经",)}, None),
        (None, {"label_required": True}, "label_missing"),
        ("  ", {"label_required": True}, "label_missing"),
        ("x", {}, None),
    ],
)
def test_labels_are_compared_never_corrected(label: str | None, settings: dict[str, Any], want: str | None) -> None:
    assert reason({"title": TITLE, "body": BODY, "label": label}, **settings) == want


def test_what_is_not_required_or_not_refused_is_flagged() -> None:
    row = {"title": None, "body": BODY, "label": None}
    assert flags(row, title_required=False) == "title_missing+label_missing"
    assert flags({**row, "title": TITLE, "label": "x"}, label_values=("y",), label_unknown="keep") == "label_unknown"
    assert flags({"title": TITLE, "body": text(60)}, over_long_limit=59) == "body_over_long"
    assert flags({"title": TITLE, "body": text(60), "_flags": "body_over_long"}, over_long_limit=9) == "body_over_long"


def test_a_problem_of_framing_comes_before_all_other_reasons() -> None:
    assert reason({"title": None, "body": None, "_problem": "fields_missing", "_fields": 2}) == "fields_missing"


def test_the_detail_names_figure_limit_and_the_other_rules_hit() -> None:
    rejected = checked({"title": [text(7)], "body": ["短"]}).rejected
    assert rejected["_detail"].item() == "7 characters, at least 10; also body_short"


def test_title_rules_are_off_for_plain_text_and_for_a_corpus_without_titles() -> None:
    assert reason({"title": None, "body": BODY, "_flags": "untitled"}) is None
    assert reason({"body": BODY}) is None


def test_kept_rows_are_untouched_and_rejected_rows_keep_all_columns_in_order() -> None:
    columns: dict[str, list[Any]] = {
        "title": [TITLE, "短", TITLE, None],
        "body": [BODY, BODY, "短", BODY],
        "n": ["1", "2", "3", "4"],
    }
    outcome, frame = checked(columns), records(columns)
    assert outcome.kept.equals(frame[:1])
    assert outcome.rejected.drop("_reason", "_detail").equals(frame[1:])


def test_bodies_are_cut_after_a_sentence_and_noted() -> None:
    body = f"{text(30)}。{text(30)}。"
    outcome = checked({"title": [TITLE, TITLE], "body": [body, BODY]}, over_long="truncate", over_long_limit=50)
    assert outcome.kept["body"].to_list() == [f"{text(30)}。", BODY]
    assert outcome.kept["_repair"].to_list() == ["body_truncated", None]
    assert (outcome.changed["body_truncated"], outcome.changed["chars_truncated"]) == (1, 31)


def test_bodies_are_split_into_rows_that_add_up() -> None:
    body = f"{text(40)}。" * 3
    outcome = checked({"title": [TITLE, TITLE], "body": [body, BODY]}, over_long="split", over_long_limit=50)
    assert outcome.added == 2
    assert "".join(outcome.kept["body"][:3]) == body
    assert [row[-2:] for row in outcome.kept["_id"]] == [".1", ".2", ".3", ":2"]
    assert outcome.kept["_repair"].to_list() == ["body_split"] * 3 + [None]
    again = check.apply(
        outcome.kept, Settings(check=CheckSettings(over_long="split", over_long_limit=50, body_min=0)), {}
    )
    assert again.kept.equals(outcome.kept)


def test_an_over_long_body_may_be_rejected() -> None:
    assert reason({"title": TITLE, "body": text(60)}, over_long="reject", over_long_limit=60) is None
    assert reason({"title": TITLE, "body": text(61)}, over_long="reject", over_long_limit=60) == "body_over_long"


def test_own_rules_reject_or_flag_and_null_is_bad() -> None:
    rules = (OwnRule("odd_price", "price > 10"), OwnRule("about_rain", "body LIKE '%雨%'", "flag"))
    columns: dict[str, list[Any]] = {"title": [TITLE] * 3, "body": [BODY, BODY + "雨", BODY], "price": [1, 2, None]}
    outcome = checked(columns, rules=rules)
    assert outcome.rejected.select("price", "_reason").rows() == [(None, "odd_price")]
    assert outcome.kept["_flags"].to_list() == [None, "about_rain"]
    assert outcome.changed["flag_about_rain"] == 1


def test_a_faulty_rule_is_an_error_of_the_settings() -> None:
    for name, sql in (("Bad", "1 = 1"), ("title_short", "1 = 1"), ("ok", "1 = = 1"), ("ok", "body LIKE")):
        with pytest.raises(ValueError, match="rule"):
            OwnRule(name, sql)
    settings = Settings(check=CheckSettings(rules=(OwnRule("no_price", "price > 10"),)))
    with pytest.raises(ConfigError, match="no column price"):
        check.accepts(settings, dict.fromkeys(["title", "body"], pl.String()))
    with pytest.raises(ConfigError, match=r"rule-faulty.*no_sum"):
        check.accepts(Settings(check=CheckSettings(rules=(OwnRule("no_sum", "body > 2"),))), {"body": pl.String()})
    with pytest.raises(ConfigError, match="rule-faulty"):
        checked({"title": [TITLE], "body": [BODY]}, rules=(OwnRule("no_sum", "body + 1 > 2"),))


SEVERAL_ROWS = [
    "LENGTH(body) > AVG(LENGTH(body))", "COUNT(*) > 5", "SUM(n) > 5", "MIN(n) = 1", "FIRST(n) = 1", "STDDEV(n) > 1",
    "ROW_NUMBER() OVER () > 1", "RANK() OVER (ORDER BY n) > 1", "COUNT(DISTINCT label) > 1", "MEDIAN(n) > 1",
    "LAG(n) OVER (ORDER BY n) > 1", "SUM(n) OVER (PARTITION BY label) > 5", "SUM(n) OVER (ORDER BY n) > 1",
    "QUANTILE_CONT(n, 0.5) > 1", "COVAR(n, n) > 1", "CORR(n, n) > 1", "ARRAY_AGG(n)[0] > 1", "n = 1 OR MAX(n) = n",
]  # fmt: skip
ONE_ROW = [
    "title = 'Len' OR title = 'Agg'", "\"Len\" = 'Over'", "n IN (1, 2)", "n BETWEEN 1 AND 2", "COALESCE(n, 0) > 1",
    "CASE WHEN n > 1 THEN TRUE ELSE FALSE END", "GREATEST(n, 2) > 1", "ARRAY_LENGTH(tags) > 1", "ARRAY_SUM(tags) > 1",
    "regexp_like(title, 'a')", "SUBSTR(title, 1, 2) = 'x'", "TRY_CAST(title AS INT) > 1", "title IS NULL", "1 = 1",
    "CONCAT(title, body) = 'x'", "REVERSE(title) = 'x'", "POW(n, 2) > 4", "n % 2 = 0", "ARRAY_UNIQUE(tags) IS NULL",
]  # fmt: skip


@pytest.mark.parametrize(("sqls", "is_taken"), [(SEVERAL_ROWS, False), (ONE_ROW, True)])
def test_a_rule_asks_one_row_for_a_part_is_not_the_corpus(sqls: list[str], is_taken: bool) -> None:
    for sql in sqls:
        with nullcontext() if is_taken else pytest.raises(ValueError, match="rule x: an aggregate or a window"):
            OwnRule("x", sql)


@pytest.mark.parametrize(
    "settings",
    [
        {"title_min": 61},
        {"over_long": "split"},
        {"over_long_unit": "token"},
        {"rules": (OwnRule("a", "1 = 1"), OwnRule("a", "1 = 1"))},
    ],
)
def test_settings_that_need_or_contradict_others_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"title_min 61 is above title_max 60|needs|two rules"):
        CheckSettings(**settings)


def test_labels_may_be_inferred() -> None:
    columns, _ = corpus(300, 0)
    columns["label"][8] = "新"
    settings = Settings(check=CheckSettings(label_values="infer"))
    outcome = checked(columns, learnt(columns, settings), label_values="infer")
    assert outcome.rejected.select("_record", "_reason").rows() == [(9, "label_unknown")]


@pytest.mark.parametrize(("labels", "said"), [("a", 0), ("each its own", 1)])
def test_labels_that_are_no_vocabulary_are_told(labels: str, said: int) -> None:
    columns, _ = corpus(60, 0)
    columns["label"] = [labels if labels == "a" else f"{labels} {i}" for i in range(60)]
    s = Settings(check=CheckSettings(label_values="infer"))
    assert len(check.notes(s, learnt(columns, s))) == said
