"""Where kernels get the time from. Pure Python: importing this loads no compiler.

The clock is the one of `time.monotonic_ns`, so that a deadline worked out in Python holds in a
kernel. It comes from the first of these that is there:

C module   `masons.engine.kernels._native`, built when the package was installed
C library  the system's clock_gettime, around which `clock` puts a few instructions of its own
Python     a call back to `time.monotonic_ns`: it takes the interpreter lock, so that a reading
           can wait for milliseconds while another thread runs Python

Each is asked for the time first, and passed over if its answer isn't the time that Python has.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from masons.engine.kernels.library.native_library import native_module, tells_time

C_MODULE: Final = "C module"
C_LIBRARY: Final = "C library"
PYTHON: Final = "Python"


@dataclass(frozen=True)
class Source:
    """One way to the clock."""

    name: str
    # Of a C function: clock_gettime for the C library, else one that returns nanoseconds, uint64.
    address: int
    # What has to live as long as the address is in use.
    owner: Any


def clock_id() -> int:
    """The system's number of the clock that Python reads; POSIX only."""
    if sys.platform == "darwin":
        return time.CLOCK_UPTIME_RAW
    return time.CLOCK_MONOTONIC


def _from_module() -> Source | None:
    try:
        native = native_module()
        ffi, lib = native.ffi, native.lib
        if not tells_time(lib.masons_monotonic_ns):
            return None
        function = ffi.addressof(lib, "masons_monotonic_ns")
    except AttributeError:
        return None
    return Source(C_MODULE, int(ffi.cast("uintptr_t", function)), native)


def _from_library() -> Source | None:
    # A timespec is two 64-bit numbers where a pointer has 64 bits.
    if os.name != "posix" or sys.maxsize != (1 << 63) - 1:
        return None
    import ctypes

    try:
        function = ctypes.CDLL(None).clock_gettime
    except (OSError, AttributeError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_int64)]
    now = (ctypes.c_int64 * 2)()

    def read() -> int:
        return now[0] * 10**9 + now[1] if function(clock_id(), now) == 0 else 0

    if not tells_time(read):
        return None
    return Source(C_LIBRARY, ctypes.cast(function, ctypes.c_void_p).value or 0, function)


def _from_python() -> Source:
    import ctypes

    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(time.monotonic_ns)
    return Source(PYTHON, ctypes.cast(function, ctypes.c_void_p).value or 0, function)


@cache
def clock_source() -> Source:
    """The best way to the clock on this machine."""
    return _from_module() or _from_library() or _from_python()
