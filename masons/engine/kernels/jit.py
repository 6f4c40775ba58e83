"""The declaration of kernels, and the types that they work with.

| decorator | for                                                                                |
| --------- | ---------------------------------------------------------------------------------- |
| `kernel`  | an entry point that takes numpy arrays and numbers, and is called from Python      |
| `inner`   | a function that takes pointers and numbers, and is called only by kernels          |
| `inlined` | an inner function that is compiled into the body of each caller                    |
| `shared`  | an inner function that is never compiled into the body of a caller                 |

The annotations of a kernel are its only signature. A kernel returns a `Word` or nothing. It turns
each of its arrays into a pointer with `ptr`, because passing arrays from function to function would
spend time on reference counting. Inner functions index pointers as `p[i]`, like arrays. Arrays that
belong together are passed as a named tuple, and `pointers` turns all arrays of the tuple into
pointers. The fields of such a tuple are annotated with the types of inner functions; Python code
fills the fields with `field_of(array)` and np.uint64. The annotations of a workspace also say how
many items each array has, as `Annotated[Words, 4]`, and `new_workspace` makes these arrays.

| parameter     | dtype and shape | pointer    | its elements          |
| ------------- | --------------- | ---------- | --------------------- |
| `WordArray`   | uint64[n]       | `Words`    | `Word`                |
| `WordRows`    | uint64[n, m]    |            |                       |
| `FloatArray`  | float64[n]      | `Floats`   | `float`               |
| `SingleArray` | float32[n]      | `Singles`  | `float`               |
|               | uint8           | `Bytes`    | `Word`, through `U`   |
|               | uint32          | `Halves`   | `Word`, through `U`   |

The machine code comes from the library in the C module (`c_module`), or is compiled at run time by
numba and cached (`loading`). Calls are the same in both cases (`kernel_calls`). With
`MASONS_CHECKED=1`, kernels are plain numba functions on arrays (`checked`), and
`NUMBA_BOUNDSCHECK=1` then makes these functions check every access.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.c_module import is_checked, native_library
from masons.engine.kernels.kernel_calls import call_of

F = TypeVar("F", bound=Callable[..., Any])

Scalar = TypeVar("Scalar", bound=np.generic)
Wide = TypeVar("Wide", np.uint64, np.float64)
Fields = TypeVar("Fields", bound=tuple[Any, ...])

# A number inside kernels, which is a uint64. For mypy it is an int, the item type of `range`. mypy
# cannot tell signed numbers from unsigned ones, so every literal must go through `U`.
Word: TypeAlias = int

# Types of a kernel's array parameters.
WordArray: TypeAlias = NDArray[np.uint64]
FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]
WordRows: TypeAlias = Annotated[NDArray[np.uint64], 2]  # an array with two axes


class Pointer(Generic[Scalar]):
    """A pointer inside kernels, as a type for mypy; no objects of this class exist."""

    @overload
    def __getitem__(self: Pointer[np.float64] | Pointer[np.float32], at: Word) -> float: ...
    @overload
    def __getitem__(
        self: Pointer[np.uint64] | Pointer[np.uint32] | Pointer[np.uint8], at: Word
    ) -> Word: ...
    def __getitem__(self, at: Word) -> float:
        raise NotImplementedError

    @overload
    def __setitem__(
        self: Pointer[np.float64] | Pointer[np.float32], at: Word, value: float
    ) -> None: ...
    @overload
    def __setitem__(
        self: Pointer[np.uint64] | Pointer[np.uint32] | Pointer[np.uint8], at: Word, value: Word
    ) -> None: ...
    def __setitem__(self, at: Word, value: float) -> None:
        raise NotImplementedError


Words: TypeAlias = Pointer[np.uint64]
Halves: TypeAlias = Pointer[np.uint32]
Bytes: TypeAlias = Pointer[np.uint8]
Floats: TypeAlias = Pointer[np.float64]
Singles: TypeAlias = Pointer[np.float32]

# Smaller numbers, which mypy treats as words and floats.
Byte = cast("Callable[[Word], Word]", np.uint8)
Single = cast("Callable[[float], float]", np.float32)

# Number of 32-bit floats processed at once by `add_rows`, `dot_lanes` and `unit_sums`.
LANES: Final = 64

_CACHE_LINE: Final = 64  # size of a cache line in bytes

# The machine code compiled ahead of time, or None if no such code can be used.
LIBRARY: Final = native_library()
# Every declared kernel, as the undecorated function.
KERNELS: Final[list[Callable[..., Any]]] = []


class Compiled:
    """A function that only compiled code calls, given as a function or as a name in `intrinsics`.

    numba asks such an object for its type when a caller is compiled. Only then is the function
    compiled, and only then is numba loaded.
    """

    def __init__(self, item: str | Callable[..., Any], **options: Any) -> None:
        self._item = item
        self._options = options
        if not isinstance(item, str):
            update_wrapper(self, item)

    @cached_property
    def _numba_type_(self) -> Any:
        from masons.engine.kernels.compiling import numba_function

        # numba's type alone does not keep the function alive.
        self._function, kind = numba_function(self._item, **self._options)
        return kind

    def __call__(self, *_: Any) -> Any:
        """Refuse a call from Python: the function takes pointers and may not be compiled."""
        name = getattr(self._item, "__name__", self._item)
        raise TypeError(f"{name} is called by kernels only")


def kernel(func: F) -> F:
    """Declare a function as an entry point that Python calls."""
    KERNELS.append(func)
    if is_checked():
        from masons.engine.kernels.compiling import compile_checked

        return cast("F", compile_checked(func))
    return call_of(func, LIBRARY)


def inner(func: F) -> F:
    """Declare a function that only kernels call."""
    return cast("F", Compiled(func))


def inlined(func: F) -> F:
    """Declare an inner function that is compiled into each caller; meant for hot code."""
    return cast("F", Compiled(func, forceinline=True))


def shared(func: F) -> F:
    """Declare an inner function that is compiled once for all callers; meant for large code."""
    func.is_shared = True  # type: ignore[attr-defined]
    return cast("F", Compiled(func))


def _in_llvm(func: F) -> F:
    """Declare an inner function that `intrinsics` (or `checked`) defines under the same name."""
    return cast("F", Compiled(func.__name__))


@_in_llvm
def ptr(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return a kernel's array as a pointer for inner functions."""


@_in_llvm
def pointers(arrays: Fields) -> Fields:
    """Return a kernel's named tuple with its C-contiguous arrays turned into pointers."""


@_in_llvm
def offset(array: Pointer[Scalar], count: Word) -> Pointer[Scalar]:
    """Return a pointer to item `count` of an array."""


@_in_llvm
def bytes_of(words: Words) -> Bytes:
    """Return a pointer to the same memory as bytes."""


@_in_llvm
def halves_of(words: Words) -> Halves:
    """Return a pointer to the same memory as 32-bit numbers."""


@_in_llvm
def floats_of(words: Words) -> Floats:
    """Return a pointer to the same memory as floats."""


@_in_llvm
def singles_of(words: Words) -> Singles:
    """Return a pointer to the same memory as 32-bit floats."""


@_in_llvm
def copy_words(target: Pointer[Wide], source: Pointer[Wide], count: Word) -> None:
    """Copy `count` words or 64-bit floats from `source` to `target`."""


@_in_llvm
def stack_bytes() -> Bytes:
    """Return 128 bytes on the stack of the calling function; each call sets them to 0."""


@_in_llvm
def prefetch(words: Words, place: Word) -> None:
    """Prefetch memory that will be read soon; this has no other effect."""


@_in_llvm
def larger(left: float, right: float) -> float:
    """Return the larger of two floats of the same type, neither of which may be NaN or -0.

    Without NaN and -0, the compiler can compare several numbers at once.
    """


@_in_llvm
def add_rows(
    out: Singles, begun: Singles, values: Singles, stride: Word, chosen: Words, count: Word,
    rows: Singles, seats: Word,
) -> None:  # fmt: skip
    """Set each seat's sum in `out` to its sum in `begun` plus each chosen row times its value.

    Each sum is LANES floats. `chosen` lists the indices of the `count` rows to add; these are also
    the indices of the rows' values. The values for each sum begin `stride` items after the values
    for the sum before. The first sum uses the first LANES floats of a row. With more than one seat,
    a row has LANES further floats, which all other sums use. For a single sum, `count` must be
    even, and rows are added in pairs.
    """


@_in_llvm
def add_pair(out: Singles, begun: Singles, rows: Singles, first: float, second: float) -> None:
    """Set `out` to `begun + first * rows[0] + second * rows[2]`, where a row is LANES floats."""


@_in_llvm
def equal_bytes(items: Bytes, value: Word) -> Word:
    """Return which of the first 64 bytes are equal to `value`, as a set with a bit for each."""


@_in_llvm
def count_at_most(numbers: Floats, limit: float) -> Word:
    """Return how many of the first 32 `numbers` do not exceed a limit."""


@_in_llvm
def dot_lanes(left: Singles, right: Singles) -> float:
    """Return the sum of the products of LANES pairs of floats.

    The upper half of the products is added to the lower half until one number is left, so the
    result has the same bits on every processor.
    """


@_in_llvm
def unit_sums(
    units: Singles, left: Singles, right: Singles, least: Singles, rows: Singles
) -> tuple[float, float]:
    """Set LANES `units` to max(`left` + `right`, `least`), element by element.

    Returns, for each of the two `rows`, the sum of the products of the units with the row. The
    products are added as in `dot_lanes`.
    """


@_in_llvm
def now_ns() -> Word:
    """Return the time in nanoseconds, from the same clock as `time.monotonic_ns()`."""


def aligned_zeros(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """Return zeros aligned to a cache line, because reads across two cache lines are slower."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros(count + _CACHE_LINE // size, dtype=dtype)
    begin = -memory.ctypes.data % _CACHE_LINE // size
    return memory[begin : begin + count]


def field_of(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return an array unchanged, but typed as a field of a named tuple for a kernel."""
    return cast("Pointer[Scalar]", array)


def words(count: int) -> Words:
    """Return `count` zeros (uint64), typed as a field of a named tuple for a kernel."""
    return field_of(aligned_zeros(count, np.uint64))


@cache
def _array_types(kind: type[Fields]) -> dict[str, tuple[int, type[np.generic]]]:
    """Return the number and type of the items of each array in a workspace, by field."""
    hints = get_type_hints(kind, include_extras=True).items()
    sized = {name: get_args(hint) for name, hint in hints if hasattr(hint, "__metadata__")}
    return {name: (count, *get_args(pointer)) for name, (pointer, count) in sized.items()}


def new_workspace(kind: type[Fields], **given: Any) -> Fields:
    """Return a named tuple whose arrays are zeros, as many as the annotation of each field says.

    `given` has the values of all fields without a number of items.
    """
    arrays = {name: aligned_zeros(*item) for name, item in _array_types(kind).items()}
    return kind(**arrays, **given)
