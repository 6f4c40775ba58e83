"""Cards drawn at random: the hands at the start, and what a draw owes."""

from __future__ import annotations

from masons.engine.board.components import HAND
from masons.engine.kernels.bits import U, high_product, nth_item, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.kernels.rng import next_word
from masons.engine.playouts.counters import (
    COUNT_RESHUFFLES,
)
from masons.engine.rules.cards import (
    refill_deck,
    take_cards,
)
from masons.engine.rules.turns import (
    draws_done,
)
from masons.engine.state.layout import (
    DECK,
    DISCARD,
    DUE,
    HANDS,
    PLAYERS,
    SEAT,
)

# Four cards come out of one random word: 60 * 59 * 58 * 57 is below 2^32.
_DRAWS_MASK = U(3)


@inner
def random_cards(deck: Word, left: Word, count: Word, rng: Words) -> Word:
    """A uniform set of `count` of the `left` cards in a deck."""
    cards = word = U(0)
    for i in range(count):
        if i & _DRAWS_MASK == U(0):
            word = next_word(rng)
        card = nth_item(deck, high_product(word, left))
        word *= left
        left -= U(1)
        deck ^= card
        cards |= card
    return cards


@inlined
def deal_random(state: Words, seat: Word, due: Word, rng: Words, counters: Words) -> None:
    """Draw `due` cards, as far as there are any."""
    while due:
        if state[DECK] == U(0):
            if state[DISCARD] == U(0):
                return
            refill_deck(state)
            counters[COUNT_RESHUFFLES] += U(1)
        left = popcount(state[DECK])
        count = min(left, due)
        take_cards(state, seat, random_cards(state[DECK], left, count, rng))
        counters[COUNT_RESHUFFLES] += U(count == left and state[DECK] != U(0))
        due -= count


@inlined
def draw_after_scoring(state: Words, seat: Word, due: Word, rng: Words, counters: Words) -> None:
    """Draw one card or two, as `deal_random` does; no branch on which while the deck lasts."""
    deck = state[DECK]
    left = popcount(deck)
    if left <= due:
        deal_random(state, seat, due, rng, counters)
        return
    word = next_word(rng)
    cards = nth_item(deck, high_product(word, left))
    second = nth_item(deck ^ cards, high_product(word * left, left - U(1)))
    cards |= second if due == U(2) else U(0)
    state[DECK] = deck ^ cards
    state[HANDS + seat] |= cards


@inner
def draw_random(state: Words, rng: Words, counters: Words) -> None:
    """Draw the cards that are due (PHASE_DRAW), and go on to what follows."""
    b = bytes_of(state)
    deal_random(state, U(b[SEAT]), U(b[DUE]), rng, counters)
    b[DUE] = U(0)
    draws_done(state)


@inner
def deal_hands(state: Words, rng: Words) -> None:
    """Deal the hands from the full deck."""
    deck = state[DECK]
    left = popcount(deck)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        hand = random_cards(deck, left, U(HAND), rng)
        deck ^= hand
        left -= U(HAND)
        state[HANDS + seat] = hand
    state[DECK] = deck
