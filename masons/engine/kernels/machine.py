"""LLVM's description of this machine, and the address of the clock."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from masons.engine.errors import MasonsError
from masons.engine.kernels.c_module import CLOCK


def jit_machine(**options: Any) -> Any:
    """Return LLVM's description of this machine, with the options for code loaded at run time.

    These are numba's options, except that addresses are static on x86.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(reloc=reloc, codemodel="jitdefault", jit=True, **options)


@cache
def register_clock() -> object:
    """Make Python's clock known to kernels that cannot call clock_gettime.

    The object returned must outlive these kernels.
    """
    import ctypes

    import llvmlite.binding as llvm

    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(time.monotonic_ns)
    address = ctypes.cast(function, ctypes.c_void_p).value
    llvm.add_symbol(CLOCK, address)
    # A kernel that called an unresolved symbol would end the process.
    if not address or llvm.address_of_symbol(CLOCK) != address:
        raise MasonsError("the monotonic clock cannot be made known to the kernels")
    return function
