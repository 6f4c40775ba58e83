"""The net: from the features of a position to each seat's win probability and final score.

One hidden layer. A seat's features are multiplied with two sets of weights, as its own and as those
of one of the others; a hidden unit adds up the seat's own part, the mean of the others' and the
board's. The first LINEAR units pass that on as it is, the others only where it is above 0. Two sums
of the units are the logit of the seat's win probability and its score. So all seats are evaluated
by the same weights, and with any number of them.

| weights (float32) | shape                       |
| ----------------- | --------------------------- |
| of a seat         | SEAT_INPUTS, 2, HIDDEN      |
| of the board      | BOARD_INPUTS, HIDDEN        |
| out               | 2, HIDDEN                   |
| constants         | 2                           |

They stand one after the other, WEIGHTS in all.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.exponential import exponential
from masons.ai.models.features import (
    BOARD,
    BOARD_INPUTS,
    INPUTS,
    MAX_SEATS,
    SEAT_INPUTS,
    fill_inputs,
)
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Floats,
    Single,
    Singles,
    Word,
    Words,
    bytes_of,
    inner,
)
from masons.engine.state.layout import PLAYERS

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points to one of the net's
WEIGHTS: Final = (2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN + 2
# Workspace: the inputs, each seat's two parts, and the board's.
NET_WORKSPACE: Final = INPUTS + (2 * MAX_SEATS + 1) * HIDDEN

_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_LINEAR = U(LINEAR)
_SEAT_INPUTS = U(SEAT_INPUTS)
SPREAD = U(INPUTS)
SHARED = U(INPUTS + 2 * MAX_SEATS * HIDDEN)
BOARD_WEIGHTS = U(2 * SEAT_INPUTS * HIDDEN)
OUT = U((2 * SEAT_INPUTS + BOARD_INPUTS) * HIDDEN)
_CONSTANTS = U((2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN)
_ZERO = Single(0.0)


@inner
def spread_seats(workspace: Singles, players: Word, net: Singles) -> None:
    """Each seat's two parts, its inputs times the weights; most of the inputs are 0."""
    for seat in range(players):
        to = SPREAD + _BOTH * seat
        for j in range(_BOTH):
            workspace[to + j] = _ZERO
        for i in range(_SEAT_INPUTS):
            value = workspace[_SEAT_INPUTS * seat + i]
            if value != _ZERO:
                row = _BOTH * i
                for j in range(_BOTH):
                    workspace[to + j] += value * net[row + j]


@inner
def spread_board(workspace: Singles, net: Singles) -> None:
    """The board's inputs times the weights."""
    for j in range(_HIDDEN):
        workspace[SHARED + j] = _ZERO
    for i in range(U(BOARD_INPUTS)):
        value = workspace[U(BOARD) + i]
        if value != _ZERO:
            row = BOARD_WEIGHTS + _HIDDEN * i
            for j in range(_HIDDEN):
                workspace[SHARED + j] += value * net[row + j]


@inner
def read_out(workspace: Singles, players: Word, net: Singles, seat: Word) -> tuple[float, float]:
    """A seat's logit and score."""
    part = Single(1.0 / float(players - U(1)))
    own = SPREAD + _BOTH * seat
    logit, score = net[_CONSTANTS], net[_CONSTANTS + U(1)]
    for j in range(_HIDDEN):
        others = _ZERO
        for other in range(players):
            if other != seat:
                others += workspace[SPREAD + _BOTH * other + _HIDDEN + j]
        unit = workspace[SHARED + j] + workspace[own + j] + part * others
        if j >= _LINEAR:
            unit = max(unit, _ZERO)
        logit += unit * net[OUT + j]
        score += unit * net[OUT + _HIDDEN + j]
    return float(logit), float(score)


@inner
def predict_end(
    state: Words,
    board: Words,
    net: Singles,
    workspace: Singles,
    copy: Words,
    wins: Floats,
    scores: Floats,
) -> None:
    """Fill `wins` and `scores` (float64[4]): win probabilities and scores at the end of the game.

    `state` stands at the start of a turn; its VALUES are changed. `net` (float32[WEIGHTS]).
    Workspace: `workspace` (float32[NET_WORKSPACE]), `copy` (uint64[STATE_WORDS]).
    """
    fill_inputs(state, board, workspace, copy, wins, scores)
    players = U(bytes_of(state)[PLAYERS])
    spread_seats(workspace, players, net)
    spread_board(workspace, net)
    most = -1.0e9
    for seat in range(players):
        logit, score = read_out(workspace, players, net, seat)
        wins[seat] = logit
        scores[seat] = SCORE * score
        most = max(most, logit)
    total = 0.0
    for seat in range(players):
        wins[seat] = exponential(wins[seat] - most)
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total
