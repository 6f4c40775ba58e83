"""How the kernels are compiled: two decorators, one cache folder, one checked build.

`kernel`  an entry point: takes numpy arrays and numbers, compiled once and cached on disk.
`inner`   everything that kernels call: takes pointers, never called from Python.

An entry point turns each of its arrays into a pointer with `ptr`, because passing arrays from
function to function costs reference counting; the functions inside see `p[i]` all the same.

The cache folder's name holds a hash of all that the machine code depends on (numba by itself
notices only changes in a function's own file), so editing any kernel starts a fresh folder.

With `MASONS_CHECKED=1` the pointers stay arrays. Together with `NUMBA_BOUNDSCHECK=1` every access
of every kernel is then checked; the test suite runs the rules in this build too.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

# A pointer to 64-bit words inside kernels, a numpy array of dtype uint64 outside.
Words = Any
# The same memory seen as other integers.
Bytes = Any

CHECKED = os.environ.get("MASONS_CHECKED", "") == "1"
CACHE_PREFIX = "kernels-"
_KEEP_DAYS = 30


def _sources() -> list[Path]:
    """The files that hold kernels: the package's own, and those of `masons.ai` beside it."""
    engine = Path(__file__).resolve().parent
    folders = [engine, engine.parent / "ai"]
    return sorted(path for folder in folders if folder.is_dir() for path in folder.glob("*.py"))


def cache_key() -> str:
    """A hash of everything that the machine code of the kernels depends on."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    build = (
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        sys.version,
        platform.machine(),
        os.environ.get("NUMBA_BOUNDSCHECK", ""),
        os.environ.get("NUMBA_OPT", ""),
        str(CHECKED),
    )
    digest.update("\0".join(build).encode())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _prune(folder: Path, ours: str) -> None:
    """Remove kernel folders of other versions that nobody has used for a month."""
    limit = time.time() - _KEEP_DAYS * 86400
    for old in folder.glob(CACHE_PREFIX + "*"):
        try:
            if old.name != ours and old.stat().st_mtime < limit:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue


def _choose_cache() -> Path | None:
    """The folder for compiled kernels; None where nothing can be written at all."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(own) if own else user_cache_path("masons-engine")
    name = CACHE_PREFIX + cache_key()
    for base in (home, Path(tempfile.gettempdir()) / f"masons-engine-{os.getuid()}"):
        folder = base / name
        if _writable(folder):
            os.utime(folder)
            _prune(base, name)
            return folder
    return None


def use_cache(folder: Path | None) -> None:
    """Point numba at a cache folder. Must run before any kernel is decorated."""
    numba.config.CACHE_DIR = str(folder or "")  # type: ignore[attr-defined]


CACHE = None if os.environ.get("MASONS_NO_CACHE", "") == "1" else _choose_cache()
use_cache(CACHE)


def kernel(func: F) -> F:
    """Compile an entry point: cached on disk, without the interpreter lock."""
    return numba.njit(func, cache=CACHE is not None, nogil=True)  # type: ignore[no-any-return]


def inner(func: F) -> F:
    """Compile a function that only kernels call."""
    if CHECKED:
        return numba.njit(func)  # type: ignore[no-any-return]
    return numba.njit(func, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[no-any-return]


def is_compiled(function: Any) -> bool:
    """Whether a kernel is ready in this process (compiled, or loaded from the cache)."""
    return bool(function.signatures)


@intrinsic
def _array_pointer(typingctx: Any, array: Any) -> Any:
    """The address of a C-contiguous array's first element."""
    if not (isinstance(array, types.Array) and array.layout == "C"):
        return None
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make_array(sig.args[0])(context, builder, args[0]).data

    return signature, codegen


def _cast_pointer(target: Any) -> Any:
    """An intrinsic that sees the memory behind a pointer to words as another integer type."""

    @intrinsic
    def cast(typingctx: Any, pointer: Any) -> Any:
        if not isinstance(pointer, types.CPointer):
            return None
        signature = types.CPointer(target)(pointer)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(sig.return_type))

        return signature, codegen

    return cast


@intrinsic
def _copy_memory(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """memcpy of `count` 64-bit words."""
    if not (isinstance(target, types.CPointer) and target == source):
        return None
    signature = types.void(target, source, count)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size = builder.mul(args[2], ir.Constant(args[2].type, 8))
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)
        return context.get_dummy_value()

    return signature, codegen


if CHECKED:

    @inner
    def ptr(array: Words) -> Words:
        return array

    @inner
    def bytes_of(words: Words) -> Bytes:
        return words.view(np.uint8)

    @inner
    def halves_of(words: Words) -> Any:
        return words.view(np.uint32)

    @inner
    def copy_words(target: Words, source: Words, count: int) -> None:
        target[:count] = source[:count]

else:
    ptr = _array_pointer
    bytes_of = _cast_pointer(types.uint8)
    halves_of = _cast_pointer(types.uint32)
    copy_words = _copy_memory
