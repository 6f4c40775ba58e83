"""Functions of `jit` and `bits` that are written in LLVM's intermediate code.

Importing this module loads numba. `compiling` imports it when the first kernel is compiled.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from masons.engine.kernels.c_module import CLOCK
from masons.engine.kernels.jit import LANES, MOST_INPUT, RANKED, ROUNDED, SUM_BITS

_I1, _I8, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_I128: Final = ir.IntType(128)
_VECTOR: Final = ir.VectorType(ir.FloatType(), LANES)
_WORD: Final = types.uint64
_WORDS: Final = types.CPointer(types.uint64)
_BYTES: Final = types.CPointer(types.uint8)
_SINGLES: Final = types.CPointer(types.float32)
# Functions that have a different body for each kind of processor. `compiling` adds the bodies once
# the processor is known.
NTH_ITEM: Final = "masons_nth_item"
NTH_ITEM_TYPE: Final = ir.FunctionType(_I64, [_I64, _I64])
ADD_TERMS: Final = "masons_add_terms"
_FLOATS: Final = ir.FloatType().as_pointer()
ADD_TERMS_TYPE: Final = ir.FunctionType(
    ir.VoidType(), [_FLOATS, _FLOATS, _I64.as_pointer(), _I64, _FLOATS]
)

now_ns = types.ExternalFunction(CLOCK, _WORD())


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


def _takes(*kinds: Any, returns: Any = _WORD) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for an intrinsic that takes exactly the given types."""
    return _typed_by(lambda *actual: returns(*kinds) if actual == kinds else None)


def _is_pointer(kind: Any) -> bool:
    return isinstance(kind, types.CPointer)


def _function(builder: Any, kind: Any, name: str) -> Any:
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


bytes_of = _cast_to(types.uint8, _I8)
halves_of = _cast_to(types.uint32, _I32)
floats_of = _cast_to(types.float64, ir.DoubleType())
singles_of = _cast_to(types.float32, ir.FloatType())


@_typed_by(
    lambda target, source, count: (
        types.void(target, source, count) if _is_pointer(target) and target == source else None
    )
)
def copy_words(builder: Any, target: Any, source: Any, count: Any) -> None:
    """Copy `count` words of 64 bits."""
    byte = _I8.as_pointer()
    function = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, _I64])
    places = [builder.bitcast(place, byte) for place in (target, source)]
    builder.call(function, [*places, builder.mul(count, count.type(8)), _I1(0)])


@_takes(returns=_BYTES)
def stack_bytes(builder: Any) -> Any:
    """Return 128 bytes on the stack, and set them to 0."""
    kind = ir.VectorType(_I8, 128)
    with builder.goto_entry_block():
        place = builder.alloca(ir.ArrayType(_I8, 128))
    builder.store(ir.Constant(kind, None), builder.bitcast(place, kind.as_pointer()), align=1)
    return builder.bitcast(place, _I8.as_pointer())


@_takes(_WORDS, _WORD, returns=types.void)
def prefetch(builder: Any, words: Any, place: Any) -> None:
    """Emit a prefetch of the memory at an index."""
    byte = _I8.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
    function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    address = builder.bitcast(builder.gep(words, [place]), byte)
    # The arguments mean read access (0), keep in all cache levels (3), and data cache (1).
    builder.call(function, [address, _I32(0), _I32(3), _I32(1)])


# --- single words and floats


def _word_function(name: str, *extra: Any) -> Any:
    """Return an intrinsic that passes a word to the LLVM intrinsic `name` and returns a word.

    `extra` holds further arguments of the LLVM intrinsic.
    """

    @_takes(_WORD)
    def call(builder: Any, word: Any) -> Any:
        kinds = [_I64, *(value.type for value in extra)]
        function = builder.module.declare_intrinsic(name, [_I64], ir.FunctionType(_I64, kinds))
        return builder.call(function, [word, *extra])

    return call


popcount = _word_function("llvm.ctpop")
lowest = _word_function("llvm.cttz", _I1(1))
leading_zeros = _word_function("llvm.ctlz", _I1(1))


@_takes(_WORD, _WORD)
def high_product(builder: Any, left: Any, right: Any) -> Any:
    """Return the upper 64 bits of the 128-bit product of two words."""
    wide = builder.mul(builder.zext(left, _I128), builder.zext(right, _I128))
    return builder.trunc(builder.lshr(wide, ir.Constant(_I128, 64)), _I64)


@_takes(_WORD)
def opaque(builder: Any, word: Any) -> Any:
    """Return the word, hidden from the optimizer."""
    return builder.asm(ir.FunctionType(_I64, [_I64]), "", "=r,0", [word], False)


@_takes(_WORD, returns=types.float64)
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


@_takes(_WORD, _WORD)
def nth_item(builder: Any, word: Any, n: Any) -> Any:
    """Return the n-th set bit (from 0, lowest first), as a set of one item."""
    function = _function(builder, NTH_ITEM_TYPE, NTH_ITEM)
    return builder.call(function, [word, n])


def define_nth_item(function: Any, *, has_pdep: bool) -> None:
    """Write the body of `nth_item`: one instruction on processors with PDEP, otherwise a loop."""
    word, number = function.args
    builder = ir.IRBuilder(entry := function.append_basic_block("entry"))
    if has_pdep:
        pdep = function.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), NTH_ITEM_TYPE)
        builder.ret(builder.call(pdep, [builder.shl(_I64(1), number), word]))
        return
    loop, drop, done = (function.append_basic_block(name) for name in ("loop", "drop", "done"))
    builder.branch(loop)
    builder.position_at_end(loop)
    left, todo = builder.phi(_I64), builder.phi(_I64)
    builder.cbranch(builder.icmp_unsigned("==", todo, _I64(0)), done, drop)
    builder.position_at_end(drop)
    left.add_incoming(word, entry)
    todo.add_incoming(number, entry)
    left.add_incoming(builder.and_(left, builder.sub(left, _I64(1))), drop)
    todo.add_incoming(builder.sub(todo, _I64(1)), drop)
    builder.branch(loop)
    builder.position_at_end(done)
    builder.ret(builder.and_(left, builder.neg(left)))


def define_clock(function: Any) -> None:
    """Write the body of the clock function, which calls clock_gettime and returns nanoseconds."""
    builder = ir.IRBuilder(function.append_basic_block())
    now = builder.alloca(_I64, 2)  # a timespec, which holds seconds and nanoseconds
    kind = ir.FunctionType(_I32, [_I32, now.type])
    clock_id = time.CLOCK_MONOTONIC
    if sys.platform == "darwin":
        clock_id = time.CLOCK_UPTIME_RAW
    builder.call(ir.Function(function.module, kind, "clock_gettime"), [_I32(clock_id), now])
    seconds, rest = (builder.load(builder.gep(now, [_I32(i)])) for i in range(2))
    builder.ret(builder.add(builder.mul(seconds, _I64(10**9)), rest))


# --- words that threads share, with sequentially consistent access

_ORDER: Final = "seq_cst"


def _shared(words: int) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for an intrinsic that accesses a word of an array.

    The intrinsic takes `words` arguments after the pointer and the index.
    """

    def rule(array: Any, *others: Any) -> Any:
        return _WORD(array, *[_WORD] * (1 + words)) if _is_pointer(array) and others else None

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


# --- many numbers at once


def _everywhere(builder: Any, number: Any, count: int) -> Any:
    """Return a vector that holds a number `count` times."""
    undefined = ir.Constant(ir.VectorType(number.type, count), ir.Undefined)
    single = builder.insert_element(undefined, number, _I64(0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(_I32, count), None))


def _halves(builder: Any, vector: Any, parts: int = 1) -> tuple[Any, Any]:
    """Return the lower and the upper half of a vector.

    If `parts` is above 1, the vector consists of that many parts. The result is then the joined
    lower halves and the joined upper halves of the parts.
    """
    count = vector.type.count // parts
    kind = ir.VectorType(_I32, vector.type.count // 2)

    def half(first: int) -> Any:
        lanes = [count * part + first + i for part in range(parts) for i in range(count // 2)]
        undefined = ir.Constant(vector.type, ir.Undefined)
        return builder.shuffle_vector(vector, undefined, ir.Constant(kind, lanes))

    return half(0), half(count // 2)


@_takes(*[_WORD] * 6)
def two_largest(
    builder: Any, w0: Any, w1: Any, w2: Any, w3: Any, first: Any, second: Any
) -> Any:  # fmt: skip
    """Return, for each of two hands, the sum of the two largest values of its cards.

    The first four words hold 32 bytes, the values of each kind of card (bits 2k and 2k + 1 of a
    hand). The lower half of the result is the sum for the first hand. The code has no branches.
    """
    joined = ir.Constant(ir.VectorType(_I64, 8), ir.Undefined)
    for i, word in enumerate([w0, w1, w2, w3] * 2):
        joined = builder.insert_element(joined, word, _I32(i))
    hands = ir.Constant(ir.VectorType(_I64, 2), ir.Undefined)
    for i, word in enumerate([first, second]):
        hands = builder.insert_element(hands, word, _I32(i))
    kind = ir.VectorType(_I8, 64)
    numbers, zeros = builder.bitcast(joined, kind), ir.Constant(kind, None)
    both = ir.Constant(kind, [3 << 2 * (i % 4) for i in range(64)])
    places = ir.Constant(ir.VectorType(_I32, 64), [i // 4 for i in range(64)])
    parts = builder.bitcast(hands, ir.VectorType(_I8, 16))
    held = builder.and_(builder.shuffle_vector(parts, parts, places), both)
    is_none, is_both = (builder.icmp_unsigned("==", held, each) for each in (zeros, both))
    largest, second = (
        builder.select(is_none, zeros, numbers), builder.select(is_both, numbers, zeros)
    )  # fmt: skip
    while largest.type.count > 2:
        low, high = _halves(builder, largest, parts=2)
        is_low = builder.icmp_unsigned(">", low, high)
        largest = builder.select(is_low, low, high)
        lesser = builder.select(is_low, high, low)
        for rest in _halves(builder, second, parts=2):
            second = lesser = builder.select(builder.icmp_unsigned(">", lesser, rest), lesser, rest)
    wide = ir.VectorType(_I32, 2)
    sums = builder.add(builder.zext(largest, wide), builder.zext(second, wide))
    return builder.bitcast(sums, _I64)


@_takes(_BYTES, _WORD)
def equal_bytes(builder: Any, items: Any, value: Any) -> Any:
    """Return which of the first 64 bytes are equal to `value`, as a set."""
    values = _everywhere(builder, builder.trunc(value, _I8), 64)
    vector = builder.load(builder.bitcast(items, values.type.as_pointer()), align=1)
    return builder.bitcast(builder.icmp_unsigned("==", vector, values), _I64)


@_takes(types.CPointer(types.float64), types.float64)
def at_most(builder: Any, numbers: Any, limit: Any) -> Any:
    """Return which of the first 32 numbers do not exceed a limit, as a set."""
    limits = _everywhere(builder, limit, 32)
    vector = builder.load(builder.bitcast(numbers, limits.type.as_pointer()), align=8)
    within = builder.bitcast(builder.fcmp_ordered("<=", vector, limits), _I32)
    return builder.zext(within, _I64)


@_takes(_SINGLES, _SINGLES, returns=types.float32)
def dot_lanes(builder: Any, left: Any, right: Any) -> Any:
    """Return the sum of LANES products (see `jit.dot_lanes`)."""
    vectors = (builder.bitcast(pointer, _VECTOR.as_pointer()) for pointer in (left, right))
    return _total(builder, builder.fmul(*(builder.load(part, align=4) for part in vectors)))


def _total(builder: Any, vector: Any) -> Any:
    """Return the sum of a vector; its upper half is added to the lower half until it is one."""
    while vector.type.count > 1:
        vector = builder.fadd(*_halves(builder, vector))
    return builder.extract_element(vector, _I64(0))


@_takes(_SINGLES, _SINGLES, returns=types.float32)
def dot_sums(builder: Any, sums: Any, factors: Any) -> Any:
    """Return the sum of the products of LANES sums (see `jit.add_terms`) and floats."""
    factor = builder.load(builder.bitcast(factors, _VECTOR.as_pointer()), align=4)
    return _total(builder, builder.fmul(_floats_of_sums(builder, sums), factor))


@_takes(*[_SINGLES] * 4, returns=types.UniTuple(types.float32, 2))
def unit_sums(builder: Any, units: Any, sums: Any, least: Any, rows: Any) -> Any:
    """Set LANES `units`, and return the sum of their products with the first and the second row.

    See `jit.unit_sums`.
    """
    target, least, both = (
        builder.bitcast(pointer, _VECTOR.as_pointer()) for pointer in (units, least, rows)
    )
    unit, floor = _floats_of_sums(builder, sums), builder.load(least, align=4)
    unit = builder.select(builder.fcmp_ordered(">", unit, floor), unit, floor)
    builder.store(unit, target, align=4)
    products = [
        builder.fmul(unit, builder.load(builder.gep(both, [_I64(i)]), align=4)) for i in range(2)
    ]
    lanes = ir.Constant(ir.VectorType(_I32, 2 * LANES), [*range(2 * LANES)])
    total = builder.shuffle_vector(*products, lanes)
    while total.type.count > 2:
        total = builder.fadd(*_halves(builder, total, parts=2))
    results = ir.Constant(ir.ArrayType(ir.FloatType(), 2), ir.Undefined)
    for i in range(2):
        results = builder.insert_value(results, builder.extract_element(total, _I64(i)), i)
    return results


def _floats_of_sums(builder: Any, sums: Any) -> Any:
    """Return LANES sums of `add_terms`, which are 32-bit whole numbers, as floats."""
    kind = ir.VectorType(_I32, LANES)
    whole = builder.load(builder.bitcast(sums, kind.as_pointer()), align=4)
    unit = ir.Constant(_VECTOR, [ir.Constant(ir.FloatType(), 2.0**-SUM_BITS)] * LANES)
    return builder.fmul(builder.sitofp(whole, _VECTOR), unit)


@_takes(_WORDS, _SINGLES, _SINGLES, _WORD, returns=types.void)
def round_terms(builder: Any, terms: Any, values: Any, factors: Any, first: Any) -> None:
    """Fill 8 terms with 16 values times their factors (see `jit.round_terms`)."""
    count = 2 * ROUNDED
    kind = ir.VectorType(ir.FloatType(), count)

    def everywhere(number: float) -> Any:
        return ir.Constant(kind, [ir.Constant(ir.FloatType(), number)] * count)

    value, factor = (
        builder.load(builder.bitcast(pointer, kind.as_pointer()), align=4)
        for pointer in (values, factors)
    )
    value = builder.fmul(value, factor)
    for sign, limit in (("<", MOST_INPUT), (">", -MOST_INPUT)):
        limits = everywhere(limit)
        value = builder.select(builder.fcmp_ordered(sign, value, limits), value, limits)
    # After this addition, the lowest bits of the float are the number, rounded to even.
    bits = builder.bitcast(
        builder.fadd(value, everywhere(1.5 * 2.0**23)), ir.VectorType(_I32, count)
    )
    numbers = builder.trunc(bits, ir.VectorType(ir.IntType(16), count))
    pairs = builder.bitcast(numbers, ir.VectorType(_I32, ROUNDED))
    words = ir.VectorType(_I64, ROUNDED)
    places = builder.add(
        _everywhere(builder, first, ROUNDED), ir.Constant(words, [*range(ROUNDED)])
    )
    places = builder.shl(places, ir.Constant(words, [32] * ROUNDED))
    target = builder.bitcast(terms, words.as_pointer())
    builder.store(builder.or_(builder.zext(pairs, words), places), target, align=8)


@_takes(_SINGLES, _SINGLES, _WORDS, _WORD, _SINGLES, returns=types.void)
def add_terms(builder: Any, out: Any, start: Any, terms: Any, count: Any, rows: Any) -> None:
    """Set LANES sums in `out` to those in `start` plus all terms (see `jit.add_terms`).

    On its own, LLVM would load and store the sums for each term; here they stay in registers.
    """
    function = _function(builder, ADD_TERMS_TYPE, ADD_TERMS)
    builder.call(function, [out, start, terms, count, rows])


@_takes(_SINGLES, _SINGLES, _WORD, _SINGLES, returns=types.void)
def add_rows(builder: Any, out: Any, start: Any, cards: Any, rows: Any) -> None:
    """Set LANES sums in `out` to those in `start` plus a row for each card (see `jit.add_rows`)."""
    kind = ir.VectorType(_I32, LANES)
    out, start, rows = (builder.bitcast(item, kind.as_pointer()) for item in (out, start, rows))
    before = builder.load(start, align=4)
    with _each_item(builder, cards, [before]) as (item, (total,), results):
        row = builder.load(builder.gep(rows, [builder.lshr(item, _I64(1))]), align=4)
        results.append(builder.add(total, row))
    builder.store(results[0], out, align=4)


@_takes(_SINGLES, _BYTES, _WORD, types.float32, returns=types.void)
def rank_values(builder: Any, out: Any, values: Any, cards: Any, factor: Any) -> None:
    """Fill RANKED numbers with the largest values of a set of cards (see `jit.rank_values`).

    The numbers of a sorted vector are compared with a value and with their neighbors all at once.
    """
    count, number = 8, ir.IntType(16)
    kind, wide = ir.VectorType(number, count), ir.VectorType(_I32, count)
    most, lanes = ir.Constant(kind, [0xFFFF] * count), ir.Constant(wide, [count, *range(count - 1)])
    with _each_item(builder, cards, [ir.Constant(kind, None)]) as (item, (ranked,), results):
        value = builder.load(builder.gep(values, [builder.lshr(item, _I64(1))]))
        added = _everywhere(builder, builder.zext(value, number), count)
        above = builder.shuffle_vector(ranked, most, lanes)
        lesser = builder.select(builder.icmp_unsigned("<", above, added), above, added)
        is_less = builder.icmp_unsigned("<", ranked, lesser)
        results.append(builder.select(is_less, lesser, ranked))
    floats = builder.sitofp(builder.zext(results[0], wide), ir.VectorType(ir.FloatType(), count))
    floats = builder.fmul(floats, _everywhere(builder, factor, count))
    for i in range(RANKED):
        builder.store(builder.extract_element(floats, _I64(i)), builder.gep(out, [_I64(i)]))


@contextmanager
def _each_item(builder: Any, items: Any, firsts: Sequence[Any]) -> Iterator[Any]:
    """Emit a loop over the items of a set; the body computes new values from those so far.

    Yields the item, the values so far and a list, to which the body appends the new values. After
    the loop, the list holds the final values.
    """
    entry = builder.basic_block
    loop, done = builder.append_basic_block("item"), builder.append_basic_block("done")
    is_empty = builder.icmp_unsigned("==", items, _I64(0))
    builder.cbranch(is_empty, done, loop)
    builder.position_at_end(loop)
    left, values, results = builder.phi(_I64), [builder.phi(v.type) for v in firsts], list[Any]()
    lowest_kind = ir.FunctionType(_I64, [_I64, _I1])
    cttz = builder.module.declare_intrinsic("llvm.cttz", [_I64], lowest_kind)
    yield builder.call(cttz, [left, _I1(1)]), values, results
    rest = builder.and_(left, builder.sub(left, _I64(1)))
    builder.cbranch(builder.icmp_unsigned("==", rest, _I64(0)), done, loop)
    left.add_incoming(items, entry)
    left.add_incoming(rest, loop)
    builder.position_at_end(done)
    for i, (first, value) in enumerate(zip(firsts, values, strict=True)):
        value.add_incoming(first, entry)
        value.add_incoming(results[i], loop)
        final = builder.phi(value.type)
        final.add_incoming(first, entry)
        final.add_incoming(results[i], loop)
        results[i] = final


def define_add_terms(function: Any, *, lanes: int, is_x86: bool) -> None:
    """Write the body of `add_terms` for a processor with vectors of `lanes` 32-bit numbers.

    At most 8 vectors of sums are kept in registers.
    """
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    step = min(LANES, 8 * lanes)
    for begin in range(0, LANES, step):
        _add_part(builder, function.args, range(begin, begin + step, lanes), lanes, is_x86)
    builder.ret_void()


def _add_part(builder: Any, args: Any, places: range, lanes: int, is_x86: bool) -> None:
    """Write a loop that adds all terms to the sums at `places`, `lanes` sums at each place."""
    out, start, terms, count, rows = args
    kind, pairs = ir.VectorType(_I32, lanes), ir.VectorType(ir.IntType(16), 2 * lanes)

    def vector(array: Any, place: Any, item: Any) -> Any:
        return builder.bitcast(builder.gep(array, [place]), item.as_pointer())

    before = [builder.load(vector(start, _I64(place), kind), align=4) for place in places]
    entry = builder.basic_block
    loop, done = builder.append_basic_block("term"), builder.append_basic_block("done")
    builder.cbranch(builder.icmp_unsigned("==", count, _I64(0)), done, loop)
    builder.position_at_end(loop)
    number, totals = builder.phi(_I64), [builder.phi(kind) for _ in places]
    term = builder.load(builder.gep(terms, [number]))
    factor = builder.bitcast(_everywhere(builder, builder.trunc(term, _I32), lanes), pairs)
    row = builder.mul(builder.lshr(term, _I64(32)), _I64(LANES))
    added = []
    for total, place in zip(totals, places, strict=True):
        weights = builder.load(vector(rows, builder.add(row, _I64(place)), pairs), align=4)
        added.append(builder.add(total, _pair_products(builder, weights, factor, is_x86)))
    following = builder.add(number, _I64(1))
    number.add_incoming(_I64(0), entry)
    number.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("==", following, count), done, loop)
    builder.position_at_end(done)
    results = [builder.phi(kind) for _ in places]
    for old, new, *phis in zip(before, added, totals, results, strict=True):
        for phi in phis:
            phi.add_incoming(old, entry)
            phi.add_incoming(new, loop)
    for result, place in zip(results, places, strict=True):
        builder.store(result, vector(out, _I64(place), kind), align=4)


def _pair_products(builder: Any, left: Any, right: Any, is_x86: bool) -> Any:
    """Return, for each pair of 16-bit numbers in two vectors, the sum of the two products.

    This is one instruction on x86-64 (PMADDWD) and two on others.
    """
    count = left.type.count
    kind = ir.VectorType(_I32, count // 2)
    if is_x86:
        name = {8: "sse2.pmadd.wd", 16: "avx2.pmadd.wd", 32: "avx512.pmaddw.d.512"}[count]
        product = _function(builder, ir.FunctionType(kind, [left.type] * 2), f"llvm.x86.{name}")
        return builder.call(product, [left, right])
    products = []
    for first in range(2):
        lanes = ir.Constant(kind, [*range(first, count, 2)])
        undefined = ir.Constant(left.type, ir.Undefined)
        halves = [builder.shuffle_vector(side, undefined, lanes) for side in (left, right)]
        products.append(builder.mul(*(builder.sext(half, kind) for half in halves)))
    return builder.add(*products)
