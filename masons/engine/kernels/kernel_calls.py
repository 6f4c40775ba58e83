"""The decorator `kernel`, which turns a kernel into a Python function that calls its machine code.

The calling function is generated as source code, because a loop over the parameters would take
longer than many kernels. It takes a C-contiguous array of the right dtype with one axis for each
pointer, and passes the array's address. Checking arguments is slow, too, but most arguments are
workspaces, boards and models that stay the same from call to call. The last array of each parameter
is therefore cached, together with the values that were passed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import Any, Final, TypeVar, cast

import numpy as np

from masons.engine.kernels.c_module import PREFIX, Library, is_checked, native_library
from masons.engine.kernels.jit import KERNELS
from masons.engine.kernels.parameters import C_TYPES, c_declaration, parameters_of, returns_word

F = TypeVar("F", bound=Callable[..., Any])

# The machine code compiled ahead of time, or None if no such code can be used.
LIBRARY: Final = native_library()
# The result of a C function after an error, if the function returns numbers.
FAILED: Final = 2**64 - 1
# Larger arrays are not cached, because the cache would keep them alive.
_KEPT_BYTES: Final = 1 << 18


def kernel(func: F) -> F:
    """Declare a function that Python calls. Its annotations are its only signature.

    A kernel returns a `Word` or nothing. See `jit` for the types of its parameters.
    """
    KERNELS.append(func)
    if is_checked():
        from masons.engine.kernels.compiling import compile_checked

        return cast("F", compile_checked(func))
    return call_of(func, LIBRARY)


def _refuse(name: str, array: Any, dtype: np.dtype[Any]) -> None:
    """Raise TypeError for an array with a wrong dtype or number of axes.

    A dtype that is equal to the right one, but another object, is accepted.
    """
    actual = getattr(array, "dtype", None)
    if actual is None:
        raise TypeError(f"{name}: not an array: {type(array).__name__}")
    if actual != dtype or array.ndim != 1:
        raise TypeError(f"{name}: {dtype} and 1 axis are wanted, not {actual}, {array.ndim}")


def _refuse_tuple(name: str, value: Any, wanted: type) -> None:
    raise TypeError(f"{name}: a {wanted.__name__} is wanted, not a {type(value).__name__}")


def _fail(name: str) -> None:
    """Raise ZeroDivisionError, which is the only error that compiled kernels report."""
    raise ZeroDivisionError(f"{name}: division by zero")


def _lines(func: Callable[..., Any], names: dict[str, Any]) -> Iterator[str]:
    """Yield the source of the function that calls a kernel, and add its globals to `names`.

    `last_NAME` caches the last value of an array parameter, together with the arguments that were
    passed for it. Other threads may replace `last_NAME` at any time.
    """
    parameters = parameters_of(func)
    kept = [f"last_{item.name}" for item in parameters if item.group or item.fields[0].is_pointer]
    names.update(dict.fromkeys(kept, (object(), ())))
    yield f"def {func.__name__}({', '.join(item.name for item in parameters)}):\n"
    if kept:
        yield f"  global {', '.join(kept)}\n"
    yield "  try:\n"
    arguments = []
    for name, fields, group in parameters:
        if not group and not fields[0].is_pointer:
            arguments.append(name)
            continue
        at, last = f"at_{name}", f"last_{name}"
        yield f"    {at} = {last}\n    if {at}[0] is not {name}:\n"
        if group:
            names[f"{name}_kind"] = group
            yield f"      if {name}.__class__ is not {name}_kind: "
            yield f"refuse_tuple({name!r}, {name}, {name}_kind)\n"
        passed, sizes = [], ["0"]
        for place, dtype, is_pointer in fields:
            if not is_pointer:
                passed.append(place)
                continue
            yield f"      if {place}.dtype is not {dtype} or {place}.ndim != 1: "
            yield f"refuse({place!r}, {place}, {dtype})\n"
            passed.append(f"from_buffer({dtype}_items, {place})")
            sizes.append(f"{place}.nbytes")
        yield f"      {at} = ({name}, ({', '.join(passed)},))\n"
        yield f"      if {'+'.join(sizes)} < {_KEPT_BYTES}: {last} = {at}\n"
        arguments.append(f"{at}[1][0]" if len(passed) == 1 else f"*{at}[1]")
    yield f"    result = function({', '.join(arguments)})\n"
    yield "  except AttributeError as error:\n    raise TypeError(str(error)) from None\n"
    if returns_word(func):
        yield f"  if result == {FAILED}: fail({func.__name__!r})\n  return result\n"
    else:
        yield f"  if result: fail({func.__name__!r})\n"


def call_of(func: F, library: Library | None) -> F:
    """Return the Python function that calls a kernel's machine code.

    The machine code comes from the library. If the library lacks the kernel, `loading` provides the
    code at the first call.
    """
    if library is not None:
        ffi = library.ffi
    else:
        from _cffi_backend import FFI  # avoids loading cffi's parser of declarations

        ffi = FFI()
    function = library.kernel(func) if library is not None else None
    if function is None:
        kind = ffi.typeof(c_declaration(func, "(*)"))

        def function(*arguments: Any) -> Any:
            from masons.engine.kernels.loading import address_of

            names["function"] = loaded = ffi.cast(kind, address_of(func))
            return loaded(*arguments)

    names: dict[str, Any] = {
        "function": function, "from_buffer": ffi.from_buffer, "refuse": _refuse,
        "refuse_tuple": _refuse_tuple, "fail": _fail,
    }  # fmt: skip
    for dtype, c_type in C_TYPES.items():
        names[dtype] = np.dtype(dtype)
        names[f"{dtype}_items"] = ffi.typeof(f"{c_type}[]")
    exec(compile("".join(_lines(func, names)), f"<{PREFIX}{func.__name__}>", "exec"), names)
    return update_wrapper(names[func.__name__], func)  # type: ignore[return-value]
