"""The net: from the features of a position to each seat's win probability and final score.

One hidden layer. A seat's features are multiplied with two sets of weights, as its own and as those
of one of the others; a hidden unit adds up the seat's own part, the mean of the others' and the
board's. The first LINEAR units pass that on as it is, the others only where it is above 0. Two sums
of the units are the logit of the seat's win probability and its score. So all seats are evaluated
by the same weights (`net_shapes`), and with any number of them.
"""

from __future__ import annotations

from typing import NamedTuple

from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.models.exponential import exponential
from masons.ai.models.features import (
    BOARD,
    BOARD_INPUTS,
    GAME_LEFT,
    HELD,
    LAND,
    LAST,
    SEAT_INPUTS,
    fill_other_inputs,
    held_inputs,
)
from masons.ai.models.hand_sums import find_hand
from masons.ai.models.net_shapes import (
    BOARD_WEIGHTS,
    CONSTANTS,
    HIDDEN,
    LINEAR,
    OUT,
    SCORE,
    SHARED,
    SPREAD,
    UNITS,
)
from masons.engine.board.components import KINDS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import (
    LANES,
    Floats,
    Single,
    Singles,
    Word,
    Words,
    add_rows,
    bytes_of,
    dot_lanes,
    inner,
    larger,
    nonzero_lanes,
    offset,
    singles_of,
)
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import HANDS, PHASE, PHASE_OVER, PLAYERS

_LANES = U(LANES)
_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_LINEAR = U(LINEAR)
_SEAT_INPUTS = U(SEAT_INPUTS)
_KINDS = U(KINDS)
_FIRST_LAST = LAST - U(BOARD)
_ZERO = Single(0.0)


class NetWorkspace(NamedTuple):
    """What an evaluation works with, inside kernels. Everything is modified in place."""

    net: Singles  # float32[NET_WORKSPACE]: inputs and sums
    hand_sums: Words  # uint64[HAND_SUMS] (see `hand_sums`)
    areas: Words  # uint64[AREAS], of this board (see `closing_values`)
    chosen: Words  # uint64[SEAT_INPUTS]: the numbers of the inputs that count
    wins: Floats  # float64[4]: what is found, each seat's win probability
    scores: Floats  # float64[4]: and its score


@inner
def _used(inputs: Singles, first: Word, after: Word, chosen: Words, found: Word) -> Word:
    """Append to `chosen` the numbers of those inputs from `first` to `after` that are not 0.

    Most inputs are 0. `found` is how many there are, before and (returned) afterwards.
    """
    for block in range((after - first + _LANES - U(1)) // _LANES):
        begin = first + _LANES * block
        some = nonzero_lanes(offset(inputs, begin))
        if after - begin < _LANES:
            some &= (U(1) << (after - begin)) - U(1)
        while some:
            chosen[found] = begin + lowest(some)
            found += U(1)
            some &= some - U(1)
    return found


@inner
def _sum_hand(inputs: Singles, net: Singles, sums: Singles, chosen: Words) -> None:
    """Fill a hand's sums (see `hand_sums`) by a seat's inputs."""
    for j in range(_BOTH + _BOTH):
        sums[j] = _ZERO
    held, rows = offset(inputs, HELD), offset(net, _BOTH * HELD)
    count = _used(held, U(0), _KINDS, chosen, U(0))
    add_rows(sums, held, chosen, count, rows, _BOTH)
    add_rows(offset(sums, _BOTH), held, chosen, count, offset(rows, _BOTH * _KINDS), _BOTH)


@inner
def begin_by_hand(
    seat: Word, hand: Word, workspace: Singles, net: Singles, hands: Words, chosen: Words
) -> None:
    """Begin a seat's two parts with those of the cards that it holds (see `hand_sums`).

    `hand` is 0 where HELD is there already, and not that of one hand.
    """
    inputs, out = offset(workspace, _SEAT_INPUTS * seat), offset(workspace, SPREAD + _BOTH * seat)
    place, is_known = find_hand(hands, seat, hand)
    sums = offset(singles_of(hands), place)
    left = workspace[GAME_LEFT]
    if not is_known:
        if hand:
            held_inputs(hand, float(left), inputs)
        _sum_hand(inputs, net, sums, chosen)
    for j in range(_BOTH):
        out[j] = sums[j] + left * sums[_BOTH + j]


@inner
def _spread(workspace: Singles, players: Word, net: Singles, chosen: Words) -> None:
    """Each seat's two parts, begun by its hand, and the board's: inputs times weights."""
    for seat in range(players):
        inputs = offset(workspace, _SEAT_INPUTS * seat)
        count = _used(inputs, U(0), HELD, chosen, U(0))
        count = _used(inputs, LAND, _SEAT_INPUTS, chosen, count)
        add_rows(offset(workspace, SPREAD + _BOTH * seat), inputs, chosen, count, net, _BOTH)
    inputs, out = offset(workspace, U(BOARD)), offset(workspace, SHARED)
    for j in range(_HIDDEN):
        out[j] = _ZERO
    # Almost all are there, up to those of the last turns: a loop that is always as long is faster.
    for i in range(_FIRST_LAST):
        chosen[i] = i
    count = _used(inputs, _FIRST_LAST, U(BOARD_INPUTS), chosen, _FIRST_LAST)
    add_rows(out, inputs, chosen, count, offset(net, BOARD_WEIGHTS), _HIDDEN)


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
def predict(
    workspace: Singles, players: Word, net: Singles, chosen: Words, wins: Floats, scores: Floats
) -> None:
    """Fill `wins` and `scores` by the inputs in `workspace`, where all seats are begun.

    `chosen` (uint64[SEAT_INPUTS]) is workspace, too.
    """
    _spread(workspace, players, net, chosen)
    _add_units(workspace, players)
    by_logit, by_score = offset(net, OUT), offset(net, OUT + _HIDDEN)
    most, total = -1.0e9, 0.0
    for seat in range(players):
        units = offset(workspace, UNITS + _HIDDEN * seat)
        wins[seat] = net[CONSTANTS] + dot_lanes(units, by_logit)
        scores[seat] = SCORE * float(net[CONSTANTS + U(1)] + dot_lanes(units, by_score))
        most = max(most, wins[seat])
    for seat in range(players):
        # Of the best seat it is 1.
        wins[seat] = exponential(wins[seat] - most) if wins[seat] < most else 1.0
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total


@inner
def evaluate(state: Words, board: Words, net: Singles, workspace: NetWorkspace) -> None:
    """Fill `wins` and `scores`: win probabilities and scores at the end of the game.

    `state` stands at the start of a turn, where its VALUES are changed, or is over: then they are
    what the game came to. `net` (float32[WEIGHTS]).
    """
    b = bytes_of(state)
    players = U(b[PLAYERS])
    inputs, chosen = workspace.net, workspace.chosen
    wins, scores = workspace.wins, workspace.scores
    if b[PHASE] != PHASE_OVER:
        fill_other_inputs(state, board, inputs, workspace.areas, wins, scores)
        for seat in range(players):
            begin_by_hand(seat, state[HANDS + seat], inputs, net, workspace.hand_sums, chosen)
        predict(inputs, players, net, chosen, wins, scores)
        return
    fill_rewards(state, wins)
    for seat in range(players):
        scores[seat] = float(score_of(state, seat))
