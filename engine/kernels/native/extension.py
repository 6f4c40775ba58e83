"""How setup.py builds `masons.engine.kernels._native` from the C beside this file.

The module is optional: where it cannot be compiled the install goes on without it, and
`masons.engine.kernels.c_module` finds another way to the same clock. With MASONS_LIBRARY it
holds the kernels too: setup.py adds them.
"""

from pathlib import Path

from cffi import FFI

_CLOCK = Path(__file__).with_name("clock.c").read_text(encoding="utf-8")

builder = FFI()
builder.set_source(
    "masons.engine.kernels._native",
    f'#ifdef MASONS_LIBRARY\n#include "masons.c"\n#else\n{_CLOCK}\n#endif\n',
    optional=True,
)
