"""The workspace of the net policy, and the indices of its slopes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from masons.ai.models.features import INPUTS, MAX_SEATS, TOP
from masons.ai.models.hand_model import HAND_WEIGHTS
from masons.ai.models.value_net import HAND_SUMS, HIDDEN, NET_WORKSPACE
from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.board.components import KINDS, LANDS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Singles, Words, field_of, words
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.scoring import AREAS
from masons.engine.state.layout import STATE_WORDS

# Hidden hands are dealt this number of times, and the resulting inputs are averaged.
SAMPLES: Final = 2
COMPARED: Final = 6  # upper limit for the lines or scorings in the final comparison
# Random numbers up to this value are added to values of lines, so that ties are broken at random.
NOISE: Final = 1e-6

# The index of each slope. A slope is the change of the value (see `move_value`) when the number
# named in its comment grows by 1.
LAND_SLOPE = U(0)  # the points of each kind of land card
TOWER_SLOPE = U(LANDS)  # the number of towers of each color, wherever they stand
HOUSE_SLOPE = U(LANDS + 3)  # the number of houses of each color
REGION_SLOPE = U(LANDS + 8)  # the number of houses in each region
USED_SLOPE = U(LANDS + 11)  # no slopes: the values of taking 0, 1 or 2 towers from the supply
TOUCHED_SLOPE = U(LANDS + 14)  # the number of lines beside a tower
DOUBLE_SLOPE = U(LANDS + 15)  # the number of lines between two towers
CLOSING_SLOPE = U(LANDS + 16)  # the number of lines that complete a city
CITY_SLOPE = U(LANDS + 17)  # the two CITY_INPUTS of each seat (see `features`)
BASE_VALUE = U(LANDS + 17 + 2 * MAX_SEATS)  # the net's value of the position itself
SLOPES: Final = LANDS + 18 + 2 * MAX_SEATS

# The indices of `cards`: first the value of a card in hand of each kind, without the part that
# depends on its rank (see `card_slopes`), then the value of a card to draw and of a point.
ANOTHER = U(KINDS)
POINT = U(KINDS + 1)
CARD_SLOPES: Final = KINDS + 2


class PolicyWorkspace(NamedTuple):
    """The workspace of the net policy. Everything in it is modified in place."""

    after: Words  # uint64[STATE_WORDS]: the position, as if the turn were over
    copy: Words  # uint64[STATE_WORDS]: a copy for looking ahead
    aside: Words  # uint64[STATE_WORDS]: another copy
    trial: Words  # uint64[STATE_WORDS]: a turn that is tried out
    predicts: Words  # uint64[1]: 1 if hands are dealt using `hand_weights`
    hand_weights: Floats  # float64[HAND_WEIGHTS]
    hidden: Words  # uint64[MAX_SEATS]: the number of hidden cards of each seat
    hands: Words  # uint64[SAMPLES * MAX_SEATS]: the hands of each sample
    net: Singles  # float32[NET_WORKSPACE]
    hand_sums: Words  # uint64[HAND_SUMS]: cached sums of cards in hand (see `value_net`)
    areas: Words  # uint64[AREAS]: cache of areas that walls would enclose (see `scoring`)
    inputs: Singles  # float32[INPUTS]: a sum of inputs
    row: Singles  # float32[2 * HIDDEN]: a sum of rows of the net
    back: Singles  # float32[(2 * MAX_SEATS + 1) * HIDDEN]: the slopes of the hidden units
    slopes: Floats  # float64[SLOPES]
    ranks: Floats  # float64[TOP + 2 * LANDS]: the slopes of the best cards of a hand, then zeros
    land: Words  # uint64[2 * LANDS + 1]: the land cards of a hand, best first, then 0
    land_values: Floats  # float64[2 * LANDS]: the current points of the cards in `land`
    places: Floats  # float64[MAX_TOWERS]: the value of a tower at each tower space
    now: Floats  # float64[MAX_SEATS]: scores
    then: Floats  # float64[MAX_SEATS]: scores including the two best land cards of each hand
    pairs: Floats  # float64[MAX_SEATS]: slopes of the scores in `then`
    wins: Floats  # float64[MAX_SEATS]: win probabilities
    scores: Floats  # float64[MAX_SEATS]: final scores
    cards: Floats  # float64[CARD_SLOPES]: values of cards and of a point (see `card_slopes`)
    counters: Words  # uint64[COUNTER_WORDS]
    rng: Words  # uint64[1]: the generator of kernels that do not take a generator
    ranked: Words  # uint64[COMPARED]: lines or scoring options, best first
    ranked_values: Floats  # float64[COMPARED]


def new_policy_workspace() -> PolicyWorkspace:
    """Return the workspace of one thread, filled with zeros."""

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
        hand_sums=words(HAND_SUMS),
        areas=words(AREAS),
        inputs=singles(INPUTS),
        row=singles(2 * HIDDEN),
        back=singles((2 * MAX_SEATS + 1) * HIDDEN),
        slopes=field_of(np.zeros(SLOPES)),
        ranks=field_of(np.zeros(TOP + 2 * LANDS)),
        land=words(2 * LANDS + 1),
        land_values=field_of(np.zeros(2 * LANDS)),
        places=field_of(np.zeros(MAX_TOWERS)),
        now=field_of(np.zeros(MAX_SEATS)),
        then=field_of(np.zeros(MAX_SEATS)),
        pairs=field_of(np.zeros(MAX_SEATS)),
        wins=field_of(np.zeros(MAX_SEATS)),
        scores=field_of(np.zeros(MAX_SEATS)),
        cards=field_of(np.zeros(CARD_SLOPES)),
        counters=words(COUNTER_WORDS),
        rng=words(1),
        ranked=words(COMPARED),
        ranked_values=field_of(np.zeros(COMPARED)),
    )
