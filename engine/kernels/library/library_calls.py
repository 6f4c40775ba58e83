"""The Python functions that call the library's: they look at what they are given, and pass it on.

Each is written out as source from the kernel's parameters, as a loop over them would take longer
than many a kernel. An array must have the right type, number of axes and order; what is passed is
where it begins, and its extents where the kernel asks for them, which the C function's type says.

Finding out takes longer than many a kernel, too. Most arguments are workspaces, boards and models,
the same in every call: what was found of the last one is kept, and so is that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import Any, Final, TypeVar

import numpy as np

from masons.engine.kernels.library.native_library import PREFIX, Library
from masons.engine.kernels.library.parameters import (
    C_TYPES,
    Array,
    Group,
    Number,
    parameters_of,
    returns_word,
)

F = TypeVar("F", bound=Callable[..., Any])

# What a C function that returns a number returns on an error.
FAILED: Final = 2**64 - 1
_EXTENT: Final = "size_t"
_NONE: Final = object()
# Arrays that take more are not kept until another is given.
_KEPT_BYTES: Final = 1 << 18


def _refuse(what: str, array: Any, dtype: np.dtype[Any], axes: int) -> None:
    """Raise, unless the type is the same by another name."""
    found = getattr(array, "dtype", None)
    if found is None:
        raise TypeError(f"{what}: not an array: {type(array).__name__}")
    if found != dtype or array.ndim != axes:
        raise TypeError(f"{what}: {dtype} and {axes} axes are wanted, not {found}, {array.ndim}")


def _refuse_tuple(what: str, given: Any, wanted: type) -> None:
    raise TypeError(f"{what}: a {wanted.__name__} is wanted, not a {type(given).__name__}")


def _fail(what: str) -> None:
    """The only error that kernels have, as compiled by numba."""
    raise ZeroDivisionError(f"{what}: division by zero")


def _passed(kinds: list[Any], place: str, item: Number | Array) -> tuple[str, list[str]]:
    """The line that looks at an argument, and what is passed; takes from `kinds`."""
    kinds.pop(0)
    if isinstance(item, Number):
        return "", [place]
    check = (
        f"      if {place}.dtype is not {item.dtype} or {place}.ndim != {item.axes}: "
        f"refuse({place!r}, {place}, {item.dtype}, {item.axes})\n"
    )
    passed = [f"from_buffer({item.dtype}_items, {place})"]
    for axis in range(item.axes):
        if kinds and kinds[0].cname == _EXTENT:
            kinds.pop(0)
            passed.append(f"{place}.shape[{axis}]")
    return check, passed


def _taken(kinds: list[Any], one: Array | Group, names: dict[str, Any]) -> Iterator[str]:
    """The lines that look at an array, or a tuple of them, unless it is the one of the last call.

    What is passed of it is `at_NAME[1]`. Another thread may set `last_NAME` at any time.
    """
    at, last = f"at_{one.name}", f"last_{one.name}"
    names[last] = (_NONE, ())
    yield f"    {at} = {last}\n    if {at}[0] is not {one.name}:\n"
    items: list[tuple[str, Number | Array]]
    if isinstance(one, Group):
        names[f"{one.name}_kind"] = one.made_by
        yield f"      if {one.name}.__class__ is not {one.name}_kind: "
        yield f"refuse_tuple({one.name!r}, {one.name}, {one.name}_kind)\n"
        items = [(f"{one.name}.{field.name}", field) for field in one.fields]
    else:
        items = [(one.name, one)]
    passed: list[str] = []
    for place, item in items:
        check, more = _passed(kinds, place, item)
        yield check
        passed += more
    size = "+".join(f"{place}.nbytes" for place, item in items if isinstance(item, Array)) or "0"
    yield f"      {at} = ({one.name}, ({', '.join(passed)},))\n"
    yield f"      if {size} < {_KEPT_BYTES}: {last} = {at}\n"


def _lines(func: Callable[..., Any], kinds: list[Any], names: dict[str, Any]) -> Iterator[str]:
    """The function's source. Adds to `names` what it needs."""
    parameters = parameters_of(func)
    kept = [one.name for one in parameters if not isinstance(one, Number)]
    yield f"def {func.__name__}({', '.join(one.name for one in parameters)}):\n"
    if kept:
        yield f"  global {', '.join(f'last_{name}' for name in kept)}\n"
    yield "  try:\n"
    passed: list[str] = []
    for one in parameters:
        if isinstance(one, Number):
            passed += _passed(kinds, one.name, one)[1]
            continue
        before = len(kinds)
        yield from _taken(kinds, one, names)
        single = before - len(kinds) == 1
        passed.append(f"at_{one.name}[1][0]" if single else f"*at_{one.name}[1]")
    yield f"    result = function({', '.join(passed)})\n"
    yield "  except AttributeError as error:\n    raise TypeError(str(error)) from None\n"
    if returns_word(func):
        yield f"  if result == {FAILED}: fail({func.__name__!r})\n  return result\n"
    else:
        yield f"  if result: fail({func.__name__!r})\n"


def library_call(func: F, library: Library) -> F | None:
    """The function that calls the library's kernel; None where that has none of this name."""
    ffi, lib = library
    function = getattr(lib, PREFIX + func.__name__, None)
    if function is None:
        return None
    names = {
        "function": function, "from_buffer": ffi.from_buffer, "refuse": _refuse,
        "refuse_tuple": _refuse_tuple, "fail": _fail,
    }  # fmt: skip
    for dtype, c_type in C_TYPES.items():
        names[dtype] = np.dtype(dtype)
        names[f"{dtype}_items"] = ffi.typeof(f"{c_type}[]")
    source = "".join(_lines(func, list(ffi.typeof(function).args), names))
    exec(compile(source, f"<{PREFIX}{func.__name__}>", "exec"), names)
    return update_wrapper(names[func.__name__], func)  # type: ignore[return-value]
