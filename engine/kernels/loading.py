"""Kernels compiled here: found where they are kept, or compiled now and kept, and loaded.

What is kept is machine code in an object file, which LLVM loads: numba is imported only where there
is something to compile. The kernels of the engine are two files, for what commands need and for
environments, as several together take less time than one by one. `compile_ahead` makes one of them;
until then a kernel is compiled at its first call.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm

from masons.engine.errors import MasonsError
from masons.engine.kernels import c_module, kernel_cache
from masons.engine.kernels.c_module import (
    CLOCK,
    KERNEL_MODULES,
    PREFIX,
    is_checked,
    native_library,
)

Kernel = Callable[..., Any]

# The names by which the kernels of the engine are kept: those of commands, and of environments.
PLAY: Final = "engine"
ENVIRONMENTS: Final = "env"
_lock: Final = threading.RLock()
# The code that was loaded, by the name it is kept by; it goes with what it was loaded into.
_codes: Final[dict[str, Any]] = {}


def address_of(func: Kernel) -> int:
    """Return where the machine code of a kernel begins, which is compiled now if need be."""
    name = f"{func.__module__.removeprefix('masons.')}.{func.__qualname__}"
    is_of_engine = func.__module__.startswith(KERNEL_MODULES)
    if not is_of_engine:  # of a test, say: its file is not in the hash that names the cache folder
        source = Path(func.__code__.co_filename).read_bytes()
        name = f"{name}-{hashlib.sha256(source).hexdigest()[:8]}"
    symbol = PREFIX + func.__name__
    with _lock:
        address = 0
        if is_of_engine and is_ready(part := part_of(func)):
            address = _code(part, list).get_function_address(symbol)
        return int(address or _code(name, lambda: [func]).get_function_address(symbol))


def part_of(func: Kernel) -> str:
    """Return the name by which a kernel of the engine is kept, with others."""
    return ENVIRONMENTS if func.__module__.startswith("masons.env.") else PLAY


def is_ready(part: str = PLAY) -> bool:
    """Return whether kernels of the engine are in the library, loaded or kept.

    Kernels that check every access are always: they are compiled one by one.
    """
    if is_checked() or native_library() is not None or part in _codes:
        return True
    return kernel_cache.read_kept(part) is not None


def compile_ahead(part: str = PLAY) -> None:
    """Compile kernels of the engine, unless they are kept, and load them."""
    if not is_checked() and native_library() is None:
        from masons.engine.kernels.compiling import engine_kernels

        with _lock:
            _code(part, lambda: [func for func in engine_kernels() if part_of(func) == part])


def _code(name: str, kernels: Callable[[], list[Kernel]]) -> Any:
    """Return the code of some kernels: loaded, kept, or compiled now and kept."""
    if name not in _codes:
        data = kernel_cache.read_kept(name)
        if data is None:
            with kernel_cache.turn(name):
                data = kernel_cache.read_kept(name)  # another process's, meanwhile
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


def jit_machine(**options: Any) -> Any:
    """Return a description of this machine for LLVM, with the options that code loaded here needs.

    They are numba's own: static addresses on x86.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(reloc=reloc, codemodel="jitdefault", jit=True, **options)


@cache
def register_clock() -> object:
    """Let kernels that cannot call clock_gettime find Python's clock by its symbol.

    What is returned must live as long as they run.
    """
    import ctypes

    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(time.monotonic_ns)
    address = ctypes.cast(function, ctypes.c_void_p).value
    llvm.add_symbol(CLOCK, address)
    # A kernel that calls a symbol without an address ends the process.
    if not address or llvm.address_of_symbol(CLOCK) != address:
        raise MasonsError("the monotonic clock cannot be made known to the kernels")
    return function
