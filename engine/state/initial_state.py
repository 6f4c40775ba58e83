"""The state before the first turn: an empty board, full supplies, and the deal (rules, 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from masons.engine.board import components as box
from masons.engine.board.packed_board import ALL_LINES, PackedBoard
from masons.engine.kernels.jit import aligned_zeros
from masons.engine.state import layout as at
from masons.engine.state.position import one_of


def _per_color(count: int, colors: Sequence[str]) -> int:
    """A supply word: the same count in a byte for each colour."""
    return sum(count << (8 * i) for i in range(len(colors)))


def empty_state(
    table: PackedBoard, players: int, *, first: int = 0, early_roll: bool = False
) -> at.State:
    """A state (uint64[STATE_WORDS]) with all 60 cards in the deck: deal before the first turn."""
    state = aligned_zeros(at.STATE_WORDS, np.uint64)
    small = state.view(np.uint8)
    state[int(at.OPEN) : int(at.OPEN) + 4] = table[int(ALL_LINES) : int(ALL_LINES) + 4]
    state[int(at.DECK)] = at.ALL_CARDS
    state[int(at.TOWER_SUPPLY)] = _per_color(box.TOWERS_PER_COLOR, box.TOWER_COLORS)
    state[int(at.HOUSE_SUPPLY)] = _per_color(box.HOUSES_PER_COLOR, box.HOUSE_COLORS)
    state[int(at.PALACE_SUPPLY)] = _per_color(box.PALACES_PER_COLOR, box.HOUSE_COLORS)
    small[int(at.LABELS_BYTE) : int(at.SPACES) * 8] = int(at.NONE)
    small[int(at.WALL_LEFT)] = box.WALLS
    small[int(at.PLAYERS)] = players
    small[int(at.ACTIVE)] = small[int(at.SEAT)] = first
    for field in (at.LINE, at.DIE, at.CITY):
        small[int(field)] = int(at.NONE)
    small[int(at.OPTIONS)] = int(at.EARLY_ROLL_OPTION) if early_roll else 0
    return state


def deal_hands(state: at.State, hands: Sequence[Sequence[int]]) -> None:
    """Give each seat its cards (kinds) out of the deck (`state` modified in place)."""
    deck = int(state[int(at.DECK)])
    for seat, hand in enumerate(hands):
        for kind in hand:
            card = one_of(deck, kind)
            deck ^= card
            state[int(at.HANDS) + seat] |= np.uint64(card)
    state[int(at.DECK)] = deck
