"""The moves that a search by halving begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from masons.ai.policies.likely_swaps import likely_swaps
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, format_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

# More moves than these are only swaps of large hands: then the likely ones are searched.
MOST_MOVES: Final = 512


def moves_to_search(
    table: Table, view: Observation, only: Sequence[Move] | None = None
) -> list[Move]:
    """The moves asked for, each once; None: the legal ones, where there are too many the likely.

    Raises MoveError for one asked for that is not legal, and where none is.
    """
    listed = table.legal_moves(view.state)
    if only is None:
        return list(listed) if len(listed) <= MOST_MOVES else likely_swaps(table, view)
    for move in only:
        if not table.is_legal(view.state, move, listed):
            raise MoveError(f"{format_move(move)} is not legal here")
    if not only:
        raise MoveError("there is no move to search")
    return list(dict.fromkeys(only))
