"""The shape of the nets: how many weights there are, and where each kind of them begins.

| weights (float32) | shape                       |
| ----------------- | --------------------------- |
| of a seat         | SEAT_INPUTS, 2, HIDDEN      |
| of the board      | BOARD_INPUTS, HIDDEN        |
| out               | 2, HIDDEN                   |
| constants         | 2                           |

They stand one after the other, WEIGHTS in all. What they are for says `value_net`.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import BOARD_INPUTS, INPUTS, MAX_SEATS, SEAT_INPUTS
from masons.engine.kernels.bits import U

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points to one of the net's
WEIGHTS: Final = (2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN + 2
# Of a seat, of the board, out, constants.
SHAPES: Final = (SEAT_INPUTS, 2 * HIDDEN), (BOARD_INPUTS, HIDDEN), (2, HIDDEN), (2,)
# Workspace: the inputs, each seat's two parts, the board's, and each seat's hidden units.
NET_WORKSPACE: Final = INPUTS + (3 * MAX_SEATS + 1) * HIDDEN

SPREAD = U(INPUTS)
SHARED = U(INPUTS + 2 * MAX_SEATS * HIDDEN)
UNITS = U(INPUTS + (2 * MAX_SEATS + 1) * HIDDEN)
BOARD_WEIGHTS = U(2 * SEAT_INPUTS * HIDDEN)
OUT = U((2 * SEAT_INPUTS + BOARD_INPUTS) * HIDDEN)
CONSTANTS = U((2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN)
