"""The choice of cards to score and to swap.

All choices are ranked by the slopes of the net (see `net_gradient`). The best scorings are then
tried out and compared.
"""

from __future__ import annotations

from typing import Final

from masons.ai.beliefs.determinization import deal_anew, hide_others
from masons.ai.models.choice_biases import PLAYED, SWAPPED, bias_of
from masons.ai.models.model_data import Models
from masons.ai.net_policy.card_slopes import fill_card_slopes, ranked_value, value_lost
from masons.ai.net_policy.net_gradient import prepare_scored, scored_value
from masons.ai.net_policy.policy_workspace import ANOTHER, POINT, PolicyWorkspace
from masons.ai.policies.heuristic_moves import best_option, weights_at
from masons.ai.policies.heuristic_play import heuristic_play, heuristic_swaps
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, inner
from masons.engine.kernels.rng import next_word
from masons.engine.playouts.random_moves import ABSTAINS
from masons.engine.playouts.random_scoring import (
    end_scoring,
    next_in_queue,
    score_and_draw,
    swap_out,
)
from masons.engine.rules.turns import clockwise, next_turn
from masons.engine.state import layout

# Number of scorings that are tried out, and number of trials (each with another deal) per scoring.
OPTIONS: Final = 4
TRIALS: Final = 4
_LEAST: Final = -1.0e9


@inner
def _add_ranked(places: Word, choice: Word, value: float, workspace: PolicyWorkspace) -> None:
    """Insert a choice into a list of `places` choices, best first; the last of them is dropped.

    The order of the choices is unpredictable, so the code avoids branches.
    """
    choices, values, added = workspace.ranked, workspace.ranked_values, value
    for i in range(places):
        before, most, is_more = choices[i], values[i], added > values[i]
        choices[i], choice = (choice if is_more else before), (before if is_more else choice)
        values[i], value = max(most, value), min(most, value)


@inner
def _sort_ranked(count: Word, workspace: PolicyWorkspace) -> None:
    """Sort the first `count` choices of `ranked` by value, best first."""
    choices, values = workspace.ranked, workspace.ranked_values
    for i in range(count):
        value, values[i] = values[i], _LEAST
        _add_ranked(i + U(1), choices[i], value, workspace)


@inner
def rank_options(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Fill `ranked` and `ranked_values` with a seat's best scoring options; return their number.

    There are up to OPTIONS options, best first. A scoring option is a word: the first card in bits
    0 to 4, the second card or NO_CARD in bits 5 to 9, and the number of cards to score from bit 10
    on. If this number is 0, the seat abstains and discards the first card.
    """
    b = bytes_of(state)
    fill_card_slopes(state, board, seat, rng, models, workspace)
    cards, hand = workspace.cards, state[layout.HANDS + seat]
    base, played = ranked_value(hand, workspace), bias_of(PLAYED, state, models.biases)
    count, left = U(0), hand
    for i in range(U(OPTIONS)):
        workspace.ranked_values[i] = _LEAST
    while left:
        card = left & (~left + U(1))
        left ^= card
        kind = lowest(card) >> U(1)
        lost = value_lost(hand, card, base, workspace)
        value = cards[POINT] * float(b[layout.VALUES_BYTE + kind]) - lost + cards[ANOTHER] + played
        alone = kind | (layout.NO_CARD << U(5))
        _add_ranked(U(OPTIONS), alone | (U(1) << U(10)), value, workspace)
        value = 2.0 * cards[ANOTHER] - lost
        _add_ranked(U(OPTIONS), alone, value, workspace)
        count += U(2)
        others = left
        while others:
            other = others & (~others + U(1))
            others ^= other
            kind_2 = lowest(other) >> U(1)
            points = float(b[layout.VALUES_BYTE + kind]) + float(b[layout.VALUES_BYTE + kind_2])
            value = cards[POINT] * points + cards[ANOTHER] + 2.0 * played
            value -= value_lost(hand, card | other, base, workspace)
            option = kind | (kind_2 << U(5)) | (U(2) << U(10))
            _add_ranked(U(OPTIONS), option, value, workspace)
            count += U(1)
    return min(count, U(OPTIONS))


@inner
def play_option(state: Words, seat: Word, option: Word, rng: Words, counters: Words) -> None:
    """Let a seat score or abstain, as an option says, and then draw."""
    first, second = option & U(31), (option >> U(5)) & U(31)
    if option >> U(10) == U(0):
        second = ABSTAINS
    score_and_draw(state, seat, first, second, rng, counters)


@inner
def heuristic_option(state: Words, seat: Word, models: Models) -> Word:
    """Return the scoring option that the heuristics choose for a seat."""
    first, second, count, _ = best_option(state, seat, models.heuristic, weights_at(state, seat))
    return first | (second << U(5)) | (count << U(10))


@inner
def net_option(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return a seat's best scoring option according to the slopes, without trials.

    In the last turn, the option of the heuristics is returned.
    """
    if bytes_of(state)[layout.END]:
        return heuristic_option(state, seat, models)
    rank_options(state, board, seat, rng, models, workspace)
    return workspace.ranked[0]


@inner
def _deal_trial(
    state: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Fill `copy` with the state and hidden hands dealt at random.

    Fills `replies` with the options that the heuristics choose for the seats after `seat`. They do
    not depend on the option of this seat.
    """
    dealt, hidden = workspace.copy, workspace.hidden
    layout.copy_state(dealt, state)
    hide_others(dealt, seat, hidden)
    deal_anew(dealt, hidden, workspace.hand_weights, workspace.by_weights[0], rng)
    other = clockwise(dealt, seat)
    while other != U(bytes_of(dealt)[layout.ACTIVE]):
        workspace.replies[other] = heuristic_option(dealt, other, models)
        other = clockwise(dealt, other)


@inner
def _try_option(
    board: Words,
    option: Word,
    seat: Word,
    rng: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> float:
    """Play a scoring option and the rest of the turn, and return the value of the result to `seat`.

    The state and the replies are those of `_deal_trial`, and the heuristics play the swaps.
    """
    trial, counters = workspace.trial, workspace.counters
    layout.copy_state(trial, workspace.copy)
    until = trial[layout.TURN] + U(1)
    play_option(trial, seat, option, rng, counters)
    other = clockwise(trial, seat)
    while other != U(bytes_of(trial)[layout.ACTIVE]):
        play_option(trial, other, workspace.replies[other], rng, counters)
        other = clockwise(trial, other)
    if end_scoring(trial):
        heuristic_swaps(trial, rng, models.heuristic, counters)
    heuristic_play(trial, board, rng, models.heuristic, until, workspace.aside, counters)
    return scored_value(seat, models, workspace)


@inner
def net_score(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return the scoring option that a seat chooses.

    The OPTIONS best options according to the slopes are tried out, and the option with the best
    result is chosen. After half of the TRIALS, the worse half of the options is dropped. In the
    last turn, the option of the heuristics is returned.
    """
    if bytes_of(state)[layout.END]:
        return heuristic_option(state, seat, models)
    count = rank_options(state, board, seat, rng, models, workspace)
    options, values = workspace.ranked, workspace.ranked_values
    played = bias_of(PLAYED, state, models.biases)
    for i in range(count):
        values[i] = 0.0
    prepare_scored(models, workspace)
    for trial in range(U(TRIALS)):
        rng[0] = next_word(rng)
        _deal_trial(state, seat, rng, models, workspace)
        dealt = rng[0]
        for i in range(count):
            rng[0] = dealt
            value = _try_option(board, options[i], seat, rng, models, workspace)
            values[i] += value + played * float(options[i] >> U(10))
        if trial == U(TRIALS // 2 - 1):
            _sort_ranked(count, workspace)
            count = min(count, U(OPTIONS // 2))
    _sort_ranked(count, workspace)
    return options[U(0)]


@inner
def net_scoring(
    state: Words,
    board: Words,
    rng: Words,
    choices: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> None:
    """Play the rest of a scoring, beginning with SEAT, and the swaps that follow.

    `rng` is the random state for drawing cards, and `choices` is the policy's own random state.
    """
    b = bytes_of(state)
    active, seat = U(b[layout.ACTIVE]), U(b[layout.SEAT])
    while True:
        option = net_score(state, board, seat, choices, models, workspace)
        play_option(state, seat, option, rng, workspace.counters)
        seat = clockwise(state, seat)
        if seat == active:
            break
    if end_scoring(state):
        net_swaps(state, board, rng, choices, models, workspace)


@inner
def net_exchange(
    state: Words, board: Words, seat: Word, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return the set of cards that a seat swaps."""
    fill_card_slopes(state, board, seat, rng, models, workspace)
    hand = state[layout.HANDS + seat]
    base = ranked_value(hand, workspace)
    drawn = workspace.cards[ANOTHER] + bias_of(SWAPPED, state, models.biases)
    out, left = U(0), hand
    while left:
        card = left & (~left + U(1))
        left ^= card
        if value_lost(hand, card, base, workspace) < drawn:
            out |= card
    return out


@inner
def net_swaps(
    state: Words,
    board: Words,
    rng: Words,
    choices: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> None:
    """Play the swaps of the seats in QUEUE, beginning with SEAT, and end the turn.

    `rng` is the random state for drawing cards, and `choices` is the policy's own random state.
    """
    b = bytes_of(state)
    seat, queue = U(b[layout.SEAT]), U(b[layout.QUEUE])
    while queue:
        seat = next_in_queue(queue, seat)
        out = net_exchange(state, board, seat, choices, models, workspace)
        swap_out(state, seat, out, rng, workspace.counters)
        queue ^= U(1) << seat
    next_turn(state)
