"""Access to the C module, which provides the clock and the kernels compiled ahead of time.

The C module is optional. The kernels in it form the *library*. The library contains a hash of its
sources, and is used only if it was built from the current sources. Importing this Python module
loads neither numpy nor a compiler.

Deadlines are computed in Python and compared in kernels, so Python and the kernels must read the
same clock, which is the clock of `time.monotonic_ns`. Kernels of the library read this clock
through a function of the C module. Kernels compiled at run time call the system's clock_gettime. On
systems without clock_gettime they call Python's function, which can wait milliseconds for the
interpreter lock.
"""

from __future__ import annotations

import hashlib
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
from masons.engine.plain_text import plain
from masons.version import __version__

# The folders with kernels, and the prefixes of their modules' names.
_KERNEL_FOLDERS: Final = ("engine", "ai", "env/stepping")
KERNEL_MODULES: Final = tuple(f"masons.{name.replace('/', '.')}." for name in _KERNEL_FOLDERS)
# Environment variables of numba that affect the machine code.
SETTINGS: Final = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_OPT",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_SLP_VECTORIZE",
    "NUMBA_DEBUGINFO",
    "NUMBA_ENABLE_AVX",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
)
# The environment variable that selects one of the library's processor levels, for tests.
_LEVEL: Final = "MASONS_LEVEL"
PREFIX: Final = "masons_"  # prefix of the names of all C functions
CLOCK: Final = "masons_monotonic_ns"  # the C function through which kernels read the clock
_MODULE: Final = "masons.engine.kernels._native"
_SEGMENT_BYTES: Final = 56  # size of a segment's entry in a 64-bit ELF file
# On 64-bit systems a timespec consists of two 64-bit numbers, as `define_clock` assumes.
HAS_CLOCK_GETTIME = os.name == "posix" and sys.maxsize == (1 << 63) - 1
C_MODULE: Final = "C module"
C_LIBRARY: Final = "C library"
PYTHON: Final = "Python"


def is_checked() -> bool:
    """Return whether the environment asks for kernels that check every access."""
    return os.environ.get("MASONS_CHECKED", "") == "1"


def jit_setting() -> str:
    """Return the setting (`NAME=VALUE`) that rules out the library, or "" if none does."""
    names = [name for name in ("MASONS_JIT", "MASONS_CHECKED") if os.environ.get(name) == "1"]
    names += [name for name in SETTINGS if os.environ.get(name)]
    return f"{names[0]}={os.environ[names[0]]}" if names else ""


def kernel_sources() -> list[tuple[str, Path]]:
    """Return the name (relative to the top folder) and the path of each file with kernels."""
    root = Path(__file__).resolve().parents[2]
    paths: list[Path] = []
    for top in _KERNEL_FOLDERS:
        for folder, folders, names in os.walk(root / top):
            # `native` is only for the build and is not installed.
            folders[:] = [name for name in folders if name not in ("native", "__pycache__")]
            paths += [Path(folder, name) for name in names if name.endswith(".py")]
    return sorted((path.relative_to(root).as_posix(), path) for path in paths)


def sources_hash() -> str:
    """Return a hash of all kernel sources and the engine's version, as 16 hexadecimal digits."""
    digest = hashlib.sha256(__version__.encode())
    for name, path in kernel_sources():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _is_cut(path: Path) -> bool:
    """Return whether an ELF file is too short to hold the segments that would be mapped.

    The ELF loader does not check this, and an access to a missing page kills the process. The
    loaders of macOS and Windows do check it.
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
    # Each item is the offset and the size of a segment in the file.
    segments = iter_unpack(f"{order}8xQ16xQ16x", table)
    return any(begin + size > end for begin, size in segments)


@cache
def native_module() -> Any:
    """Return the C module, or None if it was not built.

    A damaged module is not loaded; in this case the main process prints a warning on stderr.
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


class Library(NamedTuple):
    """The machine code of the kernels in the C module, as cffi objects."""

    ffi: Any
    lib: Any

    def kernel(self, func: Callable[..., Any]) -> Any:
        """Return the C function of a kernel, or None if the library lacks the kernel."""
        if not func.__module__.startswith(KERNEL_MODULES):
            return None
        return getattr(self.lib, PREFIX + func.__name__, None)


class _Origin(NamedTuple):
    """The origin of the kernels' machine code."""

    library: Library | None  # None if kernels are compiled at run time
    description: str  # for `--version`
    is_outdated: bool = False  # True if the library was built from other sources


@cache
def _origin() -> _Origin:
    """Return the origin of the kernels' machine code."""
    setting = jit_setting()
    if setting:
        return _Origin(None, f"compiled here, as set by ({setting})")
    if hasattr(sys, "_is_gil_enabled"):
        import sysconfig

        if sysconfig.get_config_var("Py_GIL_DISABLED"):
            return _Origin(None, "compiled here: this Python has no interpreter lock")
    native = native_module()
    if native is None and find_spec(_MODULE) is not None:
        return _Origin(None, "compiled here: the library cannot be loaded")
    try:
        ffi, lib = native.ffi, native.lib
        made_from = ffi.string(lib.masons_sources()).decode()
    except AttributeError:
        return _Origin(None, "compiled here: no library was built")
    if made_from != sources_hash():
        changed = "compiled here: their sources changed since the library was built"
        return _Origin(None, changed, is_outdated=True)
    if not tells_time(lib.masons_monotonic_ns):
        return _Origin(None, "compiled here: the library has another clock than Python")
    wanted = os.environ.get(_LEVEL, "")
    if wanted and not (wanted.isascii() and wanted.isdigit() and lib.masons_use(int(wanted))):
        raise MasonsError(f"{_LEVEL}={wanted}: the library or the processor has no such level")
    level = lib.masons_level()
    if level == 0:
        return _Origin(None, "compiled here: the library is for newer processors")
    processor = f"x86-64-v{level}" if level > 1 else "one for all processors"
    return _Origin(Library(ffi, lib), f"made ahead of time: library, {processor}")


def native_library() -> Library | None:
    """Return the library, or None if kernels have to be compiled at run time."""
    return _origin().library


def is_outdated() -> bool:
    """Return whether a library exists that was built from other sources."""
    return _origin().is_outdated


def describe_kernels() -> str:
    """Return a description of where the kernels' machine code comes from, and why."""
    return _origin().description


def tells_time(read: Callable[[], int]) -> bool:
    """Return whether a reading of a clock lies between two readings of `time.monotonic_ns`."""
    before = time.monotonic_ns()
    return before <= read() <= time.monotonic_ns()


def clock_name() -> str:
    """Return the name of the source that kernels read the clock from."""
    if native_library() is not None:
        return C_MODULE
    return C_LIBRARY if HAS_CLOCK_GETTIME else PYTHON
