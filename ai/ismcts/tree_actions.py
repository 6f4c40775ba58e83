"""The moves that the search looks at, and their short forms.

They are the legal moves with two differences that lose nothing: a swap is taken card by card
(kinds ascending, then it is closed), and in the final scoring each set of cards is tried only with
the city where it scores most.
"""

from __future__ import annotations

from typing import Final

from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, inner
from masons.engine.rules.legal_moves import kinds_of, list_best_finals, list_legal
from masons.engine.state.layout import (
    ABSTAIN_MOVE,
    EXCHANGE_MOVE,
    HANDS,
    KIND_SHIFT,
    NO_CARD,
    PHASE,
    PHASE_FINAL,
    PHASE_SWAP,
    SEAT,
    SWAP_MOVE,
)

NARROW_SHIFT = U(28)
_PAYLOAD = U((1 << 28) - 1)
_PAIR_ROWS = U(64)
_NO_CARDS = U(60)
# Numbers given by `card_number`.
CARD_MOVES: Final = 64 + 32 * 32


@inner
def narrow(move: Word) -> Word:
    """A move in 32 bits (any but a whole swap of some cards)."""
    return ((move >> KIND_SHIFT) << NARROW_SHIFT) | (move & _PAYLOAD)


@inner
def widen(move: Word) -> Word:
    """The 64-bit form of a narrowed move."""
    return ((move >> NARROW_SHIFT) << KIND_SHIFT) | (move & _PAYLOAD)


@inner
def card_number(move: Word) -> Word:
    """A number below CARD_MOVES for a narrowed move of cards, distinct within one decision."""
    kind = move >> NARROW_SHIFT
    first, second = move & U(31), (move >> U(5)) & U(31)
    if kind == SWAP_MOVE or first == NO_CARD:
        return _NO_CARDS
    if kind == ABSTAIN_MOVE:
        return U(30) + first
    if kind == EXCHANGE_MOVE or second == NO_CARD:
        return first
    return _PAIR_ROWS + U(32) * first + second


@inner
def _list_exchanges(state: Words, least: Word, out: Words) -> Word:
    """Closing the swap, and each kind from `least` on that can still be discarded."""
    out[0] = SWAP_MOVE << KIND_SHIFT
    n = U(1)
    kinds = kinds_of(state[HANDS + U(bytes_of(state)[SEAT])])
    kinds &= ~((U(1) << (U(2) * least)) - U(1))
    while kinds:
        out[n] = (EXCHANGE_MOVE << KIND_SHIFT) | (lowest(kinds) >> U(1))
        kinds &= kinds - U(1)
        n += U(1)
    return n


@inner
def list_actions(
    state: Words, board: Words, least: Word, work: Words, roots: Words, out: Words
) -> Word:
    """Fill `out` with the moves to search, narrowed; their number.

    `least` is the lowest kind of card that a swap under way may still discard.
    """
    phase = U(bytes_of(state)[PHASE])
    if phase == PHASE_SWAP:
        n = _list_exchanges(state, least, out)
    elif phase == PHASE_FINAL:
        n = list_best_finals(state, board, work, roots, out)
    else:
        n = list_legal(state, board, work, roots, out)
    for i in range(n):
        out[i] = narrow(out[i])
    return n
