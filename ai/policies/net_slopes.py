"""What each small change of a position is worth to a seat: the slopes of the value net.

The net is evaluated once, as if the seat's turn were over, and followed back to its inputs. What a
wall, a tower, a house or a card changes is a handful of inputs, so a hundred moves are compared for
the price of two or three evaluations. Hidden hands are dealt SAMPLES times; their inputs are
averaged, as the first layer adds them up.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from masons.ai.beliefs.determinization import deal
from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.halving.workspace import Models
from masons.ai.halving.sequential_halving import POINT_VALUE
from masons.ai.models.features import (
    BEST,
    BOARD,
    BOARD_VALUES,
    CITY_INPUTS,
    FINAL_INPUTS,
    HELD_LEFT,
    INPUTS,
    LAND,
    LAST,
    LINES,
    MAX_SEATS,
    SEAT_INPUTS,
    SUPPLY,
    TOP,
    best_pair,
    board_inputs,
    city_inputs,
    game_left,
    seat_inputs,
    sum_bytes,
)
from masons.ai.models.hand_model import HAND_WEIGHTS
from masons.ai.models.value_net import (
    BOARD_WEIGHTS,
    HIDDEN,
    LINEAR,
    NET_WORKSPACE,
    OUT,
    SCORE,
    SHARED,
    SPREAD,
    predict_end,
    read_out,
    spread_board,
    spread_seats,
)
from masons.engine.board.components import (
    FIRST_LAND,
    HOUSE_COLORS,
    KINDS,
    LANDS,
    TOWER_COLORS,
    TOWERS,
)
from masons.engine.board.components import WALLS as ALL_WALLS
from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import (
    Bytes,
    Floats,
    Singles,
    Single,
    Word,
    Words,
    bytes_of,
    copy_words,
    field_of,
    inner,
)
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.turns import clockwise, score_of
from masons.engine.state.layout import (
    ACTIVE,
    DECK,
    HANDS,
    NONE,
    PHASE,
    PHASE_OVER,
    PHASE_WALL,
    PLAYERS,
    SEAT,
    STATE_WORDS,
    TOWER_SUPPLY,
    VALUES_BYTE,
    WALL_LEFT,
)

SAMPLES: Final = 2
# Of equals any is taken.
NOISE: Final = 1e-6
CARD_SLOPES: Final = KINDS + 2
COMPARED: Final = 6  # lines looked at closely
# A margin of so many points makes a win e times as likely as not, where the game is about to end.
ENDS_BY: Final = 1.5

# Slopes, one after the other: win probability, with a little of the margin, for one more of each.
LAND_SLOPE = U(0)  # point of each kind of land card
TOWER_SLOPE = U(LANDS)  # tower of each colour, wherever it stands
HOUSE_SLOPE = U(LANDS + 3)  # house of each colour, and by region
REGION_SLOPE = U(LANDS + 8)
USED_SLOPE = U(LANDS + 11)  # 0, 1 or 2 towers taken from the supply
TOUCHED_SLOPE = U(LANDS + 14)  # line beside a tower; and of two towers
DOUBLE_SLOPE = U(LANDS + 15)
CLOSING_SLOPE = U(LANDS + 16)  # line that completes a city
CITY_SLOPE = U(LANDS + 17)  # CITY_INPUTS of each seat
BASE_VALUE = U(LANDS + 17 + 2 * MAX_SEATS)  # what the net says of the position itself
SLOPES: Final = LANDS + 18 + 2 * MAX_SEATS

_STATE = U(STATE_WORDS)
_HIDDEN = U(HIDDEN)
_BOTH = U(2 * HIDDEN)
_LINEAR = U(LINEAR)
_SEAT = U(SEAT_INPUTS)
_FIRST_LAND = U(FIRST_LAND)
_COLORS = U(len(TOWER_COLORS))
_HOUSES = U(len(HOUSE_COLORS))
_LAND_REGION = U(len(HOUSE_COLORS))  # land cards by number: colours, regions, then these
_LAND_TOWERS, _LAND_COLOR, _LAND_SHORE = U(8), U(9), U(12)
_LAST_TOWERS = U(8)
_ZERO = Single(0.0)


class PolicyWorkspace(NamedTuple):
    """What the policy by the net works with. Everything is modified in place."""

    after: Words  # uint64[STATE_WORDS]: the position, as if the turn were over
    copy: Words  # uint64[STATE_WORDS]: another one, to look ahead
    aside: Words  # uint64[STATE_WORDS]: and another
    trial: Words  # uint64[STATE_WORDS]: a turn played to see what comes of it
    predicts: Words  # uint64[1]: whether hands are dealt by `hand_weights`
    hand_weights: Floats  # float64[HAND_WEIGHTS]
    hidden: Words  # uint64[MAX_SEATS]: how many cards of each seat are hidden
    hands: Words  # uint64[SAMPLES * MAX_SEATS]: hands that may be
    net: Singles  # float32[NET_WORKSPACE]
    inputs: Singles  # float32[INPUTS]: a sum of inputs
    back: Singles  # float32[(2 * MAX_SEATS + 1) * HIDDEN]: the slopes of the hidden units
    slopes: Floats  # float64[SLOPES]
    ranks: Floats  # float64[TOP]: the slopes of the best cards of a hand
    places: Floats  # float64[MAX_TOWERS]: the value of a tower at each tower space
    now: Floats  # float64[MAX_SEATS]: scores
    then: Floats  # float64[MAX_SEATS]: scores with the two best land cards
    pairs: Floats  # float64[MAX_SEATS]: what the two best cards score
    wins: Floats  # float64[MAX_SEATS]: win probabilities
    scores: Floats  # float64[MAX_SEATS]: final scores
    cards: Floats  # float64[CARD_SLOPES]: what cards and points are worth (see `net_cards`)
    counters: Words  # uint64[COUNTER_WORDS]
    rng: Words  # uint64[1]
    noise: Floats  # float64[1]: values of lines differ by chance by so much
    best_lines: Words  # uint64[COMPARED]: the lines of most value, the best first
    best_values: Floats  # float64[COMPARED]


def new_policy_workspace() -> PolicyWorkspace:
    """The workspace of one thread, all zeros."""

    def words(count: int) -> Words:
        return field_of(np.zeros(count, dtype=np.uint64))

    def singles(count: int) -> Singles:
        return field_of(np.zeros(count, dtype=np.float32))

    return PolicyWorkspace(
        after=words(STATE_WORDS),
        copy=words(STATE_WORDS),
        aside=words(STATE_WORDS),
        trial=words(STATE_WORDS),
        predicts=words(1),
        hand_weights=field_of(np.zeros(HAND_WEIGHTS)),
        hidden=words(MAX_SEATS),
        hands=words(SAMPLES * MAX_SEATS),
        net=singles(NET_WORKSPACE),
        inputs=singles(INPUTS),
        back=singles((2 * MAX_SEATS + 1) * HIDDEN),
        slopes=field_of(np.zeros(SLOPES)),
        ranks=field_of(np.zeros(TOP)),
        places=field_of(np.zeros(MAX_TOWERS)),
        now=field_of(np.zeros(MAX_SEATS)),
        then=field_of(np.zeros(MAX_SEATS)),
        pairs=field_of(np.zeros(MAX_SEATS)),
        wins=field_of(np.zeros(MAX_SEATS)),
        scores=field_of(np.zeros(MAX_SEATS)),
        cards=field_of(np.zeros(CARD_SLOPES)),
        counters=words(COUNTER_WORDS),
        rng=words(1),
        noise=field_of(np.full(1, NOISE)),
        best_lines=words(COMPARED),
        best_values=field_of(np.zeros(COMPARED)),
    )


@inner
def _turn_over(state: Words, workspace: PolicyWorkspace) -> None:
    """Fill `after` and `hidden`: the next seat is active, and the others' cards lie in the deck."""
    after, hidden = workspace.after, workspace.hidden
    copy_words(after, state, _STATE)
    b = bytes_of(after)
    seat = U(b[SEAT])
    if b[PHASE] == PHASE_WALL:
        b[WALL_LEFT] = U(b[WALL_LEFT]) - U(1)
    b[ACTIVE] = clockwise(after, seat)
    for other in range(U(b[PLAYERS])):
        hidden[other] = U(0)
        if other != seat:
            hidden[other] = popcount(after[HANDS + other])
            after[DECK] |= after[HANDS + other]
            after[HANDS + other] = U(0)


@inner
def _deal_samples(board: Words, rng: Words, workspace: PolicyWorkspace) -> None:
    """Fill the inputs of the seats, averaged over SAMPLES deals of the hidden hands, and `hands`."""
    after, hidden, hands = workspace.after, workspace.hidden, workspace.hands
    net, total = workspace.net, workspace.inputs
    players = U(bytes_of(after)[PLAYERS])
    score_cards(after, board, NONE)
    for i in range(_SEAT * players):
        total[i] = _ZERO
    deck = after[DECK]
    for sample in range(U(SAMPLES)):
        after[DECK] = deck
        for seat in range(players):
            if hidden[seat]:
                after[HANDS + seat] = U(0)
        deal(after, hidden, workspace.hand_weights, workspace.predicts[0], rng)
        for seat in range(players):
            hands[U(MAX_SEATS) * sample + seat] = after[HANDS + seat]
        seat_inputs(after, net, workspace.now, workspace.then)
        for i in range(_SEAT * players):
            total[i] += net[i]
    share = Single(1.0 / SAMPLES)
    for i in range(_SEAT * players):
        net[i] = total[i] * share


@inner
def evaluate(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `wins` and `scores` by the inputs."""
    wins, scores = workspace.wins, workspace.scores
    spread_seats(workspace.net, players, net)
    spread_board(workspace.net, net)
    most, total = -1.0e9, 0.0
    for seat in range(players):
        wins[seat], score = read_out(workspace.net, players, net, seat)
        scores[seat] = SCORE * score
        most = max(most, wins[seat])
    for seat in range(players):
        wins[seat] = math.exp(wins[seat] - most)
        total += wins[seat]
    for seat in range(players):
        wins[seat] /= total


@inner
def seat_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """A seat's win probability with a little of its margin."""
    scores, others = workspace.scores, 0.0
    for other in range(players):
        others += scores[other]
    own = scores[seat]
    return workspace.wins[seat] + POINT_VALUE * (own - (others - own) / float(players - U(1)))


@inner
def follow_back(seat: Word, players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `back`: for each seat the slopes of the units by its own sums and by the others'.

    At the end those of the board's.
    """
    units, back, wins = workspace.net, workspace.back, workspace.wins
    part = Single(1.0 / float(players - U(1)))
    whole = _BOTH * U(MAX_SEATS)
    for j in range(_HIDDEN):
        back[whole + j] = _ZERO
    for other in range(players):
        own = other == seat
        by_logit = Single(wins[seat] * (float(U(own)) - wins[other]))
        margin = 1.0 if own else -1.0 / float(players - U(1))
        by_score = Single(POINT_VALUE * SCORE * margin)
        to = _BOTH * other
        for j in range(_HIDDEN):
            others = _ZERO
            for third in range(players):
                if third != other:
                    others += units[SPREAD + _BOTH * third + _HIDDEN + j]
            unit = units[SHARED + j] + units[SPREAD + to + j] + part * others
            slope = by_logit * net[OUT + j] + by_score * net[OUT + _HIDDEN + j]
            if j >= _LINEAR and unit <= _ZERO:
                slope = _ZERO
            back[to + j] = slope
            back[whole + j] += slope
    for other in range(players):
        to = _BOTH * other
        for j in range(_HIDDEN):
            back[to + _HIDDEN + j] = part * (back[whole + j] - back[to + j])


@inner
def _dot(net: Singles, row: Word, back: Singles, to: Word, count: Word) -> float:
    """The sum of products of `count` (of eight each) weights and slopes.

    Eight sums, one beside the other, are one instruction to the processor.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = _ZERO
    for i in range(count // U(8)):
        m, n = row + U(8) * i, to + U(8) * i
        s0 += net[m] * back[n]
        s1 += net[m + U(1)] * back[n + U(1)]
        s2 += net[m + U(2)] * back[n + U(2)]
        s3 += net[m + U(3)] * back[n + U(3)]
        s4 += net[m + U(4)] * back[n + U(4)]
        s5 += net[m + U(5)] * back[n + U(5)]
        s6 += net[m + U(6)] * back[n + U(6)]
        s7 += net[m + U(7)] * back[n + U(7)]
    return float(((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)))


@inner
def seat_slope(seat: Word, number: Word, net: Singles, back: Singles) -> float:
    """The slope of an input of a seat."""
    return _dot(net, _BOTH * number, back, _BOTH * seat, _BOTH)


@inner
def _board_slope(number: Word, net: Singles, back: Singles) -> float:
    """The slope of an input of the board, by its place among all inputs."""
    row = BOARD_WEIGHTS + _HIDDEN * (number - U(BOARD))
    return _dot(net, row, back, _BOTH * U(MAX_SEATS), _HIDDEN)


@inner
def best_other(numbers: Floats, players: Word, seat: Word) -> Word:
    """The seat with the most among the others."""
    found, most = seat, -1.0e9
    for other in range(players):
        if other != seat and numbers[other] > most:
            found, most = other, numbers[other]
    return found


@inner
def land_cards(hand: Word) -> Word:
    """The land cards among some cards."""
    return (hand >> (U(2) * _FIRST_LAND)) << (U(2) * _FIRST_LAND)


@inner
def rank_of(cards: Word, kind: Word, values: Bytes) -> Word:
    """How many of some cards score more now than a card of this kind."""
    value, rank = values[VALUES_BYTE + kind], U(0)
    while cards:
        rank += U(values[VALUES_BYTE + (lowest(cards) >> U(1))] > value)
        cards &= cards - U(1)
    return rank


@inner
def then_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `pairs`: the slope of each seat's score with its two best land cards."""
    pairs, then, back = workspace.pairs, workspace.then, workspace.back
    for seat in range(players):
        pairs[seat] = seat_slope(seat, FINAL_INPUTS, net, back) / 32.0
    for seat in range(players):
        margin = seat_slope(seat, FINAL_INPUTS + U(1), net, back) / 16.0
        pairs[seat] += margin
        pairs[best_other(then, players, seat)] -= margin


@inner
def rank_slopes(seat: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `ranks`: the slopes of what a seat's best land cards score, the best first."""
    for rank in range(U(TOP)):
        slope = seat_slope(seat, BEST + rank, net, workspace.back) / 8.0
        if rank < U(2):
            slope += workspace.pairs[seat]
        workspace.ranks[rank] = slope


@inner
def _land_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """LAND_SLOPE: by the cards in all hands, as each is ranked among the others of its hand."""
    slopes, back, hands = workspace.slopes, workspace.back, workspace.hands
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[LAND_SLOPE + kind] = _board_slope(BOARD_VALUES + kind, net, back) / 16.0
    then_slopes(players, net, workspace)
    for seat in range(players):
        rank_slopes(seat, net, workspace)
        for sample in range(U(SAMPLES)):
            _hand_slopes(hands[U(MAX_SEATS) * sample + seat], seat, values, net, workspace)


@inner
def _hand_slopes(
    hand: Word, seat: Word, values: Bytes, net: Singles, workspace: PolicyWorkspace
) -> None:
    """Add what the land cards of a hand make of LAND_SLOPE."""
    slopes, ranks = workspace.slopes, workspace.ranks
    cards = land_cards(hand)
    left = cards
    while left:
        kind = lowest(left) >> U(1)
        left &= left - U(1)
        rank = rank_of(cards, kind, values)
        slope = seat_slope(seat, LAND + kind - _FIRST_LAND, net, workspace.back) / 8.0
        if rank < U(TOP):
            slope += ranks[rank]
        slopes[LAND_SLOPE + kind - _FIRST_LAND] += slope / float(SAMPLES)


@inner
def _left_slope(players: Word, net: Singles, workspace: PolicyWorkspace) -> float:
    """The slope of the share of the game that is left."""
    inputs, back = workspace.net, workspace.back
    left = game_left(workspace.after)
    total = _board_slope(SUPPLY + U(2), net, back)
    if left <= 0.0:
        return total
    for seat in range(players):
        for kind in range(U(KINDS)):
            held = inputs[_SEAT * seat + HELD_LEFT + kind]
            if held != _ZERO:
                slope = seat_slope(seat, HELD_LEFT + kind, net, back)
                total += slope * float(held) / left
    return total


@inner
def _margin_now(sample: Word, seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """A seat's margin if the game ended now, with the hands of a sample; fills `then`."""
    after, then = workspace.after, workspace.then
    for other in range(players):
        hand = workspace.hands[U(MAX_SEATS) * sample + other]
        then[other] = float(score_of(after, other)) + best_pair(bytes_of(after), hand)
    return then[seat] - then[best_other(then, players, seat)]


@inner
def _end_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """What the end of the game would be worth now, a margin of ENDS_BY points being uncertain."""
    total = 0.0
    for sample in range(U(SAMPLES)):
        margin = _margin_now(sample, seat, players, workspace)
        total += 1.0 / (1.0 + math.exp(-margin / ENDS_BY)) + POINT_VALUE * margin
    return total / float(SAMPLES)


@inner
def _end_slopes(seat: Word, players: Word, workspace: PolicyWorkspace) -> None:
    """LAND_SLOPE where the game ends with this wall: only the best two cards of a hand count."""
    slopes, then = workspace.slopes, workspace.then
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[LAND_SLOPE + kind] = 0.0
    for sample in range(U(SAMPLES)):
        win = 1.0 / (1.0 + math.exp(-_margin_now(sample, seat, players, workspace) / ENDS_BY))
        slope = (win * (1.0 - win) / ENDS_BY + POINT_VALUE) / float(SAMPLES)
        rival = best_other(then, players, seat)
        for other in range(players):
            if other != seat and other != rival:
                continue
            sign = slope if other == seat else -slope
            cards = land_cards(workspace.hands[U(MAX_SEATS) * sample + other])
            left = cards
            while left:
                kind = lowest(left) >> U(1)
                left &= left - U(1)
                if rank_of(cards, kind, values) < U(2):
                    slopes[LAND_SLOPE + kind - _FIRST_LAND] += sign


@inner
def _used_slopes(seat: Word, players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """USED_SLOPE: what it is worth that so many towers are taken from the supply."""
    slopes, back, after = workspace.slopes, workspace.back, workspace.after
    towers = sum_bytes(after[TOWER_SUPPLY], _COLORS)
    walls = float(bytes_of(after)[WALL_LEFT]) / float(ALL_WALLS)
    left = _left_slope(players, net, workspace)
    supply = _board_slope(SUPPLY, net, back) / float(TOWERS)
    now = min(float(towers) / float(TOWERS), walls)
    last_now = 0.0
    if U(0) < towers <= _LAST_TOWERS:
        last_now = _board_slope(LAST + towers - U(1), net, back)
    slopes[USED_SLOPE] = 0.0
    for used in range(U(1), U(3)):
        rest = towers - min(used, towers)
        value = -supply * float(used) - last_now
        value += left * (min(float(rest) / float(TOWERS), walls) - now)
        if U(0) < rest <= _LAST_TOWERS:
            value += _board_slope(LAST + rest - U(1), net, back)
        if rest == U(0) and bytes_of(after)[WALL_LEFT]:
            value = _end_value(seat, players, workspace) - slopes[BASE_VALUE]
        slopes[USED_SLOPE + used] = value


@inner
def _piece_slopes(net: Singles, workspace: PolicyWorkspace) -> None:
    """Of towers, houses and lines."""
    slopes, back = workspace.slopes, workspace.back
    for color in range(_COLORS):
        supply = _board_slope(SUPPLY + U(3) + color, net, back) / 10.0
        slopes[TOWER_SLOPE + color] = (
            slopes[LAND_SLOPE + _LAND_TOWERS]
            + 2.0 * slopes[LAND_SLOPE + _LAND_COLOR + color]
            - supply
        )
    for color in range(_HOUSES):
        slopes[HOUSE_SLOPE + color] = slopes[LAND_SLOPE + color]
    for region in range(U(3)):
        slopes[REGION_SLOPE + region] = slopes[LAND_SLOPE + _LAND_REGION + region]
    slopes[CLOSING_SLOPE] = _board_slope(LINES + U(1), net, back) / 4.0
    slopes[DOUBLE_SLOPE] = _board_slope(LINES + U(2), net, back) / 16.0
    slopes[TOUCHED_SLOPE] = _board_slope(LINES + U(3), net, back) / 64.0


@inner
def fill_slopes(
    state: Words, board: Words, rng: Words, net: Singles, workspace: PolicyWorkspace
) -> None:
    """Fill `workspace.slopes` for SEAT, which has its wall, towers or houses to put.

    Nothing that SEAT does not see is looked at; `rng` deals it. `state` is not modified.
    """
    _turn_over(state, workspace)
    slopes = workspace.slopes
    seat, players = U(bytes_of(state)[SEAT]), U(bytes_of(state)[PLAYERS])
    _deal_samples(board, rng, workspace)
    city_inputs(workspace.after, board, workspace.copy, workspace.pairs, workspace.net)
    board_inputs(workspace.after, workspace.net)
    evaluate(players, net, workspace)
    slopes[BASE_VALUE] = seat_value(seat, players, workspace)
    follow_back(seat, players, net, workspace)
    if bytes_of(workspace.after)[WALL_LEFT]:
        _land_slopes(players, net, workspace)
    else:
        _end_slopes(seat, players, workspace)
    _used_slopes(seat, players, net, workspace)
    _piece_slopes(net, workspace)
    for other in range(players):
        for i in range(U(2)):
            slopes[CITY_SLOPE + U(2) * other + i] = seat_slope(
                other, CITY_INPUTS + i, net, workspace.back
            )


@inner
def trial_value(
    seat: Word, board: Words, models: Models, workspace: PolicyWorkspace
) -> float:
    """What `trial`, at the start of a turn or over, is worth to a seat."""
    trial, wins, scores = workspace.trial, workspace.wins, workspace.scores
    players = U(bytes_of(trial)[PLAYERS])
    if bytes_of(trial)[PHASE] == PHASE_OVER:
        fill_rewards(trial, wins)
        for other in range(players):
            scores[other] = float(score_of(trial, other))
    else:
        predict_end(trial, board, models.net, workspace.net, workspace.aside, wins, scores)
    return seat_value(seat, players, workspace)
