"""Determinization: dealing at random everything that the observer cannot see.

Hidden hands are drawn without replacement from the unseen cards. The remaining cards are the deck.
The deck is not shuffled. Instead, a random card of the deck is drawn whenever a card is due, which
is equivalent.

Either all unseen cards are equally likely, or each seat has a weight for each kind of card (see
`hand_model`). With weights, the cards that are known to be in some hidden hand are dealt to the
hands first. These are the cards that were in hands at the last reshuffle and have not been seen
since.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import SURE, sum_weights, sums_of, weights_of
from masons.engine.board.components import KINDS
from masons.engine.game.observation import Observation
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Floats, Word, Words, at_most, bytes_of, inner, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import fraction, next_word, unit_fraction
from masons.engine.playouts.random_scoring import random_cards
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.turns import card_of
from masons.engine.state.layout import DECK, HANDS, NONE, PLAYERS, State

_BOTH = U(3)  # both copies of a kind, as a set
_MOST_MISSES = U(16)


@inner
def _deal_any(state: Words, seat: Word, count: Word, rng: Words) -> None:
    """Deal a seat `count` cards from the deck; all cards are equally likely."""
    deck = state[DECK]
    hand = random_cards(deck, popcount(deck), count, rng)
    state[HANDS + seat] |= hand
    state[DECK] = deck ^ hand


@inner
def hide_others(state: Words, seat: Word, hidden: Words) -> None:
    """Put the hands that a seat does not see back into the deck.

    `state` is modified in place. `hidden` is filled with the number of cards put back from each
    hand.
    """
    for other in range(U(bytes_of(state)[PLAYERS])):
        hidden[other] = U(0)
        if other != seat:
            hidden[other] = popcount(state[HANDS + other])
            state[DECK] |= state[HANDS + other]
            state[HANDS + other] = U(0)


@inner
def determinize(state: Words, hidden: Words, rng: Words) -> None:
    """Deal each seat `hidden[seat]` cards from the deck; all cards are equally likely.

    `state` is modified in place.
    """
    for seat in range(U(bytes_of(state)[PLAYERS])):
        if hidden[seat]:
            _deal_any(state, seat, hidden[seat], rng)


@inner
def _drawn_card(deck: Word, hand_weights: Floats, seat: Word, rng: Words) -> Word:
    """Draw a random card of the deck for a seat, according to the seat's weights.

    First a kind is drawn, using the cumulative sums of all weights. If the deck no longer contains
    a card of this kind, another kind is drawn. After several misses, only the weights of the cards
    still in the deck are summed, and the card is drawn using this sum.
    """
    sums, at = offset(hand_weights, sums_of(seat)), weights_of(seat)
    total = sums[U(KINDS - 1)]
    for _ in range(_MOST_MISSES):
        word = next_word(rng)
        kind = popcount(at_most(sums, total * unit_fraction(word)))
        card = deck & (U(1) << (U(2) * kind + (word & U(1))))
        if card:
            return card
    total, kinds = 0.0, kinds_of(deck)
    while kinds:
        card = kinds & (~kinds + U(1))
        kinds ^= card
        shift = lowest(card)
        total += hand_weights[at + (shift >> U(1))] * float(popcount(deck & (_BOTH << shift)))
    left, kinds, copies = total * fraction(rng), kinds_of(deck), U(0)
    while kinds and left >= 0.0:
        shift = lowest(kinds)
        kinds &= kinds - U(1)
        copies = deck & (_BOTH << shift)
        left -= hand_weights[at + (shift >> U(1))] * float(popcount(copies))
    return copies & (~copies + U(1))


@inner
def _likely_seat(
    state: Words, hidden: Words, hand_weights: Floats, dealt: Word, kind: Word, rng: Words
) -> Word:
    """Return a random seat for a card that is known to be in a hidden hand.

    A seat's probability is proportional to its weight for the kind and to the number of its cards
    that are still to be dealt. `dealt` has one byte per seat: the number of hidden cards dealt so
    far. Returns NONE if no seat needs a card.
    """
    players = U(bytes_of(state)[PLAYERS])
    total = 0.0
    for seat in range(players):
        free = hidden[seat] - ((dealt >> (U(8) * seat)) & U(255))
        total += hand_weights[weights_of(seat) + kind] * float(free)
    left, chosen_seat = total * fraction(rng), NONE
    for seat in range(players):
        free = hidden[seat] - ((dealt >> (U(8) * seat)) & U(255))
        if free and left >= 0.0:
            chosen_seat = seat
            left -= hand_weights[weights_of(seat) + kind] * float(free)
    return chosen_seat


@inner
def _deal_sure(state: Words, hidden: Words, hand_weights: Floats, rng: Words) -> Word:
    """Deal the cards that are known to be in hidden hands.

    The result has one byte per seat, which holds the number of cards that were dealt to the seat.
    """
    dealt = U(0)
    for kind in range(U(KINDS)):
        for _ in range(U(hand_weights[SURE + kind])):
            card = card_of(state[DECK], kind)
            seat = _likely_seat(state, hidden, hand_weights, dealt, kind, rng)
            if seat != NONE and card:
                state[DECK] ^= card
                state[HANDS + seat] |= card
                dealt += U(1) << (U(8) * seat)
    return dealt


@inner
def deal_likely(state: Words, hidden: Words, hand_weights: Floats, rng: Words) -> None:
    """Deal each seat its hidden cards according to `hand_weights` (float64[HAND_WEIGHTS]).

    Cards that are known to be in some hidden hand are dealt first. The weights are described in
    `hand_model`. `state` is modified in place.
    """
    dealt = _deal_sure(state, hidden, hand_weights, rng)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        count = hidden[seat] - ((dealt >> (U(8) * seat)) & U(255))
        if count == U(0):
            continue
        deck, hand = state[DECK], U(0)
        for _ in range(count):
            card = _drawn_card(deck, hand_weights, seat, rng)
            deck ^= card
            hand |= card
        state[HANDS + seat] |= hand
        state[DECK] = deck


@inner
def deal(state: Words, hidden: Words, hand_weights: Floats, by_weights: Word, rng: Words) -> None:
    """Deal the hidden cards using `hand_weights` if `by_weights` is set, else uniformly.

    `state` is modified in place.
    """
    if by_weights:
        deal_likely(state, hidden, hand_weights, rng)
    else:
        determinize(state, hidden, rng)


@inner
def deal_anew(
    state: Words, hidden: Words, hand_weights: Floats, by_weights: Word, rng: Words
) -> None:
    """Deal as `deal` does, after updating the sums in `hand_weights` for the deck of `state`.

    `hand_weights` is modified, so each thread needs its own array.
    """
    if by_weights:
        sum_weights(state, hand_weights)
    deal(state, hidden, hand_weights, by_weights, rng)


@kernel
def deal_hidden(state: Words, hidden: Words, hand_weights: Floats, count: Word, rng: Words) -> None:
    """Deal the hidden cards, for a caller in Python.

    The cards are dealt according to the `count` numbers of `hand_weights` (float64[HAND_WEIGHTS]),
    or uniformly if `count` is 0. `state` (uint64[STATE_WORDS]) and `rng` (uint64[1]) are modified.
    `hidden` (uint64[4]) is the number of cards to deal to each seat.
    """
    deal_anew(state, hidden, hand_weights, count, rng)


def determinized(
    view: Observation, rng: NDArray[np.uint64], hand_weights: NDArray[np.float64] | None = None
) -> State:
    """Return a state (uint64[STATE_WORDS]) in which the view's hidden cards are dealt.

    The cards are dealt according to `hand_weights` (float64[HAND_WEIGHTS], see `hand_model`), or
    uniformly if `hand_weights` is None. `rng` (uint64[1]) is advanced.
    """
    state = view.state.copy()
    weights = np.zeros(0) if hand_weights is None else hand_weights
    deal_hidden(state, view.hidden_words, weights, weights.size, rng)
    return state
