"""The parameters of a kernel, read from its annotations, and the function that calls its code.

The calling function is generated as source code, because a loop over the parameters would take
longer than many kernels. An array must have the right dtype, number of axes and order. The function
passes the array's address, and also its shape if the kernel needs the shape. Checking arguments is
slow, too, but most arguments are workspaces, boards and models that stay the same from call to
call. The last array of each parameter is therefore cached, together with the values that were
passed for it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import update_wrapper
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from masons.engine.errors import MasonsError
from masons.engine.kernels.c_module import PREFIX, Library

F = TypeVar("F", bound=Callable[..., Any])

# C types of items, by the name of the dtype.
C_TYPES: Final = {"uint64": "uint64_t", "float64": "double", "float32": "float"}
# Functions that turn arrays into pointers. If a kernel uses an array in any other way, it needs the
# array's shape.
_POINTER_MAKERS: Final = ("ptr", "pointers")
_EXTENT: Final = "size_t"
# The result of a C function after an error, if the function returns numbers.
FAILED: Final = 2**64 - 1
# Larger arrays are not cached, because the cache would keep them alive.
_KEPT_BYTES: Final = 1 << 18


class Field(NamedTuple):
    """A number or a C-contiguous array that a kernel takes, either alone or in a named tuple."""

    name: str  # for example "rng", or "models.net" for a field of a tuple
    dtype: str
    axes: int = 0  # 0 for a number

    def c_arguments(self, *, has_extents: bool) -> list[tuple[str, str]]:
        """Return the type and name of each argument of the C function for this field."""
        kind, name = C_TYPES[self.dtype], self.name.replace(".", "_")
        if not self.axes:
            return [(f"{kind} ", name)]
        extents = range(self.axes if has_extents else 0)
        return [(f"{kind} *", name), *((f"{_EXTENT} ", f"{name}_{axis}") for axis in extents)]


class Parameter(NamedTuple):
    """One parameter of a kernel, which is a field or a named tuple of fields."""

    name: str
    fields: tuple[Field, ...]
    group: type[Any] | None = None


def _field(name: str, hint: Any) -> Field:
    if get_origin(hint) is UnionType:  # for example Word | np.uint64
        hint = int
    if hint in (int, float):
        return Field(name, "uint64" if hint is int else "float64")
    axes = 1
    if get_origin(hint) is Annotated:
        hint, number = get_args(hint)
        # The number is that of an array's axes, or that of the items behind a pointer.
        axes = number if get_origin(hint) is np.ndarray else 1
    kind = (get_args(hint) or (None,))[-1]
    kind = (get_args(kind) or (kind,))[-1]  # of np.dtype[np.uint64]
    dtype = np.dtype(kind).name if isinstance(kind, type) else ""
    if dtype not in C_TYPES:
        raise MasonsError(f"no kernel can take {name}: {hint}")
    return Field(name, dtype, axes)


def parameters_of(func: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a kernel, in order. Raises MasonsError for an unsupported type."""
    hints = get_type_hints(func, include_extras=True)
    hints.pop("return", None)
    if len(hints) < func.__code__.co_argcount:
        raise MasonsError(f"kernel {func.__name__}: a parameter has no type")
    parameters = []
    for name, hint in hints.items():
        if isinstance(hint, type) and issubclass(hint, tuple):
            inside = get_type_hints(hint, include_extras=True).items()
            fields = tuple(_field(f"{name}.{key}", kind) for key, kind in inside)
            parameters.append(Parameter(name, fields, hint))
        else:
            parameters.append(Parameter(name, (_field(name, hint),)))
    return tuple(parameters)


def returns_word(func: Callable[..., Any]) -> bool:
    """Return whether a kernel returns a number rather than None.

    Raises MasonsError for any other return type.
    """
    result = get_type_hints(func).get("return")
    if result not in (int, type(None)):
        raise MasonsError(f"no kernel can return {result}")
    return result is int


def measured(func: Callable[..., Any]) -> set[str]:
    """Return the names that a kernel uses in other ways than as arguments of `ptr` or `pointers`.

    The shapes of arrays with these names are passed to the C function.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(func)))
    bare = {
        call.args[0]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", getattr(call.func, "id", "")) in _POINTER_MAKERS
    }
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in bare}


def c_arguments(func: Callable[..., Any]) -> list[tuple[str, str]]:
    """Return the type and name of each argument of a kernel's C function."""
    names = measured(func)
    return [
        argument
        for parameter in parameters_of(func)
        for field in parameter.fields
        for argument in field.c_arguments(has_extents=parameter.name in names)
    ]


def c_declaration(func: Callable[..., Any], name: str) -> str:
    """Return the declaration of a kernel's C function, without the semicolon."""
    result = "uint64_t" if returns_word(func) else "int"
    return f"{result} {name}({', '.join(kind + name for kind, name in c_arguments(func))})"


def _refuse(name: str, array: Any, dtype: np.dtype[Any], axes: int) -> None:
    """Raise TypeError for an array with a wrong dtype or number of axes.

    A dtype that is equal to the right one, but another object, is accepted.
    """
    actual = getattr(array, "dtype", None)
    if actual is None:
        raise TypeError(f"{name}: not an array: {type(array).__name__}")
    if actual != dtype or array.ndim != axes:
        raise TypeError(f"{name}: {dtype} and {axes} axes are wanted, not {actual}, {array.ndim}")


def _refuse_tuple(name: str, value: Any, wanted: type) -> None:
    raise TypeError(f"{name}: a {wanted.__name__} is wanted, not a {type(value).__name__}")


def _fail(name: str) -> None:
    """Raise ZeroDivisionError, which is the only error that compiled kernels report."""
    raise ZeroDivisionError(f"{name}: division by zero")


def _lines(func: Callable[..., Any], kinds: list[str], names: dict[str, Any]) -> Iterator[str]:
    """Yield the source of the function that calls a kernel, and add its globals to `names`.

    `kinds` lists the types of the C function's arguments. `last_NAME` caches the last value of an
    array parameter, together with the arguments that were passed for it. Other threads may replace
    `last_NAME` at any time.
    """
    parameters = parameters_of(func)
    kept = [f"last_{item.name}" for item in parameters if item.group or item.fields[0].axes]
    names.update(dict.fromkeys(kept, (object(), ())))
    yield f"def {func.__name__}({', '.join(item.name for item in parameters)}):\n"
    if kept:
        yield f"  global {', '.join(kept)}\n"
    yield "  try:\n"
    arguments = []
    for name, fields, group in parameters:
        if not group and not fields[0].axes:
            kinds.pop(0)
            arguments.append(name)
            continue
        at, last = f"at_{name}", f"last_{name}"
        yield f"    {at} = {last}\n    if {at}[0] is not {name}:\n"
        if group:
            names[f"{name}_kind"] = group
            yield f"      if {name}.__class__ is not {name}_kind: "
            yield f"refuse_tuple({name!r}, {name}, {name}_kind)\n"
        passed, sizes = [], ["0"]
        for place, dtype, axes in fields:
            kinds.pop(0)
            if not axes:
                passed.append(place)
                continue
            yield f"      if {place}.dtype is not {dtype} or {place}.ndim != {axes}: "
            yield f"refuse({place!r}, {place}, {dtype}, {axes})\n"
            passed.append(f"from_buffer({dtype}_items, {place})")
            sizes.append(f"{place}.nbytes")
            for axis in range(axes):
                if kinds and kinds[0] == _EXTENT:
                    kinds.pop(0)
                    passed.append(f"{place}.shape[{axis}]")
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
    if function is not None:
        kind = ffi.typeof(function)
    else:
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
    source = "".join(_lines(func, [item.cname for item in kind.args], names))
    exec(compile(source, f"<{PREFIX}{func.__name__}>", "exec"), names)
    return update_wrapper(names[func.__name__], func)  # type: ignore[return-value]
