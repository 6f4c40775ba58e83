"""A seat's view of a game, stored as a state that kernels can search; checks of callers' states.

A view contains nothing that its seat cannot know. The cards of hidden hands are put into the deck,
which is a set without an order. A state tells the two copies of a card apart. In a view, the places
of the two copies depend only on what the seat sees, so they reveal nothing.

Kernels do not check their arguments, so `StateChecks` checks every number in a state that kernels
use as an index or as a count. `position_counts` checks that a game can reach a position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import CARDS, DECK, MAX_PLAYERS, MIN_PLAYERS
from masons.engine.board.geometry import Board, sound_board
from masons.engine.board.packed_board import pack_board
from masons.engine.checks import check_whole
from masons.engine.errors import MasonsError, PositionError
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.action_history import HISTORY_SIZE, ActionHistory
from masons.engine.game.move_lists import MoveLists
from masons.engine.plain_text import listed
from masons.engine.rules.legal_moves import MAX_CITIES
from masons.engine.rules.transitions import refresh_values
from masons.engine.state import layout
from masons.engine.state.derive import derive_state
from masons.engine.state.packed_move import DECISIONS, NO_DECISION, PHASE_NAMES
from masons.engine.state.position import Position, byte_in, kind_sets, phase_of, unpack_state

_HANDS: Final = slice(int(layout.HANDS), int(layout.DISCARD) + 1)
_SETS: Final = slice(0, int(layout.HANDS))
_HEADER: Final = slice(int(layout.PLAYERS), int(layout.QUEUE) + 1)
_SPACES: Final = slice(int(layout.SPACES_HALF), int(layout.SPACES_HALF) + 128)
_LABELS: Final = slice(int(layout.LABELS_BYTE), int(layout.SPACES) * 8)
_MOST_HISTORY: Final = 1e6  # far above the sums that a game can reach
_NO_CARDS: Final = sum(0xF << (64 * word + 60) for word in range(6))


def is_array(value: object, dtype: type[np.generic], size: int) -> bool:
    """Return whether a value is an array that kernels accept: 1-D, contiguous and writable."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == dtype
        and value.shape == (size,)
        and value.flags.carray
    )


def is_history(value: object) -> bool:
    """Return whether a value is an action history with numbers in a plausible range."""
    return (
        is_array(value, np.float64, HISTORY_SIZE)
        and isinstance(value, np.ndarray)
        and bool((np.abs(value) < _MOST_HISTORY).all())
    )


def need_state(state: object) -> None:
    """Raise PositionError if a value is not an array with the size and type of a state."""
    if not is_array(state, np.uint64, layout.STATE_WORDS):
        raise PositionError(
            f"a state is an array of {layout.STATE_WORDS} uint64 as Game.state gives it, "
            f"not {type(state).__name__}"
        )


class StateChecks:
    """Checks of states on a given board."""

    def __init__(self, board: Board) -> None:
        self._spaces, self._lines = len(board.space_lines), len(board.line_spaces)
        towers, words = len(board.tower_xy), int(layout.HANDS)
        starts = [64 * word for word in (*range(0, 24, 4), *range(24, words, 2), words)]
        self._outside = sum(
            (1 << end) - (1 << min(start + (self._lines if start < 64 * 24 else towers), end))
            for start, end in pairwise(starts)
        )
        self._towers = towers
        self._last = b""  # content of the last state that passed the checks

    def check(self, state: object) -> None:
        """Raise PositionError if kernels cannot work with a state safely."""
        need_state(state)
        assert isinstance(state, np.ndarray)
        content = state.tobytes()
        if content != self._last:
            fault = self._header_fault(content[_HEADER]) or self._set_fault(state)
            if fault:
                raise PositionError(f"this is not a state of the board: {fault}")
            self._last = content

    def _header_fault(self, header: bytes) -> str:
        players, active, seat, phase, end, _, _, _, line, _, die, first, second, city = header[:14]
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            return f"{players} players"
        if active >= players or seat >= players or header[-1] >> players:
            return "a seat that does not play"
        if phase >= len(PHASE_NAMES) or end >= len(layout.END_NAMES):
            return f"phase {phase}, end {end}"
        if line != layout.NONE and line >= self._lines:
            return f"line {line}"
        due = PHASE_NAMES[phase]
        if due in ("roll", "towers", "houses") and line == layout.NONE:
            return "no line for its wall"
        if (die > 2 and (die != layout.NONE or due == "towers")) or max(
            first, second
        ) > layout.JOKER:
            return "impossible dice"
        if city != layout.NONE and city >= self._spaces:
            return f"city {city}"
        if due in ("merge", "score") and city == layout.NONE:
            return "no city that counts"
        return ""

    def _set_fault(self, state: layout.State) -> str:
        if int.from_bytes(state[_SETS].tobytes(), "little") & self._outside:
            return "walls or towers off the board"
        if int.from_bytes(state[_HANDS].tobytes(), "little") & _NO_CARDS:
            return "impossible cards"
        labels = state.view(np.uint8)[_LABELS]
        if ((labels >= self._towers) & (labels != int(layout.NONE))).any():
            return "towers off the board"
        spaces = state.view(np.uint32)[_SPACES]
        inside = spaces >> np.uint32(31) != 0
        if (inside & (spaces & np.uint32(255) >= self._spaces)).any():
            return "a city off the board"
        roots = spaces & np.uint32(int(layout.IS_CITY)) != 0
        if spaces[self._spaces :].any() or np.count_nonzero(roots & ~inside) > MAX_CITIES:
            return "too many spaces or cities"
        return ""


_ALL: Final = int(layout.ALL_CARDS)


@dataclass(frozen=True, repr=False)
class Observation:
    """A seat's view, stored as a state (uint64[STATE_WORDS]) whose deck includes the hidden cards.

    `hidden` gives the number of hidden cards in each seat's hand. `history` (float64[HISTORY_SIZE],
    not to be modified) is the action history, or None if it is unknown (see `action_history`).
    `print(view)` draws the board.

    >>> from masons.engine.game.game import Game
    >>> view = Observation.from_text(Game(seed=1).observe(0).text)
    >>> view.hidden, len(view.legal_moves()), view.hand(1)
    ((0, 6), 170, None)
    """

    state: layout.State
    hidden: tuple[int, ...]
    history: ActionHistory | None = None
    # The board and the content of `state` if a game, a table or a text made the view, else None.
    # Such a view needs no check while its state is unchanged; any other view is checked when used.
    _made: tuple[Board, bytes] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        need_state(self.state)
        hidden = self.hidden
        if not isinstance(hidden, tuple) or any(
            type(count) is not int or not 0 <= count <= DECK for count in hidden
        ):
            raise PositionError("hidden must be a tuple: how many cards of each seat are hidden")

    @classmethod
    def from_text(cls, text: str, *, board: str | Path | Board | None = None) -> Observation:
        """Return the view that a position text describes; `?6` stands for a hidden hand of 6 cards.

        Lines that begin with `#`, the comments of a file, are skipped. Cards that the text hides
        are treated as still in the deck. Raises PositionError if `text` is not a valid position.
        """
        known, position = parse_position(text, None if board is None else sound_board(board))
        return sound_view(state_of_settled(known, position), hidden_in(position), None, known)

    @property
    def text(self) -> str:
        """The view as one line of text, which `from_text` reads.

        Raises MasonsError if neither a game, a table nor a text made the view: it has no board.
        """
        if self.board is None:
            raise MasonsError("this view has no board: get it from Game.observe or Table.view")
        return format_position(self.position, self.board)

    def __str__(self) -> str:
        from masons.engine.formats.text_board import draw_position

        return repr(self) if self.board is None else draw_position(self.board, self.position)

    def __repr__(self) -> str:
        """Return whose hands are seen and who decides, in a short line."""
        seen = [seat for seat, cards in enumerate(self.hidden) if not cards]
        several = "the hands of seats" if len(seen) > 1 else "the hand of seat"
        hands = f"{several} {listed(seen)}" if seen else "no hand"
        due = NO_DECISION.get(self.phase, f"seat {self.seat} has a {self.phase} decision")
        return f"<Observation: sees {hands}, hidden cards {self.hidden}; {due}>"

    def legal_moves(self) -> Sequence[Move]:
        """Return the legal moves of the seat that decides.

        The result is empty if a roll or a card is due or the game is over. Raises PositionError if
        the hand of the seat that decides is hidden, and for a view that was not made by a game, a
        table or a text, or was modified since.
        """
        if self.board is None or not self.is_untouched:
            raise PositionError("this view was changed, or has no board: use Table.view")
        if self.hidden[self.seat] and self.phase in DECISIONS:
            raise PositionError(hidden_hand(self.seat))
        return MoveLists(pack_board(self.board)).moves(self.state)

    def hand(self, seat: int) -> tuple[str, ...] | None:
        """Return the names of a seat's cards, or None if the hand is hidden."""
        hands = self.position.hands
        hand = hands[check_whole("seat", seat, 0, len(hands) - 1)]
        return None if isinstance(hand, int) else tuple(CARDS[kind] for kind in hand)

    @cached_property
    def position(self) -> Position:
        """The view as a position; computed once."""
        return self.unpacked()

    def unpacked(self) -> Position:
        """Compute `position` again. Raises PositionError if the state is not a position."""
        try:
            return unpack_state(self.state, self.hidden)
        except (IndexError, TypeError, ValueError, OverflowError):
            raise PositionError("the state of this view is not a position") from None

    @property
    def hidden_words(self) -> NDArray[np.uint64]:
        """`hidden` as kernels read it: four words, with 0 for a seat that does not play."""
        return np.array([*self.hidden, 0, 0, 0, 0][:MAX_PLAYERS], dtype=np.uint64)

    @property
    def board(self) -> Board | None:
        """The board if a game, a table or a text made the view, else None."""
        return self._made[0] if self._made else None

    @property
    def is_untouched(self) -> bool:
        """True if a game, a table or a text made the view, and its state was not changed since."""
        return self._made is not None and self._made[1] == self.state.tobytes()

    @property
    def phase(self) -> str:
        """The phase of the state."""
        return phase_of(self.state)

    @property
    def seat(self) -> int:
        """The seat that decides or draws."""
        return byte_in(self.state, layout.SEAT)

    @property
    def players(self) -> int:
        """The number of seats."""
        return byte_in(self.state, layout.PLAYERS)


def state_of_settled(board: Board, position: Position) -> layout.State:
    """Return the state of a settled position without checking the position again."""
    packed = pack_board(board)
    state = derive_state(board, packed, position)
    if position.phase in ("score", "draw") and position.city is not None:
        refresh_values(state, packed)
    return state


def sound_view(
    state: layout.State, hidden: tuple[int, ...], history: ActionHistory | None, board: Board
) -> Observation:
    """Return a view that needs no check, because the caller knows that the view fits `board`."""
    view = Observation(state, hidden, history)
    object.__setattr__(view, "_made", (board, state.tobytes()))
    return view


def view_of(
    state: layout.State,
    seat: int,
    history: ActionHistory | None = None,
    board: Board | None = None,
) -> Observation:
    """Return a seat's view of a state (uint64[STATE_WORDS], not modified).

    If `board` is given, the view is marked as sound on that board (see `sound_view`).
    """
    masked = state.copy()
    players = int(state.view(np.uint8)[int(layout.PLAYERS)])
    hands = [int(word) for word in state[int(layout.HANDS) : int(layout.HANDS) + players]]
    held, held_twice = kind_sets(hands[seat])
    up, up_twice = kind_sets(int(state[int(layout.DISCARD)]))
    # First copies are assigned to the hand first, then to the discard pile.
    hand = held | (held_twice << 1)
    pile = (up & ~held) | ((up & held) << 1) | (up_twice << 1)
    masked[int(layout.HANDS) : int(layout.HANDS) + players] = 0
    masked[int(layout.HANDS) + seat] = hand
    masked[int(layout.DISCARD)] = pile
    masked[int(layout.DECK)] = _ALL & ~hand & ~pile
    hidden = tuple(0 if s == seat else cards.bit_count() for s, cards in enumerate(hands))
    if board is None:
        return Observation(masked, hidden, history)
    return sound_view(masked, hidden, history, board)


def hidden_hand(seat: int) -> str:
    """Return the error message for a view that hides the hand of the seat that decides."""
    return (
        f"the hand of seat {seat}, which decides, is hidden: give the view of that seat, like "
        "game.observe(game.seat)"
    )


def hidden_in(position: Position) -> tuple[int, ...]:
    """Return the number of hidden cards in the hand of each seat."""
    return tuple(hand if isinstance(hand, int) else 0 for hand in position.hands)
