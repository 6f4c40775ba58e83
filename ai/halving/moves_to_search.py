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
    table: Table,
    view: Observation,
    only: Sequence[Move] | None = None,
    also: Sequence[Move] = (),
) -> list[Move]:
    """The moves asked for, each once; None: the legal ones, where there are too many the likely.

    `also` are added where they are not among them.

    Raises MoveError for one asked for that is not legal, and where none is.
    """
    listed = table.legal_moves(view.state)
    for move in (*(only or ()), *also):
        if not table.is_legal(view.state, move, listed):
            raise MoveError(f"{format_move(move)} is not legal here")
    if only is not None:
        if not only:
            raise MoveError("there is no move to search")
        return list(dict.fromkeys([*only, *also]))
    found = list(listed) if len(listed) <= MOST_MOVES else likely_swaps(table, view)
    there = set(found)
    return [*found, *(move for move in dict.fromkeys(also) if move not in there)]
