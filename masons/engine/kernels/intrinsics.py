"""Functions of `jit` and `bits` that are written in LLVM's intermediate code.

Those for many numbers at once are in `vector_intrinsics`. Importing either module loads numba.
`compiling` imports them when the first kernel is compiled.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from masons.engine.kernels.c_module import CLOCK

I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_I128: Final = ir.IntType(128)
WORD: Final = types.uint64
WORDS: Final = types.CPointer(types.uint64)
BYTES: Final = types.CPointer(types.uint8)
SINGLES: Final = types.CPointer(types.float32)
# A function that has a different body for each kind of processor. `compiling` adds the body once
# the processor is known.
NTH_ITEM: Final = "masons_nth_item"
NTH_ITEM_TYPE: Final = ir.FunctionType(I64, [I64, I64])

now_ns = types.ExternalFunction(CLOCK, WORD())


def _typed_by(rule: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that makes an intrinsic from a function that emits LLVM code.

    `rule` takes the argument types, and returns the signature or None if they do not fit. The
    decorated function takes the builder and the arguments, and returns the result or None.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def typed(_: Any, *kinds: Any) -> Any:
            signature = rule(*kinds)
            if signature is None:
                return None

            def generate(context: Any, builder: Any, _: Any, args: Any) -> Any:
                result = emit(builder, *args)
                return context.get_dummy_value() if result is None else result

            return signature, generate

        typed.__name__ = emit.__name__
        typed.__signature__ = inspect.signature(emit)  # type: ignore[attr-defined]
        return intrinsic(typed)

    return decorate


def takes(*kinds: Any, returns: Any = WORD) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for an intrinsic that takes exactly the given types."""
    return _typed_by(lambda *actual: returns(*kinds) if actual == kinds else None)


def _is_pointer(kind: Any) -> bool:
    return isinstance(kind, types.CPointer)


def declared_function(builder: Any, kind: Any, name: str) -> Any:
    """Return a function of the module, which is declared if necessary."""
    module = builder.module
    return module.globals.get(name) or ir.Function(module, kind, name)


# --- pointers


@intrinsic
def pointer_to(_: Any, table: Any) -> Any:
    """Return the address of the first item of a C-contiguous array."""
    if not (isinstance(table, types.Array) and table.layout == "C"):
        return None

    def generate(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return context.make_array(table)(context, builder, args[0]).data

    return types.CPointer(table.dtype)(table), generate


@_typed_by(lambda array, count: array(array, count) if _is_pointer(array) else None)
def offset(builder: Any, array: Any, count: Any) -> Any:
    """Return the address that is `count` items further on."""
    return builder.gep(array, [count])


def _cast_to(target: Any, kind: Any) -> Any:
    """Return an intrinsic that casts a pointer to a pointer to another item type."""

    @_typed_by(lambda words: types.CPointer(target)(words) if _is_pointer(words) else None)
    def cast(builder: Any, words: Any) -> Any:
        return builder.bitcast(words, kind.as_pointer())

    return cast


bytes_of = _cast_to(types.uint8, I8)
halves_of = _cast_to(types.uint32, I32)
floats_of = _cast_to(types.float64, ir.DoubleType())
singles_of = _cast_to(types.float32, ir.FloatType())


@_typed_by(
    lambda target, source, count: (
        types.void(target, source, count) if _is_pointer(target) and target == source else None
    )
)
def copy_words(builder: Any, target: Any, source: Any, count: Any) -> None:
    """Copy `count` words of 64 bits."""
    byte = I8.as_pointer()
    function = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, I64])
    places = [builder.bitcast(place, byte) for place in (target, source)]
    builder.call(function, [*places, builder.mul(count, count.type(8)), I1(0)])


@takes(returns=BYTES)
def stack_bytes(builder: Any) -> Any:
    """Return 128 bytes on the stack, and set them to 0."""
    kind = ir.VectorType(I8, 128)
    with builder.goto_entry_block():
        place = builder.alloca(ir.ArrayType(I8, 128))
    builder.store(ir.Constant(kind, None), builder.bitcast(place, kind.as_pointer()), align=1)
    return builder.bitcast(place, I8.as_pointer())


@takes(WORDS, WORD, returns=types.void)
def prefetch(builder: Any, words: Any, place: Any) -> None:
    """Emit a prefetch of the memory at an index."""
    byte = I8.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32])
    function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    address = builder.bitcast(builder.gep(words, [place]), byte)
    # The arguments mean read access (0), keep in all cache levels (3), and data cache (1).
    builder.call(function, [address, I32(0), I32(3), I32(1)])


# --- single words and floats


def _word_function(name: str, *extra: Any) -> Any:
    """Return an intrinsic that passes a word to the LLVM intrinsic `name` and returns a word.

    `extra` holds further arguments of the LLVM intrinsic.
    """

    @takes(WORD)
    def call(builder: Any, word: Any) -> Any:
        kinds = [I64, *(value.type for value in extra)]
        function = builder.module.declare_intrinsic(name, [I64], ir.FunctionType(I64, kinds))
        return builder.call(function, [word, *extra])

    return call


popcount = _word_function("llvm.ctpop")
lowest = _word_function("llvm.cttz", I1(1))
leading_zeros = _word_function("llvm.ctlz", I1(1))


@takes(WORD, WORD)
def high_product(builder: Any, left: Any, right: Any) -> Any:
    """Return the upper 64 bits of the 128-bit product of two words."""
    wide = builder.mul(builder.zext(left, _I128), builder.zext(right, _I128))
    return builder.trunc(builder.lshr(wide, ir.Constant(_I128, 64)), I64)


@takes(WORD)
def opaque(builder: Any, word: Any) -> Any:
    """Return the word, hidden from the optimizer."""
    return builder.asm(ir.FunctionType(I64, [I64]), "", "=r,0", [word], False)


@takes(WORD, returns=types.float64)
def float_of_bits(builder: Any, word: Any) -> Any:
    """Return the float whose bits are the 64 bits of a word."""
    return builder.bitcast(word, ir.DoubleType())


@_typed_by(
    lambda left, right: (
        left(left, right) if isinstance(left, types.Float) and left == right else None
    )
)
def larger(builder: Any, left: Any, right: Any) -> Any:
    """Return the larger of two floats, neither of which may be NaN or -0."""
    flags = ("nnan", "nsz")
    is_left = builder.fcmp_ordered(">", left, right, flags=flags)
    return builder.select(is_left, left, right, flags=flags)


@takes(WORD, WORD)
def nth_item(builder: Any, word: Any, n: Any) -> Any:
    """Return the n-th set bit (from 0, lowest first), as a set of one item."""
    function = declared_function(builder, NTH_ITEM_TYPE, NTH_ITEM)
    return builder.call(function, [word, n])


def define_nth_item(function: Any, *, has_pdep: bool) -> None:
    """Write the body of `nth_item`: one instruction on processors with PDEP, otherwise a loop."""
    word, number = function.args
    builder = ir.IRBuilder(entry := function.append_basic_block("entry"))
    if has_pdep:
        pdep = function.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), NTH_ITEM_TYPE)
        builder.ret(builder.call(pdep, [builder.shl(I64(1), number), word]))
        return
    loop, drop, done = (function.append_basic_block(name) for name in ("loop", "drop", "done"))
    builder.branch(loop)
    builder.position_at_end(loop)
    left, todo = builder.phi(I64), builder.phi(I64)
    builder.cbranch(builder.icmp_unsigned("==", todo, I64(0)), done, drop)
    builder.position_at_end(drop)
    left.add_incoming(word, entry)
    todo.add_incoming(number, entry)
    left.add_incoming(builder.and_(left, builder.sub(left, I64(1))), drop)
    todo.add_incoming(builder.sub(todo, I64(1)), drop)
    builder.branch(loop)
    builder.position_at_end(done)
    builder.ret(builder.and_(left, builder.neg(left)))


def define_clock(function: Any) -> None:
    """Write the body of the clock function, which calls clock_gettime and returns nanoseconds."""
    builder = ir.IRBuilder(function.append_basic_block())
    now = builder.alloca(I64, 2)  # a timespec, which holds seconds and nanoseconds
    kind = ir.FunctionType(I32, [I32, now.type])
    clock_id = time.CLOCK_MONOTONIC
    if sys.platform == "darwin":
        clock_id = time.CLOCK_UPTIME_RAW
    builder.call(ir.Function(function.module, kind, "clock_gettime"), [I32(clock_id), now])
    seconds, rest = (builder.load(builder.gep(now, [I32(i)])) for i in range(2))
    builder.ret(builder.add(builder.mul(seconds, I64(10**9)), rest))


# --- words that threads share, with sequentially consistent access

_ORDER: Final = "seq_cst"


def _shared(words: int) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for an intrinsic that accesses a word of an array.

    The intrinsic takes `words` arguments after the pointer and the index.
    """

    def rule(array: Any, *others: Any) -> Any:
        return WORD(array, *[WORD] * (1 + words)) if _is_pointer(array) and others else None

    return _typed_by(rule)


@_shared(0)
def load_shared(builder: Any, array: Any, place: Any) -> Any:
    """Return the word at an index."""
    return builder.load_atomic(builder.gep(array, [place]), _ORDER, 8)


@_shared(1)
def store_shared(builder: Any, array: Any, place: Any, word: Any) -> Any:
    """Store a word, and return it."""
    builder.store_atomic(word, builder.gep(array, [place]), _ORDER, 8)
    return word


@_shared(1)
def add_shared(builder: Any, array: Any, place: Any, word: Any) -> Any:
    """Add `word` to the word at an index; return the word at the index as it was before."""
    return builder.atomic_rmw("add", builder.gep(array, [place]), word, _ORDER)


@_shared(2)
def swap_shared(builder: Any, array: Any, place: Any, old: Any, word: Any) -> Any:
    """Store a word if the word at an index equals `old`; return the word as it was before."""
    pair = builder.cmpxchg(builder.gep(array, [place]), old, word, _ORDER, _ORDER)
    return builder.extract_value(pair, 0)
