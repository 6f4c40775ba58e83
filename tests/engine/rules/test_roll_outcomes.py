"""The outcomes of a roll, against the plain rules of the example engine (3.3 and 3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from examples import plain_random
from masons.engine.board.components import (
    HOUSE_COLORS,
    HOUSES_PER_COLOR,
    TOWER_COLORS,
    TOWERS_PER_COLOR,
)
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import WordArray, kernel, ptr
from masons.engine.rules.roll_outcomes import (
    FACES,
    FIRST_END,
    SECOND_END,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.state.layout import JOKER, NO_COLOR

Words64 = NDArray[np.uint64]
Colors = tuple[int | None, int | None]  # at the first and the second place
WILD = int(JOKER)
NOTHING: set[Colors] = {(None, None)}


@kernel
def all_outcomes(
    houses: int, supplies: WordArray, dice: WordArray, places: WordArray, count: int, out: WordArray
) -> None:
    """The set of outcomes for each case: its supply, its two dice, and which places get pieces."""
    supply_of, die_of, place_of, sets = ptr(supplies), ptr(dice), ptr(places), ptr(out)
    for i in range(U(count)):
        supply = supply_of[i]
        first, second = place_of[U(2) * i], place_of[U(2) * i + U(1)]
        die_1, die_2 = die_of[U(2) * i], die_of[U(2) * i + U(1)]
        if houses:
            sets[i] = house_outcomes(supply, FACES * die_1 + die_2, second)
        else:
            sets[i] = tower_outcomes(supply, die_1, FIRST_END * first + SECOND_END * second)


def engine_sets(
    houses: bool,
    supplies: Sequence[Sequence[int]],
    dice: Sequence[tuple[int, int]],
    places: Sequence[tuple[bool, bool]],
) -> list[set[Colors]]:
    """Return what the kernels say, as sets of colors at the two places."""
    words = np.array(
        [sum(count << (8 * i) for i, count in enumerate(s)) for s in supplies], dtype=np.uint64
    )
    out = np.zeros(len(words), dtype=np.uint64)
    flat = [np.array(pairs, dtype=np.uint64).ravel() for pairs in (dice, places)]
    all_outcomes(int(houses), words, flat[0], flat[1], len(words), out)
    return [set(unpacked(word)) for word in out.tolist()]


def unpacked(word: int) -> Iterator[Colors]:
    for bit in range(64):
        if word >> bit & 1:
            pair = bit >> 3, bit & 7
            first, second = (None if color == NO_COLOR else color for color in pair)
            yield first, second


def by_the_rules(
    supply: Sequence[int], dice: Sequence[int], places: Sequence[int], either_die: bool
) -> set[Colors]:
    """The outcomes by the plain rules: of houses, where either die may go to a place, or towers."""
    names = HOUSE_COLORS if either_die else TOWER_COLORS
    stock = Counter(dict(zip(names, supply, strict=True)))
    faces = [names[die] if die < len(names) else "?" for die in dice]
    puts = plain_random.placings(stock, list(places), faces)
    if either_die:
        puts |= plain_random.placings(stock, list(places), faces[::-1])
    colors = [{place: names.index(color) for place, color in put} for put in puts]
    return {(put.get(0), put.get(1)) for put in colors}


def test_towers() -> None:
    """Every supply of none, one and more of each color, every die, every pair of ends."""
    cases = [
        (supply, (die, WILD), ends)
        for supply in product((0, 1, 2, TOWERS_PER_COLOR), repeat=len(TOWER_COLORS))
        for die in range(len(TOWER_COLORS))
        for ends in product((False, True), repeat=2)
        if any(supply)
    ]
    actual = engine_sets(False, *zip(*cases, strict=True))
    for (supply, dice, ends), outcomes in zip(cases, actual, strict=True):
        places = [place for place in range(2) if ends[place]]
        # The other of two ends gets a color of the player's choice, like a joker.
        right = by_the_rules(supply, dice, places, either_die=False) if places else NOTHING
        assert outcomes == right, (supply, dice, ends)


@pytest.mark.slow
def test_houses() -> None:
    """Every supply of none, one and more of each color, every pair of dice, one and two spaces."""
    supplies = [
        [HOUSES_PER_COLOR if left == 2 and sum(supply) % 2 else left for left in supply]
        for supply in product((0, 1, 2), repeat=len(HOUSE_COLORS))
        if any(supply)
    ]
    faces = range(len(HOUSE_COLORS) + 1)
    cases = [
        (supply, dice, (True, both))
        for supply in supplies
        for dice in product(faces, repeat=2)
        for both in (False, True)
    ]
    actual = engine_sets(True, *zip(*cases, strict=True))
    memo: dict[object, set[Colors]] = {}
    for (supply, dice, (_, both)), outcomes in zip(cases, actual, strict=True):
        key = (tuple(supply), tuple(sorted(dice)), both)
        if key not in memo:
            memo[key] = by_the_rules(supply, sorted(dice), [0, 1][: 1 + both], either_die=True)
        assert outcomes == memo[key], (supply, dice, both)


def test_the_order_of_the_dice_makes_no_difference() -> None:
    faces = range(len(HOUSE_COLORS) + 1)
    pairs = list(product(faces, repeat=2))
    supplies = [(1, 2, 0, 1, 12)] * len(pairs)
    places = [(True, True)] * len(pairs)
    outcomes = engine_sets(True, supplies, pairs, places)
    assert outcomes == engine_sets(True, supplies, [(b, a) for a, b in pairs], places)
