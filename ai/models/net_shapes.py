"""The shape of the nets: the numbers of weights, and the index at which each part begins.

| weights (float32) | shape                       |
| ----------------- | --------------------------- |
| seat              | SEAT_INPUTS, 2, HIDDEN      |
| board             | BOARD_INPUTS, HIDDEN        |
| out               | 2, HIDDEN                   |
| constants         | 2                           |

The parts are stored one after the other, WEIGHTS floats in all; `value_net` explains their use.

Kernels take a KERNEL_NET (see `model_data`): versions of the net for 2, 3 and 4 players, each
VERSION floats. A version replaces the two rows of each seat input, called own and others, as
follows. The first row becomes (own + others) / players, and is multiplied by the sum of the input
over all seats. The second row becomes own - others / (players - 1), and is multiplied by the excess
of a seat's input over the mean of all seats. Every row is thus read only once for all seats.

The sums of the hidden units start from BIAS: the contributions that are the same for all positions,
followed by zeros, from which the sums of the excesses start. For two players, the rows of WAIT and
of the margins are merged into the rows of equivalent inputs.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.features import BOARD, BOARD_INPUTS, INPUTS, MAX_SEATS, SEAT_INPUTS, SETTING
from masons.engine.kernels.bits import U

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points that an output of 1 stands for
WEIGHTS: Final = (2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN + 2
# The shapes of the four parts: seat, board, out, constants.
SHAPES: Final = (SEAT_INPUTS, 2 * HIDDEN), (BOARD_INPUTS, HIDDEN), (2, HIDDEN), (2,)
# The board input that is always 1; the next two inputs are 1 with 3 players and with 4 players.
ONE: Final = int(SETTING) + 1 - BOARD
_BIAS: Final = -(-WEIGHTS // HIDDEN) * HIDDEN
VERSION: Final = _BIAS + MAX_SEATS * HIDDEN
KERNEL_NET: Final = (MAX_SEATS - 1) * VERSION
# The workspace consists of the inputs, the shared sums, the sums of each seat, the hidden units of
# each seat, and the factors of rows.
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
