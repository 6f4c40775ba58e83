"""Determinization: a guess at everything that the observer cannot see.

A hidden hand is drawn from the cards not seen without replacement, the rest is the deck, whose
order is left open (a card is drawn when it is due, which is the same lottery). All cards are as
likely as any other, or as likely as odds say (see `hands`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import odds_of
from masons.engine.game.observation import View
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inner, kernel, ptr
from masons.engine.kernels.rng import fraction
from masons.engine.playouts.random_deals import random_cards
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.state.layout import DECK, HANDS, PLAYERS, State

_BOTH = U(3)  # the copies of a kind


@inner
def _deal_any(state: Words, seat: Word, count: Word, rng: Words) -> None:
    """Deal a seat so many cards off the deck, all as likely."""
    deck = state[DECK]
    hand = random_cards(deck, popcount(deck), count, rng)
    state[HANDS + seat] |= hand
    state[DECK] = deck ^ hand


@inner
def determinize(state: Words, hidden: Words, rng: Words) -> None:
    """Deal each seat its `hidden[seat]` unseen cards off the deck (`state` modified in place)."""
    for seat in range(U(bytes_of(state)[PLAYERS])):
        if hidden[seat]:
            _deal_any(state, seat, hidden[seat], rng)


@inner
def _likely_card(deck: Word, odds: Words, at: Word, total: float, rng: Words) -> Word:
    """A card of a deck by the odds of each kind from `at` on, which sum up to `total`."""
    left = total * fraction(rng)
    kinds, copies = kinds_of(deck), U(0)
    while kinds:
        shift = lowest(kinds)
        kinds &= kinds - U(1)
        copies = deck & (_BOTH << shift)
        left -= odds[at + (shift >> U(1))] * float(popcount(copies))
        if left < 0.0:
            break
    return copies & (~copies + U(1))


@inner
def deal_likely(state: Words, hidden: Words, odds: Words, rng: Words) -> None:
    """Deal each seat its hidden cards by `odds` (float64[ODDS], see `hands`).

    `state` is modified in place.
    """
    for seat in range(U(bytes_of(state)[PLAYERS])):
        if hidden[seat] == U(0):
            continue
        deck = state[DECK]
        at, total = odds_of(seat), 0.0
        kinds = kinds_of(deck)
        while kinds:
            shift = lowest(kinds)
            kinds &= kinds - U(1)
            total += odds[at + (shift >> U(1))] * float(popcount(deck & (_BOTH << shift)))
        for _ in range(hidden[seat]):
            card = _likely_card(deck, odds, at, total, rng)
            deck ^= card
            state[HANDS + seat] |= card
            total -= odds[at + (lowest(card) >> U(1))]
        state[DECK] = deck


@inner
def deal(state: Words, hidden: Words, odds: Words, guesses: Word, rng: Words) -> None:
    """Deal the hidden cards: by `odds` if `guesses`, else all as likely (`state` is modified)."""
    if guesses:
        deal_likely(state, hidden, odds, rng)
    else:
        determinize(state, hidden, rng)


@kernel
def deal_hidden(state: Words, hidden: Words, odds: Words, rng: Words) -> None:
    """`deal` from Python, by `odds` where there are any (`state` is modified).

    `state` (uint64[STATE_WORDS]), `hidden` (uint64[4]), `odds` (float64[ODDS] or [0]), `rng`
    (uint64[1]).
    """
    deal(ptr(state), ptr(hidden), ptr(odds), U(len(odds)), ptr(rng))


def determinized(
    view: View, rng: NDArray[np.uint64], odds: NDArray[np.float64] | None = None
) -> State:
    """A state (uint64[STATE_WORDS]) that the view may be of; `rng` (uint64[1]) is drawn from.

    By `odds` (float64[ODDS]; see `hands`), or all cards as likely.
    """
    state = view.state.copy()
    hidden = np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
    deal_hidden(state, hidden, np.zeros(0) if odds is None else odds, rng)
    return state
