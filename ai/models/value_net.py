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

from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.models.exponential import exponential
from masons.ai.models.features import (
    BOARD,
    BOARD_INPUTS,
    INPUTS,
    MAX_SEATS,
    SEAT_INPUTS,
    fill_inputs,
)
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import (
    LANES,
    Floats,
    Single,
    Singles,
    Word,
    Words,
    bytes_of,
    inner,
    larger,
    nonzero_lanes,
    offset,
    sum_rows,
)
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import PHASE, PHASE_OVER, PLAYERS

HIDDEN: Final = 64
LINEAR: Final = 4
SCORE: Final = 16.0  # points to one of the net's
WEIGHTS: Final = (2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN + 2
# Of a seat, of the board, out, constants.
SHAPES: Final = (SEAT_INPUTS, 2 * HIDDEN), (BOARD_INPUTS, HIDDEN), (2, HIDDEN), (2,)
# Workspace: the inputs, each seat's two parts, the board's, and each seat's hidden units.
NET_WORKSPACE: Final = INPUTS + (3 * MAX_SEATS + 1) * HIDDEN

_LANES = U(LANES)
_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_LINEAR = U(LINEAR)
_SEAT_INPUTS = U(SEAT_INPUTS)
SPREAD = U(INPUTS)
SHARED = U(INPUTS + 2 * MAX_SEATS * HIDDEN)
UNITS = U(INPUTS + (2 * MAX_SEATS + 1) * HIDDEN)
BOARD_WEIGHTS = U(2 * SEAT_INPUTS * HIDDEN)
OUT = U((2 * SEAT_INPUTS + BOARD_INPUTS) * HIDDEN)
_CONSTANTS = U((2 * SEAT_INPUTS + BOARD_INPUTS + 2) * HIDDEN)
_ZERO = Single(0.0)


@inner
def _used(workspace: Singles, first: Word, inputs: Word, chosen: Words) -> Word:
    """Fill `chosen` with the numbers of those `inputs` from `first` on that are not 0: how many.

    Most inputs are 0.
    """
    found = U(0)
    for block in range((inputs + _LANES - U(1)) // _LANES):
        begin = _LANES * block
        some = nonzero_lanes(offset(workspace, first + begin))
        if inputs - begin < _LANES:
            some &= (U(1) << (inputs - begin)) - U(1)
        while some:
            chosen[found] = begin + lowest(some)
            found += U(1)
            some &= some - U(1)
    return found


@inner
def _spread(workspace: Singles, players: Word, net: Singles, chosen: Words) -> None:
    """Each seat's two parts and the board's: inputs times weights."""
    for seat in range(players):
        inputs, to = offset(workspace, _SEAT_INPUTS * seat), SPREAD + _BOTH * seat
        count = _used(workspace, _SEAT_INPUTS * seat, _SEAT_INPUTS, chosen)
        for j in range(_BOTH // _LANES):
            out, rows = offset(workspace, to + _LANES * j), offset(net, _LANES * j)
            sum_rows(out, inputs, chosen, count, rows, _BOTH)
    inputs = offset(workspace, U(BOARD))
    count = _used(workspace, U(BOARD), U(BOARD_INPUTS), chosen)
    for j in range(_HIDDEN // _LANES):
        out, rows = offset(workspace, SHARED + _LANES * j), offset(net, BOARD_WEIGHTS + _LANES * j)
        sum_rows(out, inputs, chosen, count, rows, _HIDDEN)


@inner
def _add_units(workspace: Singles, players: Word) -> None:
    """Each seat's hidden units."""
    part = Single(1.0 / float(players - U(1)))
    for seat in range(players):
        units, own = UNITS + _HIDDEN * seat, SPREAD + _BOTH * seat
        for j in range(_HIDDEN):
            workspace[units + j] = _ZERO
        for other in range(players):
            if other != seat:
                of_other = SPREAD + _BOTH * other + _HIDDEN
                for j in range(_HIDDEN):
                    workspace[units + j] += workspace[of_other + j]
        for j in range(_HIDDEN):
            unit = workspace[SHARED + j] + workspace[own + j] + part * workspace[units + j]
            workspace[units + j] = unit if j < _LINEAR else larger(unit, _ZERO)


@inner
def _read_out(
    workspace: Singles, players: Word, net: Singles, wins: Floats, scores: Floats
) -> None:
    """Each seat's logit and score, of two seats at once: a sum waits for what was added before."""
    for first in range(U(0), players, U(2)):
        second = min(first + U(1), players - U(1))
        one, two = UNITS + _HIDDEN * first, UNITS + _HIDDEN * second
        logit = logit_two = net[_CONSTANTS]
        score = score_two = net[_CONSTANTS + U(1)]
        for j in range(_HIDDEN):
            by_logit, by_score = net[OUT + j], net[OUT + _HIDDEN + j]
            logit += workspace[one + j] * by_logit
            score += workspace[one + j] * by_score
            logit_two += workspace[two + j] * by_logit
            score_two += workspace[two + j] * by_score
        wins[first], scores[first] = logit, score
        wins[second], scores[second] = logit_two, score_two


@inner
def predict(
    workspace: Singles, players: Word, net: Singles, chosen: Words, wins: Floats, scores: Floats
) -> None:
    """Fill `wins` and `scores` by the inputs in `workspace`.

    `chosen` (uint64[SEAT_INPUTS]) is workspace, too.
    """
    _spread(workspace, players, net, chosen)
    _add_units(workspace, players)
    _read_out(workspace, players, net, wins, scores)
    most, total = -1.0e9, 0.0
    for seat in range(players):
        scores[seat] *= SCORE
        most = max(most, wins[seat])
    for seat in range(players):
        wins[seat] = exponential(wins[seat] - most)
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total


@inner
def evaluate(
    state: Words,
    board: Words,
    net: Singles,
    workspace: Singles,
    copy: Words,
    wins: Floats,
    scores: Floats,
) -> None:
    """Fill `wins` and `scores` (float64[4]): win probabilities and scores at the end of the game.

    `state` stands at the start of a turn, where its VALUES are changed, or is over: then they are
    what the game came to. `net` (float32[WEIGHTS]). Workspace: `workspace`
    (float32[NET_WORKSPACE]), `copy` (uint64[STATE_WORDS]).
    """
    b = bytes_of(state)
    players = U(b[PLAYERS])
    if b[PHASE] != PHASE_OVER:
        fill_inputs(state, board, workspace, copy, wins, scores)
        predict(workspace, players, net, copy, wins, scores)
        return
    fill_rewards(state, wins)
    for seat in range(players):
        scores[seat] = float(score_of(state, seat))
