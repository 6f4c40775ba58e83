"""The points of the two best cards of each hand, of two seats at once.

It is asked several times at each position that a search evaluates: so without loops over cards,
whose number and order no processor can predict.
"""

from __future__ import annotations

from masons.engine.kernels.bits import U, even_bits, two_largest
from masons.engine.kernels.jit import Word, Words, inner
from masons.engine.state.layout import VALUES

# Sets of kinds: those that seats 0 and 1 hold, that they hold twice, and the same of seats 2 and 3;
# 32 bits a seat.
KindSets = tuple[Word, Word, Word, Word]
# Points of seats 0 and 1, of seats 2 and 3; 32 bits a seat.
Pairs = tuple[Word, Word]
Values = tuple[Word, Word, Word, Word]

_SEAT_BITS = U(32)
_SEAT_MASK = U((1 << 32) - 1)


@inner
def _two_sets(first: Word, second: Word) -> tuple[Word, Word]:
    """Return the kinds in two hands, and those that are there twice."""
    once = even_bits(first | (first >> U(1))) | (even_bits(second | (second >> U(1))) << _SEAT_BITS)
    twice = even_bits(first & (first >> U(1))) | (
        even_bits(second & (second >> U(1))) << _SEAT_BITS
    )
    return once, twice


@inner
def kind_sets(hands: Words, players: Word) -> KindSets:
    """The sets of kinds in hands (uint64[4])."""
    once, twice = _two_sets(hands[U(0)], hands[U(1)])
    once_2 = twice_2 = U(0)
    if players > U(2):
        once_2, twice_2 = _two_sets(hands[U(2)], hands[U(3)])
    return once, twice, once_2, twice_2


@inner
def values_of(state: Words) -> Values:
    """VALUES of a state."""
    return state[VALUES], state[VALUES + U(1)], state[VALUES + U(2)], state[VALUES + U(3)]


@inner
def best_pairs(values: Values, sets: KindSets) -> Pairs:
    """Return the points of the two best cards of each hand; of a hand of one card, its points."""
    v0, v1, v2, v3 = values
    once, twice, once_2, twice_2 = sets
    second = two_largest(v0, v1, v2, v3, once_2, twice_2) if once_2 else U(0)
    return two_largest(v0, v1, v2, v3, once, twice), second


@inner
def pair_of(pairs: Pairs, seat: Word) -> Word:
    """That of one seat."""
    both = pairs[1] if seat >> U(1) else pairs[0]
    return (both >> (_SEAT_BITS * (seat & U(1)))) & _SEAT_MASK
