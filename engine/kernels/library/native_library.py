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
from importlib.util import find_spec
from pathlib import Path
from struct import iter_unpack, unpack_from
from typing import Any, Final, NamedTuple

from masons.engine.errors import MasonsError
from masons.engine.kernels.library.kernel_sources import asked_for_jit, sources_hash
from masons.engine.plain_text import plain

# Which of the library's levels is used, for tests.
LEVEL: Final = "MASONS_LEVEL"
PREFIX: Final = "masons_"
_MODULE: Final = "masons.engine.kernels._native"
_SEGMENT_BYTES: Final = 56  # of the entry of a segment in an ELF file of 64 bits
CHANGED: Final = "their sources changed since the library was built"


class Library(NamedTuple):
    """What cffi has of the module."""

    ffi: Any
    lib: Any


def _is_cut(path: Path) -> bool:
    """Return whether an ELF file ends before what is mapped of it.

    Its loader does not ask, and the first use of a page that is not there ends the process. Those
    of macOS and Windows do.
    """
    with path.open("rb") as file:
        head = file.read(64)
        if not head.startswith(b"\x7fELF\x02"):
            return False
        if len(head) < 64:
            return True
        order = "<" if head[5] == 1 else ">"
        (place,), (count,) = unpack_from(f"{order}Q", head, 32), unpack_from(f"{order}H", head, 56)
        end = file.seek(0, os.SEEK_END)
        file.seek(min(place, end))
        table = file.read(_SEGMENT_BYTES * count)
    if len(table) < _SEGMENT_BYTES * count:
        return True
    # Of each segment: where it begins in the file, and its size there.
    segments = iter_unpack(f"{order}8xQ16xQ16x", table)
    return any(begin + size > end for begin, size in segments)


@cache
def native_module() -> Any:
    """Return the C module; None where there is none.

    One that is damaged is not loaded: a line on stderr says so, in the first process only.
    """
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        return None
    try:
        if _is_cut(Path(spec.origin)):
            raise ImportError("the file is cut short")
        return import_module(_MODULE)
    except (ImportError, OSError) as error:
        from multiprocessing import parent_process

        if sys.stderr is not None and parent_process() is None:
            reason = plain(str(error).removeprefix(f"{spec.origin}: "))
            print(
                f"warning: {plain(spec.origin)} cannot be loaded ({reason}), so kernels are "
                "compiled on first use: install masons-engine again",
                file=sys.stderr,
            )
        return None


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
    native = native_module()
    if native is None and find_spec(_MODULE) is not None:
        return None, "compiled here: the library of them cannot be loaded"
    try:
        ffi, lib = native.ffi, native.lib
        made_from = ffi.string(lib.masons_sources()).decode()
    except AttributeError:
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
