"""The library of kernels in the C module, where there is one that can be used.

It holds what the installer could compile: `engine/kernels/library_build.py` says how. Importing
this loads neither numpy nor a compiler.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

from masons.engine.errors import MasonsError
from masons.engine.kernels.library.kernel_sources import asked_for_jit, sources_hash

# Which of the library's levels is used, for tests.
LEVEL: Final = "MASONS_LEVEL"
PREFIX: Final = "masons_"
CHANGED: Final = "their sources changed since the library was built"


class Library(NamedTuple):
    """What cffi has of the module."""

    ffi: Any
    lib: Any


def tells_time(read: Callable[[], int]) -> bool:
    """Whether a clock is Python's monotonic one: a reading lies between two of Python's."""
    before = time.monotonic_ns()
    return before <= read() <= time.monotonic_ns()


def _level_said(lib: Any) -> str:
    number = lib.masons_level()
    return f"x86-64-v{number}" if number > 1 else "one for all processors"


def _find() -> tuple[Library | None, str]:
    """The library, and what `--version` says of it."""
    asked = asked_for_jit()
    if asked:
        return None, f"compiled here, as asked ({asked})"
    if hasattr(sys, "_is_gil_enabled"):
        import sysconfig

        if sysconfig.get_config_var("Py_GIL_DISABLED"):
            return None, "compiled here: this Python has no interpreter lock"
    try:
        native = import_module("masons.engine.kernels._native")
        ffi, lib = native.ffi, native.lib
        made_from = ffi.string(lib.masons_sources()).decode()
    except (ImportError, AttributeError):
        return None, "compiled here: no library of them was built"
    if made_from != sources_hash():
        return None, f"compiled here: {CHANGED}"
    if not tells_time(lib.masons_monotonic_ns):
        return None, "compiled here: the library has another clock than Python"
    wanted = os.environ.get(LEVEL, "")
    if wanted and not (wanted.isascii() and wanted.isdigit() and lib.masons_use(int(wanted))):
        raise MasonsError(f"{LEVEL}={wanted}: the library or the processor has no such level")
    if lib.masons_level() == 0:
        return None, "compiled here: the library is for newer processors"
    return Library(ffi, lib), f"made ahead of time: library, {_level_said(lib)}"


@cache
def _found() -> tuple[Library | None, str]:
    return _find()


def native_library() -> Library | None:
    """The library; None where kernels have to be compiled here."""
    return _found()[0]


def is_outdated() -> bool:
    """Whether there is a library, but of other sources."""
    return _found()[1].endswith(CHANGED)


def describe_kernels() -> str:
    """Where the kernels' machine code comes from, and why."""
    return _found()[1]
