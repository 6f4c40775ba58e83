"""Compilation of kernels: numba makes LLVM's intermediate code, and LLVM makes machine code.

numba compiles each kernel and each inner function by itself, without optimization. Where a function
calls another, its code has only the name of the other. The code of all functions that the kernels
reach is then linked into one module, optimized together, and compiled to one object file. For each
kernel, a C callback (`numba.cfunc`) is the C function that calls the kernel
(`parameters.c_declaration`).

Kernels are compiled in the same way at run time and ahead of time, for the library
(`library_build`).

This module uses names that numba does not document. A test checks that the installed numba has
these names:

| name                                                     | used for                             |
| -------------------------------------------------------- | ------------------------------------ |
| `numba.core.registry.cpu_target`                         | the type of a function in a caller   |
| `numba.core.dispatcher.Dispatcher.compile`               | compiling a function for its caller  |
| `numba.core.base.BaseContext.call_internal`              | calls of functions by name           |
| `numba.core.base.BaseContext.call_internal_no_propagate` | calls that turn errors into a status |
| `numba.core.base.BaseContext.make_array`                 | the address of an array              |
| `numba.core.codegen.CPUCodegen.magic_tuple`              | the name of the processor            |

Of a Dispatcher, it also reads `overloads`: what was compiled for which types.
"""

from __future__ import annotations

import inspect
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial, wraps
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, typeof_impl

from masons.engine.errors import MasonsError
from masons.engine.kernels import c_module, checked, intrinsics, kernel_cache, vector_intrinsics
from masons.engine.kernels.c_module import CLOCK, PREFIX, is_checked
from masons.engine.kernels.jit import Compiled
from masons.engine.kernels.machine import jit_machine, register_clock
from masons.engine.kernels.parameters import Field, fields_of, parameters_of, returns_word

Kernel = Callable[..., Any]

# Functions in LLVM's intermediate code, by name.
_INTRINSICS: Final = ChainMap(vars(intrinsics), vars(vector_intrinsics))
# Functions of the C library that optimized code may call.
_C_LIBRARY: Final = ("memcpy", "memset", "sqrt")  # LLVM turns sqrt into an instruction

# The range of numba versions that pyproject.toml allows. These versions have the names above.
VERSIONS: Final = ((0, 61), (0, 68))
if not VERSIONS[0] <= tuple(numba.version_info[:2]) <= VERSIONS[1]:
    low, high = (".".join(map(str, version)) for version in VERSIONS)
    raise MasonsError(f"numba {numba.__version__} cannot compile the kernels: use {low} to {high}")
if numba.config.DISABLE_JIT:
    raise MasonsError("the engine needs the compiler: unset NUMBA_DISABLE_JIT")


# Made before `_unoptimized` changes a setting, so that other code in the process keeps the setting.
_CODEGEN: Final = cpu_target.target_context.codegen()


# --- from Python to intermediate code


class _Code(NamedTuple):
    """The intermediate code of a function for certain argument types."""

    text: Callable[[], str]
    attribute: str  # an attribute of LLVM, or ""


# The code of each function compiled so far, indexed by its name in LLVM.
_CODES: Final[dict[str, _Code]] = {}


@typeof_impl.register(Compiled)
def _numba_type(declared: Compiled, _: Any) -> Any:
    """Return the numba type of a function that a kernel calls."""
    return cpu_target.typing_context.resolve_value_type(_numba_function(declared))


# numba's type alone does not keep a function alive, but this cache does.
@cache
def _numba_function(declared: Compiled) -> Any:
    item = declared.item
    if is_checked():
        item = getattr(checked, item, item) if isinstance(item, str) else item
        function = _INTRINSICS[item] if isinstance(item, str) else numba.njit(item)
    elif isinstance(item, str):
        function = _INTRINSICS[item]
    else:
        function = _call_of(item, declared.attribute)
    cpu_target.typing_context.refresh()
    return function


def _call_of(func: Callable[..., Any], attribute: str = "", *, has_status: bool = False) -> Any:
    """Return an intrinsic that calls a function by name; numba then links no code.

    If `has_status` is true, no error goes on to the caller. The result is a number or, after an
    error, 2**64 - 1; for a function that returns nothing, it is an error flag.
    """
    # Without numba's reference counting (_nrt), code can also be made for other processors.
    function = numba.njit(func, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)

    def typed(_: Any, *kinds: Any) -> Any:
        function.compile(kinds)
        compiled = function.overloads[kinds]
        name, result = compiled.fndesc.llvm_func_name, compiled.signature.return_type
        _CODES[name] = _Code(partial(function.inspect_llvm, kinds), attribute)

        def generate(context: Any, builder: Any, _: Any, args: Any) -> Any:
            call = (builder, compiled.fndesc, compiled.signature, args)
            if not has_status:
                return context.call_internal(*call)
            status, value = context.call_internal_no_propagate(*call)
            if result == types.none:
                return builder.zext(status.is_error, ir.IntType(32))
            return builder.select(status.is_ok, value, value.type(-1))

        is_flag = has_status and result == types.none
        return (types.int32 if is_flag else result)(*kinds), generate

    typed.__name__ = func.__name__
    context = inspect.Parameter("_", inspect.Parameter.POSITIONAL_ONLY)
    parameters = inspect.signature(func).parameters.values()
    typed.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]
    return intrinsic(typed)


def _field_type(field: Field) -> Any:
    number = getattr(types, field.dtype)
    return types.CPointer(number) if field.is_pointer else number


def _c_function(func: Kernel) -> Any:
    """Return a module with the C function of a kernel.

    The function takes the fields of named tuples one by one.
    """
    names: dict[str, Any] = {"call": _call_of(func, has_status=True)}
    arguments = []
    for parameter in parameters_of(func):
        values = ", ".join(field.c_argument[1] for field in parameter.fields)
        if parameter.group:
            names[f"{parameter.name}_kind"] = parameter.group
            values = f"{parameter.name}_kind({values})"
        arguments.append(values)
    fields = fields_of(func)
    c_names = ", ".join(field.c_argument[1] for field in fields)
    exec(f"def {func.__name__}({c_names}):\n  return call({', '.join(arguments)})", names)
    result = types.uint64 if returns_word(func) else types.int32
    function = numba.cfunc(result(*map(_field_type, fields)), _nrt=False)(names[func.__name__])
    module = llvm.parse_assembly(function.inspect_llvm())
    module.get_function(function.native_name).name = PREFIX + func.__name__
    return module


@contextmanager
def _unoptimized() -> Iterator[None]:
    """Let numba optimize nothing, because all functions are optimized together afterwards.

    numba also makes machine code of each function, and needs addresses for the functions that
    `object_code` adds. This machine code never runs.
    """
    register_clock()
    for name in (intrinsics.NTH_ITEM, vector_intrinsics.ADD_TERMS):
        llvm.add_symbol(name, llvm.address_of_symbol(CLOCK))
    before = numba.config.OPT
    numba.config.OPT = type(before)(0)
    try:
        yield
    finally:
        numba.config.OPT = before


def merged_bitcode(kernels: Iterable[Kernel]) -> bytes:
    """Return kernels and all functions that they call, as one module in LLVM bitcode."""
    with _unoptimized():
        parts = [_c_function(func) for func in kernels]
    merged = llvm.parse_assembly("")
    linked: set[str] = set()
    while parts:
        part = parts.pop()
        called = {item.name for item in part.functions if item.is_declaration} - linked
        for name in sorted(called & _CODES.keys()):
            linked.add(name)
            text, attribute = _CODES[name]
            # llvmlite 0.44 cannot add attributes to a function.
            head = rf"^define .*@\"?{re.escape(name)}\"?\(.*(?= {{$)"
            code, count = re.subn(head, rf"\g<0> {attribute}", text(), flags=re.M)
            assert count == 1, name
            parts.append(llvm.parse_assembly(code))
        merged.link_in(part)
    return bytes(merged.as_bitcode())


def compile_checked(func: Kernel) -> Kernel:
    """Return a kernel that works on arrays, compiled and cached by numba in our cache folder."""
    register_clock()
    folder = kernel_cache.cache_folder()
    # numba reads this setting during the call below; all other code in the process keeps its
    # setting.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        function = numba.njit(func, nogil=True, cache=folder is not None)
    finally:
        numba.config.CACHE_DIR = before

    @wraps(func)
    def call(*values: Any) -> Any:
        return function(*(np.uint64(item) if type(item) is int else item for item in values))

    return call


# --- from one module to an object file


class Processor(NamedTuple):
    """A kind of processor for which machine code is made."""

    level: int  # 2 to 4 for x86-64-v2 to -v4; 1 on a machine without levels
    cpu: str
    has_pdep: bool = False
    lanes: int = 4  # number of 32-bit numbers in a vector


def object_code(
    bitcode: bytes,
    machine: Any,
    processor: Processor,
    *,
    has_clock: bool = False,
    prefix: str = PREFIX,
    has_symbol: Callable[[str], Any] = _C_LIBRARY.__contains__,
) -> bytes:
    """Return the object file of a module for a machine.

    Only the C functions are visible in the file, and their names begin with `prefix`. If
    `has_clock` is true, kernels read the clock with clock_gettime; otherwise the function CLOCK
    must exist in the process. Raises MasonsError for code that calls a function for which
    `has_symbol` is false.
    """
    module = llvm.parse_bitcode(bitcode)
    names = [
        function.name
        for function in module.functions
        if function.name.startswith(PREFIX) and not function.is_declaration
    ]
    bodies = ir.Module("processor")
    nth_item = ir.Function(bodies, intrinsics.NTH_ITEM_TYPE, intrinsics.NTH_ITEM)
    intrinsics.define_nth_item(nth_item, has_pdep=processor.has_pdep)
    add_terms = ir.Function(bodies, vector_intrinsics.ADD_TERMS_TYPE, vector_intrinsics.ADD_TERMS)
    is_x86 = machine.triple.startswith(("x86_64", "amd64"))
    vector_intrinsics.define_add_terms(add_terms, lanes=processor.lanes, is_x86=is_x86)
    if has_clock:
        intrinsics.define_clock(ir.Function(bodies, ir.FunctionType(ir.IntType(64), []), CLOCK))
    module.link_in(llvm.parse_assembly(str(bodies)))
    for function in module.functions:
        if function.name in names:
            if prefix != PREFIX:
                function.name = prefix + function.name.removeprefix(PREFIX)
                function.visibility = "hidden"
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=int(numba.config.OPT))
    tuning.loop_vectorization = bool(numba.config.LOOP_VECTORIZE)
    tuning.slp_vectorization = bool(numba.config.SLP_VECTORIZE)
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    items = [item for part in (module.functions, module.global_variables) for item in part]
    missing = [
        item.name
        for item in items
        if item.name.startswith("numba.dynamic.globals")  # addresses in this process
        or (
            item.is_declaration
            and not item.name.startswith("llvm.")
            and item.name != CLOCK
            and not has_symbol(item.name)
        )
    ]
    if missing:
        raise MasonsError(f"the kernels need {', '.join(sorted(missing))}")
    return bytes(machine.emit_object(module))


def compile_here(kernels: Iterable[Kernel]) -> bytes:
    """Return the object file of `kernels` for this process, compiled with numba's settings."""
    _, cpu, features = _CODEGEN.magic_tuple()
    names = features.split(",")
    lanes = 16 if "+avx512bw" in names else 8 if "+avx2" in names else 4
    processor = Processor(1, cpu, has_pdep="+bmi2" in names, lanes=lanes)
    machine = jit_machine(cpu=cpu, features=features, opt=int(numba.config.OPT))
    return object_code(
        merged_bitcode(kernels), machine, processor,
        has_clock=c_module.HAS_CLOCK_GETTIME, has_symbol=llvm.address_of_symbol,
    )  # fmt: skip
