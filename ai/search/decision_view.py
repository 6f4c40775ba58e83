"""The view of a decision: what a search or a player begins with.

Every search and every player that reads a view looks at it here first, as kernels check nothing.
"""

from __future__ import annotations

from masons.engine.checks import check_type
from masons.engine.errors import MasonsError, PositionError
from masons.engine.game.observation import Observation, hidden_hand
from masons.engine.game.table import Table
from masons.engine.state.packed_move import DECISIONS, NO_DECISION
from masons.engine.state.position import Position


def sound_view_of(table: Table, seen: Position | Observation) -> Observation:
    """A view that is one of the table's board. Raises MasonsError."""
    check_type("table", table, Table, "a Table, like game.table")
    return table.view(seen)


def decision_view(table: Table, seen: Position | Observation) -> Observation:
    """The view of a decision.

    Raises MasonsError where there is none, where it is not of the table's board, and where it is
    not that of the seat that decides.
    """
    check_type("table", table, Table, "a Table, like game.table")
    if isinstance(seen, Position) and isinstance(seen.phase, str) and seen.phase in NO_DECISION:
        raise MasonsError(f"nothing is to be decided: {NO_DECISION[seen.phase]}")
    view = table.view(seen)
    if view.phase not in DECISIONS:
        raise MasonsError(f"nothing is to be decided: {NO_DECISION[view.phase]}")
    if view.seat < len(view.hidden) and view.hidden[view.seat]:
        raise PositionError(hidden_hand(view.seat))
    return view
