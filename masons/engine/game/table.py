"""A table: a board prepared for the kernels. It makes states, views and lists of legal moves."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

import numpy as np

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board, sound_board
from masons.engine.board.packed_board import pack_board
from masons.engine.checks import check_whole, shown, whole
from masons.engine.errors import MasonsError, MoveError, PositionError
from masons.engine.formats.move_text import Move, final_move, format_move, move_given, parse_move
from masons.engine.formats.record_events import Log
from masons.engine.game.action_history import (
    HISTORY_WORKSPACE,
    ActionHistory,
    new_history,
    update_history,
)
from masons.engine.game.move_lists import MoveLists, Swaps
from masons.engine.game.observation import (
    Observation,
    StateChecks,
    hidden_hand,
    hidden_in,
    is_history,
    need_state,
    sound_view,
    state_of_settled,
)
from masons.engine.rules.scoring import AREAS, fill_closing_values
from masons.engine.rules.transitions import refresh_values
from masons.engine.state import layout, packed_move
from masons.engine.state.packed_move import (
    ABSTAIN,
    EARLY_ROLL,
    FINAL,
    HOUSES,
    MERGE,
    NO_DECISION,
    PLAY,
    SWAP,
    TOWERS,
    WALL,
)
from masons.engine.state.position import (
    Position,
    card_values,
    cities_in,
    kinds,
    space_words,
    unpack_state,
)
from masons.engine.state.position_checks import settle_position

# Phases in which the action history compares the move chosen with all legal moves.
_CHOSEN_AMONG = (layout.PHASE_WALL, layout.PHASE_TOWERS, layout.PHASE_HOUSES)
_NONE = np.zeros(0, dtype=np.uint64)
_CARD_MOVES: Final = (PLAY, ABSTAIN, SWAP, FINAL)
# The kinds of moves of each decision.
_KINDS: Final = {
    "wall": (WALL, EARLY_ROLL),
    "towers": (TOWERS,),
    "houses": (HOUSES,),
    "merge": (MERGE,),
    "score": (PLAY, ABSTAIN),
    "swap": (SWAP,),
    "final": (FINAL,),
}


class Table:
    """A board prepared for the kernels, with workspaces; each thread needs a table of its own.

    The attribute `board` is the argument, and `packed` is the board as kernels read it.
    """

    def __init__(self, board: Board) -> None:
        self.board = sound_board(board)
        self.packed = pack_board(self.board)
        self._checks = StateChecks(self.board)
        self._lists = MoveLists(self.packed)
        self._areas = np.zeros(AREAS, dtype=np.uint64)
        self._workspace = np.zeros(layout.STATE_WORDS, dtype=np.uint64)
        self._sums = np.zeros(HISTORY_WORKSPACE)

    def state_of(self, position: Position) -> layout.State:
        """Return the state (uint64[STATE_WORDS]) of a position; hidden cards stay in the deck.

        Raises PositionError if the position is not valid on this board.
        """
        return self.state_of_settled(settle_position(self.board, position))

    def state_of_settled(self, position: Position) -> layout.State:
        """Return the state of a settled position without checking the position again."""
        return state_of_settled(self.board, position)

    def view(self, observed: Position | Observation) -> Observation:
        """Return a checked view; a position is converted to a view.

        Cards that a position hides are treated as still in the deck. Raises MasonsError for an
        invalid view or a view of another board, and PositionError for a position that hides the
        hand of the seat that decides.
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
            # An unchecked state is rebuilt from its position, so that all derived fields are
            # correct.
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

    def card_points(self, state: layout.State, city: int | None) -> list[int]:
        """Return the points of each kind of card for a city, or without a city if `city` is None.

        `city` is the lowest space of the city, and replaces the city that is being scored in the
        state. The state is not modified. Raises MasonsError for an invalid state or a number that
        is not a space.
        """
        self._checks.check(state)
        root = int(layout.NONE) if city is None else whole(city)
        if root is None or (city is not None and not 0 <= root < len(self.board.space_lines)):
            raise MasonsError(f"city is {shown(city)}: it must be the lowest space of a city")
        other = state.copy()
        other.view(np.uint8)[int(layout.CITY)] = root
        refresh_values(other, self.packed)
        return card_values(other)

    def closed_city(self, state: layout.State, line: int) -> tuple[int, list[int]]:
        """Return the size of the city that a wall on an open line would complete, and its points.

        The size is the number of spaces, or 0 if the wall would complete no city. The points are
        those of each kind of card. They ignore the pieces that this turn's dice add, and any merge.
        The state is not modified. Raises MasonsError for an invalid state or line.
        """
        self._checks.check(state)
        number = check_whole("line", line, 0, len(self.board.line_spaces) - 1)
        other = state.copy()
        size = fill_closing_values(other, self.packed, number, self._areas)
        return int(size), card_values(other)

    def legal_moves(self, state: layout.State) -> Sequence[Move]:
        """Return the legal moves of a state, or none if it waits for chance or the game is over.

        Raises PositionError for a state that does not fit the board.
        """
        self._checks.check(state)
        return self.moves_of_sound(state)

    def moves_of_sound(self, state: layout.State) -> Sequence[Move]:
        """Return the legal moves of a state that needs no check."""
        return self._lists.moves(state)

    def add_choice(self, state: layout.State, move: Move | str, history: ActionHistory) -> None:
        """Record the move of the seat that decides in `state`; `history` is modified in place.

        Raises MasonsError for a move that is not legal, and for an invalid history.
        """
        if not self.is_legal(state, move):
            raise MoveError(self.refusal(state, move))
        if not is_history(history):
            raise MasonsError(f"history is {shown(history)}: it must be one of new_history()")
        self.add_sound_choice(state, move_given(move), history)

    def add_sound_choice(self, state: layout.State, move: Move, history: ActionHistory) -> None:
        """Record a move in an action history without checking that the move is legal."""
        is_listed = state.view(np.uint8)[int(layout.PHASE)] in _CHOSEN_AMONG
        listed = self._lists.packed_moves(state) if is_listed else _NONE
        update_history(
            state, self.packed, listed, len(listed), np.uint64(move), self._workspace, self._sums,
            history,
        )  # fmt: skip

    def is_legal(
        self, state: layout.State, move: Move | str, listed: Container[object] | None = None
    ) -> bool:
        """Return whether a move is legal in a state; `listed` holds the legal moves, if known.

        In the final scoring, a move may name any city. If two cities give the same points, only the
        city with the lower number is listed, but both are legal. Raises MasonsError for an invalid
        state or move.
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
        if small[int(layout.PHASE)] != layout.PHASE_FINAL:
            return False
        hand = kinds(int(state[int(layout.HANDS) + small[int(layout.SEAT)]]))
        roots = {min(city) for city in cities_in(space_words(state))}
        return (
            bool(move.cards)
            and move.city in roots
            and move == final_move(move.city, move.cards)
            and all(move.cards.count(kind) <= hand.count(kind) for kind in move.cards)
        )

    def refusal(self, state: layout.State, move: Move | str) -> str:
        """Return a message that says that a move is not legal in a state, and why.

        Raises MoveError for a value that is not a move, and PositionError for an invalid state.
        """
        self._checks.check(state)
        chosen = move_given(move)
        text = format_move(chosen)
        return f"{text} is not legal now: {self._obstacle(unpack_state(state), chosen, text)}"

    def _obstacle(self, position: Position, move: Move, text: str) -> str:
        """Return why a move, whose text is given, is not legal in a position."""
        due, seat = position.phase, position.seat
        decision = NO_DECISION.get(due, f"seat {seat} has a {due} decision")
        if move.kind not in _KINDS.get(due, ()):
            return decision
        try:
            parse_move(text, self.board)
        except MoveError as error:
            return str(error)
        if move.kind == WALL:
            is_taken = move.place in position.walls
            return f"line {move.place} {'already has a wall' if is_taken else 'is inside a city'}"
        root = move.place if move.kind == MERGE else move.city if move.kind == FINAL else None
        if root not in (None, packed_move.NONE, *map(min, position.cities)):
            return f"space {root} is not the lowest space of a city"
        hand = position.hands[seat]
        if move.kind in _CARD_MOVES and isinstance(hand, tuple):
            for kind in move.cards:
                if (held := hand.count(kind)) < move.cards.count(kind):
                    some = "only one" if held else "no"
                    return f"seat {seat} holds {some} {CARDS[kind]}"
        return decision

    def listed_as(self, state: layout.State, move: Move | str) -> Move:
        """Return a legal move in the form in which `legal_moves` lists it.

        The form differs only in the final scoring, where the listed move names the lowest city for
        which the cards score the same total. Raises MasonsError for an invalid state or move, or
        for a city that does not exist.
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
            raise MoveError(f"{move} is not legal now: there is no such city")
        return same_move


class Moment(NamedTuple):
    """A decision, with the state, the log and the mark of chance before the decision."""

    move: Move
    state: layout.State
    log: Log
    rng: object


class KeptHistory:
    """The action history of a game, updated on demand.

    `is_new` is true if the game is known from its first turn on; otherwise there is no history.
    """

    def __init__(self, table: Table, *, is_new: bool) -> None:
        self._table = table
        self._is_new = is_new
        self._history, self._decisions = new_history(), 0

    def copy(self, table: Table) -> KeptHistory:
        """Return an independent copy that works with another table of the same board."""
        other = KeptHistory(table, is_new=self._is_new)
        other._history, other._decisions = self._history, self._decisions  # never changed in place
        return other

    def after(self, past: Sequence[Moment]) -> ActionHistory | None:
        """Return the history after the decisions `past`, or None.

        The history is a float64[HISTORY_SIZE], not to be modified. The result is None if the game
        is not known from its first turn on.
        """
        if not self._is_new:
            return None
        if self._decisions < len(past):
            history = self._history.copy()
            for moment in past[self._decisions :]:
                self._table.add_sound_choice(moment.state, moment.move, history)
            self._history, self._decisions = history, len(past)
        return self._history

    def forget(self, decisions: int) -> None:
        """Forget the decisions after number `decisions`, because they were taken back."""
        if self._decisions > decisions:
            self._history, self._decisions = new_history(), 0
