from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.sampling.packing import capacity, longest_first, ring

SIZES = st.dictionaries(st.integers(0, 65535), st.integers(0, 20), max_size=6)


@pytest.mark.parametrize(
    ("sizes", "n", "where", "loads"),
    [
        pytest.param({}, 3, {}, [0, 0, 0], id="nothing"),
        pytest.param({5: 7}, 1, {5: 0}, [7], id="one shard"),
        pytest.param({5: 7, 6: 1}, 3, {5: 0, 6: 1}, [7, 1, 0], id="more shards than buckets"),
        pytest.param({1: 1, 0: 1, 2: 1}, 2, {0: 0, 1: 1, 2: 0}, [2, 1], id="ties: lower bucket, lower shard"),
        pytest.param({1: 8, 2: 7, 3: 6, 4: 5, 5: 4}, 2, {1: 0, 2: 1, 3: 1, 4: 0, 5: 0}, [17, 13], id="not the best"),
    ],
)
def test_the_heaviest_bucket_goes_first_to_the_least_loaded_shard(
    sizes: dict[int, int], n: int, where: dict[int, int], loads: list[int]
) -> None:
    assert longest_first(sizes, n) == (where, loads)


@given(sizes=SIZES, n=st.integers(1, 3))
def test_every_bucket_has_one_shard_and_the_heaviest_is_near_the_best_possible(sizes: dict[int, int], n: int) -> None:
    where, loads = longest_first(sizes, n)
    assert where.keys() == sizes.keys()
    assert loads == [sum(size for name, size in sizes.items() if where[name] == shard) for shard in range(n)]
    assert longest_first(dict(reversed(sizes.items())), n) == (where, loads)
    best = min(
        max(sum(size for size, at in zip(sizes.values(), places, strict=True) if at == shard) for shard in range(n))
        for places in product(range(n), repeat=len(sizes))
    )
    assert max(loads) * 3 * n <= best * (4 * n - 1)


@pytest.mark.parametrize("n", [2, 4, 8, 16, 32])
def test_a_ring_holds_large_pieces_within_its_capacity_too(n: int) -> None:
    pieces = dict.fromkeys(range(-(-n // 5)), 20_000 // -(-n // 5))  # a fifth of the load, cut at an even one
    sizes = pieces | {100 + i: 20 for i in range(4000)}
    loads = [0] * n
    for bucket, shard in ring(sizes, n, 0.25).items():
        loads[shard] += sizes[bucket]
    assert max(loads) <= capacity(sum(sizes.values()), n, 0.25)
