"""The outcomes of a roll, against the plain rules of the example engine (3.3 and 3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from examples import plain_random
from masons.engine.board.components import (
    HOUSE_COLORS,
    HOUSES_PER_COLOR,
    TOWER_COLORS,
    TOWERS_PER_COLOR,
)
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import new_rng, next_word
from masons.engine.playouts.random_moves import random_houses, random_towers
from masons.engine.rules.roll_outcomes import (
    FACES,
    FIRST_END,
    HOUSE_STEPS_BY_CHOICE,
    SECOND_END,
    TOWER_STEPS_BY_CHOICE,
    house_outcomes,
    packed_towers,
    tower_outcomes,
)
from masons.engine.state.layout import JOKER, NO_COLOR
from tests.support.chi_square import assert_fair

Colors = tuple[int | None, int | None]  # at the first and the second place
WILD = int(JOKER)
NOTHING: set[Colors] = {(None, None)}


@kernel
def all_outcomes(
    houses: int, supplies: Words, dice: Words, places: Words, count: int, out: Words
) -> None:
    """The set of outcomes for each case: its supply, its two dice, and which places get pieces."""
    for i in range(count):
        supply = supplies[i]
        first, second = places[U(2) * i], places[U(2) * i + U(1)]
        die_1, die_2 = dice[U(2) * i], dice[U(2) * i + U(1)]
        if houses:
            out[i] = house_outcomes(supply, FACES * die_1 + die_2, second)
        else:
            out[i] = tower_outcomes(supply, die_1, FIRST_END * first + SECOND_END * second)


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
    return (colors(bit) for bit in range(64) if word >> bit & 1)


def colors(code: int) -> Colors:
    first, second = (None if bits == NO_COLOR else bits for bits in (code >> 3, code & 7))
    return first, second


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


# ---- random play: fair dice, and each outcome that they allow as likely (rules, 8)

SAMPLES = 60_000


@kernel
def sample_draws(houses: int, supply: int, places: int, rng: Words, count: int, out: Words) -> None:
    """Fill `out` with `count` steps."""
    for i in range(count):
        if houses:
            out[i], _ = random_houses(supply, places, next_word(rng))
        else:
            out[i] = random_towers(packed_towers(supply), places, next_word(rng))


def drawn(houses: bool, supply: Sequence[int], places: int, seed: int) -> Counter[Hashable]:
    """How often each outcome came up, with and without a choice."""
    packed = sum(left << (8 * color) for color, left in enumerate(supply))
    out = np.zeros(SAMPLES, dtype=np.uint64)
    sample_draws(int(houses), packed, places, new_rng(seed), len(out), out)
    steps = HOUSE_STEPS_BY_CHOICE if houses else TOWER_STEPS_BY_CHOICE
    # Codes that put nothing at a place have the same step; the right one is the last.
    known = {int(step): divmod(at, 64) for at, step in enumerate(steps.ravel())}
    drawn = Counter(out.tolist())
    return Counter(
        {
            (colors(code), bool(choice)): count
            for (choice, code), count in ((known[step], count) for step, count in drawn.items())
        }
    )


def shared(rolls: Sequence[set[Colors]]) -> Counter[Hashable]:
    """Each roll as likely, and each of its outcomes."""
    right: Counter[Hashable] = Counter()
    for outcomes in rolls:
        for outcome in outcomes:
            key = outcome, len(outcomes) > 1
            right[key] += 1 / len(rolls) / len(outcomes)  # type: ignore[assignment]
    return right


@pytest.mark.slow
@pytest.mark.parametrize("empty", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "supply", [(10, 10, 10), (2, 2, 2), (5, 1, 7), (3, 0, 1), (0, 0, 4), (0, 1, 0)]
)
def test_random_towers(supply: tuple[int, ...], empty: int) -> None:
    places = [place for place in range(2) if empty >> place & 1]
    rolls = [
        by_the_rules(supply, (die, 5), places, either_die=False) if places else {(None, None)}
        for die in range(3)
    ]
    assert_fair(drawn(False, supply, empty, seed=empty + 1), shared(rolls))


@pytest.mark.parametrize("spaces", [1, 2])
@pytest.mark.parametrize(
    "supply",
    [(12,) * 5, (2,) * 5, (1, 3, 0, 2, 12), (0, 0, 0, 1, 1), (0, 0, 0, 5, 0), (0, 0, 1, 0, 0)],
)
def test_random_houses(supply: tuple[int, ...], spaces: int) -> None:
    rolls = [
        by_the_rules(supply, dice, [0, 1][:spaces], either_die=True)
        for dice in product(range(6), repeat=2)
    ]
    assert_fair(drawn(True, supply, spaces - 1, seed=spaces), shared(rolls))
