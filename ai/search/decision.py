"""A decision in the form that the kernels of search and rollout take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import hand_weights_of
from masons.engine.checks import check_type
from masons.engine.errors import MasonsError, PositionError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation, hidden_hand
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words, field_of
from masons.engine.state.packed_move import DECISIONS, NO_DECISION
from masons.engine.state.position import Position

# --- decision view
# Every search and every player first checks the view of its decision here, because kernels check
# nothing.


def sound_view_of(table: Table, seen: Position | Observation) -> Observation:
    """Return a view that fits the table's board; raise MasonsError if it does not fit."""
    check_type("table", table, Table, "a Table, like game.table")
    return table.view(seen)


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


class Decision(NamedTuple):
    """The decision that is searched. Kernels do not modify it."""

    observed: Words  # uint64[STATE_WORDS]: the state of the view, with hidden cards in the deck
    board: Words  # uint64[BOARD_WORDS]: the packed board
    hidden: Words  # uint64[4]: the number of hidden cards in each seat's hand
    predicts_hands: Word  # 1: hidden cards are dealt by `hand_weights`; 0: dealt uniformly
    hand_weights: Floats  # float64[HAND_WEIGHTS] (see `hand_model`), or [0] if not `predicts_hands`
    moves: Words  # uint64[move_count]
    move_count: Word


def decision_of(
    table: Table, view: Observation, moves: Sequence[Move], numbers: Mapping[str, NDArray[Any]]
) -> Decision:
    """Return the decision among `moves` in a view; `numbers` is as in `model_data.learned`."""
    return Decision(
        observed=field_of(view.state),
        board=field_of(table.packed),
        hidden=field_of(np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)),
        predicts_hands=U(1),
        hand_weights=field_of(hand_weights_of(table, view, numbers)),
        moves=field_of(np.array([int(move) for move in moves], dtype=np.uint64)),
        move_count=U(len(moves)),
    )
