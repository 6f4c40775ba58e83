"""The build of the library: compiles all kernels to machine code ahead of time.

    python -m masons.engine.kernels.library_build FOLDER [--this-processor | --target TRIPLE]

The command writes three kinds of files to a folder: an object file for each processor level,
`masons.c`, which selects a level, and `masons.h`. `setup.py` builds the C module from these files,
and other programs can link them. The target is LLVM's name of a machine, for example
aarch64-linux-gnu; the default is this machine. With `--this-processor`, only the best level of this
machine's processor is made.

The files are stored in the kernel cache, so a second installation compiles nothing.
"""

from __future__ import annotations

import argparse
import inspect
import multiprocessing
import os
import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from masons.engine.errors import MasonsError
from masons.engine.kernels import kernel_cache
from masons.engine.kernels.c_module import PREFIX, SETTINGS, sources_hash
from masons.engine.kernels.loading import engine_kernels
from masons.engine.kernels.parameters import c_declaration, fields_of
from masons.version import __version__

if TYPE_CHECKING:
    from masons.engine.kernels.compiling import Processor

Kernel = Callable[..., Any]

_NATIVE: Final = Path(__file__).with_name("native")
# The modules whose constants a C program needs for states, moves and workspaces. The constants
# become macros; each module has a prefix for their names.
_LAYOUTS: Final = {
    "engine.state.layout": "",
    "engine.state.packed_move": "MOVE_",
    "engine.board.packed_board": "BOARD_",
    "engine.playouts.counters": "",
}
# The processor features, by LLVM's names, without which a level is not used (see `levels.c`).
_V3: Final = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_NEEDED: Final = {
    3: _V3,
    4: (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
# Functions of the C module in addition to the kernels.
_ABOUT: Final = """\
const char *masons_sources(void); /* MASONS_SOURCES, of the library */
int masons_level(void); /* x86-64 level used: 2 to 4; 1: one for all; 0: too old a processor */
int masons_use(int level); /* use another one, if library and processor have it: whether */
uint64_t masons_monotonic_ns(void); /* the clock that deadlines are compared with */
"""


# --- the C around the machine code


def _prototypes(kernels: Sequence[Kernel]) -> str:
    """Return the C declarations of the library's functions."""
    parts = [_ABOUT]
    for kernel in kernels:
        text = " ".join((inspect.getdoc(kernel) or "").split("\n\n")[0].split())
        declaration = c_declaration(kernel, PREFIX + kernel.__name__)
        parts.append(f"/* {text.replace('*/', '* /')} */\n{declaration};\n")
    return "\n".join(parts)


def _constants() -> Iterator[str]:
    """Yield the constants of the layouts as C macros."""
    macros: dict[str, int] = {}
    for name, before in _LAYOUTS.items():
        for constant, value in vars(import_module(f"masons.{name}")).items():
            is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if constant[0] != "_" and constant.isupper() and is_number:
                macros.setdefault(f"MASONS_{before}{constant}", int(value))
    for macro, number in macros.items():
        yield f"#define {macro} {number}u" + ("ll" if number >> 32 else "")


def _header(kernels: Sequence[Kernel]) -> str:
    """Return the text of `masons.h`."""
    text = (_NATIVE / "masons.h.in").read_text(encoding="utf-8")
    values = {
        "version": __version__,
        "sources": sources_hash(),
        "constants": "\n".join(_constants()),
        "functions": _prototypes(kernels),
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _level_prefix(level: int) -> str:
    return f"{PREFIX}v{level}_"


def _code(kernels: Sequence[Kernel], levels: Sequence[int]) -> str:
    """Return the text of `masons.c`, where each function calls its best version for the processor.

    `levels` lists the levels, best first.
    """
    is_level = " || ".join(f"(wanted) == {level}" for level in levels)
    lines = [
        "#if defined(__linux__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)",
        "#define _POSIX_C_SOURCE 200112L /* the clock, where C is meant to the letter */",
        "#endif",
        '#include "masons.h"\n',
        (_NATIVE / "clock.c").read_text(encoding="utf-8"),
        "const char *masons_sources(void) { return MASONS_SOURCES; }\n",
        f"#define MASONS_HAS_LEVELS {int(levels[0] > 1)}",
        f"#define MASONS_BEST_LEVEL {levels[0]}",
        f"#define MASONS_LEAST_LEVEL {levels[-1]}",
        f"#define MASONS_IS_LEVEL(wanted) ({is_level})",
        (_NATIVE / "levels.c").read_text(encoding="utf-8"),
    ]
    for kernel in kernels:
        passed = ", ".join(field.c_argument[1] for field in fields_of(kernel))
        names = {level: _level_prefix(level) + kernel.__name__ for level in levels}
        lines += [f"extern {c_declaration(kernel, name)};" for name in names.values()]
        lines += [c_declaration(kernel, PREFIX + kernel.__name__), "{"]
        for level in levels[:-1]:
            lines.append(f"    if (masons_level() >= {level})")
            lines.append(f"        return {names[level]}({passed});")
        lines.append(f"    return {names[levels[-1]]}({passed});")
        lines.append("}\n")
    return "\n".join(lines)


# --- the machine code


def _target(name: str | None) -> str:
    """Return LLVM's full name of a machine, or of this machine if `name` is None.

    Raises MasonsError if LLVM does not know the machine.
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        return str(llvm.Target.from_triple(name or llvm.get_process_triple()).triple)
    except RuntimeError:
        raise MasonsError(f"--target {name}: LLVM knows no such machine") from None


def _processors(target: str) -> tuple[Processor, ...]:
    """Return the processor levels that the library supports on a machine, best first."""
    from masons.engine.kernels.compiling import Processor

    if not target.startswith(("x86_64", "amd64")):
        return (Processor(1, ""),)
    return (
        Processor(4, "x86-64-v4", has_pdep=True, lanes=16),
        Processor(3, "x86-64-v3", has_pdep=True, lanes=8),
        Processor(2, "x86-64-v2"),
    )


def _of_this_processor(processors: Sequence[Processor]) -> tuple[Processor, ...]:
    """Return the best of several levels that this machine's processor has, or else the last one."""
    import llvmlite.binding as llvm

    has = llvm.get_host_cpu_features()
    usable = (each for each in processors if all(map(has.get, _NEEDED.get(each.level, ()))))
    return (next(usable, processors[-1]),)


def _object(bitcode: bytes, target: str, processor: Processor) -> bytes:
    """Return the object file of a module for one processor level."""
    import llvmlite.binding as llvm

    from masons.engine.kernels.compiling import object_code

    _target(target)  # initializes LLVM if this function runs in a new process
    machine = llvm.Target.from_triple(target).create_target_machine(
        cpu=processor.cpu, opt=3, reloc="pic", codemodel="default"
    )
    return object_code(bitcode, machine, processor, prefix=_level_prefix(processor.level))


def _make(target: str, *, is_local: bool) -> dict[str, bytes]:
    """Return the name and the content of each file of the library for a machine.

    If `is_local` is true, the machine is this one, and only its processor's best level is made.
    """
    # From this point on, kernels are compiled and the library is not used.
    os.environ["MASONS_JIT"] = "1"
    for name in ("MASONS_CHECKED", *SETTINGS):
        os.environ.pop(name, None)
    from masons.engine.kernels.compiling import merged_bitcode

    kernels = engine_kernels()
    processors = _processors(target)
    if is_local:
        processors = _of_this_processor(processors)
    make = partial(_object, merged_bitcode(kernels), target)
    if len(processors) == 1 or sys.platform != "linux":
        objects = [make(processor) for processor in processors]
    else:  # in parallel on systems that fork processes
        count = min(len(processors), os.cpu_count() or 1)
        with ProcessPoolExecutor(count, multiprocessing.get_context("fork")) as pool:
            objects = list(pool.map(make, processors))
    levels = [processor.level for processor in processors]
    texts = {
        "masons.h": _header(kernels),
        "masons.c": _code(kernels, levels),
        "masons_cffi.h": _prototypes(kernels),
    }
    return {name: text.encode() for name, text in texts.items()} | {
        f"masons_v{level}.o": data for level, data in zip(levels, objects, strict=True)
    }


def library_files(name: str | None, *, is_local: bool = False) -> dict[str, bytes]:
    """Return the name and content of each library file for a machine, from the cache if possible.

    `name` is LLVM's name of the machine; None stands for this machine. If `is_local` is true, only
    the best level of this machine's processor is made.
    """
    target = _target(name)
    key = f"library-{name or sysconfig.get_platform()}"
    if is_local:
        import llvmlite.binding as llvm

        key += f"-{llvm.get_host_cpu_name()}"
    payload = kernel_cache.read_kept(key)
    if payload is None:
        payload = pickle.dumps(_make(target, is_local=is_local))
        kernel_cache.keep(key, payload)
    files: dict[str, bytes] = pickle.loads(payload)
    return files


def main() -> None:
    """Write the library's files to the folder named on the command line."""
    parser = argparse.ArgumentParser(description="Make the kernels' machine code ahead of time.")
    parser.add_argument("folder", type=Path)
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument("--target", metavar="TRIPLE", help="e.g. aarch64-linux-gnu; else this one")
    machine.add_argument("--this-processor", action="store_true", help="only its level")
    options = parser.parse_args()
    try:
        files = library_files(options.target, is_local=options.this_processor)
    except MasonsError as error:
        parser.error(str(error))
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (options.folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
