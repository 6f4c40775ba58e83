"""The dice of random play: one of the outcomes of a roll, with as little work as can be.

The tower die or the two house dice fall, and of the outcomes that they allow (see `roll_outcomes`)
each is as likely. As long as two pieces of every colour are left, which is nearly always, neither
depends on the supply, and one look into a table does for both. `roll_random` throws the dice alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U, high_product, nth_bit, popcount
from masons.engine.kernels.jit import Word, Words, inlined, inner
from masons.engine.kernels.rng import below
from masons.engine.rules.dice import throw_dice
from masons.engine.rules.roll_outcomes import (
    BOTH_ENDS,
    HOUSE_STEPS,
    HOUSES_PLENTY,
    PAIRS_OF_DICE,
    TOWER_FACES,
    TOWER_STEPS,
    TOWERS_PLENTY,
    has_plenty,
    house_outcomes,
    plenty_of_houses,
    plenty_of_towers,
    tower_outcomes,
)

# With plenty a wall with two empty ends has 5 outcomes for each face, so this many are alike.
_TOWER_CASES = U(15)
_COUNT_BITS = U(5)
_COUNT_MASK = U(31)


def _codes(outcomes: np.uint64) -> list[int]:
    return [code for code in range(64) if int(outcomes) >> code & 1]


def _tower_draws() -> NDArray[np.uint64]:
    """uint64[empty ends][_TOWER_CASES]: the steps of die and choice together, each as likely."""
    draws = []
    for dice in plenty_of_towers():
        for codes in map(_codes, dice):
            draws += [TOWER_STEPS[code] for code in codes] * (
                int(_TOWER_CASES) // len(dice) // len(codes)
            )
    return np.array(draws, dtype=np.uint64)


def _house_draws() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The steps of all pairs of dice in a row, and uint64[spaces - 1][dice]: where its steps begin.

    There the number of steps is in the lower _COUNT_BITS.
    """
    steps: list[np.uint64] = []
    spans = []
    for codes in map(_codes, plenty_of_houses().ravel()):
        spans.append(len(steps) << 5 | len(codes))
        steps += [HOUSE_STEPS[code] for code in codes]
    return np.array(steps, dtype=np.uint64), np.array(spans, dtype=np.uint64)


_TOWER_DRAWS = _tower_draws()
_HOUSE_DRAWS, _HOUSE_SPANS = _house_draws()


@inlined
def pick_outcome(outcomes: Word, word: Word) -> tuple[Word, Word]:
    """The code of one of some outcomes, and whether there was a choice (1 or 0)."""
    count = popcount(outcomes)
    return nth_bit(outcomes, high_product(word, count)), U(count > U(1))


@inlined
def random_towers(supply: Word, empty: Word, word: Word) -> tuple[Word, Word]:
    """Roll the tower die for a wall with these ends empty; the step, and whether by choice."""
    if has_plenty(supply, TOWERS_PLENTY):
        case = high_product(word, _TOWER_CASES)
        return _TOWER_DRAWS[_TOWER_CASES * empty + case], U(empty == BOTH_ENDS)
    die = high_product(word, TOWER_FACES)
    code, choice = pick_outcome(tower_outcomes(supply, die, empty), word * TOWER_FACES)
    return TOWER_STEPS[code], choice


@inlined
def random_houses(supply: Word, two: Word, word: Word) -> tuple[Word, Word]:
    """Roll the house dice for a wall with two spaces beside it (`two` 1) or one; likewise."""
    dice = high_product(word, PAIRS_OF_DICE)
    word *= PAIRS_OF_DICE
    if has_plenty(supply, HOUSES_PLENTY):
        span = _HOUSE_SPANS[PAIRS_OF_DICE * two + dice]
        count = span & _COUNT_MASK
        return _HOUSE_DRAWS[(span >> _COUNT_BITS) + high_product(word, count)], U(count > U(1))
    code, choice = pick_outcome(house_outcomes(supply, dice, two), word)
    return HOUSE_STEPS[code], choice


@inner
def roll_random(state: Words, board: Words, rng: Words) -> None:
    """Roll the dice that are due."""
    die, dice = below(rng, U(3)), below(rng, U(36))
    throw_dice(state, board, die, dice // U(6), dice % U(6))
