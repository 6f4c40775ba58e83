"""The build of `masons.engine.kernels._native` from the C sources beside this file.

The C module is optional: if it cannot be compiled, the installation continues without it, and
`masons.engine.kernels.c_module` reads the same clock in another way. If MASONS_LIBRARY is defined,
the C module also contains the kernels, which setup.py adds.
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
