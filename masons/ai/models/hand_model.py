"""The hand model: which seat holds which card, estimated from all choices so far.

Players build for the cards that they hold and play the cards that score. Uniformly dealt hands are
poorer than the hands that players keep, so a search that uses them overestimates its own seat. The
choices of a seat (see `action_history`) are evidence of its cards. From them, a small net estimates
a weight for each kind of card: how likely the seat is to hold it, relative to the other unseen
cards. The net was fitted to hands at the start of turns. Most of these hands were played by
searches. Some were played by heuristics, which do not build for their own cards, so the net does
not rely on the choices alone.

The logarithm of a kind's weight is linear in the HAND_INPUTS and in UNITS hidden units (ReLU of
other linear combinations of the inputs):

| input   | size     | content                                                                     |
| ------- | -------- | --------------------------------------------------------------------------- |
|         | 5        | 1; e; e², where e is the share of the game that is over; 1 with 3 players;  |
|         |          | 1 with 4 players                                                            |
| LINES   | 4        | as in `features`                                                            |
| VALUES  | 2 LANDS  | the current value of each land card; the same values times e                |
| PAGE    | ENTRIES  | the seat's entries in the action history, times SCALES                      |

| numbers (float64) | shape              |
| ----------------- | ------------------ |
| direct            | HAND_INPUTS, KINDS |
| in                | HAND_INPUTS, UNITS |
| out               | UNITS, KINDS       |

The three matrices lead from inputs to weights, from inputs to units, and from units to weights.
They are stored one after the other, HANDS_NUMBERS numbers in all. For a position without a history,
`prior` is used instead: float64[MAX_PLAYERS - 1, PAGE_AT, KINDS], a linear model of the inputs
before PAGE for each number of players. It was fitted by `benchmarks/training/torch_fits.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import LINE_INPUTS, fill_lines, game_left
from masons.engine.board.components import FIRST_LAND, KINDS, LANDS, MAX_PLAYERS
from masons.engine.game.action_history import ENTRIES, HISTORY_SIZE, KEPT, ActionHistory, page_of
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U, opaque, popcount
from masons.engine.kernels.exact_math import exponential
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inner, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.scoring import score_cards
from masons.engine.state import layout

LINES_AT: Final = 5
VALUES_AT: Final = LINES_AT + LINE_INPUTS
PAGE_AT: Final = VALUES_AT + 2 * LANDS
HAND_INPUTS: Final = PAGE_AT + ENTRIES
UNITS: Final = 64
HAND_WORKSPACE: Final = HAND_INPUTS + 2 * UNITS + KINDS
HANDS_NUMBERS: Final = HAND_INPUTS * (KINDS + UNITS) + UNITS * KINDS
PRIOR_NUMBERS: Final = (MAX_PLAYERS - 1) * PAGE_AT * KINDS
POINTS: Final = 8.0  # a card worth this number of points has the input 1 in VALUES
LIMIT: Final = 8.0  # upper bound of the absolute logarithm of a weight

# The weights for dealing hands consist of three parts: the weight of each kind for each seat; the
# number of copies of each kind that are known to be in hidden hands (see KEPT in `action_history`);
# and the cumulative sums of each seat's weights over the kinds in the deck, padded with infinity.
SURE = U(MAX_PLAYERS * KINDS)
SUMS_SIZE: Final = 32
SUMS_AT = U(MAX_PLAYERS * KINDS + KINDS)
HAND_WEIGHTS: Final = MAX_PLAYERS * KINDS + KINDS + MAX_PLAYERS * SUMS_SIZE

# Factors that scale the entries of an action history to about 1.
SCALES = np.repeat([0.25, 0.5, 0.125, 0.5, 1 / 6], [LANDS, LANDS, KINDS, 1, 5])

_KINDS, _LANDS, _UNITS = U(KINDS), U(LANDS), U(UNITS)
_INPUTS, _ENTRIES = U(HAND_INPUTS), U(ENTRIES)
_IN, _OUT = U(HAND_INPUTS * KINDS), U(HAND_INPUTS * (KINDS + UNITS))
_LINES, _VALUES, _PAGE = U(LINES_AT), U(VALUES_AT), U(PAGE_AT)
_FIRST_VALUE = layout.VALUES_BYTE + U(FIRST_LAND)


@inner
def weights_of(seat: Word) -> Word:
    """Return the index in `hand_weights` at which the weights of a seat begin."""
    return _KINDS * seat


@inner
def sums_of(seat: Word) -> Word:
    """Return the index in `hand_weights` at which the cumulative sums of a seat begin."""
    return SUMS_AT + U(SUMS_SIZE) * seat


@inner
def sum_weights(state: Words, hand_weights: Floats) -> None:
    """Fill the cumulative sums of each seat's weights over the kinds in the deck."""
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        total, at, sums_at = 0.0, weights_of(seat), sums_of(seat)
        for kind in range(_KINDS):
            if (state[layout.DECK] >> (U(2) * kind)) & U(3):
                total += hand_weights[at + kind]
            hand_weights[sums_at + kind] = total
        for kind in range(_KINDS, U(SUMS_SIZE)):
            hand_weights[sums_at + kind] = np.inf


@inner
def _fill_shared(state: Words, over: float, inputs: Floats) -> None:
    """Fill the inputs that all seats share.

    `over` is the share of the game that is over. VALUES of the state must contain the current
    points of the land cards.
    """
    b = bytes_of(state)
    inputs[U(0)], inputs[U(1)], inputs[U(2)] = 1.0, over, over * over
    inputs[U(3)] = float(U(b[layout.PLAYERS] == U(3)))
    inputs[U(4)] = float(U(b[layout.PLAYERS] == U(4)))
    fill_lines(state, inputs, _LINES)
    for land in range(_LANDS):
        value = float(b[_FIRST_VALUE + land]) / POINTS
        inputs[_VALUES + land] = value
        inputs[_VALUES + _LANDS + land] = value * over


@inner
def _fill_page(history: Floats, seat: Word, inputs: Floats) -> None:
    """Fill the inputs PAGE with a seat's entries in the action history, scaled."""
    for entry in range(_ENTRIES):
        inputs[_PAGE + entry] = history[page_of(seat) + entry] * SCALES[entry]


@inner
def _add_inputs(
    inputs: Floats, first: Word, last: Word, numbers: Floats, weights: Floats, units: Floats
) -> None:
    """Add the contributions of the inputs from `first` up to, but not including, `last`.

    The contributions are added to `weights` (float64[KINDS]) and to the hidden `units`
    (float64[UNITS]).
    """
    # `opaque` keeps the compiler from unrolling the loop, which would prevent vectorization.
    kinds = opaque(_KINDS)
    # The loop over inputs is the outer one, so that the inner loops are vectorized.
    for i in range(first, last):
        value = inputs[i]
        if value != 0.0:
            for kind in range(kinds):
                weights[kind] += value * numbers[_KINDS * i + kind]
            for unit in range(_UNITS):
                units[unit] += value * numbers[_IN + _UNITS * i + unit]


@inner
def _forward(inputs: Floats, numbers: Floats, weights: Floats) -> None:
    """Fill the weights of a seat.

    In the array `inputs`, the inputs are followed by the seat's hidden units, which this function
    computes, and by the parts of the units and weights that result from the shared inputs.
    """
    units, shared = offset(inputs, _INPUTS), offset(inputs, _INPUTS + _UNITS)
    kinds = opaque(_KINDS)
    for kind in range(kinds):
        weights[kind] = shared[_UNITS + kind]
    for unit in range(_UNITS):
        units[unit] = shared[unit]
    _add_inputs(inputs, _PAGE, _INPUTS, numbers, weights, units)
    for unit in range(_UNITS):
        value = units[unit]
        if value > 0.0:
            for kind in range(kinds):
                weights[kind] += value * numbers[_OUT + _KINDS * unit + kind]
    for kind in range(_KINDS):
        weights[kind] = exponential(min(max(weights[kind], -LIMIT), LIMIT))


@inner
def _fill_sure(state: Words, history: Floats, hand_weights: Floats) -> None:
    """Fill SURE with the number of copies of each kind that are known to be in hidden hands."""
    seen = U(0)
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        seen |= state[layout.HANDS + seat]
    for kind in range(_KINDS):
        shift = U(2) * kind
        left = history[KEPT + kind] - float(popcount((seen >> shift) & U(3)))
        hidden = float(popcount((state[layout.DECK] >> shift) & U(3)))
        hand_weights[SURE + kind] = max(min(left, hidden), 0.0)


@inner
def fill_hand_weights(
    state: Words,
    board: Words,
    history: Floats,
    numbers: Floats,
    workspace: Words,
    inputs: Floats,
    hand_weights: Floats,
) -> None:
    """Fill `hand_weights` (float64[HAND_WEIGHTS]), except for seats whose hand is visible.

    `history` is float64[HISTORY_SIZE], and `numbers` is float64[HANDS_NUMBERS]. `workspace`
    (uint64[STATE_WORDS]) and `inputs` (float64[HAND_WORKSPACE]) are scratch memory.
    """
    layout.copy_state(workspace, state)
    score_cards(workspace, board, layout.NONE)
    _fill_shared(workspace, 1.0 - game_left(workspace), inputs)
    shared = offset(inputs, _INPUTS + _UNITS)
    for i in range(_UNITS + _KINDS):
        shared[i] = 0.0
    _add_inputs(inputs, U(0), _PAGE, numbers, offset(shared, _UNITS), shared)
    for seat in range(U(bytes_of(workspace)[layout.PLAYERS])):
        if state[layout.HANDS + seat] == U(0):
            _fill_page(history, seat, inputs)
            _forward(inputs, numbers, offset(hand_weights, weights_of(seat)))
    _fill_sure(state, history, hand_weights)
    sum_weights(state, hand_weights)


@kernel
def weigh_cards(
    state: Words,
    board: Words,
    history: Floats,
    numbers: Floats,
    workspace: Words,
    inputs: Floats,
    hand_weights: Floats,
) -> None:
    """Call `fill_hand_weights` from Python."""
    fill_hand_weights(
        state,
        board,
        history,
        numbers,
        workspace,
        inputs,
        hand_weights,
    )


def card_weights(
    state: layout.State,
    board: NDArray[np.uint64],
    history: ActionHistory,
    numbers: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weights for dealing hidden cards: float64[HAND_WEIGHTS], 0 for visible hands."""
    hand_weights, inputs = np.zeros(HAND_WEIGHTS), np.zeros(HAND_WORKSPACE)
    weigh_cards(state, board, history, numbers, state.copy(), inputs, hand_weights)
    return hand_weights


def prior_numbers(prior: NDArray[np.float64], players: int) -> NDArray[np.float64]:
    """Return the part of `prior` for a number of players, in the layout of a hand model's numbers.

    `prior` is float64[PRIOR_NUMBERS], and the result is float64[HANDS_NUMBERS].
    """
    numbers = np.zeros(HANDS_NUMBERS)
    size = PAGE_AT * KINDS
    numbers[:size] = prior[size * (players - 2) : size * (players - 1)]
    return numbers


def sharpened(numbers: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Return a hand model whose weights are those of `numbers` raised to a power.

    Both are float64[HANDS_NUMBERS]. The logarithm of a weight is linear in the matrices that lead
    to the weights, so these are multiplied by the power.
    """
    scaled = numbers.copy()
    for part in (slice(0, HAND_INPUTS * KINDS), slice(HAND_INPUTS * (KINDS + UNITS), None)):
        scaled[part] *= power
    return scaled


def hand_weights_of(
    table: Table, view: Observation, numbers: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the weights (float64[HAND_WEIGHTS]) for dealing the cards that `view` hides.

    The weights are computed from the view's history and `numbers["hands"]`, or from
    `numbers["prior"]` if the view has no history.
    """
    if view.history is not None:
        return card_weights(view.state, table.packed, view.history, numbers["hands"])
    prior = prior_numbers(numbers["prior"], view.players)
    return card_weights(view.state, table.packed, np.zeros(HISTORY_SIZE), prior)
