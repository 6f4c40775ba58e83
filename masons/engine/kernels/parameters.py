"""The parameters of a kernel, read from its annotations, and the declaration of its C function."""

from __future__ import annotations

from collections.abc import Callable
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from masons.engine.errors import MasonsError

# C types of items, by the name of the dtype.
C_TYPES: Final = {"uint64": "uint64_t", "float64": "double", "float32": "float"}


class Field(NamedTuple):
    """A number or a pointer that a kernel takes, either alone or in a named tuple."""

    name: str  # for example "rng", or "models.net" for a field of a tuple
    dtype: str
    is_pointer: bool

    @property
    def c_argument(self) -> tuple[str, str]:
        """The type and the name of the C function's argument for this field."""
        space = " *" if self.is_pointer else " "
        return C_TYPES[self.dtype] + space, self.name.replace(".", "_")


class Parameter(NamedTuple):
    """One parameter of a kernel, which is a field or a named tuple of fields."""

    name: str
    fields: tuple[Field, ...]
    group: type[Any] | None = None


def _field(name: str, hint: Any) -> Field:
    if get_origin(hint) is UnionType:  # for example Word | np.uint64
        hint = int
    if hint in (int, float):
        return Field(name, "uint64" if hint is int else "float64", is_pointer=False)
    if get_origin(hint) is Annotated:  # with the number of items
        hint = get_args(hint)[0]
    (kind,) = get_args(hint) or (None,)
    dtype = np.dtype(kind).name if isinstance(kind, type) else ""
    if dtype not in C_TYPES:
        raise MasonsError(f"no kernel can take {name}: {hint}")
    return Field(name, dtype, is_pointer=True)


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


def fields_of(func: Callable[..., Any]) -> list[Field]:
    """Return the fields of all parameters of a kernel, in order."""
    return [field for parameter in parameters_of(func) for field in parameter.fields]


def returns_word(func: Callable[..., Any]) -> bool:
    """Return whether a kernel returns a number rather than None.

    Raises MasonsError for any other return type.
    """
    result = get_type_hints(func).get("return")
    if result not in (int, type(None)):
        raise MasonsError(f"no kernel can return {result}")
    return result is int


def c_declaration(func: Callable[..., Any], name: str) -> str:
    """Return the declaration of a kernel's C function, without the semicolon."""
    result = "uint64_t" if returns_word(func) else "int"
    arguments = ", ".join("".join(field.c_argument) for field in fields_of(func))
    return f"{result} {name}({arguments})"
