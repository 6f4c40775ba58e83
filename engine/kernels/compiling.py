"""Compiling kernels in this process, by numba.

Imported when the first kernel is that has no library to be called in.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import numba
from numba.core.registry import cpu_target

from masons.engine.errors import MasonsError
from masons.engine.kernels import intrinsics
from masons.engine.kernels.clock_source import clock_source
from masons.engine.kernels.clock_symbol import register
from masons.engine.kernels.kernel_cache import cache_folder
from masons.engine.kernels.library.kernel_sources import is_checked

F = TypeVar("F", bound=Callable[..., Any])

# Versions of numba that `compiler_link` and `kernel_store` were tested with; both lean on its
# insides.
TESTED: Final = ((0, 61), (0, 68))
InnerCompiler: Any = None
SharedCompiler: Any = None
KernelCompiler: Any = None
KernelStore: Any = None
if TESTED[0] <= tuple(numba.version_info[:2]) <= TESTED[1]:
    from masons.engine.kernels.compiler_link import InnerCompiler, KernelCompiler, SharedCompiler
    from masons.engine.kernels.kernel_store import KernelStore

if numba.config.DISABLE_JIT:
    raise MasonsError("the engine needs the compiler: unset NUMBA_DISABLE_JIT")

_CHECKED: Final = is_checked()
# Before any kernel can run, also one that was compiled by another process.
_CLOCK: Final = register(clock_source())


def compile_kernel(func: F) -> F:
    """Compile an entry point: cached on disk, without the interpreter lock."""
    options = {} if _CHECKED or KernelCompiler is None else {"pipeline_class": KernelCompiler}
    function = numba.njit(func, nogil=True, **options)
    if KernelStore is None:
        _use_numbas_cache(function)
    else:
        function._cache = KernelStore(func)
        function.compile = function._cache.compile_once(function)
    return function  # type: ignore[no-any-return]


def _use_numbas_cache(function: Any) -> None:
    """With an untested numba: its own cache, in our folder."""
    folder = cache_folder()
    if folder is None:
        return
    # numba reads the setting here; the rest of the process keeps its own.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        function.enable_caching()
    finally:
        numba.config.CACHE_DIR = before
    load, save = function._cache.load_overload, function._cache.save_overload

    # A damaged file or a full disk costs a compilation, and nothing else.
    def load_overload(*wanted: Any) -> Any:
        try:
            return load(*wanted)
        except Exception:
            with suppress(OSError):
                function._cache.flush()
            return None

    def save_overload(*compiled: Any) -> None:
        with suppress(OSError):
            save(*compiled)

    function._cache.load_overload, function._cache.save_overload = load_overload, save_overload


def compile_inner(func: F, *, shared: bool = False, **options: Any) -> F:
    """Compile a function that only kernels call; `shared` keeps it out of their bodies."""
    if _CHECKED:
        return numba.njit(func)  # type: ignore[no-any-return]
    # A function that doesn't say takes it from the first of its callers.
    options.setdefault("forceinline", False)
    if InnerCompiler is not None:
        options |= {"pipeline_class": SharedCompiler if shared else InnerCompiler, "_nrt": False}
    return numba.njit(  # type: ignore[no-any-return]
        func, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options
    )


def made_of(item: str | Callable[..., Any], **options: Any) -> tuple[Any, Any]:
    """One of the `intrinsics`, by its name, or an inner function as numba has it, and its type."""
    made = getattr(intrinsics, item) if isinstance(item, str) else compile_inner(item, **options)
    return made, cpu_target.typing_context.resolve_value_type(made)
