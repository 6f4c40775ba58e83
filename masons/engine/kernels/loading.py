"""Loading of kernels that are not in the library.

A kernel is read from the cache, or it is compiled and cached. The cache holds object files, which
LLVM loads without numba; numba is imported only to compile. The kernels of the engine are cached in
two files, one for commands and one for environments, because compiling many kernels together is
faster than compiling them one by one. `compile_ahead` makes such a file. Without this file, a
kernel is compiled at its first call.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from masons.engine.kernels import c_module, kernel_cache
from masons.engine.kernels.c_module import (
    KERNEL_MODULES,
    PREFIX,
    is_checked,
    kernel_sources,
    native_library,
)
from masons.engine.kernels.machine import jit_machine, register_clock

Kernel = Callable[..., Any]

# Names of the two cache files: one for the kernels of commands, one for those of environments.
PLAY: Final = "engine"
ENVIRONMENTS: Final = "env"
_DECLARATION: Final = re.compile(r"^@(\w+\.)?kernel$", re.M)
_lock: Final = threading.RLock()
# LLVM engines that own the loaded code, indexed by the name of the cache file.
_codes: Final[dict[str, Any]] = {}


def address_of(func: Kernel) -> int:
    """Return the address of a kernel's machine code, and compile the kernel if necessary."""
    name = f"{func.__module__.removeprefix('masons.')}.{func.__qualname__}"
    is_of_engine = func.__module__.startswith(KERNEL_MODULES)
    # The hash in the name of the cache folder does not cover the file of a test's kernel.
    if not is_of_engine:
        source = Path(func.__code__.co_filename).read_bytes()
        name = f"{name}-{hashlib.sha256(source).hexdigest()[:8]}"
    symbol = PREFIX + func.__name__
    with _lock:
        address = 0
        if is_of_engine and is_ready(part := part_of(func)):
            address = _code(part, list).get_function_address(symbol)
        return int(address or _code(name, lambda: [func]).get_function_address(symbol))


def engine_kernels() -> list[Kernel]:
    """Return all kernels of the engine, sorted by file and line."""
    from masons.engine.kernels.jit import KERNELS  # loads numpy

    for name, path in kernel_sources():
        if _DECLARATION.search(path.read_text(encoding="utf-8")):
            import_module("masons." + name.removesuffix(".py").replace("/", "."))
    kernels = [func for func in KERNELS if func.__module__.startswith(KERNEL_MODULES)]
    return sorted(kernels, key=lambda func: (func.__module__, func.__code__.co_firstlineno))


def part_of(func: Kernel) -> str:
    """Return the name of the cache file that contains a given kernel of the engine."""
    return ENVIRONMENTS if func.__module__.startswith("masons.env.") else PLAY


def is_ready(part: str = PLAY) -> bool:
    """Return whether the kernels of a part (PLAY or ENVIRONMENTS) need no compilation.

    They need none if all kernels of the part are in the library, loaded or cached. With
    MASONS_CHECKED=1, where kernels are compiled one by one, the result is always True.
    """
    if is_checked() or native_library() is not None or part in _codes:
        return True
    return kernel_cache.read_kept(part) is not None


def compile_ahead(part: str = PLAY) -> None:
    """Load the kernels of a part (PLAY or ENVIRONMENTS); compile them if they are not cached."""
    if not is_checked() and native_library() is None:
        with _lock:
            _code(part, lambda: [func for func in engine_kernels() if part_of(func) == part])


def _code(name: str, kernels: Callable[[], list[Kernel]]) -> Any:
    """Return the LLVM engine with `kernels`, after loading or compiling them if necessary.

    The code is taken from the cache if possible; otherwise it is compiled and cached.
    """
    import llvmlite.binding as llvm

    if name not in _codes:
        data = kernel_cache.read_kept(name)
        if data is None:
            with kernel_cache.turn(name):
                data = kernel_cache.read_kept(name)  # another process may have compiled it
                if data is None:
                    from masons.engine.kernels.compiling import compile_here

                    data = compile_here(kernels())
                    kernel_cache.keep(name, data)
        if not c_module.HAS_CLOCK_GETTIME:
            register_clock()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), jit_machine())
        _codes[name] = engine
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
    return _codes[name]
