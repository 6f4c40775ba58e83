"""A board made ready for the kernels: states of positions, views, legal moves of states."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple, overload

import numpy as np

from masons.engine.board.geometry import Board, sound_board
from masons.engine.board.packed_board import pack_board
from masons.engine.checks import shown, whole
from masons.engine.errors import MasonsError, MoveError, PositionError
from masons.engine.formats.move_text import Move, final_move, move_given, swap_move
from masons.engine.formats.record_events import Log
from masons.engine.game.action_history import (
    HISTORY_WORKSPACE,
    ActionHistory,
    new_history,
    update_history,
)
from masons.engine.game.observation import (
    Observation,
    StateChecks,
    hidden_hand,
    hidden_in,
    is_history,
    need_state,
    sound_view,
)
from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS, list_moves
from masons.engine.rules.transitions import refresh_values
from masons.engine.state import layout as at
from masons.engine.state.derive import derive_state
from masons.engine.state.packed_move import FINAL
from masons.engine.state.position import Position, card_values, cities_in, kinds, space_words
from masons.engine.state.position_checks import settle_position

# Phases whose choices count against all that could have been chosen.
_CHOSEN_AMONG = (at.PHASE_WALL, at.PHASE_TOWERS, at.PHASE_HOUSES)


class Swaps(Sequence[Move]):
    """All the sub-multisets of a hand as swap moves, made one by one: there can be millions."""

    def __init__(self, hand: Sequence[int]) -> None:
        self._kinds = sorted(set(hand))
        self._counts = [list(hand).count(kind) for kind in self._kinds]
        self._len = 1
        for count in self._counts:
            self._len *= count + 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Swaps):
            return False
        return (self._kinds, self._counts) == (other._kinds, other._counts)

    def __hash__(self) -> int:
        return hash((*self._kinds, *self._counts))

    def __len__(self) -> int:
        return self._len

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._len))]
        if index < 0:
            index += self._len
        if not 0 <= index < self._len:
            raise IndexError(index)
        cards: list[int] = []
        for kind, count in zip(self._kinds, self._counts, strict=True):
            index, some = divmod(index, count + 1)
            cards += [kind] * some
        return swap_move(cards)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, int) or move < 0:
            return False
        some = Move(move)
        if some != swap_move(some.cards):
            return False
        most = dict(zip(self._kinds, self._counts, strict=True))
        return all(some.cards.count(kind) <= most.get(kind, 0) for kind in some.cards)


class Table:
    """A board made ready for the kernels, with their workspace: one for each thread."""

    def __init__(self, board: Board) -> None:
        self.board = sound_board(board)
        self.packed = pack_board(self.board)
        self._checks = StateChecks(self.board)
        self._work = np.zeros(WORK_WORDS, dtype=np.uint64)
        self._roots = np.zeros(MAX_CITIES, dtype=np.uint64)
        self._moves = np.zeros(MAX_MOVES, dtype=np.uint64)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)
        self._sums = np.zeros(HISTORY_WORKSPACE)

    def state_of(self, position: Position) -> at.State:
        """Return a state (uint64[STATE_WORDS]) for a position; hidden cards stay in the deck.

        Raises PositionError if the position is not sound on this board.
        """
        return self.state_of_settled(settle_position(self.board, position))

    def state_of_settled(self, position: Position) -> at.State:
        """`state_of` without a check that the position is sound."""
        state = derive_state(self.board, self.packed, position)
        if position.phase in ("score", "draw") and position.city is not None:
            refresh_values(state, self.packed)
        return state

    def view(self, observed: Position | Observation) -> Observation:
        """Return a view, also of a position; its hidden cards stay in the deck.

        Raises MasonsError for a view that is not of this board or not sound; PositionError for a
        position that hides the hand of the seat that decides.
        """
        if isinstance(observed, Position):
            view = self._view(observed, None)
            if view.hidden[view.seat]:
                raise PositionError(hidden_hand(view.seat))
            return view
        if not isinstance(observed, Observation):
            raise MasonsError(
                f"view is {shown(observed)}: give what Game.observe gives, or a Position"
            )
        if observed.history is not None and not is_history(observed.history):
            raise MasonsError("the history of the view is not one that Game.observe gives")
        if observed.board is None or not observed.is_untouched:
            # Whatever it holds, what it says as a position is what counts.
            return self._view(observed.unpacked(), observed.history)
        if observed.board is not self.board and observed.board != self.board:
            raise MasonsError(
                f"the view is of the board {observed.board.name}, not of the table's, "
                f"{self.board.name}"
            )
        return observed

    def _view(self, position: Position, history: ActionHistory | None) -> Observation:
        settled = settle_position(self.board, position)
        state = self.state_of_settled(settled)
        return sound_view(state, hidden_in(settled), history, self.board)

    def card_points(self, state: at.State, city: int | None) -> list[int]:
        """Return what each card scores for the city with that lowest space, or for none.

        Whatever counts in the state itself, which stays as it is. Raises MasonsError for what is
        no state, or no space.
        """
        self._checks.check(state)
        root = int(at.NONE) if city is None else whole(city)
        if root is None or (city is not None and not 0 <= root < len(self.board.space_lines)):
            raise MasonsError(f"city is {shown(city)}: it must be the lowest space of a city")
        other = state.copy()
        other.view(np.uint8)[int(at.CITY)] = root
        refresh_values(other, self.packed)
        return card_values(other)

    def legal_moves(self, state: at.State) -> Sequence[Move]:
        """Return the legal moves of a state; none where it waits for chance or the game is over.

        Raises PositionError for what is no state of the board.
        """
        self._checks.check(state)
        return self.moves_of_sound(state)

    def moves_of_sound(self, state: at.State) -> Sequence[Move]:
        """`legal_moves` without a check that it is a state."""
        small = state.view(np.uint8)
        if small[int(at.PHASE)] == at.PHASE_SWAP:
            return Swaps(kinds(int(state[int(at.HANDS) + small[int(at.SEAT)]])))
        count = list_moves(state, self.packed, self._work, self._roots, self._moves)
        return [Move(move) for move in self._moves[: int(count)].tolist()]

    def add_choice(self, state: at.State, move: Move | str, history: ActionHistory) -> None:
        """Add a choice of SEAT in `state` to an action history (modified in place).

        Raises MasonsError for a move that is not legal, and for what is no history.
        """
        if not self.is_legal(state, move):
            raise MoveError(f"{shown(move)} is not legal in this state")
        if not is_history(history):
            raise MasonsError(f"history is {shown(history)}: it must be one of new_history()")
        self.add_sound_choice(state, move_given(move), history)

    def add_sound_choice(self, state: at.State, move: Move, history: ActionHistory) -> None:
        """`add_choice` of a move that is legal, without a check."""
        count = 0
        if state.view(np.uint8)[int(at.PHASE)] in _CHOSEN_AMONG:
            count = int(list_moves(state, self.packed, self._work, self._roots, self._moves))
        update_history(
            state, self.packed, self._moves[:count], np.uint64(move), self._workspace, self._sums,
            history,
        )  # fmt: skip

    def is_legal(
        self, state: at.State, move: Move | str, listed: Container[object] | None = None
    ) -> bool:
        """Return whether a move may be made; `listed`: the legal moves, if known.

        In the final scoring any city may be named, also one that gives the same total as the
        lower one under which the move is listed. Raises MasonsError for what is no state or no
        move.
        """
        if not isinstance(move, Move):
            move = move_given(move)
        if listed is None:
            listed = self.legal_moves(state)
        elif not isinstance(listed, list | tuple | set | frozenset | Swaps):
            raise MasonsError(f"listed is {shown(listed)}: give the legal moves, or None")
        if move in listed:
            return True
        if move.kind != FINAL:
            return False
        need_state(state)
        small = state.view(np.uint8)
        if small[int(at.PHASE)] != at.PHASE_FINAL:
            return False
        hand = kinds(int(state[int(at.HANDS) + small[int(at.SEAT)]]))
        roots = {min(city) for city in cities_in(space_words(state))}
        return (
            bool(move.cards)
            and move.city in roots
            and move == final_move(move.city, move.cards)
            and all(move.cards.count(kind) <= hand.count(kind) for kind in move.cards)
        )

    def listed_as(self, state: at.State, move: Move | str) -> Move:
        """Return the listed form of a legal move: in the final scoring it may name another city.

        That is the lowest city for which its cards score the same together. Raises MasonsError for
        what is no state, no move, or a move with a city that there is not.
        """
        if not isinstance(move, Move):
            move = move_given(move)
        if move.kind != FINAL or move.city is None:
            return move

        def total(city: int) -> int:
            points = self.card_points(state, city)
            return sum(points[kind] for kind in move.cards)

        same = total(move.city)
        roots = (min(city) for city in cities_in(space_words(state)))
        listed = (final_move(root, move.cards) for root in roots if total(root) == same)
        same_move = next(listed, None)
        if same_move is None:
            raise MoveError(f"{move} is not legal here: there is no such city")
        return same_move


class Moment(NamedTuple):
    """A decision, and what there was before it."""

    move: Move
    state: at.State
    log: Log
    rng: object


class KeptHistory:
    """The action history of a game, brought up to date when it is asked for.

    `is_new`: the game is known from its first turn on; else there is no history.
    """

    def __init__(self, table: Table, *, is_new: bool) -> None:
        self._table = table
        self._is_new = is_new
        self._history, self._decisions = new_history(), 0

    def after(self, past: Sequence[Moment]) -> ActionHistory | None:
        """Return the history (float64[HISTORY_SIZE], not to be modified) after some decisions."""
        if not self._is_new:
            return None
        if self._decisions < len(past):
            history = self._history.copy()
            for moment in past[self._decisions :]:
                self._table.add_sound_choice(moment.state, moment.move, history)
            self._history, self._decisions = history, len(past)
        return self._history

    def forget(self, decisions: int) -> None:
        """Let only the first so many decisions stand: later ones were taken back."""
        if self._decisions > decisions:
            self._history, self._decisions = new_history(), 0
