"""What one seat sees of a game, as a state that kernels can search.

Everything hidden is wiped out of it: the hidden hands lie in the deck, of which only the set of
cards is kept, and which of the two copies of a card lies where depends only on what the seat sees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from masons.engine.board.components import DECK
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError
from masons.engine.game.action_history import ActionHistory
from masons.engine.game.state_checks import need_state
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
    # The board and the content of `state` where a game or a table made the view: then it is sound
    # as long as nobody wrote to it. One made by hand is checked when it is used.
    _made: tuple[Board, bytes] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        need_state(self.state)
        hidden = self.hidden
        if not isinstance(hidden, tuple) or any(
            type(count) is not int or not 0 <= count <= DECK for count in hidden
        ):
            raise PositionError("hidden must be a tuple: how many cards of each seat are hidden")

    @cached_property
    def position(self) -> Position:
        """The view as plain data."""
        return self.unpacked()

    def unpacked(self) -> Position:
        """`position`, worked out anew. Raises PositionError for a state that has none."""
        try:
            return unpack_state(self.state, self.hidden)
        except (IndexError, TypeError, ValueError, OverflowError):
            raise PositionError("the state of this view says no position") from None

    @property
    def board(self) -> Board | None:
        """The board, where a game or a table made the view."""
        return self._made[0] if self._made else None

    @property
    def is_untouched(self) -> bool:
        """Whether a game or a table made the view, and nobody wrote to its state."""
        return self._made is not None and self._made[1] == self.state.tobytes()

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


def sound_view(
    state: at.State, hidden: tuple[int, ...], history: ActionHistory | None, board: Board
) -> Observation:
    """A view that is known to be one of `board`."""
    view = Observation(state, hidden, history)
    object.__setattr__(view, "_made", (board, state.tobytes()))
    return view


def view_of(
    state: at.State,
    seat: int,
    history: ActionHistory | None = None,
    board: Board | None = None,
) -> Observation:
    """What a seat sees of a state (uint64[STATE_WORDS], not modified), sound on `board`."""
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
    if board is None:
        return Observation(masked, hidden, history)
    return sound_view(masked, hidden, history, board)


def hidden_hand(seat: int) -> str:
    """What is to be said where the seat that decides cannot see its hand."""
    return (
        f"the hand of seat {seat}, which decides, is hidden: give the view of that seat, like "
        "game.observe(game.seat)"
    )


def hidden_in(position: Position) -> tuple[int, ...]:
    """How many cards of each seat a position hides."""
    return tuple(hand if isinstance(hand, int) else 0 for hand in position.hands)
