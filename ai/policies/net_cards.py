"""Which cards to score, to keep and to swap away, by the slopes of the net.

The net is evaluated once, as if the scoring were over: the others have played by the heuristics
with hands dealt by chance, the seat has kept all its cards. A card costs what the net says that it
is worth in hand, a card drawn is worth what the unseen ones are on average, and points are points.
"""

from __future__ import annotations

from typing import Final

from masons.ai.beliefs.determinization import deal
from masons.ai.models.features import (
    CARDS,
    HELD,
    HELD_LEFT,
    LAND,
    MARGIN,
    POINTS,
    SEAT_INPUTS,
    TOP,
    board_inputs,
    city_inputs,
    game_left,
    seat_inputs,
)
from masons.ai.policies.heuristic_moves import best_option, weights_at
from masons.ai.policies.net_slopes import (
    SAMPLES,
    PolicyWorkspace,
    best_other,
    evaluate,
    follow_back,
    rank_slopes,
    seat_slope,
    then_slopes,
    trial_value,
)
from masons.ai.policies.heuristic_play import heuristic_play, heuristic_swaps
from masons.ai.halving.workspace import Models
from masons.engine.board.components import FIRST_LAND, KINDS
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.rng import next_word
from masons.engine.kernels.jit import Single, Word, Words, bytes_of, copy_words, inner
from masons.engine.playouts.random_moves import ABSTAINS
from masons.engine.playouts.random_scoring import end_scoring, score_and_draw, swap_out
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.turns import clockwise, next_turn
from masons.engine.state.layout import (
    ACTIVE,
    DECK,
    DISCARD,
    END,
    HANDS,
    NO_CARD,
    NONE,
    PHASE,
    PHASE_SCORE,
    PLAYERS,
    QUEUE,
    SEAT,
    STATE_WORDS,
    TURN,
    VALUES_BYTE,
)

# In `cards`, after a card of each kind: one drawn, and a point.
ANOTHER = U(KINDS)
POINT = U(KINDS + 1)

# Ways to score that are tried out, and in how many deals.
OPTIONS: Final = 4
TRIALS: Final = 4

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
        first, second, count, _ = best_option(
            after, other, models.heuristic, weights_at(after, other)
        )
        if count == U(0):
            second = ABSTAINS
        score_and_draw(after, other, first, second, rng, workspace.counters)
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
    for sample in range(U(SAMPLES)):
        copy_words(after, state, _STATE)
        for other in range(players):
            hidden[other] = U(0)
            if other != seat:
                hidden[other] = popcount(after[HANDS + other])
                after[DECK] |= after[HANDS + other]
                after[HANDS + other] = U(0)
        deal(after, hidden, workspace.hand_weights, workspace.predicts[0], rng)
        if b[PHASE] == PHASE_SCORE:
            _others_score(seat, models, rng, workspace)
        bytes_of(after)[ACTIVE] = clockwise(after, U(b[ACTIVE]))
        score_cards(after, board, NONE)
        seat_inputs(after, net, workspace.now, workspace.then)
        for i in range(_SEAT * players):
            total[i] += net[i]
    share = Single(1.0 / SAMPLES)
    for i in range(_SEAT * players):
        net[i] = total[i] * share
    city_inputs(after, board, workspace.copy, workspace.pairs, net)
    board_inputs(after, net)


@inner
def _ranked_value(cards: Word, workspace: PolicyWorkspace) -> float:
    """What a hand's land cards are worth by their ranks: the best ones count."""
    values, ranks, total = bytes_of(workspace.after), workspace.ranks, 0.0
    cards = (cards >> (U(2) * _FIRST_LAND)) << (U(2) * _FIRST_LAND)
    for rank in range(U(TOP)):
        if cards == U(0):
            break
        best, most = U(0), U(0)
        left = cards
        while left:
            card = left & (~left + U(1))
            left ^= card
            value = U(values[VALUES_BYTE + (lowest(card) >> U(1))])
            if best == U(0) or value > most:
                best, most = card, value
        cards ^= best
        total += ranks[rank] * float(most)
    return total


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
    evaluate(players, net, workspace)
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
    base = _ranked_value(hand, workspace)
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
        new = copies & (~copies + U(1))
        gain = cards[kind] + _ranked_value(hand | (new << shift), workspace) - base
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
def _lost(hand: Word, played: Word, base: float, workspace: PolicyWorkspace) -> float:
    """What the cards played were worth in hand."""
    total, left = base - _ranked_value(hand & ~played, workspace), played
    while left:
        total += workspace.cards[lowest(left) >> U(1)]
        left &= left - U(1)
    return total


@inner
def _add_option(count: Word, option: Word, value: float, workspace: PolicyWorkspace) -> Word:
    """Put an option among the best ones, the best first; how many there are now."""
    options, values = workspace.best_lines, workspace.best_values
    if count == U(OPTIONS):
        if value <= values[count - U(1)]:
            return count
    else:
        count += U(1)
    i = count - U(1)
    while i and values[i - U(1)] < value:
        options[i], values[i] = options[i - U(1)], values[i - U(1)]
        i -= U(1)
    options[i], values[i] = option, value
    return count


@inner
def rank_options(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Fill `best_lines` and `best_values` with what a seat can score, the best first; how many.

    An option: the first card, the second (or NO_CARD) from bit 5 on, from bit 10 on how many.
    """
    b = bytes_of(state)
    fill_card_slopes(state, board, seat, rng, models, workspace)
    cards, hand = workspace.cards, state[HANDS + seat]
    base = _ranked_value(hand, workspace)
    count, left = U(0), hand
    while left:
        card = left & (~left + U(1))
        left ^= card
        kind = lowest(card) >> U(1)
        lost = _lost(hand, card, base, workspace)
        value = cards[POINT] * float(b[VALUES_BYTE + kind]) - lost + cards[ANOTHER]
        alone = kind | (NO_CARD << U(5))
        count = _add_option(count, alone | (U(1) << U(10)), value, workspace)
        count = _add_option(count, alone, 2.0 * cards[ANOTHER] - lost, workspace)
        others = left
        while others:
            other = others & (~others + U(1))
            others ^= other
            kind_2 = lowest(other) >> U(1)
            points = float(b[VALUES_BYTE + kind]) + float(b[VALUES_BYTE + kind_2])
            value = cards[POINT] * points + cards[ANOTHER]
            value -= _lost(hand, card | other, base, workspace)
            option = kind | (kind_2 << U(5)) | (U(2) << U(10))
            count = _add_option(count, option, value, workspace)
    return count


@inner
def play_option(state: Words, seat: Word, option: Word, rng: Words, counters: Words) -> None:
    """A seat scores and draws."""
    first, second = option & U(31), (option >> U(5)) & U(31)
    if option >> U(10) == U(0):
        second = ABSTAINS
    score_and_draw(state, seat, first, second, rng, counters)


@inner
def heuristic_option(state: Words, seat: Word, models: Models) -> Word:
    """What a seat scores by the heuristics."""
    first, second, count, _ = best_option(state, seat, models.heuristic, weights_at(state, seat))
    return first | (second << U(5)) | (count << U(10))


@inner
def net_option(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """What a seat scores, by the slopes alone (see `rank_options`)."""
    if bytes_of(state)[END]:
        return heuristic_option(state, seat, models)
    rank_options(state, board, seat, rng, models, workspace)
    return workspace.best_lines[0]


@inner
def _try_option(
    state: Words,
    board: Words,
    option: Word,
    seat: Word,
    rng: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> float:
    """Score, and let the others play on to the next turn by the heuristics; what `seat` then has."""
    trial, hidden = workspace.trial, workspace.hidden
    copy_words(trial, state, _STATE)
    b = bytes_of(trial)
    for other in range(U(b[PLAYERS])):
        if other != seat:
            trial[DECK] |= trial[HANDS + other]
            trial[HANDS + other] = U(0)
    deal(trial, hidden, workspace.hand_weights, workspace.predicts[0], rng)
    play_option(trial, seat, option, rng, workspace.counters)
    b[SEAT] = clockwise(trial, seat)
    if b[SEAT] == b[ACTIVE] and end_scoring(trial):
        heuristic_swaps(trial, rng, models.heuristic, workspace.counters)
    heuristic_play(
        trial, board, rng, models.heuristic, state[TURN] + U(1), workspace.aside, workspace.counters
    )
    return trial_value(seat, board, models, workspace)


@inner
def net_score(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """What a seat scores: of the OPTIONS best by the slopes the one that is worth most tried out."""
    if bytes_of(state)[END]:
        return heuristic_option(state, seat, models)
    count = rank_options(state, board, seat, rng, models, workspace)
    options, values = workspace.best_lines, workspace.best_values
    for i in range(count):
        values[i] = 0.0
    for _ in range(U(TRIALS)):
        dealt = next_word(rng)
        for i in range(count):
            rng[0] = dealt
            values[i] += _try_option(state, board, options[i], seat, rng, models, workspace)
    best = U(0)
    for i in range(U(1), count):
        if values[i] > values[best]:
            best = i
    return options[best]


@inner
def net_scoring(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Play a scoring from SEAT on, and the swaps after it."""
    b = bytes_of(state)
    active, seat = U(b[ACTIVE]), U(b[SEAT])
    while True:
        option = net_score(state, board, seat, rng, models, workspace)
        play_option(state, seat, option, rng, workspace.counters)
        seat = clockwise(state, seat)
        if seat == active:
            break
    if end_scoring(state):
        net_swaps(state, board, rng, models, workspace)


@inner
def net_exchange(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """The cards that a seat swaps away (a set)."""
    fill_card_slopes(state, board, seat, rng, models, workspace)
    hand = state[HANDS + seat]
    base = _ranked_value(hand, workspace)
    out, left = U(0), hand
    while left:
        card = left & (~left + U(1))
        left ^= card
        if _lost(hand, card, base, workspace) < workspace.cards[ANOTHER]:
            out |= card
    return out


@inner
def net_swaps(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Play the swaps of QUEUE from SEAT on, and end the turn."""
    b = bytes_of(state)
    seat, queue = U(b[SEAT]), U(b[QUEUE])
    while queue:
        if (queue >> seat) & U(1):
            out = net_exchange(state, board, seat, rng, models, workspace)
            swap_out(state, seat, out, rng, workspace.counters)
            queue ^= U(1) << seat
        seat = clockwise(state, seat)
    next_turn(state)
