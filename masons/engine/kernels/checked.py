"""Slower versions of intrinsics, which check every access (MASONS_CHECKED=1).

`compiling` compiles these functions as plain numba functions, in place of the intrinsics. They take
arrays where the intrinsics take pointers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from masons.engine.kernels import intrinsics
from masons.engine.kernels.jit import LANES, MOST_INPUT, RANKED, ROUNDED, SUM_BITS


def pointer_to(table: Any) -> Any:
    """Return the array itself."""
    return table


def offset(array: Any, count: Any) -> Any:
    """Return the array from item `count` on."""
    return array[count:]


def bytes_of(words: Any) -> Any:
    """Return an array's memory as an array of bytes."""
    return words.view(np.uint8)


def halves_of(words: Any) -> Any:
    """Return an array's memory as an array of 32-bit numbers."""
    return words.view(np.uint32)


def floats_of(words: Any) -> Any:
    """Return an array's memory as an array of floats."""
    return words.view(np.float64)


def singles_of(words: Any) -> Any:
    """Return an array's memory as an array of 32-bit floats."""
    return words.view(np.float32)


def copy_words(target: Any, source: Any, count: Any) -> None:
    """Copy `count` items from `source` to `target`."""
    target[:count] = source[:count]


def stack_bytes() -> Any:
    """Return 128 bytes, all 0."""
    return np.zeros(128, dtype=np.uint8)


def prefetch(words: Any, place: Any) -> None:
    """Do nothing, because a prefetch has no effect on results."""


def nth_item(word: Any, n: Any) -> Any:
    """Return a word with only the n-th set bit (from 0, lowest first)."""
    for _ in range(n):
        word &= word - np.uint64(1)
    return word & (~word + np.uint64(1))


def add_terms(out: Any, start: Any, terms: Any, count: Any, rows: Any) -> None:
    """Set LANES sums in `out` to those in `start` plus `count` terms. See `jit.add_terms`."""
    sums = start[:LANES].view(np.int32).copy()
    weights = rows.view(np.int16)
    inputs = terms.view(np.int16)
    for i in range(count):
        at = np.int64(terms[i] >> np.uint64(32)) * 2 * LANES
        low, high = np.int32(inputs[4 * i]), np.int32(inputs[4 * i + 1])
        for j in range(LANES):
            sums[j] += low * weights[at + 2 * j] + high * weights[at + 2 * j + 1]
    out[:LANES].view(np.int32)[:] = sums


def add_rows(out: Any, start: Any, cards: Any, rows: Any) -> None:
    """Set LANES sums to those in `start` plus a row for each card. See `jit.add_rows`."""
    sums = start[:LANES].view(np.int32).copy()
    for i in range(64):
        if (cards >> np.uint64(i)) & np.uint64(1):
            sums += rows[i // 2 * LANES :][:LANES].view(np.int32)
    out[:LANES].view(np.int32)[:] = sums


def round_terms(terms: Any, values: Any, factors: Any, first: Any) -> None:
    """Fill ROUNDED terms from twice as many values. See `jit.round_terms`."""
    inputs = terms.view(np.int16)
    for i in range(ROUNDED):
        terms[i] = (first + np.uint64(i)) << np.uint64(32)
        for side in range(2):
            value = np.float64(values[2 * i + side] * factors[2 * i + side])
            inputs[4 * i + side] = np.int16(np.rint(min(max(value, -MOST_INPUT), MOST_INPUT)))


def rank_values(out: Any, values: Any, cards: Any, factor: Any) -> None:
    """Fill RANKED numbers with the largest values of a set of cards. See `jit.rank_values`."""
    ranked = np.zeros(RANKED, dtype=np.float32)
    for i in range(64):
        if (cards >> np.uint64(i)) & np.uint64(1):
            value = np.float32(values[i // 2])
            for rank in range(RANKED):
                higher, value = max(ranked[rank], value), min(ranked[rank], value)
                ranked[rank] = higher
    out[:RANKED] = ranked * factor


def equal_bytes(items: Any, value: Any) -> Any:
    """Return which of the first 64 bytes are equal to `value`, as a set."""
    equal = np.uint64(0)
    for i in range(np.uint64(64)):
        equal |= np.uint64(items[i] == value) << i
    return equal


def at_most(numbers: Any, limit: Any) -> Any:
    """Return which of the first 32 numbers do not exceed a limit, as a set."""
    within = np.uint64(0)
    for i in range(np.uint64(32)):
        within |= np.uint64(numbers[i] <= limit) << i
    return within


def dot_lanes(left: Any, right: Any) -> Any:
    """Return the sum of LANES products, which are added pairwise as in `jit.dot_lanes`."""
    total = left[:LANES] * right[:LANES]
    count = LANES
    while count > 1:
        count //= 2
        total[:count] += total[count : 2 * count]
    return total[0]


def dot_sums(sums: Any, factors: Any) -> Any:
    """Return the sum of the products of LANES sums and floats, as `jit.dot_sums` does."""
    total = sums[:LANES].view(np.int32).astype(np.float32) * np.float32(2.0**-SUM_BITS)
    total *= factors[:LANES]
    count = LANES
    while count > 1:
        count //= 2
        total[:count] += total[count : 2 * count]
    return total[0]


def unit_sums(units: Any, sums: Any, least: Any, rows: Any) -> Any:
    """Fill `units` as `jit.unit_sums` does, and return the two sums that it returns."""
    whole = sums[:LANES].view(np.int32).astype(np.float32)
    units[:LANES] = np.maximum(whole * np.float32(2.0**-SUM_BITS), least[:LANES])
    first, second = units[:LANES] * rows[:LANES], units[:LANES] * rows[LANES : 2 * LANES]
    count = LANES
    while count > 1:
        count //= 2
        first[:count] += first[count : 2 * count]
        second[:count] += second[count : 2 * count]
    return first[0], second[0]


def load_shared(array: Any, place: Any) -> Any:
    """Return the word at an index."""
    return intrinsics.load_shared(intrinsics.pointer_to(array), place)


def store_shared(array: Any, place: Any, word: Any) -> Any:
    """Store a word, and return it."""
    return intrinsics.store_shared(intrinsics.pointer_to(array), place, word)


def add_shared(array: Any, place: Any, word: Any) -> Any:
    """Add `word` to the word at an index; return the word at the index as it was before."""
    return intrinsics.add_shared(intrinsics.pointer_to(array), place, word)


def swap_shared(array: Any, place: Any, old: Any, word: Any) -> Any:
    """Store a word if the word at an index equals `old`; return the word as it was before."""
    return intrinsics.swap_shared(intrinsics.pointer_to(array), place, old, word)
