"""Cards: discarding, drawing, and what a seat does with its hand (rules, 5 and 7)."""

from __future__ import annotations

from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.turns import (
    add_score,
    clockwise,
    draws_done,
)
from masons.engine.state.layout import (
    ACTIVE,
    DECK,
    DISCARD,
    DUE,
    HANDS,
    NO_CARD,
    PHASE,
    PHASE_DRAW,
    PHASE_OVER,
    SEAT,
    VALUES_BYTE,
)

# Cards drawn after playing, and after abstaining.
PLAY_DRAWS = U(1)
ABSTAIN_DRAWS = U(2)


@inner
def card_of(cards: Word, kind: Word) -> Word:
    """One card of a kind out of a set that has it, as a set."""
    both = (cards >> (U(2) * kind)) & U(3)
    return (both & (~both + U(1))) << (U(2) * kind)


@inner
def cards_of(cards: Word, first: Word, second: Word) -> Word:
    """Return a card of each of two kinds (the same, or NO_CARD) out of a set that has them."""
    card = card_of(cards, first)
    return card | card_of(cards ^ card, second)


@inner
def discard(state: Words, seat: Word, kind: Word) -> None:
    """Lay a card from a seat's hand face up."""
    card = card_of(state[HANDS + seat], kind)
    state[HANDS + seat] ^= card
    state[DISCARD] |= card


@inlined
def refill_deck(state: Words) -> None:
    """Shuffle the discard pile, if there is one, to be the deck where that is used up."""
    if state[DECK] == U(0):
        state[DECK] = state[DISCARD]
        state[DISCARD] = U(0)


@inlined
def take_cards(state: Words, seat: Word, cards: Word) -> None:
    """Cards (a set) from the deck to a hand; the deck is replaced the moment its last is drawn."""
    state[DECK] ^= cards
    state[HANDS + seat] |= cards
    refill_deck(state)


@inner
def start_draw(state: Words, count: Word) -> None:
    """Let SEAT draw `count` cards."""
    b = bytes_of(state)
    b[PHASE] = PHASE_DRAW
    b[DUE] = count
    _settle_draw(state)


@inner
def _settle_draw(state: Words) -> None:
    """Shuffle if a card is due and there is none; go on if no card is due or to be had."""
    b = bytes_of(state)
    if b[DUE]:
        refill_deck(state)
        if state[DECK] == U(0):
            b[DUE] = U(0)
    if b[DUE] == U(0):
        draws_done(state)


@inner
def draw_card(state: Words, card: Word) -> None:
    """Give SEAT the card (a set of one) from the deck; a deck used up is replaced at once."""
    draw_cards(state, card, U(1))


@inner
def draw_cards(state: Words, cards: Word, count: Word) -> None:
    """Give SEAT `count` of the cards due (a set) from the deck; a deck used up is replaced."""
    b = bytes_of(state)
    take_cards(state, U(b[SEAT]), cards)
    b[DUE] = U(b[DUE]) - count
    _settle_draw(state)


@inner
def score_hand(state: Words, seat: Word, first: Word, second: Word) -> None:
    """A seat plays one or two cards (the second NO_CARD) for what VALUES says."""
    b = bytes_of(state)
    # No card has the number NO_CARD, and its byte of VALUES is 0: it changes nothing.
    points = U(b[VALUES_BYTE + first]) + U(b[VALUES_BYTE + second])
    played = cards_of(state[HANDS + seat], first, second)
    state[HANDS + seat] ^= played
    state[DISCARD] |= played
    add_score(state, seat, points)


@inner
def play_cards(state: Words, first: Word, second: Word) -> None:
    """SEAT scores one or two cards and draws one."""
    score_hand(state, U(bytes_of(state)[SEAT]), first, second)
    start_draw(state, PLAY_DRAWS)


@inner
def abstain(state: Words, kind: Word) -> None:
    """SEAT discards one card for nothing and draws two."""
    discard(state, U(bytes_of(state)[SEAT]), kind)
    start_draw(state, ABSTAIN_DRAWS)


@inner
def swap_cards(state: Words, counts: Word) -> None:
    """SEAT discards some of each kind (2-bit counts) and draws as many."""
    b = bytes_of(state)
    exchanged = U(b[DUE])
    while counts:
        kind = lowest(counts) >> U(1)
        for _ in range((counts >> (U(2) * kind)) & U(3)):
            discard(state, U(b[SEAT]), kind)
            exchanged += U(1)
        counts &= ~(U(3) << (U(2) * kind))
    start_draw(state, exchanged)


@inner
def exchange_card(state: Words, kind: Word) -> None:
    """One card of a swap; DUE counts them until the swap is closed."""
    b = bytes_of(state)
    discard(state, U(b[SEAT]), kind)
    b[DUE] = U(b[DUE]) + U(1)


@inner
def final_cards(state: Words, board: Words, first: Word, second: Word, root: Word) -> None:
    """SEAT's part of the final scoring: pass (NO_CARD) or play for the city of `root` or NONE."""
    b = bytes_of(state)
    if first != NO_CARD:
        score_cards(state, board, root)
        score_hand(state, U(b[SEAT]), first, second)
    pass_final(state)


@inner
def pass_final(state: Words) -> None:
    """Go on to the next seat's part of the final scoring, or end the game."""
    b = bytes_of(state)
    b[SEAT] = clockwise(state, U(b[SEAT]))
    if b[SEAT] == b[ACTIVE]:
        b[PHASE] = PHASE_OVER
