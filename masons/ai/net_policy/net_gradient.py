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
    BOARD_WEIGHTS,
    HIDDEN,
    LEAST,
    OUT,
    SCORE,
    UNITS,
    evaluate,
    evaluate_hands,
    fill_board,
    fill_card_sums,
    fill_result,
    half_card,
    list_seat,
    net_for,
    predict,
)
from masons.ai.net_policy.policy_workspace import SAMPLES, PolicyWorkspace, net_workspace
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
from masons.engine.rules.scoring import put_values, values_of
from masons.engine.state.layout import HANDS, PHASE, PHASE_OVER, PLAYERS, VALUES_BYTE

_SEAT = U(features.SEAT_INPUTS)
_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_NUMBERS = U(features.NUMBERS)
_ZERO = Single(0.0)
_move_value = inner(move_value)


@inner
def add_sample(sample: Word, workspace: PolicyWorkspace) -> None:
    """Fill `hands` with the hands of one deal, and add the seats' numbers to `inputs`.

    The state `after` has been dealt. The first sample starts the sums.
    """
    after, total, net = workspace.after, workspace.inputs, workspace.net
    players = U(bytes_of(after)[PLAYERS])
    pairs = features.best_pairs(values_of(after), offset(after, HANDS), players)
    features.seat_inputs(after, pairs, net, workspace.now, workspace.then)
    for seat in range(players):
        workspace.hands[U(features.MAX_SEATS) * sample + seat] = after[HANDS + seat]
        for i in range(_SEAT * seat, _SEAT * seat + _NUMBERS):
            total[i] = net[i] + (total[i] if sample else _ZERO)


@inner
def kinds_held(seat: Word, workspace: PolicyWorkspace) -> Word:
    """Return the kinds that a seat holds in any sample, as `kinds_of` does."""
    hands = U(0)
    for sample in range(U(SAMPLES)):
        hands |= workspace.hands[U(features.MAX_SEATS) * sample + seat]
    return kinds_of(hands)


@inner
def predict_mean(board: Words, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` for `after`, with inputs that are means over SAMPLES deals."""
    after, total, inputs, hands = workspace.after, workspace.inputs, workspace.net, workspace.hands
    players, evaluation = U(bytes_of(after)[PLAYERS]), net_workspace(workspace)
    version, values = net_for(net, players), offset(bytes_of(after), VALUES_BYTE)
    half, share = half_card(features.game_left(after), version), Single(1.0 / SAMPLES)
    fill_board(after, board, version, evaluation)
    for seat in range(players):
        for i in range(_SEAT * seat, _SEAT * seat + _NUMBERS):
            inputs[i] = total[i] * share
    pairs = features.best_pairs(values_of(after), offset(after, HANDS), players)
    features.city_inputs(after, workspace.cities, pairs, inputs)
    for seat in range(players):
        other = hands[U(features.MAX_SEATS) + seat]
        list_seat(seat, hands[seat], other, half, values, version, evaluation)
    predict(after, players, net, evaluation)


@inner
def evaluate_state(state: Words, board: Words, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` for a state at the start of a turn, or a finished game."""
    evaluate(state, board, net, net_workspace(workspace))


@inner
def seat_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """Return a seat's win probability plus a small share of its margin."""
    scores, total = workspace.scores, 0.0
    for other in range(players):
        total += scores[other]
    return _move_value(workspace.wins[seat], scores[seat], total, players)


@inner
def trial_value(seat: Word, board: Words, models: Models, workspace: PolicyWorkspace) -> float:
    """Return the value of `trial` to a seat, at the start of a turn or at the end of the game."""
    trial = workspace.trial
    evaluate_state(trial, board, models.net, workspace)
    return seat_value(seat, U(bytes_of(trial)[PLAYERS]), workspace)


@inner
def prepare_scored(models: Models, workspace: PolicyWorkspace) -> None:
    """Prepare calls of `scored_value` for the board of `after`."""
    evaluation = net_workspace(workspace)
    fill_card_sums(workspace.after, models.net, workspace.card_sums, evaluation)


@inner
def scored_value(seat: Word, models: Models, workspace: PolicyWorkspace) -> float:
    """Return the value of `trial` to a seat as `trial_value` does, after a scoring.

    The board is that of the state `after`, which `predict_mean` has evaluated, and for which
    `prepare_scored` was called.
    """
    trial, evaluation = workspace.trial, net_workspace(workspace)
    if bytes_of(trial)[PHASE] == PHASE_OVER:
        fill_result(trial, evaluation)
    else:
        put_values(trial, values_of(workspace.after))
        evaluate_hands(trial, models.net, workspace.card_sums, evaluation)
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
        whole[j] = total
        back[j], back[_HIDDEN + j] = slope, total - slope
        other_back[j], other_back[_HIDDEN + j] = other, total - other


@inner
def follow_back(seat: Word, players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `back` with the slopes of each seat's hidden units.

    A seat's input is multiplied by two rows of weights (see `value_net`), so each seat has two
    slopes per unit: that of its own unit, and the mean of those of the other seats. The slopes for
    the board's inputs, one per unit, come last.
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
            back[to + _HIDDEN + j] = part * (back[whole + j] - back[to + j])


@inner
def seat_slope(seat: Word, number: Word, net: Singles, back: Singles) -> float:
    """Return the slope of the value with respect to input `number` of a seat."""
    row, units = offset(net, _BOTH * number), offset(back, _BOTH * seat)
    other_row, other_units = offset(row, _HIDDEN), offset(units, _HIDDEN)
    return float(dot_lanes(row, units) + dot_lanes(other_row, other_units))


@inner
def board_slope(number: Word, net: Singles, back: Singles) -> float:
    """Return the slope of the value with respect to input `number`, an input of the board."""
    row = BOARD_WEIGHTS + _HIDDEN * (number - U(features.BOARD))
    return float(dot_lanes(offset(net, row), offset(back, _BOTH * U(features.MAX_SEATS))))
