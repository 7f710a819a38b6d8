"""What must be set in a process before anything else is loaded: it is imported first, by the command, by a fork server.

A page of memory that is new to a process costs up to 3 µs in a virtual machine: what is freed is kept (docs/adr/0046).
"""

import ctypes
import gc
import os

KEPT = 16 << 20  # bytes that are free at the end of the C heap before they are given back
APART = 32 << 20  # bytes from which a piece of memory is the system's own, given back at once; no more is allowed
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)

gc.set_threshold(200_000)  # objects, more than loading makes; the default looks through all modules 60 times: 45 ms
# read by polars' allocator when it is loaded: pages of columns up to 32 MiB are used again for 1.5 s, then given back;
# one heap for all threads, of which one at a time is busy: what one has freed is the next one's (docs/adr/0045)
_KEPT_COLUMNS = "dirty_decay_ms:1500,muzzy_decay_ms:0,narenas:1,oversize_threshold:33554432"
os.environ.setdefault("_RJEM_MALLOC_CONF", _KEPT_COLUMNS)
# pydantic's plugins could change what a setting means, and to look for them takes 10 ms
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
# as in the workers: the same sums by any engine, and no idle threads that spin while numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):  # of the C library of GNU; Python's and numpy's allocator
    mallopt(M_MMAP_THRESHOLD, APART)
    mallopt(M_TRIM_THRESHOLD, KEPT)
