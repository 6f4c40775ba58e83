"""The numbers of the actions: a decision is made in one or more steps, each out of a fixed set.

With L lines and S spaces on the board the actions are numbered

| actions            | what                                                                     |
| ------------------ | ------------------------------------------------------------------------ |
| 0 .. L-1           | a wall on this line                                                      |
| L .. L+S-1         | the city with this lowest space: to merge with, or to score in the end   |
| then 30            | play a card of this kind                                                 |
| 30                 | discard a card of this kind: to abstain, or in a swap                    |
| 3                  | a tower of this colour at the place that is due                          |
| 5                  | a house of this colour at the place that is due                          |
| 1                  | nothing: at this place, no further card, no merge, pass                  |
| 1                  | early roll                                                               |

Towers and houses are put at the first place, then at the second; cards are named in ascending
order, so that every move of the rules (8) is one sequence of actions. A step that leaves no choice
is made at once where it is not a decision's first, or where a placing begins with it; a placing
with one outcome is no decision at all. So there is a step wherever `masons.Game` has a decision.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.components import HOUSE_COLORS, KINDS, TOWER_COLORS
from masons.engine.board.packed_board import LINE_COUNT, SPACE_COUNT
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, inlined

# Counted from the first action that is neither a line nor a city.
PLAYS: Final = U(0)
DISCARDS: Final = U(KINDS)
TOWERS_ACTION: Final = DISCARDS + U(KINDS)
HOUSES_ACTION: Final = TOWERS_ACTION + U(len(TOWER_COLORS))
NOTHING: Final = HOUSES_ACTION + U(len(HOUSE_COLORS))
EARLY_ROLL_ACTION: Final = NOTHING + U(1)
OTHER_ACTIONS: Final = int(EARLY_ROLL_ACTION) + 1


@inlined
def others_at(board: Words) -> Word:
    """The first action that is neither a line nor a city."""
    return board[LINE_COUNT] + board[SPACE_COUNT]
