"""Even files: which of N shards each bucket of rows goes to."""

import heapq
from collections.abc import Mapping

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
