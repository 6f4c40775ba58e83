"""Random choices among the moves of a decision, without listing them.

A policy says how: UNIFORM and BUSY are the reference policies of the rules (8); BUSY_BEST builds
like busy play and scores the best cards it holds. Each function takes a random word and returns
what it chose.
"""

from __future__ import annotations

import numpy as np

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
from masons.engine.playouts.policies import (
    BUSY_GROUP_TENTHS,
    BUSY_UNIFORM_TENTHS,
    POLICIES,
)
from masons.engine.rules.legal_moves import doubles_of, kinds_of
from masons.engine.state.layout import (
    CITIES,
    CLOSING,
    DOUBLE,
    IS_CITY,
    NO_CARD,
    NONE,
    OPEN,
    SPACES_HALF,
    TOUCHED,
    VALUES_BYTE,
)

UNIFORM, BUSY, BUSY_BEST = (U(number) for number in range(len(POLICIES)))

_TENTHS = U(10)
_UNIFORM_TENTHS = U(BUSY_UNIFORM_TENTHS)
_GROUP_TENTHS = U(BUSY_GROUP_TENTHS)

# What a score decision does.
ABSTAINS = U(30)
_ABOVE_CARDS = U(1 << 62)

# Pair number x of any hand, colexicographic: the ranks of its higher and its lower kind.
_PAIRS = np.array([(i, j) for i in range(KINDS + 1) for j in range(i)], dtype=np.uint8).ravel()


@inlined
def random_line(state: Words, board: Words, rng: Words, policy: Word, word: Word) -> Word:
    """An open line by a policy; NONE where there is none."""
    if policy == UNIFORM:
        return any_line(state, board, rng, word)
    return busy_line(state, board, rng, word)


@inlined
def any_line(state: Words, board: Words, rng: Words, word: Word) -> Word:
    """A uniform open line: drawn from all lines; where it is not open, from the open ones."""
    line = high_product(word, board[LINE_COUNT])
    if has(state, OPEN, line):
        return line
    return _open_line(state, rng)


@inner
def _open_line(state: Words, rng: Words) -> Word:
    count = count4(state, OPEN)
    return nth_of4(state, OPEN, below(rng, count)) if count else NONE


@inlined
def busy_line(state: Words, board: Words, rng: Words, word: Word) -> Word:
    """An open line by busy play: closing ones first, then between towers, then beside a tower."""
    uniform = high_product(word, _TENTHS) < _UNIFORM_TENTHS
    word *= _TENTHS
    if not uniform:
        for i in range(U(3)):
            group = CLOSING if i == U(0) else (DOUBLE if i == U(1) else TOUCHED)
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
    """The number of distinct pairs among some cards."""
    kinds = popcount(kinds_of(cards))
    return ((kinds * (kinds - U(1))) >> U(1)) + popcount(doubles_of(cards))


@inner
def nth_play(cards: Word, n: Word) -> tuple[Word, Word]:
    """The n-th way to play none, one or two of some cards: NO_CARD where there is none.

    Two different kinds or one: pairs of kinds and, below them all, nothing. Then two of a kind, and
    last nothing at all.
    """
    kinds = kinds_of(cards)
    count = popcount(kinds)
    mixed = (count * (count + U(1))) >> U(1)
    if n < mixed:
        high, low = U(_PAIRS[U(2) * n]), U(_PAIRS[U(2) * n + U(1)])
        # A bit below all kinds stands for no card: the number before the first.
        choices = (kinds << U(2)) | U(1)
        second = ((nth_bit(choices, low) >> U(1)) - U(1)) & NO_CARD
        return (nth_bit(choices, high) >> U(1)) - U(1), second
    doubles = doubles_of(cards)
    if n < mixed + popcount(doubles):
        kind = nth_bit(doubles, n - mixed) >> U(1)
        return kind, kind
    return NO_CARD, NO_CARD


@inner
def random_score(cards: Word, word: Word, policy: Word) -> tuple[Word, Word]:
    """What to score of a hand: two kinds, or one and NO_CARD, or one and ABSTAINS.

    Distinct pairs are numbered: first those of two kinds, then the doubles. Which way it is is as
    good as random: all are worked out, as a branch would be predicted wrong.
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
    low = U(_PAIRS[U(2) * n + U(1)]) if is_mixed else n
    high = U(_PAIRS[U(2) * n]) if is_mixed else n
    first, second = nth_bit(chosen, low) >> U(1), nth_bit(chosen, high) >> U(1)
    alone = ABSTAINS if abstains else NO_CARD
    return first, second if is_pair else alone


@inner
def best_score(state: Words, cards: Word) -> tuple[Word, Word]:
    """The cards that score most now: a pair, a single where a second adds nothing, else abstain.

    Abstaining discards the first kind in hand; VALUES must be up to date.
    """
    b = bytes_of(state)
    best = second = NO_CARD
    best_points = second_points = U(0)
    left = cards
    while left:
        kind = lowest(left) >> U(1)
        left &= left - U(1)
        points = U(b[VALUES_BYTE + kind])
        if points > best_points:
            best, second = kind, best
            best_points, second_points = points, best_points
        elif points > second_points:
            second, second_points = kind, points
    if best == NO_CARD:
        return lowest(cards) >> U(1), ABSTAINS
    return min(best, second), max(best, second)


@inner
def random_swap(cards: Word, word: Word, rng: Words) -> Word:
    """The cards to discard: of each kind any number of those in hand, uniformly."""
    doubles = doubles_of(cards)
    both = doubles | (doubles << U(1))
    out = word & cards & ~both
    word = next_word(rng)
    # Most hands have one double or none: no branch on that.
    at = lowest(doubles | _ABOVE_CARDS)
    copies = ((U(1) << high_product(word, U(3))) - U(1)) << at  # none, one or both of them
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
    """The lowest space of the n-th completed city; NONE where there is none."""
    if state[CITIES] == U(0):
        return NONE
    halves = halves_of(state)
    space = U(0)
    while True:
        if U(halves[SPACES_HALF + space]) & IS_CITY:
            if n == U(0):
                return space
            n -= U(1)
        space += U(1)
