"""The decision of a search: its checked view and moves, and the form of both for kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import hand_weights_of
from masons.ai.policies.heuristic_play import likely_swaps
from masons.engine.checks import check_type
from masons.engine.errors import MasonsError, MoveError, PositionError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation, hidden_hand
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words
from masons.engine.state.packed_move import DECISIONS, NO_DECISION
from masons.engine.state.position import Position

# Only swaps of large hands offer more moves than this. In that case only the likely swaps are
# searched.
MOST_MOVES: Final = 512

# --- decision view
# Every search and every player first checks the view of its decision here, because kernels check
# nothing.


def decision_view(table: Table, seen: Position | Observation) -> Observation:
    """Return the view of the seat that decides, after checking it.

    Raises MasonsError if no decision is due, if the view is of another board, or if it hides the
    hand of the seat that decides.
    """
    check_type("table", table, Table, "a Table, like game.table")
    if isinstance(seen, Position) and isinstance(seen.phase, str) and seen.phase in NO_DECISION:
        raise MasonsError(f"there is nothing to decide: {NO_DECISION[seen.phase]}")
    view = table.view(seen)
    if view.phase not in DECISIONS:
        raise MasonsError(f"there is nothing to decide: {NO_DECISION[view.phase]}")
    if view.seat < len(view.hidden) and view.hidden[view.seat]:
        raise PositionError(hidden_hand(view.seat))
    return view


def moves_to_search(
    table: Table,
    view: Observation,
    only: Sequence[Move] | None = None,
    also: Sequence[Move] = (),
) -> list[Move]:
    """Return the moves of `only` followed by the moves of `also`, each move once.

    If `only` is None, it stands for all legal moves, or for the likely swaps if there are too many.
    Raises MoveError for an illegal move, and if `only` is empty.
    """
    legal = table.legal_moves(view.state)
    for move in (*(only or ()), *also):
        if not table.is_legal(view.state, move, legal):
            raise MoveError(table.refusal(view.state, move))
    if only is None:
        only = legal if len(legal) <= MOST_MOVES else likely_swaps(table, view)
    elif not only:
        raise MoveError("there is no move to search")
    return list(dict.fromkeys([*only, *also]))


class Decision(NamedTuple):
    """The decision that is searched. Kernels do not modify it."""

    observed: Words  # uint64[STATE_WORDS]: the state of the view, with hidden cards in the deck
    board: Words  # uint64[BOARD_WORDS]: the packed board
    hidden: Words  # uint64[4]: the number of hidden cards in each seat's hand
    by_weights: Word  # 1: hidden cards are dealt using `hand_weights`; 0: uniformly
    hand_weights: Floats  # float64[HAND_WEIGHTS] (see `hand_model`), or [0] if not `by_weights`
    moves: Words  # uint64[move_count]
    move_count: Word


def decision_of(
    table: Table, view: Observation, moves: Sequence[Move], numbers: Mapping[str, NDArray[Any]]
) -> Decision:
    """Return the decision among `moves` in a view; `numbers` is as in `model_data.learned`."""
    return Decision(
        observed=view.state,
        board=table.packed,
        hidden=view.hidden_words,
        by_weights=U(1),
        hand_weights=hand_weights_of(table, view, numbers),
        moves=np.array([int(move) for move in moves], dtype=np.uint64),
        move_count=U(len(moves)),
    )
