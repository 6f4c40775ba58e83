"""Moves that give something away: not left to the noise of a small search.

What a search finds out of a move is an estimate; what some moves cost is known for certain.

- An early roll costs a point, or nothing, and the same decision comes again: whatever it wins, it
  must win by luck that nobody can see. It is taken only where it is better than the best of the
  other moves by more than `SURE` standard errors of that difference. (In a small search it looks
  good, as after it the wall is chosen by the heuristics, while each wall was simulated only once.)
- In the final scoring who has more points, or as many and more cards left, is never placed lower.
  So a move is not taken where another one gives more.

In a large search both hold by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from masons.ai.search.results import WIDEST
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

SURE: Final = 2.0  # standard errors


def final_gains(
    table: Table, view: Observation, moves: Sequence[Move]
) -> list[tuple[int, int]] | None:
    """What each move of a final scoring gives: points, then the fewer cards the better; else None.

    Compared as they are, the greater one is the better one.
    """
    if view.phase != "final":
        return None
    points = {city: table.card_points(view.state, city) for city in {move.city for move in moves}}
    return [
        (sum(points[move.city][kind] for kind in move.cards), -len(move.cards)) for move in moves
    ]


def error_of_difference(first: float | None, second: float | None) -> float:
    """The standard error of the difference of two values; that of one result may be any."""
    return math.hypot(*(WIDEST if error is None else error for error in (first, second)))
