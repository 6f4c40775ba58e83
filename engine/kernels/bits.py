"""Words of 64 bits used as sets: counting, finding, picking, and exact multiplication."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsInt, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from masons.engine.kernels.jit import Word, Words, inner

# All arithmetic in kernels is on uint64: mixed with signed numbers it becomes signed, or a float.
U = cast("Callable[[SupportsInt], Word]", np.uint64)

_I64 = ir.IntType(64)
_I128 = ir.IntType(128)
# Asked of the target that numba compiles for, which need not be this machine.
_FEATURES = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
_HAS_PDEP = "+bmi2" in _FEATURES


def _unary(name: str, *extra: Any) -> Callable[[Word], Word]:
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

    return call  # type: ignore[no-any-return]  # numba is not typed


popcount = _unary("llvm.ctpop")
# Index of the lowest set bit; the word must not be 0.
lowest = _unary("llvm.cttz", ir.Constant(ir.IntType(1), 1))
# Number of zero bits above the highest set bit; the word must not be 0.
leading_zeros = _unary("llvm.ctlz", ir.Constant(ir.IntType(1), 1))


@intrinsic
def _high_product(typingctx: Any, left: Any, right: Any) -> Any:
    """The upper 64 bits of the 128-bit product of two words."""
    if left != types.uint64 or right != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        return builder.trunc(builder.lshr(wide, ir.Constant(_I128, 64)), _I64)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _opaque(typingctx: Any, word: Any) -> Any:
    """The word itself, but the compiler cannot see that it was put together from conditions.

    It would branch on each of them; one branch on the result is predicted wrong less often.
    """
    if word != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.asm(ir.FunctionType(_I64, [_I64]), "", "=r,0", args, False)

    return types.uint64(types.uint64), codegen


@intrinsic
def _deposit(typingctx: Any, source: Any, mask: Any) -> Any:
    """x86 PDEP: the low bits of `source` put at the set bits of `mask`."""
    if source != types.uint64 or mask != types.uint64:
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_I64, [_I64, _I64])
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


_pdep: Callable[[Word, Word], Word] = _deposit
high_product: Callable[[Word, Word], Word] = _high_product
opaque: Callable[[Word], Word] = _opaque

if _HAS_PDEP:

    @inner
    def nth_item(word: Word, n: Word) -> Word:
        """The n-th set bit (from 0, from below) as a set of one; there must be more than n."""
        return _pdep(U(1) << n, word)

else:

    @inner
    def nth_item(word: Word, n: Word) -> Word:
        """The n-th set bit (from 0, from below) as a set of one; there must be more than n."""
        for _ in range(n):
            word &= word - U(1)
        return word & (~word + U(1))


@inner
def nth_bit(word: Word, n: Word) -> Word:
    """Index of the n-th set bit (from 0, from below); there must be more than n."""
    return lowest(nth_item(word, n))


@inner
def has(words: Words, base: Word, item: Word) -> bool:
    """Whether the set that begins at word `base` holds `item`."""
    return (words[base + (item >> U(6))] >> (item & U(63))) & U(1) != U(0)


@inner
def add(words: Words, base: Word, item: Word) -> None:
    """Put `item` into the set that begins at word `base`."""
    words[base + (item >> U(6))] |= U(1) << (item & U(63))


@inner
def drop(words: Words, base: Word, item: Word) -> None:
    """Take `item` out of the set that begins at word `base`."""
    words[base + (item >> U(6))] &= ~(U(1) << (item & U(63)))


@inner
def count4(words: Words, base: Word) -> Word:
    """Number of items in a set of four words."""
    return (
        popcount(words[base])
        + popcount(words[base + U(1)])
        + popcount(words[base + U(2)])
        + popcount(words[base + U(3)])
    )


@inner
def nth_of4(words: Words, base: Word, n: Word) -> Word:
    """The n-th item (from 0, ascending) of a set of four words that has more than n items."""
    below_1 = popcount(words[base])
    below_2 = below_1 + popcount(words[base + U(1)])
    below_3 = below_2 + popcount(words[base + U(2)])
    # Which word is random: chosen by arithmetic, a branch would be predicted wrong.
    w = U(n >= below_1) + U(n >= below_2) + U(n >= below_3)
    before = max(U(n >= below_1) * below_1, U(n >= below_2) * below_2)
    before = max(before, U(n >= below_3) * below_3)
    return (w << U(6)) + nth_bit(words[base + w], n - before)
