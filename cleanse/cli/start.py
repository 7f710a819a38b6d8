"""Where the command begins: what must be set before anything else is loaded."""

import gc
import os

gc.set_threshold(200_000)  # objects, more than loading makes; the default looks through all modules 60 times: 45 ms
# read by polars' allocator when it is loaded: pages of large columns are used again, not given back at once; one heap
# for all threads, of which one at a time is busy: what one has freed is the next one's (docs/adr/0045)
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:10000,muzzy_decay_ms:-1,narenas:1")
# as in the workers: the same sums by any engine, and no idle threads that spin while numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """The entry point."""
    from cleanse.cli.app import main as run  # late: typer, polars and all of ours

    run()
