"""How kernels are declared, and the types that they work with.

| decorator | for                                                                                |
| --------- | ---------------------------------------------------------------------------------- |
| `kernel`  | an entry point: takes numpy arrays and numbers, is called from Python              |
| `inner`   | everything that kernels call: takes pointers and numbers, never called from Python |
| `inlined` | the same, compiled into the body of each caller                                    |
| `shared`  | the same, never compiled into the body of a caller                                 |

A kernel's annotations are its signature: it has one, and returns a `Word` or nothing. It turns each
of its arrays into a pointer with `ptr`, because passing arrays from function to function costs
reference counting; the functions inside see `p[i]` all the same. What belongs together is a named
tuple: `pointers` does the same for all its arrays. Its fields have the types that kernels see;
Python fills them with `field_of(array)` and np.uint64.

| at a kernel   | dtype and shape | inside     | elements              |
| ------------- | --------------- | ---------- | --------------------- |
| `WordArray`   | uint64[n]       | `Words`    | `Word`                |
| `WordRows`    | uint64[n, m]    |            |                       |
| `FloatArray`  | float64[n]      | `Floats`   | `float`               |
| `SingleArray` | float32[n]      | `Singles`  | `float`               |
|               | uint8           | `Bytes`    | `Word`, by way of `U` |
|               | uint32          | `Halves`   | `Word`, by way of `U` |

The machine code is the library's in the C module (`c_module`), or is compiled here by numba and
kept (`loading`); a call is the same either way (`kernel_calls`). With `MASONS_CHECKED=1` kernels
are plain numba functions on arrays (`checked`), and with `NUMBA_BOUNDSCHECK=1` every access is then
checked.
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

# A number inside kernels: uint64. For mypy it is Python's whole number, as that is what `range`
# gives; it cannot tell a signed number from an unsigned one, so every literal goes through `U`.
Word: TypeAlias = int

# What kernels take.
WordArray: TypeAlias = NDArray[np.uint64]
FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]
WordRows: TypeAlias = Annotated[NDArray[np.uint64], 2]  # with two axes


class Pointer(Generic[Scalar]):
    """A pointer inside kernels, for mypy: there are no objects of this class."""

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

# Smaller numbers, for mypy like any others.
Byte = cast("Callable[[Word], Word]", np.uint8)
Single = cast("Callable[[float], float]", np.float32)

# So many floats of 32 bits are worked on at once (`add_rows`, `dot_lanes`, `unit_sums`).
LANES: Final = 64

_CACHE_LINE: Final = 64  # bytes

# The machine code that was made ahead of time, where there is some that can be used.
LIBRARY: Final = native_library()
# Every kernel that was declared, as written.
KERNELS: Final[list[Callable[..., Any]]] = []


class Compiled:
    """A function that only compiled code calls, or the name of one of LLVM's own code.

    numba asks for its type when it meets one; until then nothing is compiled, and numba not loaded.
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
        """Refuse: there may be no machine code, and if there is, it takes pointers."""
        name = getattr(self._item, "__name__", self._item)
        raise TypeError(f"{name} is called by kernels only")


def kernel(func: F) -> F:
    """Declare an entry point."""
    KERNELS.append(func)
    if is_checked():
        from masons.engine.kernels.compiling import compile_checked

        return cast("F", compile_checked(func))
    return call_of(func, LIBRARY)


def inner(func: F) -> F:
    """Declare a function that only kernels call."""
    return cast("F", Compiled(func))


def inlined(func: F) -> F:
    """Declare an inner function that is compiled into each caller: for the hot path of play."""
    return cast("F", Compiled(func, forceinline=True))


def shared(func: F) -> F:
    """Declare an inner function compiled once for all its callers: for whole games."""
    func.is_shared = True  # type: ignore[attr-defined]
    return cast("F", Compiled(func))


def _in_llvm(func: F) -> F:
    """Declare an inner function that `intrinsics` (or `checked`) defines under the same name."""
    return cast("F", Compiled(func.__name__))


@_in_llvm
def ptr(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return a kernel's array as inner functions see it."""


@_in_llvm
def pointers(arrays: Fields) -> Fields:
    """Return a kernel's named tuple of C-contiguous arrays as inner functions see it."""


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
    """Copy `count` words, or as many floats."""


@_in_llvm
def prefetch(words: Words, place: Word) -> None:
    """Have the memory at a place fetched, as it is read soon; nothing else changes."""


@_in_llvm
def larger(left: float, right: float) -> float:
    """Return the larger of two floats of one type, neither of them NaN or -0.

    Knowing that, the compiler can compare several numbers at once.
    """


@_in_llvm
def add_rows(
    out: Singles, begun: Singles, values: Singles, stride: Word, chosen: Words, count: Word,
    rows: Singles, seats: Word,
) -> None:  # fmt: skip
    """Write to `out` as many sums as `seats`: `begun` plus `rows`, each times its value.

    A sum is LANES floats; the values of a sum follow `stride` after those of the sum before.
    All sums but the first are of other rows, each of which stands behind its first. `chosen` are
    the numbers of `count` rows, and of their values. For a single sum `count` is even, and rows
    are added by twos.
    """


@_in_llvm
def add_pair(out: Singles, begun: Singles, rows: Singles, first: float, second: float) -> None:
    """Write to `out` LANES sums: `begun` and the first and third of `rows`, times factors."""


@_in_llvm
def count_at_most(numbers: Floats, limit: float) -> Word:
    """Return how many of 32 `numbers` are not above a limit."""


@_in_llvm
def dot_lanes(left: Singles, right: Singles) -> float:
    """Return the sum of the products of LANES floats.

    Their upper half is added to the lower one, again and again: the same bits everywhere.
    """


@_in_llvm
def unit_sums(
    units: Singles, left: Singles, right: Singles, least: Singles, rows: Singles
) -> tuple[float, float]:
    """Fill LANES `units` with the sums of `left` and `right`, but `least` at least.

    Return the sums of their products with each of two rows, added as in `dot_lanes`.
    """


@_in_llvm
def now_ns() -> Word:
    """Return the monotonic clock in nanoseconds: Python's `time.monotonic_ns()`."""


def aligned_zeros(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """Return zeros that begin with a cache line: reads across two of them are slower."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros(count + _CACHE_LINE // size, dtype=dtype)
    begin = -memory.ctypes.data % _CACHE_LINE // size
    return memory[begin : begin + count]


def field_of(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return an array as a field of a named tuple for a kernel: the array itself."""
    return cast("Pointer[Scalar]", array)


def words(count: int) -> Words:
    """Return so many zeros as a field of a named tuple."""
    return field_of(aligned_zeros(count, np.uint64))
