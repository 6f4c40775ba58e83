"""What kernels need of LLVM itself: pointers, and instructions for single words.

`jit`, `bits`, `exponential` and `clock` name these for kernels to use (see `jit.Compiled`);
importing this file loads numba, so they do it only when something is compiled.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from masons.engine.kernels.jit import LANES

_I64 = ir.IntType(64)
_I128 = ir.IntType(128)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
# Asked of the target that numba compiles for, which need not be this machine.
_FEATURES = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
HAS_PDEP: Final = "+bmi2" in _FEATURES
# How many sums of floats are kept in registers: about half of those that there are.
SUMMED_FLOATS: Final = 256 if "+avx512f" in _FEATURES else 64 if "+avx" in _FEATURES else 32
# What each kind of processor does in its own way: a function that is one instruction where there is
# PDEP, and sums of rows. In a library for several processors each is given its own.
NTH_ITEM: Final = "masons_nth_item"
NTH_ITEM_TYPE: Final = ir.FunctionType(_I64, [_I64, _I64])
ADD_ROWS: Final = "masons_add_rows"
_FLOATS: Final = ir.FloatType().as_pointer()
ADD_ROWS_TYPE: Final = ir.FunctionType(
    ir.VoidType(), [_FLOATS, _FLOATS, _FLOATS, _I64, _I64.as_pointer(), _I64, _FLOATS, _I64]
)
_MOST_SEATS: Final = 4
for_this_processor: Final = [True]
# The clock's function, which `clock` or a library's C code provides.
CLOCK: Final = "masons_monotonic_ns"


@intrinsic
def array_pointer(typingctx: Any, array: Any) -> Any:
    """The address of a C-contiguous array's first element."""
    if not (isinstance(array, types.Array) and array.layout == "C"):
        return None
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make_array(sig.args[0])(context, builder, args[0]).data

    return signature, codegen


def cast_pointer(target: Any) -> Any:
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
def pointer_fields(typingctx: Any, arrays: Any) -> Any:
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
def pointer_offset(typingctx: Any, pointer: Any, count: Any) -> Any:
    """The address `count` items further."""
    if not isinstance(pointer, types.CPointer):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, count), codegen


@intrinsic
def larger(typingctx: Any, left: Any, right: Any) -> Any:
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
def copy_memory(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Memcpy of `count` 64-bit words."""
    if not (isinstance(target, types.CPointer) and target == source):
        return None
    signature = types.void(target, source, count)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size = builder.mul(args[2], ir.Constant(args[2].type, 8))
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def prefetch(typingctx: Any, words: Any, place: Any) -> Any:
    """Have the memory at a place of an array fetched, which is read soon."""
    if words != types.CPointer(types.uint64):
        return None
    signature = types.void(words, types.uint64)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
        # To be read, and kept in all caches; it is data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return signature, codegen


def define_add_rows(function: Any, *, floats: int) -> None:
    """Give `add_rows` its body, which keeps `floats` sums in registers, or fewer."""
    function.linkage = "linkonce_odr"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    end = function.append_basic_block("end")
    choice = builder.switch(function.args[-1], end)
    for seats in range(1, _MOST_SEATS + 1):
        choice.add_case(_I64(seats), function.append_basic_block(f"of_{seats}"))
        builder.position_at_end(function.blocks[-1])
        lanes = min(LANES, 1 << ((floats // seats).bit_length() - 1))
        for begin in range(0, LANES, lanes):
            _add_part(builder, function.args[:-1], seats, begin, lanes)
        builder.branch(end)
    builder.position_at_end(end)
    builder.ret_void()


def _add_part(builder: Any, args: Any, seats: int, begin: int, lanes: int) -> None:
    """Add rows to `lanes` floats of each sum, from `begin` on."""
    out, begun, values, stride, chosen, count, rows = args
    kind = ir.VectorType(ir.FloatType(), lanes)
    row, done = builder.append_basic_block("row"), builder.append_basic_block("done")

    def vector(array: Any, place: Any) -> Any:
        return builder.bitcast(builder.gep(array, [place]), kind.as_pointer())

    def everywhere(number: Any) -> Any:
        undefined, first = ir.Constant(kind, ir.Undefined), ir.VectorType(ir.IntType(32), lanes)
        single = builder.insert_element(undefined, number, _I64(0))
        return builder.shuffle_vector(single, undefined, ir.Constant(first, None))

    places = [_I64(LANES * i + begin) for i in range(seats)]
    before = [builder.load(vector(begun, place), align=4) for place in places]
    start = builder.basic_block
    builder.cbranch(builder.icmp_unsigned("==", count, _I64(0)), done, row)
    builder.position_at_end(row)
    number, totals = builder.phi(_I64), [builder.phi(kind) for _ in places]

    def products(nth: int) -> list[Any]:
        place = builder.load(builder.gep(chosen, [builder.add(number, _I64(nth))]))
        inputs = []
        for i in range(seats):
            value = builder.gep(values, [builder.add(place, builder.mul(stride, _I64(i)))])
            inputs.append(everywhere(builder.load(value)))
        factors = [reduce(builder.fadd, inputs)]
        factors += [builder.fsub(value, inputs[-1]) for value in inputs[:-1]]
        widths = min(seats, 2)
        first = builder.mul(place, _I64(LANES * widths))
        weights = [
            builder.load(vector(rows, builder.add(first, _I64(LANES * i + begin))), align=4)
            for i in range(widths)
        ]
        return [builder.fmul(factor, weights[min(i, 1)]) for i, factor in enumerate(factors)]

    # One sum alone would wait for itself: rows by twos.
    step = 2 if seats == 1 else 1
    added = [
        builder.fadd(total, reduce(builder.fadd, parts))
        for total, *parts in zip(totals, *map(products, range(step)), strict=True)
    ]
    following = builder.add(number, _I64(step))
    number.add_incoming(_I64(0), start)
    number.add_incoming(following, row)
    builder.cbranch(builder.icmp_unsigned("==", following, count), done, row)
    builder.position_at_end(done)
    results = [builder.phi(kind) for _ in places]
    for old, last, *phis in zip(before, added, totals, results, strict=True):
        for phi in phis:
            phi.add_incoming(old, start)
            phi.add_incoming(last, row)
    for result, place in zip(results, places, strict=True):
        builder.store(result, vector(out, place), align=4)


@intrinsic
def add_rows(
    typingctx: Any, out: Any, begun: Any, values: Any, stride: Any, chosen: Any, count: Any,
    rows: Any, seats: Any,
) -> Any:  # fmt: skip
    """Rows, each times what `jit` says, are added to `seats` times LANES floats.

    The compiler would fetch and store the sums for each row; here they stay in registers.
    """
    singles = types.CPointer(types.float32)
    if (out, begun, values, rows) != (singles,) * 4 or chosen != types.CPointer(types.uint64):
        return None
    word = types.uint64
    signature = types.void(out, begun, values, word, chosen, word, rows, word)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ADD_ROWS_TYPE, ADD_ROWS)
        if for_this_processor[0] and function.is_declaration:
            define_add_rows(function, floats=SUMMED_FLOATS)
        builder.call(function, args)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def unit_sums(typingctx: Any, units: Any, one: Any, two: Any, least: Any, rows: Any) -> Any:
    """Units are the sums of `one` and `two`, or `least`; their products with two rows, added up.

    The upper half of the products is added to the lower one, again and again.
    """
    if (units, one, two, least, rows) != (types.CPointer(types.float32),) * 5:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target, *others = (builder.bitcast(pointer, _VECTOR.as_pointer()) for pointer in args)
        first, second, floor = (builder.load(pointer, align=4) for pointer in others[:3])
        unit = builder.fadd(first, second)
        unit = builder.select(builder.fcmp_ordered(">", unit, floor), unit, floor)
        builder.store(unit, target, align=4)
        both = [
            builder.fmul(unit, builder.load(builder.gep(others[3], [_I64(i)]), align=4))
            for i in range(2)
        ]
        lanes = ir.VectorType(ir.IntType(32), 2 * LANES)
        total = builder.shuffle_vector(*both, ir.Constant(lanes, [*range(2 * LANES)]))
        while total.type.count > 2:
            total = builder.fadd(*_halves(builder, total, parts=2))
        results = [builder.extract_element(total, _I64(i)) for i in range(2)]
        return context.make_tuple(builder, sig.return_type, results)

    return types.UniTuple(types.float32, 2)(units, one, two, least, rows), codegen


@intrinsic
def dot_lanes(typingctx: Any, one: Any, two: Any) -> Any:
    """The sum of LANES products: their upper half is added to the lower one, again and again."""
    if (one, two) != (types.CPointer(types.float32),) * 2:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointers = (builder.bitcast(pointer, _VECTOR.as_pointer()) for pointer in args)
        total = builder.fmul(*(builder.load(pointer, align=4) for pointer in pointers))
        while total.type.count > 1:
            total = builder.fadd(*_halves(builder, total))
        return builder.extract_element(total, _I64(0))

    return types.float32(one, two), codegen


@intrinsic
def two_largest(typingctx: Any, w0: Any, w1: Any, w2: Any, w3: Any, once: Any, twice: Any) -> Any:
    """The sum of the two largest of those bytes of four words that are in a set; of two sets.

    The sets are the halves of `once`, `twice` says which bytes count twice, and the sums are the
    halves of the result. No loop, nothing to predict.
    """
    signature = types.uint64(*(types.uint64,) * 6)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        *words, once, twice = args
        number = ir.IntType(32)
        joined = ir.Constant(ir.VectorType(_I64, 8), ir.Undefined)
        for i, word in enumerate(words * 2):
            joined = builder.insert_element(joined, word, number(i))
        kind = ir.VectorType(ir.IntType(8), 64)
        numbers, none = builder.bitcast(joined, kind), ir.Constant(kind, None)
        largest, second = (
            builder.select(builder.bitcast(chosen, ir.VectorType(ir.IntType(1), 64)), numbers, none)
            for chosen in (once, twice)
        )
        while largest.type.count > 2:
            one, two = _halves(builder, largest, parts=2)
            greater = builder.icmp_unsigned(">", one, two)
            largest = builder.select(greater, one, two)
            lesser = builder.select(greater, two, one)
            for rest in _halves(builder, second, parts=2):
                second = lesser = builder.select(
                    builder.icmp_unsigned(">", lesser, rest), lesser, rest
                )
        wide = ir.VectorType(number, 2)
        sums = builder.add(builder.zext(largest, wide), builder.zext(second, wide))
        return builder.bitcast(sums, _I64)

    return signature, codegen


def _halves(builder: Any, vector: Any, parts: int = 1) -> tuple[Any, Any]:
    """The lower and the upper half of a vector, or of each of its parts, joined."""
    count = vector.type.count // parts
    undefined = ir.Constant(vector.type, ir.Undefined)
    kind = ir.VectorType(ir.IntType(32), vector.type.count // 2)
    low, high = (
        builder.shuffle_vector(
            vector,
            undefined,
            ir.Constant(
                kind,
                [count * part + first + i for part in range(parts) for i in range(count // 2)],
            ),
        )
        for first in (0, count // 2)
    )
    return low, high


def _unary(name: str, *extra: Any) -> Any:
    """An intrinsic for an LLVM function from one word to one word."""

    @intrinsic
    def call(typingctx: Any, word: Any) -> Any:
        if word != types.uint64:
            return None

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kinds = [_I64, *(value.type for value in extra)]
            function = builder.module.declare_intrinsic(name, [_I64], ir.FunctionType(_I64, kinds))
            return builder.call(function, [args[0], *extra])

        return types.uint64(types.uint64), codegen

    return call


popcount = _unary("llvm.ctpop")
# Index of the lowest set bit; the word must not be 0.
lowest = _unary("llvm.cttz", ir.Constant(ir.IntType(1), 1))
# Number of zero bits above the highest set bit; the word must not be 0.
leading_zeros = _unary("llvm.ctlz", ir.Constant(ir.IntType(1), 1))


@intrinsic
def high_product(typingctx: Any, left: Any, right: Any) -> Any:
    """The upper 64 bits of the 128-bit product of two words."""
    if left != types.uint64 or right != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        return builder.trunc(builder.lshr(wide, ir.Constant(_I128, 64)), _I64)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def opaque(typingctx: Any, word: Any) -> Any:
    """The word itself, but the compiler cannot see that it was put together from conditions.

    It would branch on each of them; one branch on the result is predicted wrong less often.
    """
    if word != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.asm(ir.FunctionType(_I64, [_I64]), "", "=r,0", args, False)

    return types.uint64(types.uint64), codegen


def define_nth_item(function: Any, *, has_pdep: bool) -> None:
    """Give a function of a word and a number its body: the n-th set bit as a set of one."""
    word, number = function.args
    function.linkage = "linkonce_odr"
    builder = ir.IRBuilder(entry := function.append_basic_block("entry"))
    if has_pdep:
        kind = ir.FunctionType(_I64, [_I64, _I64])
        pdep = function.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
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


@intrinsic
def nth_item(typingctx: Any, word: Any, n: Any) -> Any:
    """The n-th set bit (from 0, from below) as a set of one."""
    if word != types.uint64 or n != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, NTH_ITEM_TYPE, NTH_ITEM)
        if for_this_processor[0] and function.is_declaration:
            define_nth_item(function, has_pdep=HAS_PDEP)
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def float_of_bits(typingctx: Any, word: Any) -> Any:
    """The float that has these 64 bits."""
    if word != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), codegen


def _shared(codegen: Any, words: int) -> Any:
    """An intrinsic for a word of an array that threads share: its place, and so many words more.

    Every access is seen by all threads in one order, and so is what was written before it.
    """

    def make(typingctx: Any, array: Any, *given: Any) -> Any:
        if not isinstance(array, types.CPointer | types.Array):
            return None

        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            begin = args[0]
            if isinstance(sig.args[0], types.Array):  # of the build that checks
                begin = make_array(sig.args[0])(context, builder, begin).data
            return codegen(builder, builder.gep(begin, [args[1]]), *args[2:])

        return types.uint64(array, *[types.uint64] * len(given)), code

    if words == 0:
        return intrinsic(lambda typingctx, array, at: make(typingctx, array, at))
    if words == 1:
        return intrinsic(lambda typingctx, array, at, word: make(typingctx, array, at, word))
    return intrinsic(lambda typingctx, array, at, old, word: make(typingctx, array, at, old, word))


_ORDER = "seq_cst"
_WORD_BYTES = 8


def _store(builder: Any, place: Any, word: Any) -> Any:
    builder.store_atomic(word, place, _ORDER, _WORD_BYTES)
    return word


load_shared = _shared(
    lambda builder, place: builder.load_atomic(place, _ORDER, _WORD_BYTES), words=0
)
store_shared = _shared(_store, words=1)
# Gives the word that was there before.
add_shared = _shared(
    lambda builder, place, word: builder.atomic_rmw("add", place, word, _ORDER), words=1
)
# Puts a word where the old one still is; gives the word that was there before.
swap_shared = _shared(
    lambda builder, place, old, word: builder.extract_value(
        builder.cmpxchg(place, old, word, _ORDER, _ORDER), 0
    ),
    words=2,
)

bytes_of = cast_pointer(types.uint8)
halves_of = cast_pointer(types.uint32)
floats_of = cast_pointer(types.float64)
singles_of = cast_pointer(types.float32)
popcount = _unary("llvm.ctpop")
# Of a word that is not 0.
lowest = _unary("llvm.cttz", ir.Constant(ir.IntType(1), 1))
leading_zeros = _unary("llvm.ctlz", ir.Constant(ir.IntType(1), 1))
clock = types.ExternalFunction(CLOCK, types.uint64())
