"""Slower versions of functions of `intrinsics`, which check every access (MASONS_CHECKED=1).

`compiling` compiles these functions as plain numba functions, in place of the intrinsics. They take
arrays where the intrinsics take pointers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from masons.engine.kernels import intrinsics
from masons.engine.kernels.jit import LANES


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


def add_rows(
    out: Any, begun: Any, values: Any, stride: Any, chosen: Any, count: Any, rows: Any, seats: Any
) -> None:
    """Set each seat's sum in `out` to its sum in `begun` plus each chosen row times its value.

    Each sum is LANES floats. See `jit.add_rows`.
    """
    width = min(seats, np.uint64(2)) * np.uint64(LANES)
    out[: seats * np.uint64(LANES)] = begun[: seats * np.uint64(LANES)]
    if seats == np.uint64(1):
        for i in range(np.uint64(0), count, np.uint64(2)):
            left, right = chosen[i] * width, chosen[i + np.uint64(1)] * width
            first = values[chosen[i]] * rows[left : left + width]
            second = values[chosen[i + np.uint64(1)]] * rows[right : right + width]
            out[:width] += first + second
        return
    for i in range(count):
        place = chosen[i]
        row = rows[place * width : place * width + width]
        out[:LANES] += values[place] * row[:LANES]
        for seat in range(np.uint64(1), seats):
            at = np.uint64(LANES) * seat
            out[at : at + np.uint64(LANES)] += values[place + seat * stride] * row[LANES:]


def add_pair(out: Any, begun: Any, rows: Any, first: Any, second: Any) -> None:
    """Set `out` to `begun + first * rows[0] + second * rows[2]`, where a row is LANES floats."""
    for i in range(LANES):
        out[i] = (begun[i] + first * rows[i]) + second * rows[2 * LANES + i]


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


def unit_sums(units: Any, left: Any, right: Any, least: Any, rows: Any) -> Any:
    """Fill `units` as `jit.unit_sums` does, and return the two sums that it returns."""
    units[:LANES] = np.maximum(left[:LANES] + right[:LANES], least[:LANES])
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
