"""The value of walls, towers and houses to the seat that places them.

The net is evaluated as if the turn were over. Hidden hands are dealt SAMPLES times and the
resulting inputs are averaged. For the net's first layer this is exact, because the layer is linear.
"""

from __future__ import annotations

from masons.ai.beliefs.determinization import deal_anew, hide_others
from masons.ai.models import features
from masons.ai.models.value_net import (
    HIDDEN,
    NO_SUMS,
    OWN_ROWS,
    OWN_SUMS,
    SHARED_ROWS,
    add_cards,
    half_card,
    net_for,
)
from masons.ai.net_policy import policy_workspace as policy
from masons.ai.net_policy.card_slopes import end_slopes, end_value, land_slopes
from masons.ai.net_policy.net_gradient import (
    add_sample,
    board_slope,
    follow_back,
    predict_mean,
    seat_slope,
    seat_value,
)
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS, TOWERS
from masons.engine.board.components import WALLS as ALL_WALLS
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import (
    Singles,
    Word,
    Words,
    add_terms,
    bytes_of,
    dot_sums,
    inner,
    offset,
    pointer_to,
)
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.transitions import ends_without
from masons.engine.rules.turns import clockwise
from masons.engine.state import layout

_BOTH = U(2 * HIDDEN)
_LEFT_ONLY = U(0xFFFF0000)  # the second input of a card, HELD_LEFT
_COLORS = U(len(TOWER_COLORS))
_HOUSES = U(len(HOUSE_COLORS))
# Offsets among the land cards: the house colors come first, then the regions, then the others.
_LAND_REGION = U(len(HOUSE_COLORS))
_LAND_TOWERS, _LAND_COLOR, _LAND_SHORE = U(8), U(9), U(12)
_LAST_TOWERS = U(8)


@inner
def turn_over(state: Words, workspace: PolicyWorkspace) -> None:
    """Fill `after` and `hidden` as if the turn were over.

    The next seat is active in `after`, and hidden hands are in the deck.
    """
    after = workspace.after
    layout.copy_state(after, state)
    b = bytes_of(after)
    seat = U(b[layout.SEAT])
    if b[layout.PHASE] == layout.PHASE_WALL:
        b[layout.WALL_LEFT] = U(b[layout.WALL_LEFT]) - U(1)
    b[layout.ACTIVE] = clockwise(after, seat)
    hide_others(after, seat, workspace.hidden)


@inner
def deal_samples(board: Words, rng: Words, workspace: PolicyWorkspace) -> None:
    """Deal the hidden hands SAMPLES times.

    Fills `hands` with the hands of each deal, and `inputs` with the sums of the seats' numbers over
    the deals.
    """
    after, hidden = workspace.after, workspace.hidden
    score_cards(after, board, layout.NONE)
    deck = after[layout.DECK]
    for sample in range(U(policy.SAMPLES)):
        after[layout.DECK] = deck
        for seat in range(U(bytes_of(after)[layout.PLAYERS])):
            if hidden[seat]:
                after[layout.HANDS + seat] = U(0)
        deal_anew(after, hidden, workspace.hand_weights, workspace.by_weights[0], rng)
        add_sample(sample, workspace)


@inner
def _left_slope(players: Word, net: Singles, workspace: PolicyWorkspace) -> float:
    """Return the slope of the value with respect to the share of the game that is left."""
    back, hands, terms = workspace.back, workspace.hands, workspace.terms
    left, version = features.game_left(workspace.after), net_for(net, players)
    total = board_slope(features.SUPPLY + U(2), net, back)
    if left <= 0.0:
        return total
    sums, start = offset(workspace.net, OWN_SUMS), pointer_to(NO_SUMS)
    half = half_card(left, version) & _LEFT_ONLY
    count, slope = U(0), 0.0
    for seat in range(players):
        begin, hand, other = count, hands[seat], hands[U(features.MAX_SEATS) + seat]
        count = add_cards(hand & other, U(2) * half, terms, count)
        count = add_cards(hand ^ other, half, terms, count)
        of_seat = offset(terms, begin)
        add_terms(sums, start, of_seat, count - begin, offset(version, OWN_ROWS))
        slope += float(dot_sums(sums, offset(back, _BOTH * seat)))
    add_terms(sums, start, terms, count, offset(version, SHARED_ROWS))
    slope += float(dot_sums(sums, offset(back, _BOTH * U(features.MAX_SEATS))))
    return total + slope / left


@inner
def used_slopes(seat: Word, players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill USED_SLOPE with the value of taking 0, 1 or 2 towers from the supply."""
    slopes, back, after = workspace.slopes, workspace.back, workspace.after
    towers = features.sum_bytes(after[layout.TOWER_SUPPLY], _COLORS)
    walls = float(bytes_of(after)[layout.WALL_LEFT]) / float(ALL_WALLS)
    left = _left_slope(players, net, workspace)
    supply = board_slope(features.SUPPLY, net, back) / float(TOWERS)
    now = min(float(towers) / float(TOWERS), walls)
    last_now = 0.0
    if U(0) < towers <= _LAST_TOWERS:
        last_now = board_slope(features.LAST + towers - U(1), net, back)
    slopes[policy.USED_SLOPE] = 0.0
    for used in range(U(1), U(3)):
        rest = towers - min(used, towers)
        value = -supply * float(used) - last_now
        value += left * (min(float(rest) / float(TOWERS), walls) - now)
        if U(0) < rest <= _LAST_TOWERS:
            value += board_slope(features.LAST + rest - U(1), net, back)
        if rest == U(0):
            value = end_value(seat, players, workspace) - slopes[policy.BASE_VALUE]
        slopes[policy.USED_SLOPE + used] = value


@inner
def _piece_slopes(workspace: PolicyWorkspace) -> None:
    """Complete the slopes of towers and houses by adding their effect on land cards."""
    slopes = workspace.slopes
    for color in range(_COLORS):
        slopes[policy.TOWER_SLOPE + color] += (
            slopes[policy.LAND_SLOPE + _LAND_TOWERS]
            + 2.0 * slopes[policy.LAND_SLOPE + _LAND_COLOR + color]
        )
    for color in range(_HOUSES):
        slopes[policy.HOUSE_SLOPE + color] = slopes[policy.LAND_SLOPE + color]
    for region in range(U(3)):
        slopes[policy.REGION_SLOPE + region] = slopes[policy.LAND_SLOPE + _LAND_REGION + region]


@inner
def _later_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill the slopes of towers in supply, lines and cities, which affect later turns."""
    slopes, back = workspace.slopes, workspace.back
    for color in range(_COLORS):
        slopes[policy.TOWER_SLOPE + color] = (
            -board_slope(features.SUPPLY + U(3) + color, net, back) / 10.0
        )
    slopes[policy.CLOSING_SLOPE] = (
        board_slope(features.LINES + U(1), net, back) / features.CITY_SCALE
    )
    slopes[policy.DOUBLE_SLOPE] = (
        board_slope(features.LINES + U(2), net, back) / features.DOUBLE_SCALE
    )
    slopes[policy.TOUCHED_SLOPE] = (
        board_slope(features.LINES + U(3), net, back) / features.TOUCHED_SCALE
    )
    for seat in range(players):
        for i in range(U(2)):
            slopes[policy.CITY_SLOPE + U(2) * seat + i] = seat_slope(
                seat, features.CITY_INPUTS + i, net, back
            )


@inner
def _is_last_turn(state: Words, board: Words) -> bool:
    """Return whether the game ends with this turn, wherever its wall and towers are placed."""
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_WALL:
        return b[layout.WALL_LEFT] == U(1)
    if b[layout.PHASE] == layout.PHASE_TOWERS and b[layout.END] == U(0):
        due = popcount(ends_without(state, board, U(b[layout.LINE])))
        return features.sum_bytes(state[layout.TOWER_SUPPLY], _COLORS) <= due
    return b[layout.END] != U(0)


@inner
def fill_slopes(
    state: Words, board: Words, rng: Words, net: Singles, workspace: PolicyWorkspace
) -> None:
    """Fill `workspace.slopes` for SEAT, which has to place its wall, towers or houses.

    Only what SEAT sees is used; hidden hands are dealt with `rng`. `state` is not modified.
    """
    turn_over(state, workspace)
    slopes = workspace.slopes
    seat, players = U(bytes_of(state)[layout.SEAT]), U(bytes_of(state)[layout.PLAYERS])
    deal_samples(board, rng, workspace)
    if _is_last_turn(state, board):
        for i in range(U(policy.SLOPES)):
            slopes[i] = 0.0
        slopes[policy.BASE_VALUE] = end_value(seat, players, workspace)
        end_slopes(seat, players, workspace)
    else:
        predict_mean(board, net, workspace)
        slopes[policy.BASE_VALUE] = seat_value(seat, players, workspace)
        follow_back(seat, players, net, workspace)
        land_slopes(players, net, workspace)
        used_slopes(seat, players, net, workspace)
        _later_slopes(players, net, workspace)
    _piece_slopes(workspace)
