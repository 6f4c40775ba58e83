"""Sums that the cards in hand add to a net's hidden units, kept as long as a hand is the same.

A search evaluates thousands of positions in which a seat holds the same cards. The inputs HELD say
how many of each kind it holds, HELD_LEFT are those times the share of the game that is left: so two
sums of weights are kept, one by each, and the second is multiplied by that share.

Two hands of each seat are remembered: one that was met twice, and the last other one. What a city
deals in one simulation does not push out the hand that all others begin with.

| words            | what                                                                     |
| ---------------- | ------------------------------------------------------------------------ |
| 3 of each seat   | the two hands, sets of cards (0: none); the number, 0 or 1, of the hand  |
|                  | that was met again                                                       |
| from 64 on: 64   | of each seat, of each hand, by HELD and by HELD_LEFT: float32[2][HIDDEN] |
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import MAX_SEATS
from masons.ai.models.net_shapes import HIDDEN
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, inner

_SEAT, _STAYS = U(3), U(2)
# Workspace: uint64[HAND_SUMS], zeros at first.
HAND_SUMS: Final = (1 + 4 * MAX_SEATS) * HIDDEN


@inner
def forget_hands(hands: Words) -> None:
    """Forget all hands: their sums may belong to another net."""
    for seat in range(U(MAX_SEATS)):
        hands[_SEAT * seat] = hands[_SEAT * seat + U(1)] = U(0)


@inner
def find_hand(hands: Words, seat: Word, hand: Word) -> tuple[Word, bool]:
    """Return the row of a seat's hand in `hands` (by HELD or HELD_LEFT), and whether it is known.

    If not both are to be filled in. A row is float32[2 * HIDDEN]. No hand (0) is never known.
    """
    at = _SEAT * seat
    stays = hands[at + _STAYS]
    number, is_kept = stays, hand != U(0) and hands[at + stays] == hand
    if not is_kept:
        number = U(1) - stays
        is_kept = hand != U(0) and hands[at + number] == hand
        if is_kept:
            hands[at + _STAYS] = number
        else:
            hands[at + number] = hand
    return U(1) + U(4) * seat + U(2) * number, is_kept
