"""A process that reads the clock in a cached kernel: `tell_time.py SOURCE`.

If SOURCE is `Python`, the kernel cannot use the system's clock. The process prints the source of
the clock in kernels, whether the kernel's time agrees with Python's, and whether the kernel came
from the cache.
"""

from __future__ import annotations

import sys
import time

from masons.engine.kernels import c_module
from masons.engine.kernels.jit import Word, now_ns
from masons.engine.kernels.kernel_calls import kernel

c_module.HAS_CLOCK_GETTIME &= sys.argv[1] != c_module.PYTHON


@kernel
def read() -> Word:
    """Return the time."""
    return now_ns()


before = time.monotonic_ns()
is_right = before <= read() <= time.monotonic_ns()
is_kept = "numba" not in sys.modules
print(c_module.clock_name(), is_right, is_kept, sep=", ")
