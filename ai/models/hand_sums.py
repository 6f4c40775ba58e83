"""A cache of the sums that the cards in a hand add to a net's hidden units.

A search evaluates thousands of positions in which a seat holds the same cards. HELD counts the
copies of each kind in a hand, and HELD_LEFT is HELD times the share of the game that is left. The
cache therefore contains two sums of weights for each hand, one for HELD and one for HELD_LEFT; the
second sum is multiplied by the share when it is used.

Two hands are cached for each seat: one that occurred at least twice, and the most recent other
hand. A hand that is dealt in one simulation therefore does not replace the hand with which all
simulations begin.

| words            | content                                                                  |
| ---------------- | ------------------------------------------------------------------------ |
| 3 for each seat  | the two hands, as sets of cards (0: none); the number, 0 or 1, of the    |
|                  | hand that occurred at least twice                                        |
| from 64 on       | for each seat and hand, a row with the sums for HELD and a row with the  |
|                  | sums for HELD_LEFT; a row has 64 words: float32[2][HIDDEN]               |
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
    """Empty the cache. This is necessary before another net is used."""
    for seat in range(U(MAX_SEATS)):
        hands[_SEAT * seat] = hands[_SEAT * seat + U(1)] = U(0)


@inner
def find_hand(hands: Words, seat: Word, hand: Word) -> tuple[Word, bool]:
    """Return the number of the first row of a seat's hand, and True if the hand's sums are cached.

    If they are not cached, the caller must fill this row with the sums for HELD, and the next row
    with the sums for HELD_LEFT. Both are float32[2 * HIDDEN]. An empty hand is never cached.
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
