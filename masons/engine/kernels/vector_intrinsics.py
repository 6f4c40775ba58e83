"""Functions of `jit` and `bits` for many numbers at once, in LLVM's intermediate code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from llvmlite import ir
from numba import types

from masons.engine.kernels.intrinsics import (
    BYTES,
    I1,
    I8,
    I32,
    I64,
    SINGLES,
    WORD,
    WORDS,
    declared_function,
    takes,
)
from masons.engine.kernels.jit import LANES, MOST_INPUT, RANKED, ROUNDED, SUM_BITS

_VECTOR: Final = ir.VectorType(ir.FloatType(), LANES)
# Like `intrinsics.NTH_ITEM`, a function whose body `compiling` adds.
ADD_TERMS: Final = "masons_add_terms"
_FLOATS: Final = ir.FloatType().as_pointer()
ADD_TERMS_TYPE: Final = ir.FunctionType(
    ir.VoidType(), [_FLOATS, _FLOATS, I64.as_pointer(), I64, _FLOATS]
)


def _everywhere(builder: Any, number: Any, count: int) -> Any:
    """Return a vector that holds a number `count` times."""
    undefined = ir.Constant(ir.VectorType(number.type, count), ir.Undefined)
    single = builder.insert_element(undefined, number, I64(0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(I32, count), None))


def _halves(builder: Any, vector: Any, parts: int = 1) -> tuple[Any, Any]:
    """Return the lower and the upper half of a vector.

    If `parts` is above 1, the vector consists of that many parts. The result is then the joined
    lower halves and the joined upper halves of the parts.
    """
    count = vector.type.count // parts
    kind = ir.VectorType(I32, vector.type.count // 2)

    def half(first: int) -> Any:
        lanes = [count * part + first + i for part in range(parts) for i in range(count // 2)]
        undefined = ir.Constant(vector.type, ir.Undefined)
        return builder.shuffle_vector(vector, undefined, ir.Constant(kind, lanes))

    return half(0), half(count // 2)


@takes(*[WORD] * 6)
def two_largest(
    builder: Any, w0: Any, w1: Any, w2: Any, w3: Any, hand: Any, other: Any
) -> Any:  # fmt: skip
    """Return, for each of two hands, the sum of the two largest values of its cards.

    The first four words hold 32 bytes, the values of each kind of card (bits 2k and 2k + 1 of a
    hand). The lower half of the result is the sum for the first hand. The code has no branches.
    """
    joined = ir.Constant(ir.VectorType(I64, 8), ir.Undefined)
    for i, word in enumerate([w0, w1, w2, w3] * 2):
        joined = builder.insert_element(joined, word, I32(i))
    hands = ir.Constant(ir.VectorType(I64, 2), ir.Undefined)
    for i, word in enumerate([hand, other]):
        hands = builder.insert_element(hands, word, I32(i))
    kind = ir.VectorType(I8, 64)
    numbers, zeros = builder.bitcast(joined, kind), ir.Constant(kind, None)
    both = ir.Constant(kind, [3 << 2 * (i % 4) for i in range(64)])
    places = ir.Constant(ir.VectorType(I32, 64), [i // 4 for i in range(64)])
    parts = builder.bitcast(hands, ir.VectorType(I8, 16))
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
    wide = ir.VectorType(I32, 2)
    sums = builder.add(builder.zext(largest, wide), builder.zext(second, wide))
    return builder.bitcast(sums, I64)


@takes(BYTES, WORD)
def equal_bytes(builder: Any, items: Any, value: Any) -> Any:
    """Return which of the first 64 bytes are equal to `value`, as a set."""
    values = _everywhere(builder, builder.trunc(value, I8), 64)
    vector = builder.load(builder.bitcast(items, values.type.as_pointer()), align=1)
    return builder.bitcast(builder.icmp_unsigned("==", vector, values), I64)


@takes(types.CPointer(types.float64), types.float64)
def at_most(builder: Any, numbers: Any, limit: Any) -> Any:
    """Return which of the first 32 numbers do not exceed a limit, as a set."""
    limits = _everywhere(builder, limit, 32)
    vector = builder.load(builder.bitcast(numbers, limits.type.as_pointer()), align=8)
    within = builder.bitcast(builder.fcmp_ordered("<=", vector, limits), I32)
    return builder.zext(within, I64)


@takes(SINGLES, SINGLES, returns=types.float32)
def dot_lanes(builder: Any, left: Any, right: Any) -> Any:
    """Return the sum of LANES products (see `jit.dot_lanes`)."""
    vectors = (builder.bitcast(pointer, _VECTOR.as_pointer()) for pointer in (left, right))
    return _total(builder, builder.fmul(*(builder.load(part, align=4) for part in vectors)))


def _total(builder: Any, vector: Any) -> Any:
    """Return the sum of a vector; its upper half is added to the lower half until it is one."""
    while vector.type.count > 1:
        vector = builder.fadd(*_halves(builder, vector))
    return builder.extract_element(vector, I64(0))


@takes(SINGLES, SINGLES, returns=types.float32)
def dot_sums(builder: Any, sums: Any, factors: Any) -> Any:
    """Return the sum of the products of LANES sums (see `jit.add_terms`) and floats."""
    factor = builder.load(builder.bitcast(factors, _VECTOR.as_pointer()), align=4)
    return _total(builder, builder.fmul(_floats_of_sums(builder, sums), factor))


@takes(*[SINGLES] * 4, returns=types.UniTuple(types.float32, 2))
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
        builder.fmul(unit, builder.load(builder.gep(both, [I64(i)]), align=4)) for i in range(2)
    ]
    lanes = ir.Constant(ir.VectorType(I32, 2 * LANES), [*range(2 * LANES)])
    total = builder.shuffle_vector(*products, lanes)
    while total.type.count > 2:
        total = builder.fadd(*_halves(builder, total, parts=2))
    results = ir.Constant(ir.ArrayType(ir.FloatType(), 2), ir.Undefined)
    for i in range(2):
        results = builder.insert_value(results, builder.extract_element(total, I64(i)), i)
    return results


def _floats_of_sums(builder: Any, sums: Any) -> Any:
    """Return LANES sums of `add_terms`, which are 32-bit whole numbers, as floats."""
    kind = ir.VectorType(I32, LANES)
    whole = builder.load(builder.bitcast(sums, kind.as_pointer()), align=4)
    unit = ir.Constant(_VECTOR, [ir.Constant(ir.FloatType(), 2.0**-SUM_BITS)] * LANES)
    return builder.fmul(builder.sitofp(whole, _VECTOR), unit)


@takes(WORDS, SINGLES, SINGLES, WORD, returns=types.void)
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
        builder.fadd(value, everywhere(1.5 * 2.0**23)), ir.VectorType(I32, count)
    )
    numbers = builder.trunc(bits, ir.VectorType(ir.IntType(16), count))
    pairs = builder.bitcast(numbers, ir.VectorType(I32, ROUNDED))
    words = ir.VectorType(I64, ROUNDED)
    places = builder.add(
        _everywhere(builder, first, ROUNDED), ir.Constant(words, [*range(ROUNDED)])
    )
    places = builder.shl(places, ir.Constant(words, [32] * ROUNDED))
    target = builder.bitcast(terms, words.as_pointer())
    builder.store(builder.or_(builder.zext(pairs, words), places), target, align=8)


@takes(SINGLES, SINGLES, WORDS, WORD, SINGLES, returns=types.void)
def add_terms(builder: Any, out: Any, start: Any, terms: Any, count: Any, rows: Any) -> None:
    """Set LANES sums in `out` to those in `start` plus all terms (see `jit.add_terms`).

    On its own, LLVM would load and store the sums for each term; here they stay in registers.
    """
    function = declared_function(builder, ADD_TERMS_TYPE, ADD_TERMS)
    builder.call(function, [out, start, terms, count, rows])


@takes(SINGLES, SINGLES, WORD, SINGLES, returns=types.void)
def add_rows(builder: Any, out: Any, start: Any, cards: Any, rows: Any) -> None:
    """Set LANES sums in `out` to those in `start` plus a row for each card (see `jit.add_rows`)."""
    kind = ir.VectorType(I32, LANES)
    out, start, rows = (builder.bitcast(item, kind.as_pointer()) for item in (out, start, rows))
    before = builder.load(start, align=4)
    with _each_item(builder, cards, [before]) as (item, (total,), results):
        row = builder.load(builder.gep(rows, [builder.lshr(item, I64(1))]), align=4)
        results.append(builder.add(total, row))
    builder.store(results[0], out, align=4)


@takes(SINGLES, BYTES, WORD, types.float32, returns=types.void)
def rank_values(builder: Any, out: Any, values: Any, cards: Any, factor: Any) -> None:
    """Fill RANKED numbers with the largest values of a set of cards (see `jit.rank_values`).

    The numbers of a sorted vector are compared with a value and with their neighbors all at once.
    """
    count, number = 8, ir.IntType(16)
    kind, wide = ir.VectorType(number, count), ir.VectorType(I32, count)
    most, lanes = ir.Constant(kind, [0xFFFF] * count), ir.Constant(wide, [count, *range(count - 1)])
    with _each_item(builder, cards, [ir.Constant(kind, None)]) as (item, (ranked,), results):
        value = builder.load(builder.gep(values, [builder.lshr(item, I64(1))]))
        added = _everywhere(builder, builder.zext(value, number), count)
        above = builder.shuffle_vector(ranked, most, lanes)
        lesser = builder.select(builder.icmp_unsigned("<", above, added), above, added)
        is_less = builder.icmp_unsigned("<", ranked, lesser)
        results.append(builder.select(is_less, lesser, ranked))
    floats = builder.sitofp(builder.zext(results[0], wide), ir.VectorType(ir.FloatType(), count))
    floats = builder.fmul(floats, _everywhere(builder, factor, count))
    for i in range(RANKED):
        builder.store(builder.extract_element(floats, I64(i)), builder.gep(out, [I64(i)]))


@contextmanager
def _each_item(builder: Any, items: Any, firsts: Sequence[Any]) -> Iterator[Any]:
    """Emit a loop over the items of a set; the body computes new values from those so far.

    Yields the item, the values so far and a list, to which the body appends the new values. After
    the loop, the list holds the final values. The body may not open basic blocks, because
    `add_incoming` says that new values come from the block in which the body begins.
    """
    entry = builder.basic_block
    loop, done = builder.append_basic_block("item"), builder.append_basic_block("done")
    is_empty = builder.icmp_unsigned("==", items, I64(0))
    builder.cbranch(is_empty, done, loop)
    builder.position_at_end(loop)
    left, values, results = builder.phi(I64), [builder.phi(v.type) for v in firsts], list[Any]()
    lowest_kind = ir.FunctionType(I64, [I64, I1])
    cttz = builder.module.declare_intrinsic("llvm.cttz", [I64], lowest_kind)
    yield builder.call(cttz, [left, I1(1)]), values, results
    rest = builder.and_(left, builder.sub(left, I64(1)))
    builder.cbranch(builder.icmp_unsigned("==", rest, I64(0)), done, loop)
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
    kind, pairs = ir.VectorType(I32, lanes), ir.VectorType(ir.IntType(16), 2 * lanes)

    def vector(array: Any, place: Any, item: Any) -> Any:
        return builder.bitcast(builder.gep(array, [place]), item.as_pointer())

    before = [builder.load(vector(start, I64(place), kind), align=4) for place in places]
    entry = builder.basic_block
    loop, done = builder.append_basic_block("term"), builder.append_basic_block("done")
    builder.cbranch(builder.icmp_unsigned("==", count, I64(0)), done, loop)
    builder.position_at_end(loop)
    number, totals = builder.phi(I64), [builder.phi(kind) for _ in places]
    term = builder.load(builder.gep(terms, [number]))
    factor = builder.bitcast(_everywhere(builder, builder.trunc(term, I32), lanes), pairs)
    row = builder.mul(builder.lshr(term, I64(32)), I64(LANES))
    added = []
    for total, place in zip(totals, places, strict=True):
        weights = builder.load(vector(rows, builder.add(row, I64(place)), pairs), align=4)
        added.append(builder.add(total, _pair_products(builder, weights, factor, is_x86)))
    following = builder.add(number, I64(1))
    number.add_incoming(I64(0), entry)
    number.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("==", following, count), done, loop)
    builder.position_at_end(done)
    results = [builder.phi(kind) for _ in places]
    for old, new, *phis in zip(before, added, totals, results, strict=True):
        for phi in phis:
            phi.add_incoming(old, entry)
            phi.add_incoming(new, loop)
    for result, place in zip(results, places, strict=True):
        builder.store(result, vector(out, I64(place), kind), align=4)


def _pair_products(builder: Any, left: Any, right: Any, is_x86: bool) -> Any:
    """Return, for each pair of 16-bit numbers in two vectors, the sum of the two products.

    This is one instruction on x86-64 (PMADDWD) and two on others.
    """
    count = left.type.count
    kind = ir.VectorType(I32, count // 2)
    if is_x86:
        name = {8: "sse2.pmadd.wd", 16: "avx2.pmadd.wd", 32: "avx512.pmaddw.d.512"}[count]
        product = declared_function(
            builder, ir.FunctionType(kind, [left.type] * 2), f"llvm.x86.{name}"
        )
        return builder.call(product, [left, right])
    products = []
    for first in range(2):
        lanes = ir.Constant(kind, [*range(first, count, 2)])
        undefined = ir.Constant(left.type, ir.Undefined)
        halves = [builder.shuffle_vector(side, undefined, lanes) for side in (left, right)]
        products.append(builder.mul(*(builder.sext(half, kind) for half in halves)))
    return builder.add(*products)
