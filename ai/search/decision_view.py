"""The view of a decision: what a search begins with."""

from __future__ import annotations

from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.state.phases import DECISIONS
from masons.engine.state.position import Position


def decision_view(table: Table, seen: Position | Observation) -> Observation:
    """The view of a decision. Raises MasonsError where there is none, or its hand is hidden."""
    if seen.phase not in DECISIONS:
        raise MasonsError(f"nothing is to be decided in phase {seen.phase}")
    return table.view(seen)
