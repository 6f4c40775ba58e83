"""A board made ready for the kernels: states of positions, views, legal moves of states."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import overload

import numpy as np

from masons.engine.board.geometry import Board
from masons.engine.board.packed_board import pack_board
from masons.engine.formats.move_text import Move, final_move, swap_move
from masons.engine.game.action_history import HISTORY_WORKSPACE, ActionHistory, update_history
from masons.engine.game.observation import Observation, view_of_position
from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS, list_moves
from masons.engine.rules.transitions import refresh_values
from masons.engine.state import layout as at
from masons.engine.state.derive import derive_state
from masons.engine.state.packed_move import FINAL
from masons.engine.state.position import Position, card_values, cities_in, kinds, space_words

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
        self.board = board
        self.packed = pack_board(board)
        self._work = np.zeros(WORK_WORDS, dtype=np.uint64)
        self._roots = np.zeros(MAX_CITIES, dtype=np.uint64)
        self._moves = np.zeros(MAX_MOVES, dtype=np.uint64)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)
        self._sums = np.zeros(HISTORY_WORKSPACE)

    def state_of(self, position: Position) -> at.State:
        """A state (uint64[STATE_WORDS]) for a settled position; hidden cards stay in the deck."""
        state = derive_state(self.board, self.packed, position)
        if position.phase in ("score", "draw") and position.city is not None:
            refresh_values(state, self.packed)
        return state

    def view(self, observed: Position | Observation) -> Observation:
        """A view, also of a position; its hidden cards stay in the deck."""
        if isinstance(observed, Observation):
            return observed
        return view_of_position(self.state_of(observed), observed)

    def card_points(self, state: at.State, city: int | None) -> list[int]:
        """What each kind of card scores if the city with that lowest space counts; None: no city.

        Whatever counts in the state itself, which stays as it is.
        """
        other = state.copy()
        other.view(np.uint8)[int(at.CITY)] = int(at.NONE) if city is None else city
        refresh_values(other, self.packed)
        return card_values(other)

    def legal_moves(self, state: at.State) -> Sequence[Move]:
        """The legal moves of a state; none where it waits for chance or the game is over."""
        small = state.view(np.uint8)
        if small[int(at.PHASE)] == at.PHASE_SWAP:
            return Swaps(kinds(int(state[int(at.HANDS) + small[int(at.SEAT)]])))
        count = list_moves(state, self.packed, self._work, self._roots, self._moves)
        return [Move(move) for move in self._moves[: int(count)].tolist()]

    def add_choice(self, state: at.State, move: Move, history: ActionHistory) -> None:
        """Add a choice of SEAT in `state` to an action history (modified in place)."""
        count = 0
        if state.view(np.uint8)[int(at.PHASE)] in _CHOSEN_AMONG:
            count = int(list_moves(state, self.packed, self._work, self._roots, self._moves))
        update_history(
            state, self.packed, self._moves[:count], np.uint64(move), self._workspace, self._sums,
            history,
        )  # fmt: skip

    def is_legal(
        self, state: at.State, move: Move, listed: Container[object] | None = None
    ) -> bool:
        """Whether a move may be made in a state; `listed`: its legal moves, where they are known.

        In the final scoring any city may be named, also one that gives the same total as the
        lower one under which the move is listed.
        """
        if move in (self.legal_moves(state) if listed is None else listed):
            return True
        small = state.view(np.uint8)
        if move.kind != FINAL or small[int(at.PHASE)] != at.PHASE_FINAL:
            return False
        hand = kinds(int(state[int(at.HANDS) + small[int(at.SEAT)]]))
        roots = {min(city) for city in cities_in(space_words(state))}
        return (
            bool(move.cards)
            and move.city in roots
            and move == final_move(move.city, move.cards)
            and all(move.cards.count(kind) <= hand.count(kind) for kind in move.cards)
        )

    def listed_as(self, state: at.State, move: Move) -> Move:
        """The name under which a legal move is listed: in the final scoring another city's perhaps.

        That is the lowest city for which its cards score the same together.
        """
        if move.kind != FINAL or move.city is None:
            return move

        def total(city: int) -> int:
            points = self.card_points(state, city)
            return sum(points[kind] for kind in move.cards)

        same = total(move.city)
        roots = (min(city) for city in cities_in(space_words(state)))
        return next(final_move(root, move.cards) for root in roots if total(root) == same)
