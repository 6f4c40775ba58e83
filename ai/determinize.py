"""Determinization: a guess at everything that the observer cannot see.

Uniform over the cards not seen: a hidden hand is drawn from them without replacement, the rest is
the deck, whose order is left open (a card is drawn when it is due, which is the same lottery).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.engine.bits import U, popcount
from masons.engine.dealing import random_cards
from masons.engine.jit import Words, bytes_of, inner, kernel, ptr
from masons.engine.layout import DECK, HANDS, PLAYERS, State
from masons.engine.view import View


@inner
def determinize(state: Words, hidden: Words, rng: Words) -> None:
    """Deal each seat its `hidden[seat]` unseen cards off the deck (`state` modified in place)."""
    for seat in range(U(bytes_of(state)[PLAYERS])):
        if hidden[seat]:
            deck = state[DECK]
            hand = random_cards(deck, popcount(deck), hidden[seat], rng)
            state[HANDS + seat] |= hand
            state[DECK] = deck ^ hand


@kernel
def deal_hidden(state: Words, hidden: Words, rng: Words) -> None:
    """`determinize` from Python: uint64[STATE_WORDS] (modified in place), uint64[4], uint64[1]."""
    determinize(ptr(state), ptr(hidden), ptr(rng))


def determinized(view: View, rng: NDArray[np.uint64]) -> State:
    """A state (uint64[STATE_WORDS]) that the view may be of; `rng` (uint64[1]) is drawn from."""
    state = view.state.copy()
    deal_hidden(state, np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64), rng)
    return state
