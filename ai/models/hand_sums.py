"""What the cards in hand add to a net's hidden units, kept as long as a hand is the same.

A search evaluates thousands of positions in which a seat holds the same cards. The inputs HELD say
how many of each kind it holds, HELD_LEFT are those times the share of the game that is left: so two
sums of weights are kept, one by each, and the second is multiplied by that share.

Two hands of each seat are remembered: one that was met twice, and the last other one. What a city
deals in one simulation does not push out the hand that all others begin with.

| words of a seat | name  | what                                                                 |
| --------------- | ----- | -------------------------------------------------------------------- |
| 0-1             | HAND  | the two hands, sets of cards; 0: none                                |
| 2               | STAYS | the number, 0 or 1, of the hand that was met again                   |
| 8-135           | SUMS  | of hand 0: float32[2][2 * HIDDEN], by the weights of HELD, HELD_LEFT |
| 136-263         |       | of hand 1                                                            |
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import MAX_SEATS
from masons.ai.models.net_shapes import HIDDEN
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, inner

_STAYS = U(2)
_SUMS: Final = 8
_SINGLES: Final = 4 * HIDDEN  # of one hand
_SEAT_WORDS: Final = _SUMS + _SINGLES
# Workspace: uint64[HAND_SUMS], zeros at first.
HAND_SUMS: Final = MAX_SEATS * _SEAT_WORDS

_SEAT = U(_SEAT_WORDS)


@inner
def forget_hands(hands: Words) -> None:
    """Know no hand any more: their sums may be another net's."""
    for seat in range(U(MAX_SEATS)):
        hands[_SEAT * seat] = hands[_SEAT * seat + U(1)] = U(0)


@inner
def find_hand(hands: Words, seat: Word, hand: Word) -> tuple[Word, bool]:
    """Where the sums of a seat's hand stand, as singles of `hands`; whether they are there yet.

    If not they are to be filled in. No hand (0) is never known.
    """
    at = _SEAT * seat
    stays = hands[at + _STAYS]
    number, found = stays, hand != U(0) and hands[at + stays] == hand
    if not found:
        number = U(1) - stays
        found = hand != U(0) and hands[at + number] == hand
        if found:
            hands[at + _STAYS] = number
        else:
            hands[at + number] = hand
    return U(2) * (at + U(_SUMS)) + U(_SINGLES) * number, found
