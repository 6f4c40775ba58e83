"""The random generator, against plain Python and by statistics."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import draw_below, mix, new_rng, next_word
from tests.support.chi_square import assert_chi_square, assert_fair, even

MASK = (1 << 64) - 1


@kernel
def fill(rng: Words, out: Words, count: Word) -> None:
    for i in range(count):
        out[i] = next_word(rng)


def words_of(seed: int, count: int) -> NDArray[np.uint64]:
    out = np.zeros(count, dtype=np.uint64)
    fill(new_rng(seed), out, count)
    return out


def wyrand(seed: int, count: int) -> list[int]:
    """Wang Yi's wyrand as published, on Python's integers."""
    numbers = []
    for _ in range(count):
        seed = (seed + 0x2D358DCCAA6C78A5) & MASK
        wide = seed * (seed ^ 0x8BB84B93962EACC9)
        numbers.append((wide >> 64) ^ (wide & MASK))
    return numbers


@pytest.mark.parametrize("seed", [0, 1, 12345, MASK])
def test_words_are_wyrands(seed: int) -> None:
    assert words_of(seed, 100).tolist() == wyrand(int(new_rng(seed)[0]), 100)


def test_every_bit_is_set_half_the_time() -> None:
    words = words_of(3, 1 << 16)
    for bit in range(64):
        share = ((words >> U(bit)) & U(1)).mean()
        assert abs(share - 0.5) < 4.5 * 0.5 / 256


def test_neighboring_bytes_are_independent() -> None:
    """Chi-square of the highest bytes of two words in a row, 2^16 cells."""
    words = words_of(4, 1 << 21)
    high = (words >> U(56)).astype(np.int64)
    counts = np.bincount(high[::2] * 256 + high[1::2], minlength=1 << 16)
    expected = len(words) / 2 / (1 << 16)
    assert_chi_square(((counts - expected) ** 2 / expected).sum(), len(counts))


def test_streams_of_a_seed_differ() -> None:
    assert len({mix(1), mix(1, 0), mix(1, 1), mix(2), mix(0, 1)}) == 5
    assert words_of(1, 8).tolist() != words_of(2, 8).tolist()


def test_numbers_below() -> None:
    rng = new_rng(9)
    assert_fair(Counter(draw_below(rng, 6) for _ in range(6000)), even(range(6)))
