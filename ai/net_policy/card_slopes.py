"""The value of cards in a hand, by the slopes of the net.

The net is evaluated as if the scoring were over: the others have played by the heuristics with
hands dealt by chance, the seat has kept all its cards. A card drawn is worth what the unseen ones
are on average.
"""

from __future__ import annotations

from masons.ai.beliefs.determinization import deal_anew, hide_others
from masons.ai.models.features import (
    CARDS,
    HELD,
    HELD_LEFT,
    LAND,
    MARGIN,
    POINTS,
    SEAT_INPUTS,
    game_left,
    seat_inputs,
)
from masons.ai.models.model_data import Models
from masons.ai.net_policy.land_slopes import best_other, land_cards, rank_slopes, then_slopes
from masons.ai.net_policy.net_gradient import follow_back, mean_inputs, predict_mean, seat_slope
from masons.ai.net_policy.policy_workspace import ANOTHER, POINT, SAMPLES, PolicyWorkspace
from masons.ai.policies.heuristic_play import heuristic_score
from masons.engine.board.components import FIRST_LAND, KINDS
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Single, Word, Words, bytes_of, copy_words, inner
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.turns import clockwise
from masons.engine.state.layout import (
    ACTIVE,
    DECK,
    DISCARD,
    HANDS,
    NONE,
    PHASE,
    PHASE_SCORE,
    PLAYERS,
    STATE_WORDS,
    VALUES_BYTE,
)

_STATE = U(STATE_WORDS)
_SEAT = U(SEAT_INPUTS)
_FIRST_LAND = U(FIRST_LAND)
_ZERO = Single(0.0)


@inner
def _others_score(seat: Word, models: Models, rng: Words, workspace: PolicyWorkspace) -> None:
    """In `after` the seats after `seat` that have still to score do so, by the heuristics."""
    after = workspace.after
    other = clockwise(after, seat)
    while other != U(bytes_of(after)[ACTIVE]):
        heuristic_score(after, other, rng, models.heuristic, workspace.counters)
        other = clockwise(after, other)


@inner
def _scoring_over(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Fill the net's inputs for the start of the next turn, SAMPLES deals averaged."""
    after, hidden, total, net = workspace.after, workspace.hidden, workspace.inputs, workspace.net
    b = bytes_of(state)
    players = U(b[PLAYERS])
    for i in range(_SEAT * players):
        total[i] = _ZERO
    for _ in range(U(SAMPLES)):
        copy_words(after, state, _STATE)
        hide_others(after, seat, hidden)
        deal_anew(after, hidden, workspace.hand_weights, workspace.predicts[0], rng)
        if b[PHASE] == PHASE_SCORE:
            _others_score(seat, models, rng, workspace)
        bytes_of(after)[ACTIVE] = clockwise(after, U(b[ACTIVE]))
        score_cards(after, board, NONE)
        seat_inputs(after, net, workspace.now, workspace.then)
        for i in range(_SEAT * players):
            total[i] += net[i]
    mean_inputs(board, workspace)


@inner
def _sort_hand(hand: Word, workspace: PolicyWorkspace) -> None:
    """Fill `land` and `land_values` with the land cards of a hand, the best first."""
    values, land, points = bytes_of(workspace.after), workspace.land, workspace.land_values
    left, count = land_cards(hand), U(0)
    while left:
        card = left & (~left + U(1))
        left ^= card
        value = float(values[VALUES_BYTE + (lowest(card) >> U(1))])
        i = count
        while i and points[i - U(1)] < value:
            land[i], points[i] = land[i - U(1)], points[i - U(1)]
            i -= U(1)
        land[i], points[i] = card, value
        count += U(1)
    land[count] = U(0)


@inner
def ranked_value(cards: Word, workspace: PolicyWorkspace) -> float:
    """Return the value of the hand's land cards by rank: the best ones count."""
    land, points, ranks = workspace.land, workspace.land_values, workspace.ranks
    total, i, rank = 0.0, U(0), U(0)
    while land[i]:
        kept = U(land[i] & cards != U(0))
        total += ranks[rank] * points[i] * float(kept)
        rank += kept
        i += U(1)
    return total


@inner
def _value_with(value: float, workspace: PolicyWorkspace) -> float:
    """Return the value of the hand's land cards and one more of a given value, by rank."""
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
    """Fill `cards` for a seat: what a card of each kind is worth in its hand, ranks apart.

    Then what another card is worth, and what a point is.
    """
    _scoring_over(state, board, seat, rng, models, workspace)
    cards, net, back = workspace.cards, models.net, workspace.back
    players = U(bytes_of(state)[PLAYERS])
    predict_mean(players, net, workspace)
    follow_back(seat, players, net, workspace)
    then_slopes(players, net, workspace)
    rank_slopes(seat, net, workspace)
    left, values = game_left(workspace.after), bytes_of(workspace.after)
    count = seat_slope(seat, CARDS, net, back) / 4.0
    for kind in range(U(KINDS)):
        slope = seat_slope(seat, HELD + kind, net, back)
        slope += left * seat_slope(seat, HELD_LEFT + kind, net, back) + count
        if kind >= _FIRST_LAND:
            value = float(values[VALUES_BYTE + kind]) / 8.0
            slope += value * seat_slope(seat, LAND + kind - _FIRST_LAND, net, back)
        cards[kind] = slope
    hand = state[HANDS + seat]
    _sort_hand(hand, workspace)
    base = ranked_value(hand, workspace)
    unseen = state[DECK]
    for other in range(players):
        if other != seat:
            unseen |= state[HANDS + other]
    total, number = 0.0, popcount(unseen)
    if number == U(0):
        unseen = state[DISCARD]
        number = popcount(unseen)
    kinds = kinds_of(unseen)
    while kinds:
        shift = lowest(kinds)
        kinds &= kinds - U(1)
        kind = shift >> U(1)
        copies = (unseen >> shift) & U(3)
        gain = cards[kind]
        if kind >= _FIRST_LAND:
            gain += _value_with(float(values[VALUES_BYTE + kind]), workspace) - base
        total += float(popcount(copies)) * gain
    cards[ANOTHER] = total / float(number) if number else 0.0
    points = workspace.pairs[seat] + seat_slope(seat, POINTS, net, back) / 16.0
    for other in range(players):
        margin = seat_slope(other, MARGIN, net, back) / 16.0
        if other == seat:
            points += margin
        elif best_other(workspace.now, players, other) == seat:
            points -= margin
    cards[POINT] = points


@inner
def value_lost(hand: Word, played: Word, base: float, workspace: PolicyWorkspace) -> float:
    """Return the value that the cards played had in hand."""
    total, left = base - ranked_value(hand & ~played, workspace), played
    while left:
        total += workspace.cards[lowest(left) >> U(1)]
        left &= left - U(1)
    return total
