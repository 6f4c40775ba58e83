"""How the kernels are compiled, and the types that they work with.

| decorator | what for                                                                           |
| --------- | ---------------------------------------------------------------------------------- |
| `kernel`  | an entry point: takes numpy arrays and numbers, compiled once and cached on disk   |
| `inner`   | everything that kernels call: takes pointers and numbers, never called from Python |
| `inlined` | the same, compiled into the body of each caller                                    |

An entry point turns each of its arrays into a pointer with `ptr`, because passing arrays from
function to function costs reference counting; the functions inside see `p[i]` all the same. What
belongs together is a named tuple: `pointers` does the same for all its arrays. Its fields have the
types that kernels see; Python fills them with `field_of(array)` and np.uint64. (Such a tuple takes
4 us a call: good for a search, not for what is called at each move.)

| at an entry point | dtype and shape | inside     | elements              |
| ----------------- | --------------- | ---------- | --------------------- |
| `WordArray`       | uint64[n]       | `Words`    | `Word`                |
| `FloatArray`      | float64[n]      | `Floats`   | `float`               |
| `SingleArray`     | float32[n]      | `Singles`  | `float`               |
|                   | uint8           | `Bytes`    | `Word`, by way of `U` |
|                   | uint32          | `Halves`   | `Word`, by way of `U` |

mypy reads these types, numba works out its own: annotations cost nothing.

`kernel_cache` chooses the folder, a fresh one whenever any kernel changed; `kernel_store` keeps
kernels in it.

With `MASONS_CHECKED=1` the pointers stay arrays. Together with `NUMBA_BOUNDSCHECK=1` every access
of every kernel is then checked; the test suite runs the rules in this build too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast, overload

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from masons.engine.errors import MasonsError
from masons.engine.kernels.kernel_cache import cache_folder, is_checked

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

CHECKED = is_checked()

# Versions of numba that `compiler_link` and `kernel_store` were tested with; both lean on its
# insides.
TESTED = ((0, 61), (0, 68))
InnerCompiler: Any = None
KernelCompiler: Any = None
KernelStore: Any = None
if TESTED[0] <= tuple(numba.version_info[:2]) <= TESTED[1]:
    from masons.engine.kernels.compiler_link import InnerCompiler, KernelCompiler
    from masons.engine.kernels.kernel_store import KernelStore

if numba.config.DISABLE_JIT:
    raise MasonsError("the engine needs the compiler: unset NUMBA_DISABLE_JIT")


def kernel(func: F) -> F:
    """Compile an entry point: cached on disk, without the interpreter lock."""
    options = {} if CHECKED or KernelCompiler is None else {"pipeline_class": KernelCompiler}
    function = numba.njit(func, nogil=True, **options)
    if KernelStore is None:
        _use_numbas_cache(function)
    else:
        function._cache = KernelStore(func)
        function.compile = function._cache.compile_once(function)
    return function  # type: ignore[no-any-return]


def _use_numbas_cache(function: Any) -> None:
    """With an untested numba: its own cache, in our folder."""
    folder = cache_folder()
    if folder is None:
        return
    # numba reads the setting here; the rest of the process keeps its own.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        function.enable_caching()
    finally:
        numba.config.CACHE_DIR = before
    load, save = function._cache.load_overload, function._cache.save_overload

    # A damaged file or a full disk costs a compilation, and nothing else.
    def load_overload(*wanted: Any) -> Any:
        try:
            return load(*wanted)
        except Exception:
            with suppress(OSError):
                function._cache.flush()
            return None

    def save_overload(*compiled: Any) -> None:
        with suppress(OSError):
            save(*compiled)

    function._cache.load_overload, function._cache.save_overload = load_overload, save_overload


def inner(func: F) -> F:
    """Compile a function that only kernels call."""
    return _compile_inner(func)


def _compile_inner(func: F, **options: Any) -> F:
    if CHECKED:
        return numba.njit(func)  # type: ignore[no-any-return]
    if InnerCompiler is not None:
        options |= {"pipeline_class": InnerCompiler, "_nrt": False}
    return numba.njit(  # type: ignore[no-any-return]
        func, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options
    )


def inlined(func: F) -> F:
    """Compile an inner function into the body of each caller: for the hot path of random play."""
    return _compile_inner(func, forceinline=True)


@intrinsic
def _array_pointer(typingctx: Any, array: Any) -> Any:
    """The address of a C-contiguous array's first element."""
    if not (isinstance(array, types.Array) and array.layout == "C"):
        return None
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make_array(sig.args[0])(context, builder, args[0]).data

    return signature, codegen


def _cast_pointer(target: Any) -> Any:
    """An intrinsic that sees the memory behind a pointer to words as another integer type."""

    @intrinsic
    def cast(typingctx: Any, pointer: Any) -> Any:
        if not isinstance(pointer, types.CPointer):
            return None
        signature = types.CPointer(target)(pointer)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(sig.return_type))

        return signature, codegen

    return cast


@intrinsic
def _pointer_fields(typingctx: Any, arrays: Any) -> Any:
    """A named tuple with each array's address in its place."""
    if not isinstance(arrays, types.BaseNamedTuple):
        return None
    fields = [
        types.CPointer(field.dtype) if isinstance(field, types.Array) else field
        for field in arrays.types
    ]
    pointed = types.BaseTuple.from_types(fields, arrays.instance_class)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = []
        for i, field in enumerate(arrays.types):
            value = builder.extract_value(args[0], i)
            if isinstance(field, types.Array):
                value = make_array(field)(context, builder, value).data
            values.append(value)
        return context.make_tuple(builder, sig.return_type, values)

    return pointed(arrays), codegen


@intrinsic
def _pointer_offset(typingctx: Any, pointer: Any, count: Any) -> Any:
    """The address `count` items further."""
    if not isinstance(pointer, types.CPointer):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, count), codegen


@intrinsic
def _larger(typingctx: Any, left: Any, right: Any) -> Any:
    """The larger of two floats of one type, neither of them NaN or -0.

    Knowing that, the compiler can look at several numbers of a row at once.
    """
    if not (isinstance(left, types.Float) and left == right):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        sure = ("nnan", "nsz")
        return builder.select(builder.fcmp_ordered(">", *args, flags=sure), *args, flags=sure)

    return left(left, right), codegen


@intrinsic
def _copy_memory(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Memcpy of `count` 64-bit words."""
    if not (isinstance(target, types.CPointer) and target == source):
        return None
    signature = types.void(target, source, count)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size = builder.mul(args[2], ir.Constant(args[2].type, 8))
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)
        return context.get_dummy_value()

    return signature, codegen


larger: Callable[[float, float], float] = _larger


def field_of(array: NDArray[Scalar]) -> Pointer[Scalar]:
    """An array as a field of a named tuple for an entry point: the array itself."""
    return cast("Pointer[Scalar]", array)


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

    ptr = pointers = _itself
    offset = _rest
    bytes_of = _view(np.uint8)
    halves_of = _view(np.uint32)
    floats_of = _view(np.float64)
    singles_of = _view(np.float32)
    copy_words = _copy_items

else:
    ptr = _array_pointer
    pointers = _pointer_fields
    offset = _pointer_offset
    bytes_of = _cast_pointer(types.uint8)
    halves_of = _cast_pointer(types.uint32)
    floats_of = _cast_pointer(types.float64)
    singles_of = _cast_pointer(types.float32)
    copy_words = _copy_memory
