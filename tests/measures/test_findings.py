import pytest

from cleanse.measures.findings import MAX_NAME, brief, findings, pointer
from cleanse.measures.thresholds import THRESHOLDS, grade


@pytest.mark.parametrize(
    ("id", "value", "want"),
    [
        ("class_ratio", 2.99, None), ("class_ratio", 3, "notice"), ("class_ratio", 10, "warn"),
        ("class_ratio", 50, "severe"),
        ("class_majority", 0.9, "notice"), ("class_majority", 0.9001, "warn"),
        ("class_rare_rows", 6, "warn"), ("class_rare_rows", 5, "severe"), ("class_rare_rows", 1000, None),
        ("class_single", 1, "severe"), ("class_single", 2, None),
        ("leak_synthetic", 0, None), ("leak_synthetic", 1, "severe"),
        ("length_tail", 2, None), ("length_tail", 1.9, "warn"), ("length_tail", 0.9, "severe"),
    ],
)  # fmt: skip
def test_a_figure_is_graded_at_its_limits(id: str, value: float, want: str | None) -> None:
    found = grade(id, value, {})
    assert (found and found[0]) == want


def test_the_settings_move_a_limit_and_switch_a_grade_off() -> None:
    assert grade("class_ratio", 60, {"class_ratio": (100, None, None)}) is None
    assert grade("class_ratio", 60, {"class_ratio": (None, 20, None)}) == ("warn", 20)


def test_every_threshold_grows_in_its_own_direction() -> None:
    for threshold in THRESHOLDS.values():
        limits = [limit for limit in threshold.limits if limit is not None]
        assert limits == sorted(limits, reverse="<" in threshold.passes)


def test_a_pointer_escapes_what_a_label_may_hold() -> None:
    assert pointer("classes", "a/b~c", '"') == '/classes/a~1b~0c/"'


@pytest.mark.parametrize(("n", "want"), [(0, 0), (39, 39), (MAX_NAME, MAX_NAME), (MAX_NAME + 1, MAX_NAME)])
def test_a_label_is_no_longer_than_a_sentence_bears(n: int, want: int) -> None:
    found = brief("标" * n)
    assert len(found) == want
    assert found.endswith("…") == (n > MAX_NAME)


@pytest.mark.parametrize(("rows", "kept", "want"), [(1, 0, 0), (4, 0, 0), (5, 0, 1), (10, 5, 1), (5, 1, 0)])
def test_a_class_is_eaten_when_enough_of_its_rows_went(rows: int, kept: int, want: int) -> None:
    labels = {"rare": {"in": rows, "kept": kept, "lost_share": 1 - kept / rows}}
    stages = [{"stage": "check", "rows_in": 1000, "kept": 990, "labels": labels}]
    absent = {"available": False, "reason": "empty"}
    leaks = {"text": absent, "group": absent, "synthetic_outside_train": 0}
    others = {"classes": absent, "shards": absent, "drift": {"shard": absent, "split": absent}, "leaks": leaks}
    empty: dict[str, dict[str, object]] = {"lengths": {}, "features": {}, "keys": {}, "plans": {}}
    found = findings({**others, **empty, "cleaning": {"available": True, "stages": stages}}, {})
    assert [each["id"] for each in found] == ["cleaning_class_loss"] * want
