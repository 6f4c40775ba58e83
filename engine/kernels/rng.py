"""The random generator: wyrand (Wang Yi, wyhash final version 4), its state in an array of ours.

A generator is an array of one uint64. One random word serves several choices: read as a binary
fraction x in [0, 1), the integer part of n*x is a uniform number below n and the rest is a fraction
again:

    word = next_word(rng)
    die = high_product(word, U(6))
    word *= U(6)
    card = high_product(word, U(30))

A choice among n drawn after choices whose sizes multiply to m is off uniform by less than n*m/2^64;
kernels keep m below 2^32, so no draw is off by more than one in 2^32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U, high_product
from masons.engine.kernels.jit import Word, WordArray, Words, inlined, inner, kernel, ptr

STEP = U(0x2D358DCCAA6C78A5)
FOLD = U(0x8BB84B93962EACC9)

# The hash that makes generators out of seeds is that of splitmix64 (Steele, Lea and Flood 2014).
_MASK = (1 << 64) - 1
_MIX_STEP = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_UNIT = 1.0 / 2.0**64


@inlined
def word_after(place: Word) -> Word:
    """Return the word that a generator whose state is `place` draws next."""
    z = place + STEP
    return high_product(z, z ^ FOLD) ^ (z * (z ^ FOLD))


@inner
def later_word(rng: Words, n: Word) -> Word:
    """Return the word that comes after n others; the generator stays as it is."""
    return word_after(rng[0] + STEP * n)


@inner
def next_word(rng: Words) -> Word:
    """Return the next 64 random bits."""
    word = later_word(rng, U(0))
    rng[0] += STEP
    return word


@inner
def skip_words(rng: Words, n: Word) -> None:
    """Advance as if n words had been drawn."""
    rng[0] += STEP * n


@inner
def below(rng: Words, n: Word) -> Word:
    """Return a uniform number below n (n well below 2^32)."""
    return high_product(next_word(rng), n)


@inner
def unit_fraction(word: Word) -> float:
    """Return a random word as a number from 0 to 1."""
    return float(word) * _UNIT


@inner
def fraction(rng: Words) -> float:
    """Return a uniform number from 0 to 1."""
    return unit_fraction(next_word(rng))


def mix(*parts: int) -> int:
    """Return a 64-bit hash of integers: independent streams from (seed, stream, ...)."""
    z = 0
    for part in parts:
        z = (z + _MIX_STEP + (part & _MASK)) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        z ^= z >> 31
    return z


def new_rng(seed: int, *stream: int) -> NDArray[np.uint64]:
    """Return a generator (uint64[1]) for a seed and, where several are needed, a stream."""
    return np.array([mix(seed, *stream)], dtype=np.uint64)


@kernel
def draw_below(rng: WordArray, n: Word) -> Word:
    """Return a uniform number below n, for Python."""
    return below(ptr(rng), U(n))
