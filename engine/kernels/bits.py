"""Words of 64 bits used as sets: counting, finding, picking, and exact multiplication.

And words that threads share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsInt, cast

import numpy as np

from masons.engine.kernels.jit import Compiled, Word, Words, inner

# All arithmetic in kernels is on uint64: mixed with signed numbers it becomes signed, or a float.
U = cast("Callable[[SupportsInt], Word]", np.uint64)

popcount: Callable[[Word], Word] = Compiled("popcount")
# Index of the lowest set bit; the word must not be 0.
lowest: Callable[[Word], Word] = Compiled("lowest")
# Number of zero bits above the highest set bit; the word must not be 0.
leading_zeros: Callable[[Word], Word] = Compiled("leading_zeros")
# The upper 64 bits of the 128-bit product of two words.
high_product: Callable[[Word, Word], Word] = Compiled("high_product")
# The word itself, but the compiler cannot see that it was put together from conditions, on each of
# which it would branch; one branch on the result is predicted wrong less often.
opaque: Callable[[Word], Word] = Compiled("opaque")
# The n-th set bit (from 0, from below) as a set of one; there must be more than n.
nth_item: Callable[[Word, Word], Word] = Compiled("nth_item")

# The sum of the two largest of 32 numbers, the bytes of four words, that are in a set; of two sets
# at once: the lower and the upper half of the fifth word, and of what is returned. What the sixth
# word holds, too, counts twice.
two_largest: Callable[[Word, Word, Word, Word, Word, Word], Word] = Compiled("two_largest")

# The word at a place of an array that threads share. All threads see all accesses in one order.
load_shared: Callable[[Words, Word], Word] = Compiled("load_shared")
# Gives the word itself.
store_shared: Callable[[Words, Word, Word], Word] = Compiled("store_shared")
# Gives the word that was there before.
add_shared: Callable[[Words, Word, Word], Word] = Compiled("add_shared")
# Puts a word (the last) where the old one still is; gives the word that was there before.
swap_shared: Callable[[Words, Word, Word, Word], Word] = Compiled("swap_shared")


@inner
def nth_bit(word: Word, n: Word) -> Word:
    """Return the index of the n-th set bit (from 0, from below); there must be more than n."""
    return lowest(nth_item(word, n))


@inner
def even_bits(word: Word) -> Word:
    """Return every other bit of a word, from the lowest on: 32 bits."""
    word &= U(0x5555555555555555)
    word = (word | (word >> U(1))) & U(0x3333333333333333)
    word = (word | (word >> U(2))) & U(0x0F0F0F0F0F0F0F0F)
    word = (word | (word >> U(4))) & U(0x00FF00FF00FF00FF)
    word = (word | (word >> U(8))) & U(0x0000FFFF0000FFFF)
    return (word | (word >> U(16))) & U(0x00000000FFFFFFFF)


@inner
def has(words: Words, base: Word, item: Word) -> bool:
    """Return whether the set that begins at word `base` holds `item`."""
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
    """Return the number of items in a set of four words."""
    return (
        popcount(words[base])
        + popcount(words[base + U(1)])
        + popcount(words[base + U(2)])
        + popcount(words[base + U(3)])
    )


@inner
def nth_of4(words: Words, base: Word, n: Word) -> Word:
    """Return the n-th item (from 0, ascending) of a set of four words; it has more than n items."""
    below_1 = popcount(words[base])
    below_2 = below_1 + popcount(words[base + U(1)])
    below_3 = below_2 + popcount(words[base + U(2)])
    # Which word is random: chosen by arithmetic, a branch would be predicted wrong.
    w = U(n >= below_1) + U(n >= below_2) + U(n >= below_3)
    before = max(U(n >= below_1) * below_1, U(n >= below_2) * below_2)
    before = max(before, U(n >= below_3) * below_3)
    return (w << U(6)) + nth_bit(words[base + w], n - before)
