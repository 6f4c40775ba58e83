"""The slopes of the net: the partial derivatives of its value with respect to its inputs.

The net is evaluated once and differentiated by backpropagation. A wall, tower, house or card
changes only a few inputs, so a hundred moves can be compared at the cost of two or three
evaluations. The value is the win probability plus a small share of the margin (`move_value`).
"""

from __future__ import annotations

from masons.ai.evaluation.rewards import POINT_VALUE, move_value
from masons.ai.models import features
from masons.ai.models.model_data import Models
from masons.ai.models.value_net import (
    BIAS,
    BOARD_WEIGHTS,
    HIDDEN,
    LAND_KINDS,
    LEAST,
    OUT,
    SCORE,
    UNITS,
    NetWorkspace,
    evaluate,
    forget_hands,
    list_kinds,
    net_for,
    predict,
)
from masons.ai.net_policy.policy_workspace import SAMPLES, PolicyWorkspace
from masons.engine.board.components import FIRST_LAND
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Floats,
    Single,
    Singles,
    Word,
    Words,
    bytes_of,
    dot_lanes,
    inner,
    offset,
    pointer_to,
)
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import values_of
from masons.engine.state.layout import HANDS, PLAYERS

_SEAT = U(features.SEAT_INPUTS)
_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_ZERO, _THIRDS = Single(0.0), Single(2.0 / 3.0)
_move_value = inner(move_value)


@inner
def add_sample(sample: Word, workspace: PolicyWorkspace) -> None:
    """Fill `hands` with the hands of one deal, and add its seat inputs to `inputs`.

    The state `after` has been dealt. The first sample starts the sums.
    """
    after, total, net = workspace.after, workspace.inputs, workspace.net
    players = U(bytes_of(after)[PLAYERS])
    features.seat_inputs(after, net, workspace.now, workspace.then)
    for seat in range(players):
        workspace.hands[U(features.MAX_SEATS) * sample + seat] = after[HANDS + seat]
    for i in range(_SEAT * players):
        total[i] = net[i] + (total[i] if sample else _ZERO)


@inner
def kinds_held(seat: Word, workspace: PolicyWorkspace) -> Word:
    """Return the kinds that a seat holds in any sample, as `kinds_of` does."""
    hands = U(0)
    for sample in range(U(SAMPLES)):
        hands |= workspace.hands[U(features.MAX_SEATS) * sample + seat]
    return kinds_of(hands)


@inner
def mean_inputs(board: Words, workspace: PolicyWorkspace) -> None:
    """Fill the net's inputs for the state `after`; seat inputs are means over SAMPLES deals."""
    after, total, net = workspace.after, workspace.inputs, workspace.net
    share = Single(1.0 / SAMPLES)
    for i in range(_SEAT * U(bytes_of(after)[PLAYERS])):
        net[i] = total[i] * share
    sets = features.kind_sets(offset(after, HANDS), U(bytes_of(after)[PLAYERS]))
    pairs = features.best_pairs(values_of(after), sets)
    features.city_inputs(after, board, sets, pairs, workspace.areas, net)
    features.board_inputs(after, net)


@inner
def _list_inputs(players: Word, indices: Words, workspace: PolicyWorkspace) -> Word:
    """Fill `indices` with those of seat inputs that can differ from 0; return their number.

    With two players, inputs that were merged into other inputs are left out.
    """
    kinds, count = U(0), features.WAIT if players == U(2) else features.HELD
    for seat in range(players):
        kinds |= kinds_held(seat, workspace)
    for i in range(count):
        indices[i] = i
    count = list_kinds(kinds, features.HELD, indices, count)
    count = list_kinds(kinds, features.HELD_LEFT, indices, count)
    count = list_kinds(kinds & LAND_KINDS, features.LAND - U(FIRST_LAND), indices, count)
    for i in range(features.CITY_INPUTS, _SEAT - U(players == U(2))):
        indices[count] = i
        count += U(1)
    return count


@inner
def predict_mean(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` from the inputs in the workspace."""
    indices = workspace.copy
    count = _list_inputs(players, indices, workspace)
    net = net_for(net, players)
    bias, wins, scores = offset(net, BIAS), workspace.wins, workspace.scores
    predict(workspace.net, bias, players, net, indices, count, wins, scores)


@inner
def evaluate_once(state: Words, board: Words, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` for a state at the start of a turn, or a finished game."""
    # The last evaluation may have used another net.
    forget_hands(workspace.hand_sums)
    _evaluate(state, board, net, workspace)


@inner
def _evaluate(state: Words, board: Words, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` as `evaluate_once` does, but use the cached sums of hands."""
    evaluation = NetWorkspace(
        workspace.net, workspace.hand_sums, workspace.areas, workspace.aside, workspace.wins,
        workspace.scores,
    )  # fmt: skip
    evaluate(state, board, net, evaluation)


@inner
def seat_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """Return a seat's win probability plus a small share of its margin."""
    scores, total = workspace.scores, 0.0
    for other in range(players):
        total += scores[other]
    return _move_value(workspace.wins[seat], scores[seat], total, players)


@inner
def trial_value(seat: Word, board: Words, models: Models, workspace: PolicyWorkspace) -> float:
    """Return the value of `trial` to a seat, at the start of a turn or at the end of the game.

    Sums of hands stay cached between calls (see `forget_hands`).
    """
    trial = workspace.trial
    _evaluate(trial, board, models.net, workspace)
    return seat_value(seat, U(bytes_of(trial)[PLAYERS]), workspace)


@inner
def _output_slopes(seat: Word, other: Word, players: Word, wins: Floats) -> tuple[float, float]:
    """Return the slopes of a seat's value for the logit and the score of a seat, maybe another."""
    is_own = other == seat
    margin = 1.0 if is_own else -1.0 / float(players - U(1))
    by_logit = Single(wins[seat] * (float(U(is_own)) - wins[other]))
    return by_logit, Single(POINT_VALUE * SCORE * margin)


@inner
def _follow_two(seat: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `back` as `follow_back` does, in one pass for two players."""
    units, back, wins = offset(workspace.net, UNITS), workspace.back, workspace.wins
    out, score_out, least = offset(net, OUT), offset(net, OUT + _HIDDEN), pointer_to(LEAST)
    other_back, whole = offset(back, _BOTH), offset(back, _BOTH * U(features.MAX_SEATS))
    by_logit, by_score = _output_slopes(seat, U(0), U(2), wins)
    by_other_logit, by_other_score = _output_slopes(seat, U(1), U(2), wins)
    for j in range(_HIDDEN):
        slope = by_logit * out[j] + by_score * score_out[j]
        slope = slope if units[j] > least[j] else _ZERO
        other = by_other_logit * out[j] + by_other_score * score_out[j]
        other = other if units[_HIDDEN + j] > least[j] else _ZERO
        total = slope + other
        mean, other_mean = total - slope, total - other
        whole[j] = total
        back[j], back[_HIDDEN + j] = slope + mean + mean, _THIRDS * (slope - mean)
        other_back[j] = other + other_mean + other_mean
        other_back[_HIDDEN + j] = _THIRDS * (other - other_mean)


@inner
def follow_back(seat: Word, players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `back` with the slopes of each seat's hidden units.

    A seat's input is multiplied by two rows of weights (see `value_net`), so each seat has two
    slopes per unit, one for each row. The slopes for the board's inputs, one per unit, come last.
    """
    if players == U(2):
        _follow_two(seat, net, workspace)
        return
    back, whole = workspace.back, _BOTH * U(features.MAX_SEATS)
    out, score_out, least = offset(net, OUT), offset(net, OUT + _HIDDEN), pointer_to(LEAST)
    part = Single(1.0 / float(players - U(1)))
    for j in range(_HIDDEN):
        back[whole + j] = _ZERO
    for other in range(players):
        by_logit, by_score = _output_slopes(seat, other, players, workspace.wins)
        to, units = _BOTH * other, offset(workspace.net, UNITS + _HIDDEN * other)
        for j in range(_HIDDEN):
            slope = by_logit * out[j] + by_score * score_out[j]
            slope = slope if units[j] > least[j] else _ZERO
            back[to + j] = slope
            back[whole + j] += slope
    for other in range(players):
        to = _BOTH * other
        for j in range(_HIDDEN):
            # `row_slope` multiplies these slopes by rows of the net's version for three players.
            slope, mean = back[to + j], part * (back[whole + j] - back[to + j])
            back[to + j] = slope + mean + mean
            back[to + _HIDDEN + j] = _THIRDS * (slope - mean)


@inner
def row_slope(seat: Word, row: Singles, back: Singles) -> float:
    """Return the slope of the value for adding `row` (float32[2 * HIDDEN]) to a seat's sums."""
    units = offset(back, _BOTH * seat)
    other_row, other_units = offset(row, _HIDDEN), offset(units, _HIDDEN)
    return float(dot_lanes(row, units) + dot_lanes(other_row, other_units))


@inner
def seat_slope(seat: Word, number: Word, net: Singles, back: Singles) -> float:
    """Return the slope of the value with respect to input `number` of a seat."""
    return row_slope(seat, offset(net_for(net, U(3)), _BOTH * number), back)


@inner
def board_slope(number: Word, net: Singles, back: Singles) -> float:
    """Return the slope of the value with respect to input `number`, an input of the board."""
    row = BOARD_WEIGHTS + _HIDDEN * (number - U(features.BOARD))
    return float(dot_lanes(offset(net, row), offset(back, _BOTH * U(features.MAX_SEATS))))
