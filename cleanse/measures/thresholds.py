"""When a figure of skew becomes a finding: one table, which section `skew.thresholds` of the settings may change."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

GRADES = ("notice", "warn", "severe")
Limits = tuple[float | None, float | None, float | None]  # of each grade; None: never


@dataclass(frozen=True)
class Threshold:
    """A value is a finding of the last grade whose limit it passes."""

    passes: Literal[">", ">=", "<", "<="]
    limits: Limits
    unit: str


THRESHOLDS: Mapping[str, Threshold] = {
    "class_ratio": Threshold(">=", (3, 10, 50), "ratio"),
    "class_majority": Threshold(">", (0.75, 0.90, 0.99), "share"),
    "class_rare_rows": Threshold("<", (1000, 100, 6), "rows"),
    "class_evenness": Threshold("<", (0.8, 0.5, 0.25), "evenness"),
    "class_single": Threshold("<=", (None, None, 1), "classes"),
    "class_unlabelled": Threshold(">", (0, 0.01, 0.10), "share"),
    "length_tail": Threshold("<", (None, 2, 1), "alpha"),  # no variance, no mean
    "length_log_skewness": Threshold(">", (1, 2, None), "skewness"),
    "length_outliers": Threshold(">", (0.01, 0.05, None), "share"),
    "length_over": Threshold(">", (0.01, 0.05, 0.20), "share"),
    "length_cut": Threshold(">", (0.01, 0.05, 0.20), "share"),
    "padding": Threshold(">", (0.3, 0.6, 0.75), "share"),
    "feature_outliers": Threshold(">", (0.01, 0.05, None), "share"),
    "feature_zero": Threshold(">", (0.5, 0.9, 0.99), "share"),
    "key_hot": Threshold(">", (0.01, 0.05, 0.20), "share"),
    "key_null": Threshold(">", (0, 0.01, 0.05), "share"),
    "key_id_like": Threshold(">", (0.5, None, None), "share"),
    "shard_slowdown": Threshold(">", (1.1, 1.25, 2), "ratio"),
    "shard_idle": Threshold(">", (0.1, 0.2, 0.5), "share"),
    "shard_remainder": Threshold(">", (0.05, 0.1, 0.25), "share"),
    "shard_cv": Threshold(">", (0.1, 0.25, 0.5), "cv"),
    "drift_v": Threshold(">", (0.1, 0.15, 0.3), "cramers_v"),
    "drift_js": Threshold(">", (None, 0.1, 0.2), "js_distance"),
    "drift_psi": Threshold(">", (0.1, 0.2, 0.25), "psi"),
    "leak_text": Threshold(">", (None, 0, 0.01), "share"),
    "leak_group": Threshold(">", (None, 0, 0.01), "share"),
    "leak_synthetic": Threshold(">", (None, None, 0), "rows"),
    "cleaning_class_loss": Threshold(">", (0.02, 0.05, 0.20), "share"),
}


_PASSES = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


def grade(id: str, value: float, changed: Mapping[str, Limits]) -> tuple[str, float] | None:
    """The severity of a value and the limit it passed, None when it passed none. `changed`: limits by id instead.

    >>> grade("class_ratio", 10, {}), grade("class_ratio", 2.9, {})
    (('warn', 10), None)
    """
    threshold = THRESHOLDS[id]
    passed = None
    for name, limit in zip(GRADES, changed.get(id, threshold.limits), strict=True):
        if limit is not None and _PASSES[threshold.passes](value, limit):
            passed = name, limit
    return passed
