"""The C around the library's machine code: the header, and the choice of the processor's level."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from masons import __version__
from masons.engine.kernels.library.native_library import PREFIX
from masons.engine.kernels.library.parameters import (
    C_TYPES,
    Array,
    Group,
    Number,
    Parameter,
    measured,
    parameters_of,
    returns_word,
)

# Whose numbers a program needs that fills or reads states, moves and workspaces.
_LAYOUTS: Final = {
    "engine.state.layout": "",
    "engine.state.packed_move": "MOVE_",
    "engine.board.packed_board": "BOARD_",
    "engine.playouts.counters": "",
}
_HEADER: Final = """\
/* Masons Engine {version}: its kernels as C functions. Written by the build; see docs/library.md.
 *
 * A function returns MASONS_OK or another error code; one that returns a number returns
 * MASONS_FAILED on an error. Arrays belong to the caller. Their extents stand behind them where
 * they are not fixed; what each holds, the kernel of that name in the Python sources says. */

#ifndef MASONS_H
#define MASONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#define MASONS_VERSION "{version}"
#define MASONS_SOURCES "{sources}" /* the hash of the sources */

#define MASONS_OK 0
#define MASONS_DIVISION_BY_ZERO 1
#define MASONS_FAILED UINT64_MAX

{constants}

{functions}

#ifdef __cplusplus
}}
#endif
#endif
"""
# Known to Python too, besides the kernels.
_ABOUT: Final = """\
const char *masons_sources(void); /* MASONS_SOURCES, of the library */
int masons_level(void); /* of the x86-64 level used: 2, 3; 1: one for all; 0: too old a processor */
int masons_use(int level); /* use another one, if library and processor have it: whether */
uint64_t masons_monotonic_ns(void); /* the clock that deadlines are compared with */
"""
_CODE: Final = """\
#if defined(__linux__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200112L /* the clock, where C is meant to the letter */
#endif
#include "masons.h"

{clock}
const char *masons_sources(void) {{ return MASONS_SOURCES; }}

#if {has_levels}
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static void ask(unsigned leaf, unsigned found[4])
{{
    int most[4], now[4];
    __cpuid(most, leaf & 0x80000000u);
    __cpuidex(now, leaf, 0);
    for (int i = 0; i < 4; i++)
        found[i] = (unsigned)most[0] >= leaf ? (unsigned)now[i] : 0;
}}
static unsigned saved_registers(void) {{ return (unsigned)_xgetbv(0); }}
#else
#include <cpuid.h>
static void ask(unsigned leaf, unsigned found[4])
{{
    if (!__get_cpuid_count(leaf, 0, &found[0], &found[1], &found[2], &found[3]))
        found[0] = found[1] = found[2] = found[3] = 0;
}}
static unsigned saved_registers(void)
{{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}}
#endif
/* The processor itself is asked: what compilers offer for it knows other names, or fewer, or, with
 * some on Windows, nothing; and without lzcnt the code would count wrong, silently. */
static int best_level(void)
{{
    unsigned first[4], seventh[4], more[4];
    ask(1, first);
    ask(7, seventh);
    ask(0x80000001u, more);
    unsigned fma = first[2] >> 12, sse42 = first[2] >> 20, movbe = first[2] >> 22;
    unsigned popcnt = first[2] >> 23, osxsave = first[2] >> 27, f16c = first[2] >> 29;
    unsigned bmi = seventh[1] >> 3, avx2 = seventh[1] >> 5, bmi2 = seventh[1] >> 8;
    unsigned lzcnt = more[2] >> 5;
    if (!(sse42 & popcnt & 1))
        return 0;
    if (!(fma & movbe & osxsave & f16c & bmi & avx2 & bmi2 & lzcnt & 1))
        return 2;
    /* Whether the system keeps the wide registers, and the wider ones. */
    if ((saved_registers() & 6) != 6)
        return 2;
    unsigned avx512f = seventh[1] >> 16, avx512dq = seventh[1] >> 17, avx512cd = seventh[1] >> 28;
    unsigned avx512bw = seventh[1] >> 30, avx512vl = seventh[1] >> 31;
    if (!(avx512f & avx512dq & avx512cd & avx512bw & avx512vl & 1))
        return 3;
    return (saved_registers() & 0xe0) == 0xe0 ? 4 : 3;
}}
#else
static int best_level(void) {{ return 1; }}
#endif

static int level = -1;

int masons_level(void)
{{
    if (level < 0)
        level = best_level();
    return level;
}}

int masons_use(int wanted)
{{
    if (({is_level}) && wanted <= best_level())
        level = wanted;
    return level == wanted;
}}

{functions}
"""

Kernel = Callable[..., Any]


def _c_parameters(items: Iterable[Parameter], wide: set[str], before: str = "") -> Iterator[str]:
    for item in items:
        name = before + item.name
        if isinstance(item, Group):
            inside = {field.name for field in item.fields} if item.name in wide else set()
            yield from _c_parameters(item.fields, inside, f"{name}_")
        elif isinstance(item, Number):
            yield f"{C_TYPES[item.dtype]} {name}"
        else:
            assert isinstance(item, Array)
            yield f"{C_TYPES[item.dtype]} *{name}"
            if item.name in wide:
                yield from (f"size_t {name}_{axis}" for axis in range(item.axes))


def _c_function(kernel: Kernel, prefix: str = PREFIX) -> str:
    """The declaration of a kernel, without the semicolon."""
    result = "uint64_t" if returns_word(kernel) else "int"
    passed = ", ".join(_c_parameters(parameters_of(kernel), measured(kernel)))
    return f"{result} {prefix}{kernel.__name__}({passed})"


def _first_sentence(kernel: Kernel) -> str:
    text = " ".join((inspect.getdoc(kernel) or "").split("\n\n")[0].split())
    return text.replace("*/", "* /")


def prototypes(kernels: Sequence[Kernel]) -> str:
    """The library's functions, as C declares them."""
    shown = (f"/* {_first_sentence(kernel)} */\n{_c_function(kernel)};\n" for kernel in kernels)
    return _ABOUT + "\n" + "\n".join(shown)


def _constants() -> Iterator[str]:
    """The layout's numbers as macros."""
    known: dict[str, int] = {}
    for name, before in _LAYOUTS.items():
        for constant, value in vars(import_module(f"masons.{name}")).items():
            is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if constant[0] == "_" or not constant.isupper() or not is_number:
                continue
            macro = f"MASONS_{before}{constant}"
            if macro not in known:
                known[macro] = int(value)
                yield f"#define {macro} {int(value)}u" + ("ll" if int(value) >> 32 else "")


def header_text(kernels: Sequence[Kernel], sources: str) -> str:
    """`masons.h`."""
    return _HEADER.format(
        version=__version__,
        sources=sources,
        constants="\n".join(_constants()),
        functions=prototypes(kernels),
    )


def level_prefix(number: int) -> str:
    """What the names of a level's functions begin with."""
    return f"{PREFIX}v{number}_"


def _choice(kernel: Kernel, numbers: Sequence[int]) -> str:
    """A function that goes on to its level's."""
    names = [part.rpartition(" ")[2].lstrip("*") for part in
             _c_parameters(parameters_of(kernel), measured(kernel))]  # fmt: skip
    passed = ", ".join(names)
    declared = [f"extern {_c_function(kernel, level_prefix(number))};" for number in numbers]
    *better, last = numbers
    lines = [
        f"    if (masons_level() >= {number})\n"
        f"        return {level_prefix(number)}{kernel.__name__}({passed});"
        for number in better
    ]
    lines += [f"    return {level_prefix(last)}{kernel.__name__}({passed});"]
    return "\n".join([*declared, _c_function(kernel), "{", *lines, "}\n"])


def code_text(kernels: Sequence[Kernel], clock: str, numbers: Sequence[int]) -> str:
    """`masons.c`; the levels' numbers from the best on."""
    return _CODE.format(
        clock=clock,
        has_levels=int(len(numbers) > 1),
        is_level=" || ".join(f"wanted == {number}" for number in numbers),
        functions="\n".join(_choice(kernel, numbers) for kernel in kernels),
    )
