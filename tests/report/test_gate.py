"""The verdict as a pure function: every bound at its limit and beside it, and every way of not being measured."""

from collections.abc import Mapping
from typing import Any

import pytest

from cleanse.report.gate import Judged, exit_code, judge
from cleanse.settings import GateSettings

METRICS: dict[str, int | float] = {
    "rows.out": 10,
    "rows.reject_rate": 0.1,
    "check.rows_in": 12,
    "check.rejected.title_short": 2,
    "decode.encodings": 1,
    "decode.encoding_share.utf-8": 1.0,
    "skew.classes.k": 2,
    "out.labels": 0,
}


def one(gate: GateSettings, metrics: Mapping[str, Any] = METRICS, then: Mapping[str, Any] | None = None) -> Judged:
    """The result of a single gate, the built-in one left out."""
    (found,) = judge(metrics, [gate], ["cleanse.yaml:3"], then, allow_empty=True).gates
    return found


@pytest.mark.parametrize(
    ("bound", "limit", "result"),
    [
        *[("max", 0.0999, "fail"), ("max", 0.1, "pass"), ("max", 0.1001, "pass")],
        *[("min", 0.0999, "pass"), ("min", 0.1, "pass"), ("min", 0.1001, "fail")],
    ],
)
def test_bounds_are_inclusive_and_compared_exactly(bound: str, limit: float, result: str) -> None:
    given: Any = {bound: limit}
    assert one(GateSettings("rows.reject_rate", **given)).result == result


@pytest.mark.parametrize(
    ("bound", "limit", "now", "then", "result"),
    [
        *[("max_decrease", 0.1, 180, 200, "pass"), ("max_decrease", 0.1, 179, 200, "fail")],
        *[("max_decrease", 0.1, 500, 200, "pass"), ("max_increase", 0.1, 100, 200, "pass")],
        *[("max_increase", 0.1, 220, 200, "pass"), ("max_increase", 0.1, 221, 200, "fail")],
        *[("max_increase", 9.0, 1, 0, "fail"), ("max_increase", 9.0, 0, 0, "pass"), ("max_decrease", 0, 0, 0, "pass")],
        *[("max_change", 0.25, 0.5, 0.25, "pass"), ("max_change", 0.25, 0.25, 0.5, "pass")],
        *[("max_change", 0.25, 0.51, 0.25, "fail"), ("max_change", 0.25, 0.24, 0.5, "fail")],
        *[("max_increase", 0.5, -1, -2, "pass"), ("max_increase", 0.4, -1, -2, "fail")],
    ],
)
def test_a_change_is_judged_against_the_baseline(
    bound: str, limit: float, now: float, then: float, result: str
) -> None:
    given: Any = {bound: limit}
    found = one(GateSettings("rows.out", **given), {"rows.out": now}, {"rows.out": then})
    assert (found.result, found.baseline) == (result, then)


@pytest.mark.parametrize(
    ("metric", "observed"),
    [
        *[
            ("check.rejected.title_short", 2),
            ("check.rejected.body_short", 0),
            ("strip.rejected.empty_after_strip", None),
        ],
        *[("decode.encoding_share.big5", 0), ("skew.classes.shares.a.b c'\n", 0), ("rows.added", None)],
        *[("out.labels", 0), ("check.rejected", None)],
    ],
)
def test_what_did_not_occur_is_0_where_it_was_measured_at_all(metric: str, observed: float | None) -> None:
    assert one(GateSettings(metric, min=0)).observed == observed


@pytest.mark.parametrize(
    ("if_missing", "severity", "result"),
    [("fail", "error", "fail"), ("fail", "warn", "warn"), ("skip", "error", "skip")],
)
def test_a_number_that_was_not_measured(if_missing: Any, severity: Any, result: str) -> None:
    found = one(GateSettings("rows.added", max=1, if_missing=if_missing, severity=severity))
    assert (found.result, found.note, found.observed) == (result, "not measured", None)


@pytest.mark.parametrize(
    ("gate", "then", "result", "note"),
    [
        (GateSettings("drift.label.psi", max=0.1), None, "skip", "no baseline"),
        (GateSettings("drift.label.psi", max=0.1), {"rows.out": 1}, "fail", "not measured"),
        (GateSettings("rows.out", max_decrease=0.1), None, "skip", "no baseline"),
        (GateSettings("rows.out", max_decrease=0.1), {"rows.in": 1}, "skip", "not in the baseline"),
        (GateSettings("rows.out", min=11, max_decrease=0.1), None, "fail", "10 is below 11"),
        (GateSettings("rows.out", max=9, max_change=1), {"rows.out": 5}, "fail", "10 is above 9; 10 is 5 away from 5"),
    ],
)
def test_the_first_run_of_a_branch_has_no_baseline(gate: GateSettings, then: Any, result: str, note: str) -> None:
    found = one(gate, METRICS, then)
    assert (found.result, found.note) == (result, note)


def test_a_note_shows_as_many_digits_as_are_needed_to_see_why() -> None:
    assert one(GateSettings("rows.reject_rate", max=0.1), {"rows.reject_rate": 0.1004}).note == "0.1004 is above 0.1"


FAIL, WARN = GateSettings("rows.out", max=1), GateSettings("rows.out", max=2, severity="warn")
PASS = GateSettings("rows.out", max=99)


@pytest.mark.parametrize(
    ("gates", "word", "codes"),
    [
        ([], "passed", (0, 0, 0)),
        ([PASS], "passed", (0, 0, 0)),
        ([WARN, PASS], "warned", (0, 1, 0)),
        ([PASS, FAIL, WARN], "failed", (1, 1, 0)),
    ],
)
def test_the_exit_code_follows_from_the_verdict_and_fail_on(gates: Any, word: str, codes: tuple[int, ...]) -> None:
    verdict = judge(METRICS, gates, ["x"] * len(gates))
    assert verdict.word == word
    assert (exit_code(verdict, "error"), exit_code(verdict, "warn"), exit_code(verdict, "never")) == codes


@pytest.mark.parametrize(
    ("rows", "allow_empty", "codes"), [(0, False, (1, 1)), (0, True, (0, 0)), (1, False, (0, 0)), (None, False, (0, 0))]
)
def test_an_empty_result_fails_whatever_fail_on_says(
    rows: int | None, allow_empty: bool, codes: tuple[int, int]
) -> None:
    metrics = {} if rows is None else {"rows.out": rows}
    verdict = judge(metrics, [], [], allow_empty=allow_empty)
    assert (exit_code(verdict, "error"), exit_code(verdict, "never")) == codes


def test_failed_gates_come_first_each_kind_in_the_order_of_the_config() -> None:
    skipped = GateSettings("rows.added", max=1, if_missing="skip")
    gates = [PASS, skipped, WARN, FAIL, GateSettings("rows.out", max=3)]
    verdict = judge(METRICS, gates, list("abcde"), allow_empty=True)
    assert [(gate.result, gate.where) for gate in verdict.gates] == [
        *[("fail", "d"), ("fail", "e"), ("warn", "c"), ("skip", "b"), ("pass", "a")]
    ]
    tree = verdict.as_json()
    assert {name: tree[name] for name in ("verdict", "failed", "warned", "skipped", "passed")} == {
        "verdict": "failed", "failed": 2, "warned": 1, "skipped": 1, "passed": 1,
    }  # fmt: skip
