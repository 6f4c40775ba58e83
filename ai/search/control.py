"""The control array of a running search: how another thread, or the clock, ends it.

uint64[CONTROL_WORDS], read and written by the kernels of all methods.
"""

from __future__ import annotations

from typing import Final

STOP: Final = 0  # not 0: end at once
DONE: Final = 1  # iterations so far
DEADLINE: Final = 2  # in nanoseconds of the monotonic clock; 0 is none
CONTROL_WORDS: Final = 3
