"""A process that reads the clock in a cached kernel: `tell_time.py SOURCE`.

It goes without the sources that come before SOURCE, and prints three words: the source that it
found, whether the kernel told Python's time, and whether the kernel came out of the cache.
"""

from __future__ import annotations

import sys
import time

from masons.engine.kernels import c_module

if sys.argv[1] != c_module.C_MODULE:
    sys.modules["masons.engine.kernels._native"] = None  # type: ignore[assignment]
if sys.argv[1] == c_module.PYTHON:
    c_module._library_clock = lambda: None

from masons.engine.kernels.jit import Word, kernel, now_ns


@kernel
def read() -> Word:
    """Return the time."""
    return now_ns()


before = time.monotonic_ns()
is_right = before <= read() <= time.monotonic_ns()
is_kept = "numba" not in sys.modules
print(c_module.clock_source().name, is_right, is_kept, sep=", ")
