"""The workspace of the net policy, and the indices of its slopes."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from masons.ai.models.features import CITIES, INPUTS, MAX_SEATS, TOP
from masons.ai.models.hand_model import HAND_WEIGHTS
from masons.ai.models.value_net import CARD_SUMS, HIDDEN, NET_WORKSPACE, TERMS, NetWorkspace
from masons.engine.board.board_description import MAX_LINES, MAX_TOWERS
from masons.engine.board.components import KINDS, LANDS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Floats, Singles, Words, inner
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.scoring import AREAS
from masons.engine.state.layout import STATE_WORDS

# Hidden hands are dealt this number of times, and the resulting inputs are averaged.
SAMPLES: Final = 2
COMPARED: Final = 6  # upper limit for the lines or scorings in the final comparison
# Random numbers up to this value are added to values of lines, so that ties are broken at random.
NOISE: Final = 1e-6
LINE_PADDING: Final = 32  # numbers after the values of lines, which are processed in groups

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
# The values of a line's houses and of its wall for each number that byte 7 of the board's
# LINE_PLACES can have: first for lines without a tower, then for lines with one or two.
LINE_CLASSES: Final = 2 * 18


class PolicyWorkspace(NamedTuple):
    """The workspace of the net policy. Everything in it is modified in place."""

    after: Annotated[Words, STATE_WORDS]  # the position, as if the turn were over
    copy: Annotated[Words, STATE_WORDS]  # a copy for looking ahead
    aside: Annotated[Words, STATE_WORDS]  # another copy
    trial: Annotated[Words, STATE_WORDS]  # a turn that is tried out
    by_weights: Annotated[Words, 1]  # 1 if hands are dealt using `hand_weights`
    hand_weights: Annotated[Floats, HAND_WEIGHTS]
    hidden: Annotated[Words, MAX_SEATS]  # the number of hidden cards of each seat
    hands: Annotated[Words, SAMPLES * MAX_SEATS]  # the hands of each sample
    net: Annotated[Singles, NET_WORKSPACE]
    cities: Annotated[Words, CITIES]  # the cities that can be completed (see `features`)
    terms: Annotated[Words, TERMS]  # see `value_net`, and so on for `term_ends`
    term_ends: Annotated[Words, MAX_SEATS]
    card_sums: Annotated[Singles, CARD_SUMS]
    areas: Annotated[Words, AREAS]  # cache of areas that walls would enclose (see `scoring`)
    inputs: Annotated[Singles, INPUTS]  # a sum of inputs
    back: Annotated[Singles, (2 * MAX_SEATS + 1) * HIDDEN]  # the slopes of the hidden units
    slopes: Annotated[Floats, SLOPES]
    of_kinds: Annotated[Floats, KINDS]  # the slopes of a seat's points on its land cards, by kind
    ranks: Annotated[Floats, TOP + 2 * LANDS]  # the slopes of the best cards of a hand, then zeros
    land: Annotated[Words, 2 * LANDS + 1]  # the land cards of a hand, best first, then 0
    land_values: Annotated[Floats, 2 * LANDS]  # the current points of the cards in `land`
    # The open lines that are counted in `beside`: those without a tower, and those with a tower
    counted: Annotated[Words, 2 * 4]
    # The numbers of these two kinds of lines beside each tower space (see `forget_lines`)
    beside: Annotated[Floats, 2 * MAX_TOWERS]
    places: Annotated[Floats, MAX_TOWERS]  # the value of a tower at each tower space
    ends: Annotated[Floats, MAX_TOWERS]  # the same with its color, but 0 where a tower stands
    by_class: Annotated[Floats, LINE_CLASSES]
    lines: Annotated[Words, MAX_LINES]  # open lines that complete no city
    line_values: Annotated[Floats, MAX_LINES + LINE_PADDING]
    now: Annotated[Floats, MAX_SEATS]  # scores
    then: Annotated[Floats, MAX_SEATS]  # scores including the two best land cards of each hand
    pairs: Annotated[Floats, MAX_SEATS]  # slopes of the scores in `then`
    wins: Annotated[Floats, MAX_SEATS]  # win probabilities
    scores: Annotated[Floats, MAX_SEATS]  # final scores
    cards: Annotated[Floats, CARD_SLOPES]  # values of cards and of a point (see `card_slopes`)
    counters: Annotated[Words, COUNTER_WORDS]
    rng: Annotated[Words, 1]  # the generator of kernels that do not take a generator
    replies: Annotated[Words, MAX_SEATS]  # the scoring options of other seats in a trial
    ranked: Annotated[Words, COMPARED]  # scoring options, best first
    ranked_values: Annotated[Floats, COMPARED]


@inner
def net_workspace(workspace: PolicyWorkspace) -> NetWorkspace:
    """Return the workspace in which the policy evaluates positions."""
    return NetWorkspace(
        workspace.net, workspace.cities, workspace.terms, workspace.term_ends, workspace.areas,
        workspace.wins, workspace.scores,
    )  # fmt: skip
