"""The time inside kernels: `clock_source` says where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from masons.engine.kernels.clock_source import clock_source
from masons.engine.kernels.jit import Compiled, Word, inner

CLOCK_SOURCE: Final = clock_source().name
_read: Callable[[], Word] = Compiled("clock")


@inner
def now_ns() -> Word:
    """The monotonic clock in nanoseconds, comparable with Python's `time.monotonic_ns()`."""
    return _read()
