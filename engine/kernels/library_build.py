"""Makes the library: all kernels as machine code, ahead of time.

    python -m masons.engine.kernels.library_build FOLDER [--target aarch64-linux-gnu]

puts into a folder an object file for each level of the processor, `masons.c`, which chooses between
them, and `masons.h`. `setup.py` makes the C module of them; any other program links them too. The
target is the machine that they are for, as LLVM names it; this one if none is named.

Every kernel is compiled by numba as far as to LLVM's intermediate code, once, in one module. Only
then do the levels part: each gets its own form of what one instruction does where there is one, is
optimised as a whole and made an object. What the optimiser leaves must need nothing that this
process has: `_check` looks.

The objects are kept where compiled kernels are: a second install makes nothing anew.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import pickle
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.kernels.library.kernel_sources import SETTINGS, kernel_sources, sources_hash
from masons.engine.kernels.library.library_text import (
    code_text,
    header_text,
    level_prefix,
    prototypes,
)
from masons.engine.kernels.library.native_library import PREFIX
from masons.engine.kernels.library.parameters import (
    Array,
    Group,
    Number,
    Parameter,
    measured,
    parameters_of,
    returns_word,
)


class Level(NamedTuple):
    """A kind of processor that machine code is made for."""

    number: int  # of x86-64-v2 to -v4; 1 where there is one kind only
    cpu: str
    has_pdep: bool = False
    summed_floats: int = 32  # half of what its registers hold


X86: Final = (
    Level(4, "x86-64-v4", has_pdep=True, summed_floats=256),
    Level(3, "x86-64-v3", has_pdep=True, summed_floats=64),
    Level(2, "x86-64-v2"),
)


def levels(target: str) -> tuple[Level, ...]:
    """What the library holds for a kind of machine, the best first."""
    return X86 if target.startswith(("x86_64", "amd64")) else (Level(1, "", summed_floats=64),)


def _target(name: str | None) -> str:
    """The machine that is named, or this one, in full. Raises MasonsError for an unknown one."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return str(llvm.Target.from_triple(name or llvm.get_process_triple()).triple)
    except RuntimeError:
        raise MasonsError(f"--target {name}: LLVM knows no such machine") from None


def _kernels() -> list[Callable[..., Any]]:
    """Every kernel of the engine, as Python function."""
    found = []
    for name, path in kernel_sources():
        if "\n@kernel\n" in path.read_text(encoding="utf-8"):
            module = import_module("masons." + name.removesuffix(".py").replace("/", "."))
            found += [
                value.py_func
                for value in vars(module).values()
                if getattr(getattr(value, "py_func", None), "__module__", "") == module.__name__
            ]
    return found


def _numba_type(parameter: Parameter) -> Any:
    from numba import types

    if isinstance(parameter, Group):
        fields = [_numba_type(field) for field in parameter.fields]
        return types.BaseTuple.from_types(fields, parameter.made_by)
    number = getattr(types, parameter.dtype)
    return types.Array(number, parameter.axes, "C") if isinstance(parameter, Array) else number


class Entry:
    """A kernel, lowered, and the C function around it."""

    def __init__(self, func: Callable[..., Any]) -> None:
        import numba

        from masons.engine.kernels.compiler_link import EntryCompiler

        self.name = PREFIX + func.__name__
        self.parameters = parameters_of(func)
        self.returns = returns_word(func)
        self.measured = measured(func)
        compiled = numba.njit(
            func, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False,
            pipeline_class=EntryCompiler,
        )  # fmt: skip
        compiled.compile(tuple(map(_numba_type, self.parameters)))
        (self._made,) = compiled.overloads.values()
        self.library = self._made.library

    def _array(self, item: Array, measured: bool, given: Any) -> Any:
        """Numba's structure of an array, out of the C function's arguments."""
        from llvmlite import ir
        from numba.np.arrayobj import populate_array

        context, builder = self._context, self._builder
        kind = _numba_type(item)
        array = context.make_array(kind)(context, builder)
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        pointer = builder.bitcast(next(given), array.data.type)
        word = ir.IntType(64)
        shape = [next(given) if measured else word(0) for _ in range(item.axes)]
        strides = [word(size)]
        for extent in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], extent))
        populate_array(array, pointer, shape, strides, word(size), None)
        return array._getvalue()

    def _argument(self, item: Parameter, measured: bool, given: Any) -> Any:
        if isinstance(item, Number):
            return next(given)
        if isinstance(item, Array):
            return self._array(item, measured, given)
        fields = [self._argument(field, measured, given) for field in item.fields]
        return self._context.make_tuple(self._builder, _numba_type(item), fields)

    def _c_types(self, item: Parameter, measured: bool) -> Any:
        from llvmlite import ir

        if isinstance(item, Group):
            for field in item.fields:
                yield from self._c_types(field, measured)
        elif isinstance(item, Array):
            yield ir.IntType(8).as_pointer()
            yield from [ir.IntType(64)] * (item.axes if measured else 0)
        else:
            yield ir.DoubleType() if item.dtype == "float64" else ir.IntType(64)

    def add_to(self, module: Any) -> None:
        """Write the C function: it returns the number, or 0, and what tells of an error."""
        from llvmlite import ir

        self._context = self._made.target_context
        descriptor = self._made.fndesc
        kinds = [
            kind
            for item in self.parameters
            for kind in self._c_types(item, item.name in self.measured)
        ]
        result = ir.IntType(64 if self.returns else 32)
        function = ir.Function(module, ir.FunctionType(result, kinds), self.name)
        self._builder = builder = ir.IRBuilder(function.append_basic_block("entry"))
        given = iter(function.args)
        arguments = [
            self._argument(item, item.name in self.measured, given) for item in self.parameters
        ]
        status, value = self._context.call_conv.call_function(
            builder, self._context.declare_function(module, descriptor), descriptor.restype,
            descriptor.argtypes, arguments,
        )  # fmt: skip
        if self.returns:
            builder.ret(builder.select(status.is_ok, value, value.type(-1)))
        else:
            builder.ret(builder.zext(status.is_error, result))


def _merge(entries: list[Entry]) -> Any:
    """All kernels and all they call in one module, as bitcode."""
    import llvmlite.binding as llvm
    from llvmlite import ir
    from numba.core.cgutils import normalize_ir_text
    from numba.core.compiler_lock import global_compiler_lock

    from masons.engine.kernels.compiler_link import reached_from

    wrappers = ir.Module("masons")
    for entry in entries:
        entry.add_to(wrappers)
    merged = llvm.parse_assembly(normalize_ir_text(str(wrappers)))
    # What numba brings itself, such as `in`, is completed when it is linked, under its lock.
    with global_compiler_lock:
        for library in reached_from(entry.library for entry in entries):
            merged.link_in(library._get_module_for_linking(), preserve=True)
    return merged.as_bitcode()


def _for_level(bitcode: bytes, names: set[str], level: Level) -> Any:
    """The module of a level: only the C functions can be seen outside of it."""
    import llvmlite.binding as llvm
    from llvmlite import ir

    from masons.engine.kernels import intrinsics

    module = llvm.parse_bitcode(bitcode)
    own = ir.Module("processor")
    nth_item = ir.Function(own, intrinsics.NTH_ITEM_TYPE, intrinsics.NTH_ITEM)
    intrinsics.define_nth_item(nth_item, has_pdep=level.has_pdep)
    add_rows = ir.Function(own, intrinsics.ADD_ROWS_TYPE, intrinsics.ADD_ROWS)
    intrinsics.define_add_rows(add_rows, floats=level.summed_floats)
    module.link_in(llvm.parse_assembly(str(own)))
    for function in module.functions:
        if function.name in names:
            function.name = level_prefix(level.number) + function.name.removeprefix(PREFIX)
            function.visibility = "hidden"
        elif not function.is_declaration:
            function.linkage = "internal"
    return module


def _object(bitcode: bytes, names: set[str], target: str, level: Level) -> bytes:
    """The object file of a level."""
    import llvmlite.binding as llvm

    # In a process of its own nothing is known of any machine yet.
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = _for_level(bitcode, names, level)
    machine = llvm.Target.from_triple(target).create_target_machine(
        cpu=level.cpu, opt=3, reloc="pic", codemodel="default"
    )
    module.triple, module.data_layout = target, str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization, tuning.slp_vectorization = True, False  # as numba has them
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    _check(module)
    found: bytes = machine.emit_object(module)
    return found


def _objects(bitcode: bytes, names: set[str], target: str) -> dict[str, bytes]:
    """The object file of each level, by its name; several at once where processes fork."""
    wanted = levels(target)
    make = partial(_object, bitcode, names, target)
    if len(wanted) == 1 or sys.platform != "linux":
        found = [make(level) for level in wanted]
    else:
        count = min(len(wanted), os.cpu_count() or 1)
        with ProcessPoolExecutor(count, multiprocessing.get_context("fork")) as pool:
            found = list(pool.map(make, wanted))
    return {f"masons_v{level.number}.o": made for level, made in zip(wanted, found, strict=True)}


def _check(module: Any) -> None:
    """Refuse what would need something of this process, or of another library."""
    from masons.engine.kernels.intrinsics import CLOCK

    needed = {
        item.name
        for items in (module.functions, module.global_variables)
        for item in items
        if item.is_declaration and not item.name.startswith("llvm.")
    }
    # The compiler makes a call of sqrt an instruction.
    if needed - {CLOCK, "memcpy", "memset", "sqrt"}:
        raise MasonsError(f"the kernels need {', '.join(sorted(needed))}")


def make_library(target: str) -> dict[str, bytes]:
    """The library's files for a machine: name and content."""
    # From here on everything is compiled, as written, for any processor.
    os.environ["MASONS_JIT"] = "1"
    for name in ("MASONS_CHECKED", *SETTINGS):
        os.environ.pop(name, None)
    from masons.engine.kernels import intrinsics

    intrinsics.for_this_processor[0] = False
    gc.disable()
    kernels = _kernels()
    entries = [Entry(kernel) for kernel in kernels]
    bitcode = _merge(entries)
    names = {entry.name for entry in entries}
    clock = Path(__file__).with_name("native").joinpath("clock.c").read_text(encoding="utf-8")
    numbers = [level.number for level in levels(target)]
    texts = {
        "masons.h": header_text(kernels, sources_hash()),
        "masons.c": code_text(kernels, clock, numbers),
        "masons_cffi.h": prototypes(kernels),
    }
    return {name: text.encode() for name, text in texts.items()} | _objects(bitcode, names, target)


def _kept(name: str | None) -> Path | None:
    """Where a library that was made is kept, for the next install."""
    from masons.engine.kernels.kernel_cache import cache_folder

    folder = cache_folder()
    return folder / f"library-{name or sysconfig.get_platform()}.pickle" if folder else None


def library_files(name: str | None) -> dict[str, bytes]:
    """The library's files for the machine of a name, made now or at an earlier time."""
    from masons.engine.kernels.kernel_store import packed, read_packed

    target = _target(name)
    path = _kept(name)
    if path is not None:
        with suppress(OSError):
            payload = read_packed(path)
            if payload is not None:
                found: dict[str, bytes] = pickle.loads(payload)
                return found
    files = make_library(target)
    if path is not None:
        with suppress(OSError):
            write_atomic(path, packed(path, pickle.dumps(files)), sync=False)
    return files


def main() -> None:
    """Make the library in the folder that is named."""
    parser = argparse.ArgumentParser(description="Make the kernels' machine code ahead of time.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", metavar="TRIPLE", help="e.g. aarch64-linux-gnu; else this one")
    asked = parser.parse_args()
    try:
        files = library_files(asked.target)
    except MasonsError as error:
        parser.error(str(error))
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (asked.folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
