"""The random generator wyrand (Wang Yi, wyhash final version 4), with its state in an array.

A generator is uint64[1]. One random word serves several choices. If the word is read as a binary
fraction x in [0, 1), the integer part of n*x is a uniform number below n, and the fractional part
of n*x can be used for the next choice:

    word = next_word(rng)
    die = high_product(word, U(6))
    word *= U(6)
    card = high_product(word, U(30))

Multiply the numbers of options of all choices that a word has already served, and call the product
m. The probabilities of the next choice, among n options, are then off by less than one part in
2^64/(n*m). Kernels keep n*m below 2^32.
"""

from __future__ import annotations

import numpy as np

from masons.engine.kernels.bits import U, high_product
from masons.engine.kernels.jit import Word, WordArray, Words, inlined, inner
from masons.engine.kernels.kernel_calls import kernel

STEP = U(0x2D358DCCAA6C78A5)
FOLD = U(0x8BB84B93962EACC9)

# The hash of splitmix64 (Steele, Lea and Flood 2014) turns seeds into generators.
_MASK = (1 << 64) - 1
_MIX_STEP = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_UNIT = 1.0 / 2.0**64


@inlined
def word_after(place: Word) -> Word:
    """Return the next word of a generator whose state is `place`."""
    z = place + STEP
    return high_product(z, z ^ FOLD) ^ (z * (z ^ FOLD))


@inner
def later_word(rng: Words, n: Word) -> Word:
    """Return the word that follows the next `n` words, without advancing the generator."""
    return word_after(rng[0] + STEP * n)


@inner
def next_word(rng: Words) -> Word:
    """Return the next 64 random bits, and advance the generator."""
    word = later_word(rng, U(0))
    rng[0] += STEP
    return word


@inner
def skip_words(rng: Words, n: Word) -> None:
    """Advance the generator as if `n` words had been drawn."""
    rng[0] += STEP * n


@inner
def below(rng: Words, n: Word) -> Word:
    """Return a uniform random number below n, where n is well below 2^32."""
    return high_product(next_word(rng), n)


@inner
def unit_fraction(word: Word) -> float:
    """Return a random word converted to a float from 0 to 1."""
    return float(word) * _UNIT


@inner
def fraction(rng: Words) -> float:
    """Return a uniform random float from 0 to 1."""
    return unit_fraction(next_word(rng))


def mix(*parts: int) -> int:
    """Return a 64-bit hash of integers.

    Hashes of a seed and different stream numbers are seeds of independent generators.
    """
    z = 0
    for part in parts:
        z = (z + _MIX_STEP + (part & _MASK)) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        z ^= z >> 31
    return z


def new_rng(seed: int, *stream: int) -> WordArray:
    """Return a generator (uint64[1]) for a seed.

    Stream numbers after the seed select one of many independent generators.
    """
    return np.array([mix(seed, *stream)], dtype=np.uint64)


@kernel
def draw_below(rng: Words, n: Word) -> Word:
    """Return a uniform random number below n, for a caller in Python."""
    return below(rng, n)
