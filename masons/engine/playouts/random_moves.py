"""Random choices among the moves of a decision, made without listing the moves.

There are three policies. UNIFORM chooses uniformly. BUSY prefers lines that complete a city or
touch towers (see `busy_line`). BUSY_BEST builds like BUSY, but scores the best cards in its hand.
Most functions take a random word (uint64) and return a choice.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import KINDS
from masons.engine.board.packed_board import LINE_COUNT
from masons.engine.kernels.bits import (
    U,
    count4,
    has,
    high_product,
    lowest,
    nth_bit,
    nth_of4,
    popcount,
)
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.kernels.rng import below, next_word
from masons.engine.playouts.policies import BUSY_GROUP_TENTHS, BUSY_UNIFORM_TENTHS, POLICIES
from masons.engine.rules import roll_outcomes
from masons.engine.rules.legal_moves import doubles_of, kinds_of
from masons.engine.rules.transitions import throw_dice
from masons.engine.state import layout

UNIFORM, BUSY, BUSY_BEST = (U(number) for number in range(len(POLICIES)))

_TENTHS = U(10)
_UNIFORM_TENTHS = U(BUSY_UNIFORM_TENTHS)
_GROUP_TENTHS = U(BUSY_GROUP_TENTHS)

# In place of the second card of a score decision, this number stands for abstaining.
ABSTAINS = U(30)
_ABOVE_CARDS = U(1 << 62)

# Bytes 2x and 2x + 1 say which two kinds form pair x, first the higher kind. The kinds are given as
# positions in an ascending list of kinds. Pairs are in colexicographic order.
_PAIRS = np.array([(i, j) for i in range(KINDS + 1) for j in range(i)], dtype=np.uint8).ravel()


@inlined
def random_line(state: Words, board: Words, rng: Words, policy: Word, word: Word) -> Word:
    """Return a random open line chosen by a policy, or NONE if no line is open."""
    if policy == UNIFORM:
        return any_line(state, board, rng, word)
    return busy_line(state, board, rng, word)


@inlined
def any_line(state: Words, board: Words, rng: Words, word: Word) -> Word:
    """Return a uniformly random open line, or NONE if no line is open.

    The function first picks one of all lines at random, and counts the open lines only if that line
    is not open.
    """
    line = high_product(word, board[LINE_COUNT])
    if has(state, layout.OPEN, line):
        return line
    return _open_line(state, rng)


@inner
def _open_line(state: Words, rng: Words) -> Word:
    count = count4(state, layout.OPEN)
    return nth_of4(state, layout.OPEN, below(rng, count)) if count else layout.NONE


@inlined
def busy_line(state: Words, board: Words, rng: Words, word: Word) -> Word:
    """Return a random open line chosen by busy play, or NONE if no line is open.

    Busy play prefers lines that complete a city, then lines between two towers, then lines beside
    one tower.
    """
    uniform = high_product(word, _TENTHS) < _UNIFORM_TENTHS
    word *= _TENTHS
    if not uniform:
        for i in range(U(3)):
            group = (
                layout.CLOSING if i == U(0) else (layout.DOUBLE if i == U(1) else layout.TOUCHED)
            )
            count = count4(state, group)
            if count == U(0):
                continue
            taken = high_product(word, _TENTHS) < _GROUP_TENTHS
            word *= _TENTHS
            if taken:
                return nth_of4(state, group, high_product(word, count))
    return any_line(state, board, rng, word)


@inner
def pair_count(cards: Word) -> Word:
    """Return the number of distinct pairs in a set of cards."""
    kinds = popcount(kinds_of(cards))
    return ((kinds * (kinds - U(1))) >> U(1)) + popcount(doubles_of(cards))


@inner
def nth_play(cards: Word, n: Word) -> tuple[Word, Word]:
    """Return the n-th way (from 0) to play at most two cards of a set.

    The result is two kinds, with NO_CARD in place of a missing card. The ways to play one card or
    two different kinds have the lowest numbers. Next come the ways to play two cards of the same
    kind, and the last way is to play no card.
    """
    kinds = kinds_of(cards)
    count = popcount(kinds)
    mixed = (count * (count + U(1))) >> U(1)
    if n < mixed:
        high, low = U(_PAIRS[U(2) * n]), U(_PAIRS[U(2) * n + U(1)])
        # A bit below all kinds stands for "no second card".
        choices = (kinds << U(2)) | U(1)
        second = ((nth_bit(choices, low) >> U(1)) - U(1)) & layout.NO_CARD
        return (nth_bit(choices, high) >> U(1)) - U(1), second
    doubles = doubles_of(cards)
    if n < mixed + popcount(doubles):
        kind = nth_bit(doubles, n - mixed) >> U(1)
        return kind, kind
    return layout.NO_CARD, layout.NO_CARD


@inner
def random_score(cards: Word, word: Word, policy: Word) -> tuple[Word, Word]:
    """Choose a scoring at random.

    Returns two kinds, or one kind and NO_CARD, or one kind and ABSTAINS. `word` is a random word.
    Pairs of different kinds are numbered first, then pairs of the same kind. All cases are computed
    without branches, because a branch would often be mispredicted.
    """
    kinds, doubles = kinds_of(cards), doubles_of(cards)
    count = popcount(kinds)
    mixed = (count * (count - U(1))) >> U(1)
    pairs = mixed + popcount(doubles)
    if policy == UNIFORM:
        n = high_product(word, U(2) * count + pairs)
        is_pair = U(n >= U(2) * count)
        abstains = U(n >= count) ^ is_pair
        n -= (is_pair + U(n >= count)) * count
    else:
        way = high_product(word, U(3))
        is_pair, abstains = U(way == U(2)) & U(pairs != U(0)), U(way == U(1))
        n = high_product(word * U(3), pairs if is_pair else count)
    is_double = is_pair & U(n >= mixed)
    is_mixed = is_pair ^ is_double
    chosen = doubles if is_double else kinds
    n -= is_double * mixed
    low = n + is_mixed * (U(_PAIRS[U(2) * n + U(1)]) - n)
    high = n + is_mixed * (U(_PAIRS[U(2) * n]) - n)
    first, second = nth_bit(chosen, low) >> U(1), nth_bit(chosen, high) >> U(1)
    alone = ABSTAINS if abstains else layout.NO_CARD
    return first, second if is_pair else alone


@inner
def best_score(state: Words, cards: Word) -> tuple[Word, Word]:
    """Return the two cards with the most points in VALUES, in ascending order.

    The second card is NO_CARD if it would add no points. If no card scores any points, the result
    is the lowest kind in hand and ABSTAINS.
    """
    b = bytes_of(state)
    best = second = layout.NO_CARD
    best_points = second_points = U(0)
    left = cards
    while left:
        kind = lowest(left) >> U(1)
        left &= left - U(1)
        points = U(b[layout.VALUES_BYTE + kind])
        if points > best_points:
            best, second = kind, best
            best_points, second_points = points, best_points
        elif points > second_points:
            second, second_points = kind, points
    if best == layout.NO_CARD:
        return lowest(cards) >> U(1), ABSTAINS
    return min(best, second), max(best, second)


@inner
def random_swap(cards: Word, word: Word, rng: Words) -> Word:
    """Return random cards to discard; for each kind, every number of copies is equally likely."""
    doubles = doubles_of(cards)
    both = doubles | (doubles << U(1))
    out = word & cards & ~both
    word = next_word(rng)
    # Most hands have at most one kind twice, so the first such kind is handled without a branch.
    at = lowest(doubles | _ABOVE_CARDS)
    copies = ((U(1) << high_product(word, U(3))) - U(1)) << at  # no copy, one copy or both copies
    out |= copies & cards
    doubles &= doubles - U(1)
    while doubles:
        word *= U(3)
        at = lowest(doubles)
        doubles &= doubles - U(1)
        out |= ((U(1) << high_product(word, U(3))) - U(1)) << at
    return out


@inner
def nth_city(state: Words, n: Word) -> Word:
    """Return the lowest space of completed city number `n`, or NONE if no city is completed."""
    if state[layout.CITIES] == U(0):
        return layout.NONE
    halves = halves_of(state)
    space = U(0)
    while True:
        if U(halves[layout.SPACES_HALF + space]) & layout.IS_CITY:
            if n == U(0):
                return space
            n -= U(1)
        space += U(1)


# Number of equally likely cases of a tower roll for each combination of empty ends. The number is
# the same for every supply, so a case can be drawn before the supply is known.
_TOWER_CASES: Final = (1, 6, 6, 180)
_TOWER_ROW: Final = sum(_TOWER_CASES)
# For each combination, the index of its first case, plus 256 times its number of cases.
_CASE_SPANS = np.array([0, 1, 7, 13], dtype=np.uint16) + 256 * np.array(
    _TOWER_CASES, dtype=np.uint16
)
_COUNT_BITS = U(5)
_COUNT_MASK = U(31)


def _codes(outcomes: int) -> list[int]:
    return [code for code in range(64) if outcomes >> code & 1]


def _tower_draws() -> NDArray[np.uint32]:
    """Return the step of each case of a tower roll: uint32[levels * 256].

    The cases are listed for each level of the supply (see `roll_outcomes`).
    """
    draws: list[int] = []
    all_steps = roll_outcomes.TOWER_STEPS_BY_CHOICE.tolist()
    for level in roll_outcomes.TOWER_OUTCOMES.tolist():
        for cases, dice in zip(_TOWER_CASES, level, strict=True):
            share = max(1, cases // len(dice))  # number of cases for each face of the die
            for outcomes in dice[:cases]:
                codes = _codes(outcomes) or [0]  # no outcome if no towers are left
                steps = all_steps[int(len(codes) > 1)]
                draws += [steps[codes[i * len(codes) // share]] for i in range(share)]
        draws += [0] * (256 - _TOWER_ROW)
    return np.array(draws, dtype=np.uint32)


def _tower_levels() -> NDArray[np.uint8]:
    """Return the level of each packed tower supply as uint8[4096]."""
    packed = np.arange(1 << 12)
    levels = sum(np.minimum(packed >> 4 * color & 15, 2) * 3**color for color in range(3))
    return np.array(levels, dtype=np.uint8)


def _house_draws() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return all steps for the pairs of house dice, and where to find the steps for each pair.

    `roll_outcomes` explains steps. The second array is uint64[2 * 36], first for walls beside one
    space and then for walls beside two spaces. The lower five bits of an item are the number of
    steps for this pair of dice, and the higher bits are the index of the first of these steps in
    the first array.
    """
    steps: list[np.uint64] = []
    spans = []
    for codes in map(_codes, roll_outcomes.PLENTY_OF_HOUSES.ravel().tolist()):
        spans.append(len(steps) << 5 | len(codes))
        steps += [roll_outcomes.HOUSE_STEPS_BY_CHOICE[int(len(codes) > 1), code] for code in codes]
    return np.array(steps, dtype=np.uint64), np.array(spans, dtype=np.uint64)


_TOWER_DRAWS = _tower_draws()
_TOWER_LEVELS = _tower_levels()
_HOUSE_DRAWS, _HOUSE_SPANS = _house_draws()
_SHORT = U(len(_HOUSE_DRAWS))
_HOUSE_DRAWS = np.concatenate([_HOUSE_DRAWS, roll_outcomes.HOUSE_STEPS_BY_CHOICE.ravel()])


@inlined
def pick_outcome(outcomes: Word, word: Word) -> tuple[Word, Word]:
    """Return the code of a random outcome of a set, and 1 if there was a choice, else 0."""
    count = popcount(outcomes)
    return nth_bit(outcomes, high_product(word, count)), U(count > U(1))


@inlined
def random_towers(supply: Word, empty: Word, word: Word) -> Word:
    """Roll the tower die for a wall, and return the step of a random outcome (see `roll_outcomes`).

    `supply` is packed (4 bits for each color), `empty` is the set of ends without a tower, and
    `word` is a random word.
    """
    span = U(_CASE_SPANS[empty])
    case = (span & U(255)) + high_product(word, span >> U(8))
    return U(_TOWER_DRAWS[(U(_TOWER_LEVELS[supply & roll_outcomes.TOWER_COUNTS]) << U(8)) + case])


@inlined
def random_houses(supply: Word, two: Word, word: Word) -> tuple[Word, Word]:
    """Roll the house dice for a wall, and return the step of a random outcome (`roll_outcomes`).

    `two` is 1 if the wall has two spaces beside it, else 0. The second value returned is 1 if the
    last house is placed, else 0.
    """
    dice = high_product(word, roll_outcomes.PAIRS_OF_DICE)
    word *= roll_outcomes.PAIRS_OF_DICE
    if roll_outcomes.has_plenty_of_houses(supply):
        span = _HOUSE_SPANS[roll_outcomes.PAIRS_OF_DICE * two + dice]
        return _HOUSE_DRAWS[(span >> _COUNT_BITS) + high_product(word, span & _COUNT_MASK)], U(0)
    code, choice = pick_outcome(roll_outcomes.house_outcomes(supply, dice, two), word)
    step = _HOUSE_DRAWS[_SHORT + ((choice << U(6)) | code)]
    return step, U(step & roll_outcomes.HOUSE_COUNTS == supply)


@inner
def roll_random(state: Words, board: Words, rng: Words) -> None:
    """Roll the dice that are due."""
    die, dice = below(rng, U(3)), below(rng, U(36))
    throw_dice(state, board, die, dice // U(6), dice % U(6))
