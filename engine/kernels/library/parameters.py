"""What a kernel takes and returns, read from its annotations.

numba, when the library is built, the C header and the Python functions that call the library all
go by this.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from masons.engine.errors import MasonsError

# By the name of the array's dtype.
C_TYPES: Final = {"uint64": "uint64_t", "float64": "double", "float32": "float"}
# What makes pointers of arrays; what is used in any other way needs the arrays' extents too.
_POINTER_MAKERS: Final = ("ptr", "pointers")


@dataclass(frozen=True)
class Number:
    """A number: uint64 or float64."""

    name: str
    dtype: str


@dataclass(frozen=True)
class Array:
    """A C-contiguous array."""

    name: str
    dtype: str
    axes: int


@dataclass(frozen=True)
class Group:
    """A named tuple of arrays and numbers."""

    name: str
    made_by: type[tuple[Any, ...]]
    fields: tuple[Number | Array, ...]


Parameter: TypeAlias = Number | Array | Group


def _single(name: str, hint: Any) -> Number | Array:
    if get_origin(hint) is UnionType:  # Word | np.uint64
        hint = int
    if hint in (int, float):
        return Number(name, "uint64" if hint is int else "float64")
    axes = 1
    if get_origin(hint) is Annotated:
        hint, axes = get_args(hint)
    kind = (get_args(hint) or (None,))[-1]
    kind = (get_args(kind) or (kind,))[-1]  # of np.dtype[np.uint64]
    dtype = np.dtype(kind).name if isinstance(kind, type) else ""
    if dtype not in C_TYPES:
        raise MasonsError(f"no kernel can take {name}: {hint}")
    return Array(name, dtype, axes)


def parameters_of(func: Callable[..., Any]) -> tuple[Parameter, ...]:
    """What a kernel takes, in order."""
    hints = get_type_hints(func, include_extras=True)
    hints.pop("return", None)
    found: list[Parameter] = []
    for name, hint in hints.items():
        if isinstance(hint, type) and issubclass(hint, tuple):
            fields = get_type_hints(hint, include_extras=True).items()
            found.append(Group(name, hint, tuple(_single(*field) for field in fields)))
        else:
            found.append(_single(name, hint))
    return tuple(found)


def returns_word(func: Callable[..., Any]) -> bool:
    """Whether a kernel returns a number; nothing else but None can be returned."""
    result = get_type_hints(func).get("return")
    if result not in (int, type(None)):
        raise MasonsError(f"no kernel can return {result}")
    return result is int


def measured(func: Callable[..., Any]) -> set[str]:
    """The parameters of a kernel that are more to it than pointers."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(func)))
    bare = {
        call.args[0]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in _POINTER_MAKERS
    }
    names = set(inspect.signature(func).parameters)
    used = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in bare)
    return {node.id for node in used if node.id in names}
