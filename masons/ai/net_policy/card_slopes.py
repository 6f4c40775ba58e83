"""The value of the cards in a hand, computed from the slopes of the net.

A slope is a derivative of the net's value (see `net_gradient`). The net is evaluated as if the
scoring were over: the other seats have random hands and have scored as the heuristics choose, and
the deciding seat has kept all its cards. A card that the seat will draw has the mean value of the
unseen cards.
"""

from __future__ import annotations

from typing import Final

from masons.ai.beliefs.determinization import deal_anew, hide_others
from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.models import features
from masons.ai.models.model_data import Models
from masons.ai.net_policy import policy_workspace as policy
from masons.ai.net_policy.net_gradient import (
    add_sample,
    board_slope,
    follow_back,
    kinds_held,
    predict_mean,
    seat_slope,
)
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.policies.heuristic_play import heuristic_score
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.exact_math import exponential
from masons.engine.kernels.jit import (
    Bytes,
    Floats,
    Singles,
    Word,
    Words,
    bytes_of,
    inner,
    offset,
)
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import score_cards, values_of
from masons.engine.rules.turns import clockwise, score_of
from masons.engine.state import layout

# --- land slopes
# The value, for the seat that decides, of one more point on each kind of land card.
#
# The weight of a card depends on its rank in its hand, because the net sees only the best few cards
# of each hand. The hands of the other seats come from random deals, the samples.


@inner
def best_other(numbers: Floats, players: Word, seat: Word) -> Word:
    """Return the seat with the highest number among the seats other than `seat`."""
    best_seat, most = seat, -1.0e9
    for other in range(players):
        if other != seat and numbers[other] > most:
            best_seat, most = other, numbers[other]
    return best_seat


@inner
def land_cards(hand: Word) -> Word:
    """Return the land cards in a set of cards."""
    return (hand >> (U(2) * _FIRST_LAND)) << (U(2) * _FIRST_LAND)


@inner
def rank_of(cards: Word, card: Word, values: Bytes) -> Word:
    """Return the rank of a card in a set: the number of cards with more points.

    A second copy of a card ranks below the first copy.
    """
    value = values[layout.VALUES_BYTE + (card >> U(1))]
    rank = (cards >> (card ^ U(1))) & card & U(1)
    while cards:
        rank += U(values[layout.VALUES_BYTE + (lowest(cards) >> U(1))] > value)
        cards &= cards - U(1)
    return rank


@inner
def then_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `pairs` with the slope of each seat's score after adding its two best land cards."""
    pairs, then, back = workspace.pairs, workspace.then, workspace.back
    for seat in range(players):
        pairs[seat] = seat_slope(seat, features.FINAL_INPUTS, net, back) / features.FINAL_SCALE
    for seat in range(players):
        margin = seat_slope(seat, features.FINAL_INPUTS + U(1), net, back) / features.SCORE_SCALE
        pairs[seat] += margin
        pairs[best_other(then, players, seat)] -= margin


@inner
def rank_slopes(seat: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill `ranks` with the slopes for one more point on a seat's best land cards, best first."""
    for rank in range(U(features.TOP)):
        slope = seat_slope(seat, features.BEST + rank, net, workspace.back) / features.CARD_SCALE
        if rank < U(2):
            slope += workspace.pairs[seat]
        workspace.ranks[rank] = slope


@inner
def hand_slopes(hand: Word, share: float, values: Bytes, workspace: PolicyWorkspace) -> None:
    """Add the contributions of the land cards in a hand to LAND_SLOPE, times `share`."""
    slopes, ranks, of_kinds = workspace.slopes, workspace.ranks, workspace.of_kinds
    cards = land_cards(hand)
    left = cards
    while left:
        card = lowest(left)
        left &= left - U(1)
        kind, rank = card >> U(1), rank_of(cards, card, values)
        # `ranks` is 0 from rank TOP on.
        slopes[policy.LAND_SLOPE + kind - _FIRST_LAND] += share * (of_kinds[kind] + ranks[rank])


@inner
def land_slopes(players: Word, net: Singles, workspace: PolicyWorkspace) -> None:
    """Fill LAND_SLOPE from the cards in all hands and their ranks."""
    slopes, back, hands = workspace.slopes, workspace.back, workspace.hands
    of_kinds = workspace.of_kinds
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[policy.LAND_SLOPE + kind] = (
            board_slope(features.BOARD_VALUES + kind, net, back) / features.SCORE_SCALE
        )
    then_slopes(players, net, workspace)
    for seat in range(players):
        rank_slopes(seat, net, workspace)
        kinds = land_cards(kinds_held(seat, workspace))
        while kinds:
            kind = lowest(kinds) >> U(1)
            kinds &= kinds - U(1)
            number = features.LAND + kind - _FIRST_LAND
            of_kinds[kind] = seat_slope(seat, number, net, back) / features.CARD_SCALE
        for sample in range(U(policy.SAMPLES)):
            hand = hands[U(features.MAX_SEATS) * sample + seat]
            hand_slopes(hand, 1.0 / policy.SAMPLES, values, workspace)


# --- end slopes
# The slopes for a turn that ends the game: only the best two land cards of each hand count.


# A margin of this number of points makes a win e times as likely as a defeat.
ENDS_BY: Final = 1.5


@inner
def _margin_now(sample: Word, seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """Return a seat's margin if the game ended now with the hands of a sample.

    Fills `then` with the final scores.
    """
    after, then = workspace.after, workspace.then
    hands = offset(workspace.hands, U(features.MAX_SEATS) * sample)
    pairs = features.best_pairs(values_of(after), hands, players)
    for other in range(players):
        then[other] = float(score_of(after, other) + features.pair_of(pairs, other))
    return then[seat] - then[best_other(then, players, seat)]


@inner
def end_value(seat: Word, players: Word, workspace: PolicyWorkspace) -> float:
    """Return the value of ending the game now.

    The win probability is a logistic function of the margin, with ENDS_BY as its scale.
    """
    total = 0.0
    for sample in range(U(policy.SAMPLES)):
        margin = _margin_now(sample, seat, players, workspace)
        total += 1.0 / (1.0 + exponential(-margin / ENDS_BY)) + POINT_VALUE * margin
    return total / float(policy.SAMPLES)


@inner
def end_slopes(seat: Word, players: Word, workspace: PolicyWorkspace) -> None:
    """Fill LAND_SLOPE for a turn that ends the game: only the best two cards of a hand count."""
    slopes, then = workspace.slopes, workspace.then
    values = bytes_of(workspace.after)
    for kind in range(U(LANDS)):
        slopes[policy.LAND_SLOPE + kind] = 0.0
    for sample in range(U(policy.SAMPLES)):
        win = 1.0 / (1.0 + exponential(-_margin_now(sample, seat, players, workspace) / ENDS_BY))
        slope = (win * (1.0 - win) / ENDS_BY + POINT_VALUE) / float(policy.SAMPLES)
        rival = best_other(then, players, seat)
        for other in range(players):
            if other != seat and other != rival:
                continue
            sign = slope if other == seat else -slope
            cards = land_cards(workspace.hands[U(features.MAX_SEATS) * sample + other])
            left = cards
            while left:
                card = lowest(left)
                left &= left - U(1)
                if rank_of(cards, card, values) < U(2):
                    slopes[policy.LAND_SLOPE + (card >> U(1)) - _FIRST_LAND] += sign


_FIRST_LAND = U(FIRST_LAND)


@inner
def _others_score(seat: Word, models: Models, rng: Words, workspace: PolicyWorkspace) -> None:
    """Let the heuristics play the scoring of the seats after `seat`, in the state `after`."""
    after = workspace.after
    other = clockwise(after, seat)
    while other != U(bytes_of(after)[layout.ACTIVE]):
        heuristic_score(after, other, rng, models.heuristic, workspace.counters)
        other = clockwise(after, other)


@inner
def _scoring_over(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Sum up the seats' numbers at the start of the next turn over SAMPLES deals."""
    after, hidden, b = workspace.after, workspace.hidden, bytes_of(state)
    for sample in range(U(policy.SAMPLES)):
        layout.copy_state(after, state)
        hide_others(after, seat, hidden)
        deal_anew(after, hidden, workspace.hand_weights, workspace.by_weights[0], rng)
        if b[layout.PHASE] == layout.PHASE_SCORE:
            _others_score(seat, models, rng, workspace)
        bytes_of(after)[layout.ACTIVE] = clockwise(after, U(b[layout.ACTIVE]))
        score_cards(after, board, layout.NONE)
        add_sample(sample, workspace)


@inner
def _sort_hand(hand: Word, workspace: PolicyWorkspace) -> None:
    """Fill `land` and `land_values` with the land cards of a hand, best first."""
    values, land, points = bytes_of(workspace.after), workspace.land, workspace.land_values
    left, count = land_cards(hand), U(0)
    while left:
        card = left & (~left + U(1))
        left ^= card
        value = float(values[layout.VALUES_BYTE + (lowest(card) >> U(1))])
        i = count
        while i and points[i - U(1)] < value:
            land[i], points[i] = land[i - U(1)], points[i - U(1)]
            i -= U(1)
        land[i], points[i] = card, value
        count += U(1)
    land[count] = U(0)


@inner
def ranked_value(cards: Word, workspace: PolicyWorkspace) -> float:
    """Return the value, weighted by rank, of the land cards in `cards`, a subset of the hand."""
    land, points, ranks = workspace.land, workspace.land_values, workspace.ranks
    total, i, rank = 0.0, U(0), U(0)
    while land[i]:
        # Whether a card is kept is unpredictable, so the code avoids branches: ranks[TOP] is 0.
        is_kept = land[i] & cards != U(0)
        total += ranks[rank if is_kept else U(features.TOP)] * points[i]
        rank += U(is_kept)
        i += U(1)
    return total


@inner
def _value_with(value: float, workspace: PolicyWorkspace) -> float:
    """Return the value, weighted by rank, of the hand's land cards and one more card.

    The additional card is worth `value` points.
    """
    land, points, ranks = workspace.land, workspace.land_values, workspace.ranks
    total, i, rank = 0.0, U(0), U(0)
    while land[i]:
        is_less = U(points[i] < value)
        total += ranks[i + is_less] * points[i]
        rank += U(1) - is_less
        i += U(1)
    return total + ranks[rank] * value


@inner
def fill_card_slopes(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Fill `cards` with what each kind of card, one more card, and a point are worth to a seat.

    The values of kinds omit the part that depends on the ranks of land cards (see `ranked_value`).
    """
    _scoring_over(state, board, seat, rng, models, workspace)
    cards, net, back = workspace.cards, models.net, workspace.back
    players = U(bytes_of(state)[layout.PLAYERS])
    predict_mean(board, net, workspace)
    follow_back(seat, players, net, workspace)
    then_slopes(players, net, workspace)
    rank_slopes(seat, net, workspace)
    left, values = features.game_left(workspace.after), bytes_of(workspace.after)
    count = seat_slope(seat, features.CARDS, net, back) / features.HAND_SCALE
    for kind in range(U(KINDS)):
        slope = seat_slope(seat, features.HELD + kind, net, back)
        slope += left * seat_slope(seat, features.HELD_LEFT + kind, net, back) + count
        if kind >= _FIRST_LAND:
            value = float(values[layout.VALUES_BYTE + kind]) / features.CARD_SCALE
            slope += value * seat_slope(seat, features.LAND + kind - _FIRST_LAND, net, back)
        cards[kind] = slope
    hand = state[layout.HANDS + seat]
    _sort_hand(hand, workspace)
    base = ranked_value(hand, workspace)
    unseen = state[layout.DECK]
    for other in range(players):
        if other != seat:
            unseen |= state[layout.HANDS + other]
    total, number = 0.0, popcount(unseen)
    if number == U(0):
        unseen = state[layout.DISCARD]
        number = popcount(unseen)
    kinds = kinds_of(unseen)
    while kinds:
        shift = lowest(kinds)
        kinds &= kinds - U(1)
        kind = shift >> U(1)
        copies = (unseen >> shift) & U(3)
        gain = cards[kind]
        if kind >= _FIRST_LAND:
            gain += _value_with(float(values[layout.VALUES_BYTE + kind]), workspace) - base
        total += float(popcount(copies)) * gain
    cards[policy.ANOTHER] = total / float(number) if number else 0.0
    points = (
        workspace.pairs[seat] + seat_slope(seat, features.POINTS, net, back) / features.SCORE_SCALE
    )
    for other in range(players):
        margin = seat_slope(other, features.MARGIN, net, back) / features.SCORE_SCALE
        if other == seat:
            points += margin
        elif best_other(workspace.now, players, other) == seat:
            points -= margin
    cards[policy.POINT] = points


@inner
def value_lost(hand: Word, played: Word, base: float, workspace: PolicyWorkspace) -> float:
    """Return the value that a hand loses when the cards in `played` are played.

    `base` is the `ranked_value` of the whole hand.
    """
    total, left = base - ranked_value(hand & ~played, workspace), played
    while left:
        total += workspace.cards[lowest(left) >> U(1)]
        left &= left - U(1)
    return total
