"""A process that reads the clock in a cached kernel: `tell_time.py SOURCE`.

It goes without the sources that come before SOURCE, and prints three words: the source that it
found, whether the kernel told Python's time, and how many kernels came out of the cache.
"""

from __future__ import annotations

import sys
import time

from masons.engine.kernels import clock_source as monotonic

if sys.argv[1] != monotonic.C_MODULE:
    sys.modules["masons.engine.kernels._native"] = None  # type: ignore[assignment]
if sys.argv[1] == monotonic.PYTHON:
    monotonic._from_library = lambda: None

from masons.engine.kernels.clock import CLOCK_SOURCE, now_ns
from masons.engine.kernels.jit import Word, kernel


@kernel
def read() -> Word:
    """The time."""
    return now_ns()


before = time.monotonic_ns()
found = read()
right = before <= found <= time.monotonic_ns()
print(CLOCK_SOURCE, right, sum(read.stats.cache_hits.values()), sep=", ")
