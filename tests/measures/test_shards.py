import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.shards import spread


@pytest.mark.parametrize(
    ("loads", "slowdown", "idle"),
    [([100, 20, 20, 20], 2.5, 0.6), ([5], 1.0, 0.0), ([5, 5, 5], 1.0, 0.0), ([7, 0], 2.0, 0.5), ([0, 0], None, None)],
    ids=["one straggler", "one shard", "even", "an empty shard", "all empty"],
)
def test_what_the_largest_shard_costs(loads: list[int], slowdown: float | None, idle: float | None) -> None:
    found = spread(loads)
    assert (found["max_over_mean"], found["idle_share"]) == (slowdown, idle)
    assert (found["sum"], found["min"], found["max"]) == (sum(loads), min(loads), max(loads))


@given(loads=st.lists(st.integers(0, 2**60), min_size=1, max_size=9).filter(any))
def test_the_slowdown_lies_between_one_and_the_number_of_shards(loads: list[int]) -> None:
    found = spread(loads)
    assert 1 <= found["max_over_mean"] <= len(loads)
    assert 0 <= found["idle_share"] <= (len(loads) - 1) / len(loads)
    assert found == spread(sorted(loads))
