"""How setup.py builds `masons.engine.kernels._native` from the C beside this file.

The module is optional: where it cannot be compiled the install goes on without it, and
`masons.engine.kernels.clock_source` finds another way to the same clock.
"""

from pathlib import Path

from cffi import FFI

builder = FFI()
builder.cdef("uint64_t masons_monotonic_ns(void);")
builder.set_source(
    "masons.engine.kernels._native",
    Path(__file__).with_name("clock.c").read_text(encoding="utf-8"),
    optional=True,
)
