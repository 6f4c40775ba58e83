"""The value of a position with all hands open, in which a chance event or a decision is due.

The policy of the net plays the turn to its end (each seat uses only its own cards), and the net
evaluates the start of the next turn. A game that ends is valued by its result. For a roll, this is
done for every pair of house dice and every tower color; for a draw, it is done for every kind of
card in the deck. All outcomes are played with the same random numbers (common random numbers). The
value of the actual outcome minus the mean over all outcomes is a measure of luck. Its expected
value is 0, however large the errors of the policy and the net are.

A row of values (float64[ROW]) contains sums over the samples: each seat's win probability and, from
SCORES on, each seat's expected final score. `plan` (uint64[2]) contains the number of samples and a
seed.
"""

from __future__ import annotations

from typing import Final

from masons.ai.models.model_data import Models
from masons.ai.net_policy.card_choice import net_option, play_option
from masons.ai.net_policy.net_gradient import evaluate_state
from masons.ai.net_policy.piece_choice import fill_places, finish_turn, put_towers
from masons.ai.net_policy.piece_slopes import fill_slopes
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.policies.heuristic_play import heuristic_play, heuristic_swaps
from masons.engine.board.components import HOUSE_COLORS, KINDS, MAX_PLAYERS, TOWER_COLORS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inner, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.playouts.random_scoring import deal_hands, draw_random, end_scoring
from masons.engine.rules.transitions import dice_rolled, ends_without
from masons.engine.rules.turns import card_of, clockwise, draw_card
from masons.engine.state import layout

SCORES: Final = MAX_PLAYERS
ROW: Final = 2 * MAX_PLAYERS
FACES: Final = len(HOUSE_COLORS) + 1  # faces of a house die
TOWERS: Final = len(TOWER_COLORS)
ROLLS: Final = TOWERS * FACES * FACES
_ROW, _FACES, _TOWERS, _KINDS = U(ROW), U(FACES), U(TOWERS), U(KINDS)
_SCORES = U(SCORES)
_SAMPLE_SHIFT = U(40)  # the seeds of samples are multiples of 2**40 apart


@inner
def _play_scoring(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Play the rest of a scoring with the slopes, and then the swaps with the heuristics."""
    b = bytes_of(state)
    while b[layout.PHASE] == layout.PHASE_SCORE:
        seat = U(b[layout.SEAT])
        option = net_option(state, board, seat, rng, models, workspace)
        play_option(state, seat, option, rng, workspace.counters)
        b[layout.SEAT] = clockwise(state, seat)
        if b[layout.SEAT] == b[layout.ACTIVE] and end_scoring(state):
            heuristic_swaps(state, rng, models.heuristic, workspace.counters)


@inner
def _add_value(
    state: Words,
    board: Words,
    rng: Words,
    models: Models,
    workspace: PolicyWorkspace,
    weight: float,
    row: Floats,
) -> None:
    """Play on to the start of the next turn, and add its value, times `weight`, to `row`."""
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_SCORE:
        _play_scoring(state, board, rng, models, workspace)
    if b[layout.PHASE] != layout.PHASE_WALL:
        until = state[layout.TURN] + U(1)
        heuristic_play(
            state, board, rng, models.heuristic, until, workspace.copy, workspace.counters
        )
    evaluate_state(state, board, models.net, workspace)
    for seat in range(U(b[layout.PLAYERS])):
        row[seat] += weight * workspace.wins[seat]
        row[_SCORES + seat] += weight * workspace.scores[seat]


@inner
def _fill(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> None:
    """Fill `slopes` (values of single pieces) and `places` (values of tower spaces) in `workspace`.

    Towers and houses are placed by these values (see `masons.ai.net_policy.piece_choice`).
    """
    fill_slopes(state, board, rng, models.net, workspace)
    fill_places(state, board, workspace)


@kernel
def roll_values(
    start: Words,
    board: Words,
    plan: Words,
    models: Models,
    workspace: PolicyWorkspace,
    trial: Words,
    values: Floats,
) -> None:
    """Add the values of each roll to `values` (float64[ROLLS * ROW]).

    Rolls are ordered by tower color, first die and second die. Rolls whose first die is below the
    second die are left out. If no tower is due, only rolls with the first tower color are filled.
    `start` must be waiting for the dice. `trial` (uint64[STATE_WORDS]) is scratch memory.
    """
    rng, b = workspace.rng, bytes_of(trial)
    empty = ends_without(start, board, U(bytes_of(start)[layout.LINE]))
    pairs = _FACES * _FACES
    is_filled = False
    for roll in range(pairs * _TOWERS if empty else pairs):
        first, second = roll % pairs // _FACES, roll % _FACES
        if first < second:
            continue
        samples = sample = U(1)
        while sample <= samples:
            layout.copy_state(trial, start)
            if not is_filled:
                b[layout.PHASE] = layout.PHASE_TOWERS
                rng[0] = plan[1]
                _fill(trial, board, rng, models, workspace)
                is_filled = True
            rng[0] = plan[1] + (sample << _SAMPLE_SHIFT)
            put_towers(trial, board, roll // pairs, workspace)
            finish_turn(trial, board, _FACES * first + second, rng, models, workspace)
            if b[layout.PHASE] == layout.PHASE_SCORE:
                samples, is_filled = plan[0], False
            weight = float(plan[0]) / float(samples)
            _add_value(trial, board, rng, models, workspace, weight, offset(values, _ROW * roll))
            sample += U(1)


@kernel
def draw_values(
    start: Words,
    board: Words,
    plan: Words,
    models: Models,
    workspace: PolicyWorkspace,
    trial: Words,
    values: Floats,
) -> None:
    """Add the values after drawing each kind of card to `values` (float64[KINDS * ROW]).

    `start` must be waiting for a card. `trial` (uint64[STATE_WORDS]) is scratch memory.
    """
    rng = workspace.rng
    for kind in range(_KINDS):
        card = card_of(start[layout.DECK], kind)
        if card == U(0):
            continue
        for sample in range(plan[0]):
            layout.copy_state(trial, start)
            rng[0] = plan[1] + (sample << _SAMPLE_SHIFT)
            draw_card(trial, card)
            if bytes_of(trial)[layout.PHASE] == layout.PHASE_DRAW:
                draw_random(trial, rng, workspace.counters)
            _add_value(trial, board, rng, models, workspace, 1.0, offset(values, _ROW * kind))


@kernel
def position_values(
    start: Words,
    board: Words,
    plan: Words,
    dealt: Word,
    models: Models,
    workspace: PolicyWorkspace,
    trial: Words,
    values: Floats,
) -> None:
    """Add the values of a position to `values` (float64[ROW]).

    If `dealt` is 0, hands are dealt first. `trial` (uint64[STATE_WORDS]) is scratch memory.
    """
    rng = workspace.rng
    for sample in range(plan[0]):
        layout.copy_state(trial, start)
        rng[0] = plan[1] + (sample << _SAMPLE_SHIFT)
        b = bytes_of(trial)
        if not dealt:
            deal_hands(trial, rng)
        phase = U(b[layout.PHASE])
        if phase in (layout.PHASE_TOWERS, layout.PHASE_HOUSES):
            _fill(trial, board, rng, models, workspace)
            if phase == layout.PHASE_TOWERS and b[layout.DIE] != layout.NONE:
                put_towers(trial, board, U(b[layout.DIE]), workspace)
            finish_turn(trial, board, dice_rolled(trial), rng, models, workspace)
        _add_value(trial, board, rng, models, workspace, 1.0, values)
