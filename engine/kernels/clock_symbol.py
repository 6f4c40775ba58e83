"""The clock of kernels that are compiled here.

They call one symbol, whatever it is that stands behind it in this process: their machine code is
the same with each source of the clock (see `clock_source`), and so is kept on disk. The symbol gets
its address before any kernel that uses it can run.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from masons.engine.errors import MasonsError
from masons.engine.kernels.clock_source import C_LIBRARY, Source, clock_id
from masons.engine.kernels.intrinsics import CLOCK as SYMBOL

_I32, _I64 = ir.IntType(32), ir.IntType(64)


def _around_library(clock_gettime: int) -> Any:
    """Compile a function that calls the C library's and returns nanoseconds.

    The engine that owns the function's machine code; `clock_gettime` is an address.
    """
    module = ir.Module("masons_clock")
    function = ir.Function(module, ir.FunctionType(_I64, []), SYMBOL)
    builder = ir.IRBuilder(function.append_basic_block())
    now = builder.alloca(_I64, 2)  # a timespec: seconds, nanoseconds
    kind = ir.FunctionType(_I32, [_I32, now.type])
    called = builder.inttoptr(ir.Constant(_I64, clock_gettime), kind.as_pointer())
    builder.call(called, [ir.Constant(_I32, clock_id()), now])
    seconds, rest = (builder.load(builder.gep(now, [ir.Constant(_I32, i)])) for i in range(2))
    builder.ret(builder.add(builder.mul(seconds, ir.Constant(_I64, 10**9)), rest))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    return engine


def register(source: Source) -> Any:
    """Let kernels find the clock; what has to live as long as they run."""
    owner, address = source.owner, source.address
    if source.name == C_LIBRARY:
        owner = _around_library(address)
        address = owner.get_function_address(SYMBOL)
    llvm.add_symbol(SYMBOL, address)
    # A kernel that calls a symbol without an address ends the process.
    if not address or llvm.address_of_symbol(SYMBOL) != address:
        raise MasonsError("the monotonic clock cannot be made known to the kernels")
    return owner
