"""The declaration of kernels, and the types that they work with.

| decorator | for                                                                                |
| --------- | ---------------------------------------------------------------------------------- |
| `kernel`  | an entry point: takes numpy arrays and numbers, is called from Python              |
| `inner`   | functions that kernels call: take pointers and numbers, never called from Python   |
| `inlined` | the same, compiled into the body of each caller                                    |
| `shared`  | the same, never compiled into the body of a caller                                 |

The annotations of a kernel are its only signature; it returns a `Word` or nothing. It turns each of
its arrays into a pointer with `ptr`, because passing arrays from function to function costs
reference counting; inner functions index pointers as `p[i]`, like arrays. Arrays that belong
together are passed as a named tuple, and `pointers` turns all its arrays into pointers. The fields
of such a tuple are annotated with the types of inner functions; Python fills them with
`field_of(array)` and np.uint64.

| at a kernel   | dtype and shape | inside     | elements              |
| ------------- | --------------- | ---------- | --------------------- |
| `WordArray`   | uint64[n]       | `Words`    | `Word`                |
| `WordRows`    | uint64[n, m]    |            |                       |
| `FloatArray`  | float64[n]      | `Floats`   | `float`               |
| `SingleArray` | float32[n]      | `Singles`  | `float`               |
|               | uint8           | `Bytes`    | `Word`, through `U`   |
|               | uint32          | `Halves`   | `Word`, through `U`   |

The machine code comes from the library in the C module (`c_module`), or is compiled at run time by
numba and cached (`loading`); calls are the same either way (`kernel_calls`). With
`MASONS_CHECKED=1` kernels are plain numba functions on arrays (`checked`), and
`NUMBA_BOUNDSCHECK=1` then makes them check every access.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.c_module import is_checked, native_library
from masons.engine.kernels.kernel_calls import call_of

F = TypeVar("F", bound=Callable[..., Any])

Scalar = TypeVar("Scalar", bound=np.generic)
Wide = TypeVar("Wide", np.uint64, np.float64)
Fields = TypeVar("Fields", bound=tuple[Any, ...])

# A number inside kernels: uint64. For mypy it is an int, the item type of `range`; mypy cannot tell
# signed from unsigned numbers, so every literal must go through `U`.
Word: TypeAlias = int

# Types of a kernel's array parameters.
WordArray: TypeAlias = NDArray[np.uint64]
FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]
WordRows: TypeAlias = Annotated[NDArray[np.uint64], 2]  # with two axes


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

# Smaller numbers; for mypy they are words and floats.
Byte = cast("Callable[[Word], Word]", np.uint8)
Single = cast("Callable[[float], float]", np.float32)

# Number of 32-bit floats processed at once by `add_rows`, `dot_lanes` and `unit_sums`.
LANES: Final = 64

_CACHE_LINE: Final = 64  # bytes

# The machine code compiled ahead of time, or None if there is none that can be used.
LIBRARY: Final = native_library()
# Every declared kernel, as the undecorated function.
KERNELS: Final[list[Callable[..., Any]]] = []


class Compiled:
    """A function that only compiled code calls, or the name of one written in LLVM code.

    numba asks such an object for its type when a caller is compiled; only then is it compiled, and
    numba loaded.
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
    """Declare an entry point that Python calls."""
    KERNELS.append(func)
    if is_checked():
        from masons.engine.kernels.compiling import compile_checked

        return cast("F", compile_checked(func))
    return call_of(func, LIBRARY)


def inner(func: F) -> F:
    """Declare a function that only kernels call."""
    return cast("F", Compiled(func))


def inlined(func: F) -> F:
    """Declare an inner function that is compiled into each caller, for hot code."""
    return cast("F", Compiled(func, forceinline=True))


def shared(func: F) -> F:
    """Declare an inner function that is compiled once for all callers, for large code."""
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
    """Return a kernel's named tuple of C-contiguous arrays as pointers for inner functions."""


@_in_llvm
def offset(array: Pointer[Scalar], count: Word) -> Pointer[Scalar]:
    """Return an array from item `count` on."""


@_in_llvm
def bytes_of(words: Words) -> Bytes:
    """Return the same memory as bytes."""


@_in_llvm
def halves_of(words: Words) -> Halves:
    """Return the same memory as 32-bit numbers."""


@_in_llvm
def floats_of(words: Words) -> Floats:
    """Return the same memory as floats."""


@_in_llvm
def singles_of(words: Words) -> Singles:
    """Return the same memory as floats of 32 bits."""


@_in_llvm
def copy_words(target: Pointer[Wide], source: Pointer[Wide], count: Word) -> None:
    """Copy `count` words or 64-bit floats."""


@_in_llvm
def prefetch(words: Words, place: Word) -> None:
    """Prefetch the memory at a place that will be read soon; has no other effect."""


@_in_llvm
def larger(left: float, right: float) -> float:
    """Return the larger of two floats of the same type, neither of them NaN or -0.

    This assumption lets the compiler compare several numbers at once.
    """


@_in_llvm
def add_rows(
    out: Singles, begun: Singles, values: Singles, stride: Word, chosen: Words, count: Word,
    rows: Singles, seats: Word,
) -> None:  # fmt: skip
    """Write `seats` sums of LANES floats to `out`: `begun` plus rows, each times its value.

    `chosen` lists the indices of the `count` rows to add, and of their values. The values of each
    sum begin `stride` after those of the sum before. The first sum uses the first LANES floats of a
    row; with more than one seat a row has LANES further floats, which all other sums use. For a
    single sum, `count` must be even and rows are added in pairs.
    """


@_in_llvm
def add_pair(out: Singles, begun: Singles, rows: Singles, first: float, second: float) -> None:
    """Write LANES sums to `out`: `begun` plus `first` times row 0 plus `second` times row 2.

    A row is LANES floats of `rows`.
    """


@_in_llvm
def count_at_most(numbers: Floats, limit: float) -> Word:
    """Return how many of 32 `numbers` do not exceed a limit."""


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
    """Fill LANES `units` with max(`left` + `right`, `least`), elementwise.

    Returns the sums of the products of the units with each of two `rows`, added as in `dot_lanes`.
    """


@_in_llvm
def now_ns() -> Word:
    """Return the monotonic clock in nanoseconds, that of Python's `time.monotonic_ns()`."""


def aligned_zeros(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """Return zeros aligned to a cache line, as reads across two cache lines are slower."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros(count + _CACHE_LINE // size, dtype=dtype)
    begin = -memory.ctypes.data % _CACHE_LINE // size
    return memory[begin : begin + count]


def field_of(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return an array unchanged, typed as a field of a named tuple for a kernel."""
    return cast("Pointer[Scalar]", array)


def words(count: int) -> Words:
    """Return `count` zeros (uint64), typed as a field of a named tuple for a kernel."""
    return field_of(aligned_zeros(count, np.uint64))
