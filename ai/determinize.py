"""Determinization: a guess at everything that the observer cannot see.

Uniform over the cards not seen: a hidden hand is drawn from them without replacement, the rest is
the deck, whose order is left open (a card is drawn when it is due, which is the same lottery).
"""

from __future__ import annotations

from masons.engine.bits import U, nth_bit, popcount
from masons.engine.jit import Words, bytes_of, inner, kernel, ptr
from masons.engine.layout import DECK, HANDS, PLAYERS
from masons.engine.rng import below


@inner
def determinize(state: Words, hidden: Words, rng: Words) -> None:
    """Deal each seat its `hidden[seat]` unseen cards off the deck (`state` modified in place)."""
    for seat in range(U(bytes_of(state)[PLAYERS])):
        deck = state[DECK]
        left = popcount(deck)
        hand = U(0)
        for _ in range(hidden[seat]):
            card = U(1) << nth_bit(deck, below(rng, left))
            left -= U(1)
            deck ^= card
            hand |= card
        state[HANDS + seat] |= hand
        state[DECK] = deck


@kernel
def deal_hidden(state: Words, hidden: Words, rng: Words) -> None:
    """`determinize` from Python: uint64[STATE_WORDS] (modified in place), uint64[4], uint64[1]."""
    determinize(ptr(state), ptr(hidden), ptr(rng))
