"""The shape of the nets: how many weights there are, and where each kind of them begins.

| weights (float32) | shape                       |
| ----------------- | --------------------------- |
| of a seat         | SEAT_INPUTS, 2, HIDDEN      |
| of the board      | BOARD_INPUTS, HIDDEN        |
| out               | 2, HIDDEN                   |
| constants         | 2                           |

They stand one after the other, WEIGHTS in all. What they are for says `value_net`.

Kernels take a KERNEL_NET (see `model_data`): the same for 2, 3 and 4 players, each VERSION floats.
There the two rows of a seat's input, own and others, are replaced by (own + others) / players, for
the sum of the input over all seats, and own - others / (players - 1), for what a seat has more than
the mean of all: so every row is read once for all seats. Sums begin
with BIAS: what is the same at all positions, and zeros for what seats have more. With two players
the rows of WAIT and the margins are joined to those of inputs that say the same.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import BOARD, BOARD_INPUTS, INPUTS, MAX_SEATS, SEAT_INPUTS, SETTING
from masons.engine.kernels.bits import U

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points to one of the net's
WEIGHTS: Final = (2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN + 2
# Of a seat, of the board, out, constants.
SHAPES: Final = (SEAT_INPUTS, 2 * HIDDEN), (BOARD_INPUTS, HIDDEN), (2, HIDDEN), (2,)
ONE: Final = int(SETTING) + 1 - BOARD  # the board's input that is always 1; after it 3 players, 4
_BIAS: Final = -(-WEIGHTS // HIDDEN) * HIDDEN
VERSION: Final = _BIAS + MAX_SEATS * HIDDEN
KERNEL_NET: Final = (MAX_SEATS - 1) * VERSION
# Workspace: the inputs, the sums that all seats share and of each seat, each seat's hidden units,
# and what rows are multiplied with.
_SUMS: Final = -(-INPUTS // HIDDEN) * HIDDEN
_FACTORS: Final = _SUMS + (2 * MAX_SEATS + 1) * HIDDEN
NET_WORKSPACE: Final = _FACTORS + MAX_SEATS * SEAT_INPUTS

BIAS = U(_BIAS)
SUMS = U(_SUMS)
UNITS = U(_SUMS + (MAX_SEATS + 1) * HIDDEN)
FACTORS = U(_FACTORS)
BOARD_WEIGHTS = U(2 * SEAT_INPUTS * HIDDEN)
OUT = U((2 * SEAT_INPUTS + BOARD_INPUTS) * HIDDEN)
CONSTANTS = U((2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN)
