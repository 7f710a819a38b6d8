"""A Ray cluster of two nodes on this machine, in a process of its own.

Prints the address; a line on stdin ends the second node, the end of stdin all.
"""

import sys
from importlib import import_module


def main() -> None:
    """Runs until stdin ends."""
    node = {"num_cpus": 1, "object_store_memory": 150 << 20}
    cluster = import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={**node, "include_dashboard": False}
    )
    try:
        second = cluster.add_node(**node)
        cluster.wait_for_nodes()
        print(cluster.address, flush=True)
        for _ in sys.stdin:
            cluster.remove_node(second, allow_graceful=False)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
