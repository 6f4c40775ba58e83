"""Compilation of kernels: numba makes LLVM's intermediate code, and LLVM makes machine code.

numba normally makes every jitted function runnable by itself. Inner functions run only as parts of
kernels, so here numba stops at the unoptimized intermediate code of each function. All functions
that the kernels reach are then linked into one module, optimized together, and compiled to one
object file. For each kernel, a C function is added that calls the kernel
(`kernel_calls.c_declaration`).

Kernels are compiled in the same way at run time and ahead of time, for the library
(`library_build`).

This module uses names that numba does not document. A test checks that the installed numba has
these names:

| name                                                          | used for                      |
| ------------------------------------------------------------- | ----------------------------- |
| `numba.core.base.BaseContext.insert_user_function`            | calls of inner functions      |
| `numba.core.codegen.CPUCodegen.magic_tuple`                   | the name of the processor     |
| `numba.core.codegen.JITCodeLibrary`                           | a function's unoptimized code |
| `numba.core.codegen.JITCodeLibrary._get_module_for_linking`   | linking the code              |
| `numba.core.codegen.JITCodeLibrary._finalize_dynamic_globals` | linking the code              |
| `numba.core.compiler.CompilerBase`                            | numba's passes                |
| `numba.core.compiler.DefaultPassBuilder`                      | the list of passes            |
| `numba.core.compiler_lock.global_compiler_lock`               | linking                       |
| `numba.core.compiler_machinery.register_pass`                 | our own pass                  |
| `numba.core.typed_passes.NativeLowering`                      | the pass that ours replaces   |
| `numba.core.registry.cpu_target`                              | numba's target                |
| `numba.core.cgutils.normalize_ir_text`                        | text for LLVM                 |
| `numba.core.cgutils.get_or_insert_function`                   | calls in LLVM's code          |
| `numba.core.cgutils.pack_array`                               | tuples in LLVM's code         |
| `numba.core.cgutils.raw_memcpy`                               | `copy_words`                  |
| `numba.np.arrayobj.make_array`                                | the address of an array       |
| `numba.np.arrayobj.populate_array`                            | arrays from C arguments       |

Of a JITCodeLibrary, it also sets `_finalized` and extends `_linking_libraries`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering
from numba.np.arrayobj import populate_array

from masons.engine.errors import MasonsError
from masons.engine.kernels import c_module, checked, intrinsics, kernel_cache, loading
from masons.engine.kernels.c_module import CLOCK, KERNEL_MODULES, PREFIX, is_checked, kernel_sources
from masons.engine.kernels.jit import KERNELS
from masons.engine.kernels.kernel_calls import Field, measured, parameters_of, returns_word

Kernel = Callable[..., Any]

# Functions of the C library that optimized code may call.
_C_LIBRARY: Final = ("memcpy", "memset", "sqrt")  # LLVM turns sqrt into an instruction
_DECLARATION: Final = re.compile(r"^@(\w+\.)?kernel$", re.M)

# The range of numba versions that pyproject.toml allows. These versions have the names above.
VERSIONS: Final = ((0, 61), (0, 68))
if not VERSIONS[0] <= tuple(numba.version_info[:2]) <= VERSIONS[1]:
    low, high = (".".join(map(str, version)) for version in VERSIONS)
    raise MasonsError(f"numba {numba.__version__} cannot compile the kernels: use {low} to {high}")
if numba.config.DISABLE_JIT:
    raise MasonsError("the engine needs the compiler: unset NUMBA_DISABLE_JIT")


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The intermediate code of one function, without the functions that it calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimize nothing, because the merged module is optimized as a whole."""
        ll_module.data_layout = self._codegen._data_layout

    def add_linking_library(self, library: Any) -> None:
        """Store the code of a function that this function calls."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Mark the code as ready for linking, without making machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """The compiler pass that lowers a function to intermediate code, for linking into callers."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function, and register it so that its callers find it."""
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # numba identifies a compiled function by a callable object, so each function gets a new
        # one.
        key = {}.update  # type: ignore[var-annotated]
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        if getattr(state.func_id.func, "is_shared", False):
            function = state.library.get_function(state.cr.fndesc.llvm_func_name)
            function.add_function_attribute("noinline")
        return True


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """numba's nopython pipeline up to the intermediate code."""

    def define_pipelines(self) -> list[Any]:
        """Return a list that contains the single pipeline."""
        builder = DefaultPassBuilder.define_nopython_pipeline(self.state)
        builder.passes = [
            (InnerLowering if step is NativeLowering else step, why) for step, why in builder.passes
        ]
        builder.finalize()
        return [builder]


def numba_function(item: str | Callable[..., Any], *, forceinline: bool = False) -> tuple[Any, Any]:
    """Return a numba function and its numba type.

    `item` is an inner function or a name in `intrinsics`.
    """
    if is_checked():
        item = getattr(checked, item, item) if isinstance(item, str) else item
        function = getattr(intrinsics, item) if isinstance(item, str) else numba.njit(item)
    elif isinstance(item, str):
        function = getattr(intrinsics, item)
    else:
        function = _lowered_later(item, forceinline=forceinline)
    return function, cpu_target.typing_context.resolve_value_type(function)


def _lowered_later(func: Callable[..., Any], *, forceinline: bool = False) -> Any:
    # Without numba's reference counting (_nrt), code can also be made for other processors.
    return numba.njit(
        func, pipeline_class=InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True,
        _nrt=False, forceinline=forceinline,
    )  # fmt: skip


def compile_checked(func: Kernel) -> Any:
    """Return a kernel that works on arrays, compiled and cached by numba in our cache folder."""
    loading.register_clock()
    folder = kernel_cache.cache_folder()
    # numba reads this setting during the call below; all other code in the process keeps its
    # setting.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or before)
    try:
        return numba.njit(func, nogil=True, cache=folder is not None)
    finally:
        numba.config.CACHE_DIR = before


def engine_kernels() -> list[Kernel]:
    """Return all kernels of the engine, sorted by file and line."""
    for name, path in kernel_sources():
        if _DECLARATION.search(path.read_text(encoding="utf-8")):
            import_module("masons." + name.removesuffix(".py").replace("/", "."))
    kernels = [func for func in KERNELS if func.__module__.startswith(KERNEL_MODULES)]
    return sorted(kernels, key=lambda func: (func.__module__, func.__code__.co_firstlineno))


# --- from numba to one module


def _numba_type(field: Field) -> Any:
    number = getattr(types, field.dtype)
    return types.Array(number, field.axes, "C") if field.axes else number


# LLVM types of numbers; all other arguments are pointers.
_LLVM_TYPES: Final = {
    "size_t ": ir.IntType(64),
    "uint64_t ": ir.IntType(64),
    "double ": ir.DoubleType(),
}


class _Entry:
    """A kernel in intermediate code, and the C function that calls it."""

    def __init__(self, func: Kernel) -> None:
        self._func = func
        self._parameters = parameters_of(func)
        self._measured = measured(func)
        dispatcher = _lowered_later(func)
        dispatcher.compile(tuple(self._type(item) for item in self._parameters))
        (self._result,) = dispatcher.overloads.values()
        self.library = self._result.library

    def _type(self, parameter: Any) -> Any:
        kinds = [_numba_type(field) for field in parameter.fields]
        return types.BaseTuple.from_types(kinds, parameter.group) if parameter.group else kinds[0]

    def _value(self, builder: Any, field: Field, values: Any, *, has_extents: bool) -> Any:
        """Return the value of a field, made from the C function's arguments.

        The value is a number or a numba array.
        """
        value = next(values)
        if not field.axes:
            return value
        context, kind, word = self._result.target_context, _numba_type(field), ir.IntType(64)
        array = context.make_array(kind)(context, builder)
        size = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        shape = [next(values) if has_extents else word(0) for _ in range(field.axes)]
        strides = [size]
        for extent in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], extent))
        pointer = builder.bitcast(value, array.data.type)
        populate_array(array, pointer, shape, strides, size, None)
        return array._getvalue()

    def add_to(self, module: Any) -> None:
        """Add the C function to a module.

        If the kernel returns a number, the C function returns this number, or 2**64 - 1 after an
        error. If the kernel returns nothing, the C function returns an error flag.
        """
        context, descriptor = self._result.target_context, self._result.fndesc
        kinds = [
            _LLVM_TYPES.get(kind, ir.IntType(8).as_pointer())
            for item in self._parameters
            for field in item.fields
            for kind, _ in field.c_arguments(has_extents=item.name in self._measured)
        ]
        is_word = returns_word(self._func)
        result = ir.IntType(64 if is_word else 32)
        name = PREFIX + self._func.__name__
        function = ir.Function(module, ir.FunctionType(result, kinds), name)
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        values, arguments = iter(function.args), []
        for item in self._parameters:
            has_extents = item.name in self._measured
            fields = [
                self._value(builder, field, values, has_extents=has_extents)
                for field in item.fields
            ]
            is_tuple = item.group is not None
            arguments.append(
                context.make_tuple(builder, self._type(item), fields) if is_tuple else fields[0]
            )
        status, value = context.call_conv.call_function(
            builder, context.declare_function(module, descriptor), descriptor.restype,
            descriptor.argtypes, arguments,
        )  # fmt: skip
        if is_word:
            builder.ret(builder.select(status.is_ok, value, value.type(-1)))
        else:
            builder.ret(builder.zext(status.is_error, result))


def _reached_from(libraries: Iterable[Any]) -> list[Any]:
    """Return `libraries` and the code of all functions that they call, without duplicates."""
    reached: dict[Any, None] = {}
    todo = [*libraries][::-1]
    while todo:
        library = todo.pop()
        if library not in reached:
            reached[library] = None
            if isinstance(library, InnerLibrary):
                todo += library._linking_libraries[::-1]
    return list(reached)


def merged_bitcode(kernels: Iterable[Kernel]) -> bytes:
    """Return kernels and all functions that they call, as one module in LLVM bitcode."""
    wrappers = ir.Module("masons")
    # Functions of numba, such as the function for the operator `in`, are completed during linking,
    # and this must happen under numba's lock.
    with global_compiler_lock:
        entries = [_Entry(func) for func in kernels]
        for entry in entries:
            entry.add_to(wrappers)
        merged = llvm.parse_assembly(cgutils.normalize_ir_text(str(wrappers)))
        for library in _reached_from(entry.library for entry in entries):
            merged.link_in(library._get_module_for_linking(), preserve=True)
    return bytes(merged.as_bitcode())


# --- from one module to an object file


class Processor(NamedTuple):
    """A kind of processor for which machine code is made."""

    level: int  # 2 to 4 for x86-64-v2 to -v4; 1 on a machine without levels
    cpu: str
    has_pdep: bool = False
    summed_floats: int = 32  # number of floats that `add_rows` keeps in registers


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
    add_rows = ir.Function(bodies, intrinsics.ADD_ROWS_TYPE, intrinsics.ADD_ROWS)
    intrinsics.define_add_rows(add_rows, floats=processor.summed_floats)
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
    _, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    names = features.split(",")
    floats = 256 if "+avx512f" in names else 64 if "+avx" in names else 32
    processor = Processor(1, cpu, has_pdep="+bmi2" in names, summed_floats=floats)
    machine = loading.jit_machine(cpu=cpu, features=features, opt=int(numba.config.OPT))
    return object_code(
        merged_bitcode(kernels), machine, processor,
        has_clock=c_module.HAS_CLOCK_GETTIME, has_symbol=llvm.address_of_symbol,
    )  # fmt: skip
