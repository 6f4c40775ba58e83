"""The declaration of functions inside kernels, and the types that they work with.

| decorator | for                                                                    |
| --------- | ---------------------------------------------------------------------- |
| `inner`   | a function that only kernels and other inner functions call            |
| `inlined` | an inner function that is compiled into the body of each caller        |
| `shared`  | an inner function that is never compiled into the body of a caller     |

Kernels, which Python calls, are declared with `kernel_calls.kernel`. Kernels and inner functions
take numbers, pointers, and named tuples of both. Python passes a one-dimensional numpy array for
each pointer. Pointers are indexed as `p[i]`, like arrays, but they have no length; a kernel that
needs a length takes it as a parameter. Python code fills the number fields of named tuples with
np.uint64. The annotations of a workspace also say how many items each array has, as
`Annotated[Words, 4]`, and `new_workspace` makes these arrays.

| pointer   | items   | type of an item      | array         |
| --------- | ------- | -------------------- | ------------- |
| `Words`   | uint64  | `Word`               | `WordArray`   |
| `Floats`  | float64 | `float`              | `FloatArray`  |
| `Singles` | float32 | `float`              | `SingleArray` |
| `Bytes`   | uint8   | `Word`, through `U`  |               |
| `Halves`  | uint32  | `Word`, through `U`  |               |

The machine code comes from the library in the C module (`c_module`), or is compiled at run time
with numba and cached (`loading`). With `MASONS_CHECKED=1`, pointers are arrays (`checked`), and
`NUMBA_BOUNDSCHECK=1` then makes all functions check every access.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, update_wrapper
from typing import (
    Any,
    Final,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
    overload,
)

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

Scalar = TypeVar("Scalar", bound=np.generic)
Item = TypeVar("Item", bound=np.generic, covariant=True)
Wide = TypeVar("Wide", np.uint64, np.float64)
Fields = TypeVar("Fields", bound=tuple[Any, ...])

# A number inside kernels, which is a uint64. For mypy it is an int, the item type of `range`. mypy
# cannot tell signed numbers from unsigned ones, so every literal must go through `U`.
Word: TypeAlias = int

# Types of arrays in Python.
WordArray: TypeAlias = NDArray[np.uint64]
FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]


class Pointer(Protocol[Item]):
    """A pointer inside kernels. For mypy, every array of the right type is also a pointer."""

    @property
    def dtype(self) -> np.dtype[Item]:
        """The type of an item, which exists only in arrays."""

    @overload
    def __getitem__(self: Pointer[np.float64] | Pointer[np.float32], at: Word, /) -> float: ...
    @overload
    def __getitem__(
        self: Pointer[np.uint64] | Pointer[np.uint32] | Pointer[np.uint8], at: Word, /
    ) -> Word: ...
    @overload
    def __setitem__(
        self: Pointer[np.float64] | Pointer[np.float32], at: Word, value: float, /
    ) -> None: ...
    @overload
    def __setitem__(
        self: Pointer[np.uint64] | Pointer[np.uint32] | Pointer[np.uint8], at: Word, value: Word, /
    ) -> None: ...


Words: TypeAlias = Pointer[np.uint64]
Halves: TypeAlias = Pointer[np.uint32]
Bytes: TypeAlias = Pointer[np.uint8]
Floats: TypeAlias = Pointer[np.float64]
Singles: TypeAlias = Pointer[np.float32]

# Smaller numbers, which mypy treats as words and floats.
Byte = cast("Callable[[Word], Word]", np.uint8)
Single = cast("Callable[[float], float]", np.float32)

# Number of 32-bit numbers processed at once by `add_terms`, `dot_lanes` and `unit_sums`.
LANES: Final = 64
SUM_BITS: Final = 23  # the sums of `add_terms` are in units of 2**-SUM_BITS
ROUNDED: Final = 8  # number of terms that `round_terms` fills
RANKED: Final = 5  # number of values that `rank_values` fills
MOST_WEIGHT: Final = 32767.0  # the largest weight of a term
# The largest input of a term, so small that the sum of such inputs of four seats has 16 bits and
# that a few products with them do not exceed a sum.
MOST_INPUT: Final = 8191.0

_CACHE_LINE: Final = 64  # size of a cache line in bytes

# Every declared kernel, as the undecorated function.
KERNELS: Final[list[Callable[..., Any]]] = []


class Compiled:
    """A function that only compiled code calls, given as a function or as an intrinsic's name.

    `attribute` is an attribute of LLVM, or "". The function is compiled together with the first
    kernel that calls it (`compiling`).
    """

    def __init__(self, item: str | Callable[..., Any], attribute: str = "") -> None:
        self.item = item
        self.attribute = attribute
        if not isinstance(item, str):
            update_wrapper(self, item)

    def __call__(self, *_: Any) -> Any:
        """Refuse a call from Python: the function takes pointers and may not be compiled."""
        name = getattr(self.item, "__name__", self.item)
        raise TypeError(f"{name} is called by kernels only")


def inner(func: F) -> F:
    """Declare a function that only kernels and other inner functions call."""
    return cast("F", Compiled(func))


def inlined(func: F) -> F:
    """Declare an inner function that is compiled into each caller; meant for hot code."""
    return cast("F", Compiled(func, "alwaysinline"))


def shared(func: F) -> F:
    """Declare an inner function that is compiled once for all callers; meant for large code."""
    return cast("F", Compiled(func, "noinline"))


def _in_llvm(func: F) -> F:
    """Declare an inner function that stands for the intrinsic of the same name."""
    return cast("F", Compiled(func.__name__))


@_in_llvm
def pointer_to(table: NDArray[Scalar]) -> Pointer[Scalar]:
    """Return a pointer to an array that is a constant of a module."""


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
def add_terms(out: Singles, start: Singles, terms: Words, count: Word, rows: Singles) -> None:
    """Set LANES sums in `out` to those in `start` plus `count` terms.

    The sums are 32-bit whole numbers in units of 2**-SUM_BITS, stored in the memory of floats. The
    upper half of a term is the number of a row, and the lower half is a pair of 16-bit inputs. A
    row is LANES pairs of 16-bit weights, also in the memory of floats. A term adds to each sum the
    sum of the two products of inputs and weights. The result does not depend on the order of terms.
    """


@_in_llvm
def add_rows(out: Singles, start: Singles, cards: Word, rows: Singles) -> None:
    """Set LANES sums in `out` to those in `start` plus a row of sums for each card in a set.

    The sums are those of `add_terms`, and there is a row for each kind of card (bits 2k, 2k + 1).
    """


@_in_llvm
def round_terms(terms: Words, values: Singles, factors: Singles, first: Word) -> None:
    """Fill ROUNDED terms (see `add_terms`) from twice as many values, for rows from `first` on.

    The inputs are the values times their factors, rounded, and at most MOST_INPUT in magnitude.
    """


@_in_llvm
def rank_values(out: Singles, values: Bytes, cards: Word, factor: float) -> None:
    """Fill RANKED numbers with the largest values of the cards in a set, times a factor (Single).

    There is a value for each kind of card (bits 2k and 2k + 1). With fewer cards, 0 follows.
    """


@_in_llvm
def equal_bytes(items: Bytes, value: Word) -> Word:
    """Return which of the first 64 bytes are equal to `value`, as a set with a bit for each."""


@_in_llvm
def at_most(numbers: Floats, limit: float) -> Word:
    """Return which of the first 32 `numbers` do not exceed a limit, as a set."""


@_in_llvm
def dot_lanes(left: Singles, right: Singles) -> float:
    """Return the sum of the products of LANES pairs of floats.

    The upper half of the products is added to the lower half until one number is left, so the
    result has the same bits on every processor.
    """


@_in_llvm
def dot_sums(sums: Singles, factors: Singles) -> float:
    """Return the sum of the products of LANES sums (see `add_terms`) and floats, as `dot_lanes`."""


@_in_llvm
def unit_sums(units: Singles, sums: Singles, least: Singles, rows: Singles) -> tuple[float, float]:
    """Set LANES `units` to the larger of `sums` (see `add_terms`) and `least`, item by item.

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


def words(count: int) -> WordArray:
    """Return `count` zeros (uint64), aligned to a cache line."""
    return aligned_zeros(count, np.uint64)


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
