"""How the kernels are compiled, and the types that they work with.

| decorator | what for                                                                           |
| --------- | ---------------------------------------------------------------------------------- |
| `kernel`  | an entry point: takes numpy arrays and numbers, compiled once and cached on disk   |
| `inner`   | everything that kernels call: takes pointers and numbers, never called from Python |
| `inlined` | the same, compiled into the body of each caller                                    |
| `shared`  | the same, never compiled into the body of a caller                                 |

An entry point turns each of its arrays into a pointer with `ptr`, because passing arrays from
function to function costs reference counting; the functions inside see `p[i]` all the same. What
belongs together is a named tuple: `pointers` does the same for all its arrays. Its fields have the
types that kernels see; Python fills them with `field_of(array)` and np.uint64. (Such a tuple takes
4 us a call: good for a search, not for what is called at each move.)

| at an entry point | dtype and shape | inside     | elements              |
| ----------------- | --------------- | ---------- | --------------------- |
| `WordArray`       | uint64[n]       | `Words`    | `Word`                |
| `WordRows`        | uint64[n, m]    |            |                       |
| `FloatArray`      | float64[n]      | `Floats`   | `float`               |
| `SingleArray`     | float32[n]      | `Singles`  | `float`               |
|                   | uint8           | `Bytes`    | `Word`, by way of `U` |
|                   | uint32          | `Halves`   | `Word`, by way of `U` |


mypy reads these types, and those of a kernel are what its C function takes; numba works out its
own.

The engine's kernels were compiled when it was installed, where that could be done (`library/`).
Then they are called there, inner functions stay as they are, and numba isn't loaded, unless a
kernel of another file is made: it is compiled here, with those inner functions that it calls.
Otherwise all are compiled here, on first use: `kernel_cache` chooses the folder, a fresh one
whenever any kernel changed; `kernel_store` keeps kernels in it.

With `MASONS_CHECKED=1` the pointers stay arrays. Together with `NUMBA_BOUNDSCHECK=1` every access
of every kernel is then checked; the test suite runs the rules in this build too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Generic,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.library.kernel_sources import KERNEL_MODULES, is_checked
from masons.engine.kernels.library.library_calls import library_call
from masons.engine.kernels.library.native_library import native_library

F = TypeVar("F", bound=Callable[..., Any])

Scalar = TypeVar("Scalar", bound=np.generic)
Wide = TypeVar("Wide", np.uint64, np.float64)
Fields = TypeVar("Fields", bound=tuple[Any, ...])

# A number inside kernels: uint64. For mypy it is Python's whole number, as that is what `range`
# gives; it cannot tell a signed number from an unsigned one, so every literal goes through `U`.
Word: TypeAlias = int

# What entry points take.
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

CHECKED = is_checked()

# The machine code that was made ahead of time, where there is some that can be used.
LIBRARY: Final = native_library()


class Compiled:
    """What only compiled code calls: a function, or one of the `intrinsics` by its name.

    numba asks for its type when it meets one; until then nothing is compiled, and numba not loaded.
    """

    def __init__(self, item: str | Callable[..., Any], **options: Any) -> None:
        self._item = item
        self._options = options
        if not isinstance(item, str):
            update_wrapper(self, item)

    @cached_property
    def _numba_type_(self) -> Any:
        from masons.engine.kernels.compiling import made_of

        # numba's type alone does not keep what it is the type of.
        self._made, kind = made_of(self._item, **self._options)
        return kind

    def __call__(self, *_: Any) -> Any:
        """Refuse: there may be no machine code, and what there is takes pointers."""
        name = getattr(self._item, "__name__", self._item)
        raise TypeError(f"{name} is called by kernels only")


def kernel(func: F) -> F:
    """Make an entry point: the library's, or one that is compiled when it is called first."""
    # Others than the engine's own, of a test or a benchmark, are not in it.
    if LIBRARY is not None and func.__module__.startswith(KERNEL_MODULES):
        called = library_call(func, LIBRARY)
        if called is not None:
            return called
    from masons.engine.kernels.compiling import compile_kernel

    return compile_kernel(func)


def inner(func: F) -> F:
    """Compile a function that only kernels call."""
    return cast("F", Compiled(func))


def inlined(func: F) -> F:
    """Compile an inner function into the body of each caller: for the hot path of random play."""
    return cast("F", Compiled(func, forceinline=True))


def shared(func: F) -> F:
    """Compile an inner function once for all its callers: for whole games, which several play."""
    return cast("F", Compiled(func, shared=True))


# The larger of two floats of one type, neither of them NaN or -0: knowing that, the compiler can
# look at several numbers of a row at once.
larger: Callable[[float, float], float] = Compiled("larger")


def aligned_zeros(count: int, dtype: type[Scalar]) -> NDArray[Scalar]:
    """Zeros that begin with a cache line: what lies across two of them is read more slowly."""
    size = np.dtype(dtype).itemsize
    memory = np.zeros(count + _CACHE_LINE // size, dtype=dtype)
    begin = -memory.ctypes.data % _CACHE_LINE // size
    return memory[begin : begin + count]


def field_of(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """An array as a field of a named tuple for an entry point: the array itself."""
    return cast("Pointer[Scalar]", array)


def words(count: int) -> Words:
    """Return so many zeros as a field of a named tuple."""
    return field_of(aligned_zeros(count, np.uint64))


if TYPE_CHECKING:

    def ptr(array: NDArray[Scalar]) -> Pointer[Scalar]:
        """An entry point's array as its kernels see it."""

    def pointers(arrays: Fields) -> Fields:
        """An entry point's named tuple of C-contiguous arrays as its kernels see it."""

    def offset(array: Pointer[Scalar], count: Word) -> Pointer[Scalar]:
        """What a kernel sees of an array, from item `count` on."""

    def bytes_of(words: Words) -> Bytes:
        """The same memory as bytes."""

    def halves_of(words: Words) -> Halves:
        """The same memory as 32-bit numbers."""

    def floats_of(words: Words) -> Floats:
        """The same memory as floats."""

    def singles_of(words: Words) -> Singles:
        """The same memory as floats of 32 bits."""

    def copy_words(target: Pointer[Wide], source: Pointer[Wide], count: Word) -> None:
        """Copy `count` words, or as many floats."""

    def prefetch(words: Words, place: Word) -> None:
        """Have the memory at a place fetched, as it is read soon; nothing else changes."""

    def add_rows(
        out: Singles,
        begun: Singles,
        values: Singles,
        stride: Word,
        chosen: Words,
        count: Word,
        rows: Singles,
        seats: Word,
    ) -> None:
        """Add `rows`, each times what it has of `seats` values, to as many sums `begun`: `out`.

        A sum is LANES floats; the first is that of the rows times the sum of their values. Of
        several seats the second sum is that of other rows (each stands behind its first) times
        what the first seat has more than the last one, and so on. `chosen` are the numbers of
        `count` rows, and of their values: those of a seat follow `stride` after the ones before.
        For one seat `count` is even, and rows are added by twos.
        """

    def dot_lanes(one: Singles, two: Singles) -> float:
        """The sum of the products of LANES floats.

        Their upper half is added to the lower one, again and again: the same bits everywhere.
        """

    def unit_sums(
        units: Singles, one: Singles, two: Singles, least: Singles, rows: Singles
    ) -> tuple[float, float]:
        """Fill LANES `units`: the sums of `one` and `two`, but `least` at least.

        Their products with each of two rows, added up: the upper half to the lower one, again and
        again, which gives the same bits everywhere.
        """

elif CHECKED:

    @inner
    def _itself(array):
        return array

    def _view(dtype):
        @inner
        def view(words):
            return words.view(dtype)

        return view

    @inner
    def _rest(array, count):
        return array[count:]

    @inner
    def _copy_items(target, source, count):
        target[:count] = source[:count]

    @inner
    def _no_prefetch(words, place):
        pass

    @inner
    def _add_rows(out, begun, values, stride, chosen, count, rows, seats):
        width = min(seats, np.uint64(2)) * np.uint64(LANES)
        out[: seats * np.uint64(LANES)] = begun[: seats * np.uint64(LANES)]
        if seats == np.uint64(1):
            for i in range(np.uint64(0), count, np.uint64(2)):
                one, two = chosen[i] * width, chosen[i + np.uint64(1)] * width
                first = values[chosen[i]] * rows[one : one + width]
                second = values[chosen[i + np.uint64(1)]] * rows[two : two + width]
                out[:width] += first + second
            return
        for i in range(count):
            place = chosen[i]
            total, last = values[place], values[place + (seats - np.uint64(1)) * stride]
            for seat in range(np.uint64(1), seats):
                total += values[place + seat * stride]
            row = rows[place * width : place * width + width]
            out[:LANES] += total * row[:LANES]
            for seat in range(seats - np.uint64(1)):
                at = np.uint64(LANES) * (seat + np.uint64(1))
                more = values[place + seat * stride] - last
                out[at : at + np.uint64(LANES)] += more * row[LANES:]

    @inner
    def _dot_lanes(one, two):
        total = one[:LANES] * two[:LANES]
        count = LANES
        while count > 1:
            count //= 2
            total[:count] += total[count : 2 * count]
        return total[0]

    @inner
    def _unit_sums(units, one, two, least, rows):
        units[:LANES] = np.maximum(one[:LANES] + two[:LANES], least[:LANES])
        first, second = units[:LANES] * rows[:LANES], units[:LANES] * rows[LANES : 2 * LANES]
        count = LANES
        while count > 1:
            count //= 2
            first[:count] += first[count : 2 * count]
            second[:count] += second[count : 2 * count]
        return first[0], second[0]

    ptr = pointers = _itself
    offset = _rest
    bytes_of = _view(np.uint8)
    halves_of = _view(np.uint32)
    floats_of = _view(np.float64)
    singles_of = _view(np.float32)
    copy_words = _copy_items
    prefetch = _no_prefetch
    add_rows = _add_rows
    dot_lanes = _dot_lanes
    unit_sums = _unit_sums

else:
    ptr = Compiled("array_pointer")
    pointers = Compiled("pointer_fields")
    offset = Compiled("pointer_offset")
    bytes_of = Compiled("bytes_of")
    halves_of = Compiled("halves_of")
    floats_of = Compiled("floats_of")
    singles_of = Compiled("singles_of")
    copy_words = Compiled("copy_memory")
    prefetch = Compiled("prefetch")
    add_rows = Compiled("add_rows")
    dot_lanes = Compiled("dot_lanes")
    unit_sums = Compiled("unit_sums")
