"""What one seat sees of a game, as a state that kernels can search.

Everything hidden is wiped out of it: the hidden hands lie in the deck, of which only the set of
cards is kept, and which of the two copies of a card lies where depends only on what the seat sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from masons.engine.errors import PositionError
from masons.engine.game.action_history import ActionHistory
from masons.engine.state import layout as at
from masons.engine.state.position import Position, byte_in, kind_sets, phase_of, unpack_state

_ALL: Final = int(at.ALL_CARDS)


@dataclass(frozen=True)
class Observation:
    """A view: `state` (uint64[STATE_WORDS]) with each seat's `hidden` cards left in the deck.

    `history` (float64[HISTORY_SIZE], not to be modified): what each seat's choices say about its
    hand, where they are known (see `action_history`).
    """

    state: at.State
    hidden: tuple[int, ...]
    history: ActionHistory | None = None

    @cached_property
    def position(self) -> Position:
        """The view as plain data."""
        return unpack_state(self.state, self.hidden)

    @property
    def phase(self) -> str:
        """What is due."""
        return phase_of(self.state)

    @property
    def seat(self) -> int:
        """The seat that decides or draws."""
        return byte_in(self.state, at.SEAT)

    @property
    def players(self) -> int:
        """The number of seats."""
        return byte_in(self.state, at.PLAYERS)


def view_of(state: at.State, seat: int, history: ActionHistory | None = None) -> Observation:
    """What a seat sees of a state (uint64[STATE_WORDS], not modified)."""
    masked = state.copy()
    players = int(state.view(np.uint8)[int(at.PLAYERS)])
    hands = [int(word) for word in state[int(at.HANDS) : int(at.HANDS) + players]]
    own, own_twice = kind_sets(hands[seat])
    up, up_twice = kind_sets(int(state[int(at.DISCARD)]))
    # The first copies go to the hand first, then to the discard pile.
    hand = own | (own_twice << 1)
    pile = (up & ~own) | ((up & own) << 1) | (up_twice << 1)
    masked[int(at.HANDS) : int(at.HANDS) + players] = 0
    masked[int(at.HANDS) + seat] = hand
    masked[int(at.DISCARD)] = pile
    masked[int(at.DECK)] = _ALL & ~hand & ~pile
    hidden = tuple(0 if s == seat else cards.bit_count() for s, cards in enumerate(hands))
    return Observation(masked, hidden, history)


def view_of_position(state: at.State, position: Position) -> Observation:
    """The view that a position with hidden hands is; `state` was derived from it.

    Raises PositionError where the hand of the seat to decide is hidden.
    """
    if isinstance(position.hands[position.seat], int):
        raise PositionError(f"the hand of seat {position.seat}, which decides, is hidden")
    return Observation(state, tuple(h if isinstance(h, int) else 0 for h in position.hands))
