import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.drift import drift


def test_groups_with_the_same_shares_do_not_drift() -> None:
    found = drift({"a": {"x": 1, "y": 3}, "b": {"x": 10, "y": 30}})
    assert found["chi2"] == pytest.approx(0, abs=1e-9)
    assert found["per"]["a"]["js_distance"] == pytest.approx(0, abs=1e-6)


def test_groups_without_a_common_label_drift_as_far_as_can_be() -> None:
    found = drift({"a": {"x": 5}, "b": {"y": 7}})
    assert found["cramers_v"] == pytest.approx(1)
    assert found["per"]["a"]["jsd_bits"] == pytest.approx(1)
    assert found["worst"] == {"name": "a", "js_distance": pytest.approx(1)}


@pytest.mark.parametrize(
    "tables",
    [{"a": {"x": 1, "y": 2}}, {"a": {"x": 1}, "b": {"x": 2}}, {"a": {"x": 1}, "b": {}}],
    ids=["one group", "one label", "a group without labels"],
)
def test_with_nothing_to_compare_there_is_no_drift(tables: dict[str, dict[str, int]]) -> None:
    found = drift(tables)
    assert (found["cramers_v"], found["df"]) == (0.0, 0)


@given(a=st.lists(st.integers(1, 99), min_size=2, max_size=5), b=st.integers(1, 99))
def test_two_groups_are_equally_far_from_each_other(a: list[int], b: int) -> None:
    one, other = {str(i): n for i, n in enumerate(a)}, {str(i): b for i in range(len(a))}
    per = drift({"a": one, "b": other})["per"]
    assert per["a"]["js_distance"] == pytest.approx(per["b"]["js_distance"])
    assert per["a"]["psi"] == pytest.approx(per["b"]["psi"])
