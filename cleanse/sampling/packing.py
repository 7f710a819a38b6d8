"""Even files: which of N shards each bucket of rows goes to."""

import hashlib
import heapq
from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction

POINTS = 64  # of each shard on the ring
BUCKET_WIDTH = 1 << 48  # draws share a bucket by their top 16 bits: the plan stays small however many rows there are


def longest_first(sizes: Mapping[int, int], n_shards: int) -> tuple[dict[int, int], list[int]]:
    """LPT: the heaviest bucket first, each to the least loaded shard. Returns bucket → shard, and the loads.

    `sizes`: bucket → load in any one unit; ties go to the lower bucket and the lower shard. The heaviest shard is
    within 4/3 - 1/(3N) of the best possible. Source: Graham 1969.

    >>> longest_first({1: 8, 2: 7, 3: 6, 4: 5, 5: 4}, 2)[1]
    [17, 13]
    """
    heap = [(0, shard) for shard in range(n_shards)]
    where: dict[int, int] = {}
    for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        load, shard = heapq.heappop(heap)
        where[name] = shard
        heapq.heappush(heap, (load + size, shard))
    return where, [load for load, _ in sorted(heap, key=lambda item: item[1])]


def ring(sizes: Mapping[int, int], n_shards: int, slack: float) -> dict[int, int]:
    """Consistent hashing with bounded loads: bucket → shard, few of which change when a shard is added.

    Each bucket goes to the next shard on a ring that has room: at most `capacity`, unless the bucket alone is larger.
    Those above the slack go first: the others fit in what is left anywhere, they do not.
    Source: Mirrokni, Thorup, Zadimoghaddam 2018.

    >>> moved = [ring(dict.fromkeys(range(1000), 1), n, 0.25) for n in (8, 9)]
    >>> sum(moved[0][bucket] != moved[1][bucket] for bucket in range(1000)) < 250
    True
    """
    places = sorted((_place(f"shard|{shard}|{i}"), shard) for shard in range(n_shards) for i in range(POINTS))
    points, room = [point for point, _ in places], capacity(sum(sizes.values()), n_shards, slack)
    loads, where = [0] * n_shards, dict[int, int]()
    spare = Fraction(str(slack)) * sum(sizes.values()) / n_shards
    for bucket in sorted(sizes, key=lambda bucket: (sizes[bucket] <= spare, _place(f"bucket|{bucket}"), bucket)):
        start = bisect_right(points, _place(f"bucket|{bucket}"))
        shards = (places[(start + i) % len(places)][1] for i in range(len(places)))
        emptiest = min(range(n_shards), key=lambda shard: (loads[shard], shard))
        where[bucket] = next((shard for shard in shards if loads[shard] + sizes[bucket] <= room), emptiest)
        loads[where[bucket]] += sizes[bucket]
    return where


def capacity(load: int, n_shards: int, slack: float) -> int:
    """What one shard may hold: ⌈(1 + slack)·load/N⌉.

    >>> capacity(1000, 8, 0.25)
    157
    """
    return -(-(1 + Fraction(str(slack))) * load // n_shards)


def _place(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
