"""Sets stored in words of 64 bits: counting, finding and picking items.

The module also provides exact multiplication, and atomic access to words that threads share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsInt, cast

import numpy as np

from masons.engine.kernels.jit import Compiled, Word, Words, inner

# All arithmetic in kernels is on uint64. If a uint64 meets a signed number, numba makes the result
# signed or a float.
U = cast("Callable[[SupportsInt], Word]", np.uint64)

popcount: Callable[[Word], Word] = Compiled("popcount")
# Index of the lowest set bit; the word must not be 0.
lowest: Callable[[Word], Word] = Compiled("lowest")
# Number of zero bits above the highest set bit; the word must not be 0.
leading_zeros: Callable[[Word], Word] = Compiled("leading_zeros")
# The upper 64 bits of the 128-bit product of two words.
high_product: Callable[[Word, Word], Word] = Compiled("high_product")
# Return the word itself, hidden from the optimizer. Without this, the compiler would branch on each
# condition that the word was computed from. A single branch on the word is mispredicted less often.
opaque: Callable[[Word], Word] = Compiled("opaque")
# A word with only the n-th set bit (from 0, lowest first). The word given must have more than n set
# bits.
nth_item: Callable[[Word, Word], Word] = Compiled("nth_item")

# For each of two hands, the sum of the two largest values of its cards. The first four words hold a
# byte for each kind of card, and the last two words are the hands, with two bits for each kind. The
# lower half of the result is the sum for the first hand.
two_largest: Callable[[Word, Word, Word, Word, Word, Word], Word] = Compiled("two_largest")

# Read a word of an array that threads share. Accesses are sequentially consistent.
load_shared: Callable[[Words, Word], Word] = Compiled("load_shared")
# Store a word, and return it.
store_shared: Callable[[Words, Word, Word], Word] = Compiled("store_shared")
# Add a number to a word, and return the word as it was before.
add_shared: Callable[[Words, Word, Word], Word] = Compiled("add_shared")
# Compare and swap: store the last argument if the word equals the third argument. Returns the word
# as it was before.
swap_shared: Callable[[Words, Word, Word, Word], Word] = Compiled("swap_shared")


@inner
def nth_bit(word: Word, n: Word) -> Word:
    """Return the index of the n-th set bit of a word (from 0, lowest first).

    The word must have more than n bits set.
    """
    return lowest(nth_item(word, n))


@inner
def even_bits(word: Word) -> Word:
    """Return the bits 0, 2, 4, ... of a word, packed into the lower 32 bits."""
    word &= U(0x5555555555555555)
    word = (word | (word >> U(1))) & U(0x3333333333333333)
    word = (word | (word >> U(2))) & U(0x0F0F0F0F0F0F0F0F)
    word = (word | (word >> U(4))) & U(0x00FF00FF00FF00FF)
    word = (word | (word >> U(8))) & U(0x0000FFFF0000FFFF)
    return (word | (word >> U(16))) & U(0x00000000FFFFFFFF)


@inner
def has(words: Words, base: Word, item: Word) -> bool:
    """Return whether the set that begins at word `base` contains `item`."""
    return (words[base + (item >> U(6))] >> (item & U(63))) & U(1) != U(0)


@inner
def add(words: Words, base: Word, item: Word) -> None:
    """Add `item` to the set that begins at word `base`."""
    words[base + (item >> U(6))] |= U(1) << (item & U(63))


@inner
def drop(words: Words, base: Word, item: Word) -> None:
    """Remove `item` from the set that begins at word `base`."""
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
    """Return the n-th item (from 0, ascending) of a set of four words.

    The set must have more than n items.
    """
    below_1 = popcount(words[base])
    below_2 = below_1 + popcount(words[base + U(1)])
    below_3 = below_2 + popcount(words[base + U(2)])
    # Branches would often be mispredicted here, so arithmetic selects the word with the item.
    w = U(n >= below_1) + U(n >= below_2) + U(n >= below_3)
    before = max(U(n >= below_1) * below_1, U(n >= below_2) * below_2)
    before = max(before, U(n >= below_3) * below_3)
    return (w << U(6)) + nth_bit(words[base + w], n - before)
