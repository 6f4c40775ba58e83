"""The dice of random play: one of the outcomes of a roll, with as little work as can be.

The tower die or the two house dice fall, and of the outcomes that they allow (see `roll_outcomes`)
each is as likely. One look into a table does for both; of houses only as long as two of every
colour are left, which is nearly always. `roll_random` throws the dice alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U, high_product, nth_bit, popcount
from masons.engine.kernels.jit import Word, Words, inlined, inner
from masons.engine.kernels.rng import below
from masons.engine.rules.dice import throw_dice
from masons.engine.rules.roll_outcomes import (
    HOUSE_COUNTS,
    HOUSE_STEPS_BY_CHOICE,
    PAIRS_OF_DICE,
    PLENTY_OF_HOUSES,
    TOWER_COUNTS,
    TOWER_OUTCOMES,
    TOWER_STEPS_BY_CHOICE,
    has_plenty_of_houses,
    house_outcomes,
)

# So many cases of a tower roll are as likely for each combination of empty ends, whatever the
# supply: which one comes up need not wait for what the last turn took.
_TOWER_CASES: Final = (1, 6, 6, 180)
_TOWER_ROW: Final = sum(_TOWER_CASES)
# For each combination the first of its cases and, from bit 8 on, how many.
_CASE_SPANS = np.array([0, 1, 7, 13], dtype=np.uint16) + 256 * np.array(
    _TOWER_CASES, dtype=np.uint16
)
_COUNT_BITS = U(5)
_COUNT_MASK = U(31)


def _codes(outcomes: np.uint64) -> list[int]:
    return [code for code in range(64) if int(outcomes) >> code & 1]


def _tower_draws() -> NDArray[np.uint8]:
    """uint8[level][256]: for each case the code, and from bit 6 on whether there was a choice."""
    draws = []
    for level in TOWER_OUTCOMES:
        for cases, dice in zip(_TOWER_CASES, level, strict=True):
            share = max(1, cases // len(dice))  # of a face of the die
            for case in range(cases):
                codes = _codes(dice[case // share]) or [0]  # without towers there is no roll
                code = codes[case % share * len(codes) // share]
                draws.append(code | (len(codes) > 1) << 6)
        draws += [0] * (256 - _TOWER_ROW)
    return np.array(draws, dtype=np.uint8)


def _tower_levels() -> NDArray[np.uint8]:
    """uint8[packed supply]: the level of a tower supply."""
    packed = np.arange(1 << 12)
    levels = sum(np.minimum(packed >> 4 * color & 15, 2) * 3**color for color in range(3))
    return np.array(levels, dtype=np.uint8)


def _house_draws() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The steps of all pairs of dice in a row, and uint64[spaces - 1][dice]: where its steps begin.

    There the number of steps is in the lower _COUNT_BITS.
    """
    steps: list[np.uint64] = []
    spans = []
    for codes in map(_codes, PLENTY_OF_HOUSES.ravel()):
        spans.append(len(steps) << 5 | len(codes))
        steps += [HOUSE_STEPS_BY_CHOICE[int(len(codes) > 1), code] for code in codes]
    return np.array(steps, dtype=np.uint64), np.array(spans, dtype=np.uint64)


_TOWER_DRAWS = _tower_draws()
_TOWER_LEVELS = _tower_levels()
_TOWER_STEPS = TOWER_STEPS_BY_CHOICE.ravel()
_HOUSE_DRAWS, _HOUSE_SPANS = _house_draws()
_SHORT = U(len(_HOUSE_DRAWS))
_HOUSE_DRAWS = np.concatenate([_HOUSE_DRAWS, HOUSE_STEPS_BY_CHOICE.ravel()])


@inlined
def pick_outcome(outcomes: Word, word: Word) -> tuple[Word, Word]:
    """The code of one of some outcomes, and whether there was a choice (1 or 0)."""
    count = popcount(outcomes)
    return nth_bit(outcomes, high_product(word, count)), U(count > U(1))


@inlined
def random_towers(supply: Word, empty: Word, word: Word) -> Word:
    """Roll the tower die for a wall with these ends empty; the step. The supply is packed."""
    span = U(_CASE_SPANS[empty])
    case = (span & U(255)) + high_product(word, span >> U(8))
    draw = U(_TOWER_DRAWS[(U(_TOWER_LEVELS[supply & TOWER_COUNTS]) << U(8)) + case])
    step: Word = _TOWER_STEPS[draw]
    return step


@inlined
def random_houses(supply: Word, two: Word, word: Word) -> tuple[Word, Word]:
    """Roll the house dice for a wall with two spaces beside it (`two` 1) or one.

    The step, and 1 if it takes the last house, else 0.
    """
    dice = high_product(word, PAIRS_OF_DICE)
    word *= PAIRS_OF_DICE
    if has_plenty_of_houses(supply):
        span = _HOUSE_SPANS[PAIRS_OF_DICE * two + dice]
        return _HOUSE_DRAWS[(span >> _COUNT_BITS) + high_product(word, span & _COUNT_MASK)], U(0)
    code, choice = pick_outcome(house_outcomes(supply, dice, two), word)
    step = _HOUSE_DRAWS[_SHORT + ((choice << U(6)) | code)]
    return step, U(step & HOUSE_COUNTS == supply)


@inner
def roll_random(state: Words, board: Words, rng: Words) -> None:
    """Roll the dice that are due."""
    die, dice = below(rng, U(3)), below(rng, U(36))
    throw_dice(state, board, die, dice // U(6), dice % U(6))
