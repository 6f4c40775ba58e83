"""The biases of the policy: amounts that are added to the values of kinds of choices.

The slopes of the net tell good choices of one kind apart, but they are worse at comparing kinds.
Without biases, the policy completes cities too early in the game and too seldom later, builds too
few walls beside towers, and keeps too many cards. The biases are fitted so that it makes each kind
of choice as often as a search does in the same positions, and so that whole games of the policy are
about as long as games of a search and end with about the same scores
(`benchmarks.training.bias_fit`).

| kind    | the bias is added to the value of                           |
| ------- | ----------------------------------------------------------- |
| CLOSED  | a wall that completes a city                                |
| OFFERED | a wall after which other lines can complete more cities     |
| BESIDE  | a wall that touches one tower and completes no city         |
| BETWEEN | a wall between two towers that completes no city            |
| PLAYED  | each card that is played in a scoring                       |
| SWAPPED | each card that is swapped                                   |

A kind has KNOTS biases for each number of players. They hold when 1/10, 3/10, ... of the game is
over, and are interpolated in between.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import game_left
from masons.engine.board.components import MAX_PLAYERS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inner
from masons.engine.state import layout

KINDS: Final = ("closed", "offered", "beside", "between", "played", "swapped")
CLOSED, OFFERED, BESIDE, BETWEEN, PLAYED, SWAPPED = (U(kind) for kind in range(len(KINDS)))
KNOTS: Final = 5
BIASES: Final = len(KINDS) * (MAX_PLAYERS - 1) * KNOTS
"""The number of biases: [kinds, numbers of players from 2 on, KNOTS], flattened."""

_FEWEST = U(2)  # players
_MOST_PLACE: Final = KNOTS - 1.001


@inner
def bias_of(kind: Word, state: Words, biases: Floats) -> float:
    """Return the bias of a kind of choice at this point of the game."""
    place = max(0.0, min(_MOST_PLACE, KNOTS * (1.0 - game_left(state)) - 0.5))
    knot = U(int(place))
    row = kind * U(MAX_PLAYERS - 1) + U(bytes_of(state)[layout.PLAYERS]) - _FEWEST
    at, part = row * U(KNOTS) + knot, place - float(knot)
    return (1.0 - part) * biases[at] + part * biases[at + U(1)]
