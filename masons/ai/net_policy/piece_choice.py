"""The choice of places and colors for towers and houses, and of cities to merge.

Places and colors are chosen according to the slopes, which are the values of single pieces (see
`policy_workspace`). The heuristics choose the cities to merge.
"""

from __future__ import annotations

from typing import Final

from masons.ai.beliefs.determinization import deal_anew, hide_others
from masons.ai.models.model_data import Models
from masons.ai.net_policy import policy_workspace as policy
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.policies.heuristic_moves import heuristic_merge
from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.packed_board import LINE_PLACES, SHORE
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, inner, offset
from masons.engine.kernels.rng import below
from masons.engine.rules.cities_and_palaces import NewCity
from masons.engine.rules.placement import line_ends, place_houses, place_towers
from masons.engine.rules.roll_outcomes import (
    HOUSE_STEPS,
    TOWER_STEPS,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.rules.transitions import ends_without, two_spaces
from masons.engine.rules.turns import finish_building, finish_merge
from masons.engine.state import layout

_SHORE = policy.LAND_SLOPE + U(12)

_COLORS = U(len(TOWER_COLORS))
_HOUSES = U(len(HOUSE_COLORS))
_TOWERS = U(MAX_TOWERS)
_LEAST: Final = -1.0e9


@inner
def forget_lines(workspace: PolicyWorkspace) -> None:
    """Forget which lines are counted. This is necessary before another board is used."""
    for w in range(U(8)):
        workspace.counted[w] = U(0)
    for i in range(U(2) * _TOWERS):
        workspace.beside[i] = 0.0


@inner
def _count_lines(state: Words, board: Words, workspace: PolicyWorkspace) -> None:
    """Update `beside` for the lines that have changed since the last call."""
    counted = workspace.counted
    for w in range(U(4)):
        opened, touched = state[layout.OPEN + w], state[layout.TOUCHED + w]
        for kind in range(U(2)):
            lines = opened & (touched if kind else ~touched)
            beside, at = offset(workspace.beside, _TOWERS * kind), U(4) * kind + w
            changed, counted[at] = lines ^ counted[at], lines
            while changed:
                line = lowest(changed)
                changed &= changed - U(1)
                first, second = line_ends(board, (w << U(6)) + line)
                more = 2.0 * float((lines >> line) & U(1)) - 1.0
                beside[first] += more
                beside[second] += more


@inner
def fill_places(state: Words, board: Words, workspace: PolicyWorkspace) -> None:
    """Fill `places` with the value of a tower at each empty tower space, ignoring its color."""
    _count_lines(state, board, workspace)
    slopes, places = workspace.slopes, workspace.places
    bare, touched = workspace.beside, offset(workspace.beside, _TOWERS)
    for tower in range(_TOWERS):
        places[tower] = (
            slopes[policy.TOUCHED_SLOPE] * bare[tower]
            + slopes[policy.DOUBLE_SLOPE] * touched[tower]
        )
    for w in range(U(2)):
        left = board[SHORE + w]
        while left:
            places[(w << U(6)) + lowest(left)] += 2.0 * slopes[_SHORE]
            left &= left - U(1)


@inner
def net_towers(state: Words, board: Words, outcomes: Word, workspace: PolicyWorkspace) -> Word:
    """Return the code of the best placement of the towers rolled, according to the slopes.

    `outcomes` is the set of the codes of all possible placements (see `roll_outcomes`).
    """
    slopes, places = workspace.slopes, workspace.places
    first, second = line_ends(board, U(bytes_of(state)[layout.LINE]))
    best_code, most = U(0), _LEAST
    while outcomes:
        code = lowest(outcomes)
        outcomes &= outcomes - U(1)
        color_1, color_2 = code >> U(3), code & U(7)
        value, used = 0.0, U(0)
        if color_1 < _COLORS:
            value += slopes[policy.TOWER_SLOPE + color_1] + places[first]
            used += U(1)
        if color_2 < _COLORS:
            value += slopes[policy.TOWER_SLOPE + color_2] + places[second]
            used += U(1)
        value += slopes[policy.USED_SLOPE + used]
        if value > most:
            best_code, most = code, value
    return best_code


@inner
def net_houses(state: Words, board: Words, outcomes: Word, workspace: PolicyWorkspace) -> Word:
    """Return the code of the best placement of the houses rolled, according to the slopes.

    `outcomes` is the set of the codes of all possible placements (see `roll_outcomes`).
    """
    slopes, table = workspace.slopes, bytes_of(board)
    at = LINE_PLACES + U(8) * U(bytes_of(state)[layout.LINE])
    region_1, region_2 = U(table[at + U(4)]), U(table[at + U(5)])
    best_code, most = U(0), _LEAST
    while outcomes:
        code = lowest(outcomes)
        outcomes &= outcomes - U(1)
        color_1, color_2 = code >> U(3), code & U(7)
        value = 0.0
        if color_1 < _HOUSES:
            value += slopes[policy.HOUSE_SLOPE + color_1] + slopes[policy.REGION_SLOPE + region_1]
        if color_2 < _HOUSES:
            value += slopes[policy.HOUSE_SLOPE + color_2] + slopes[policy.REGION_SLOPE + region_2]
        if value > most:
            best_code, most = code, value
    return best_code


@inner
def net_merge(
    state: Words,
    board: Words,
    city: NewCity,
    rng: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> Word:
    """Return the city that ACTIVE merges with, or NONE.

    Calls `heuristic_merge` with hidden hands dealt at random.
    """
    dealt, hidden = workspace.aside, workspace.hidden
    layout.copy_state(dealt, state)
    hide_others(dealt, U(bytes_of(state)[layout.ACTIVE]), hidden)
    deal_anew(dealt, hidden, workspace.hand_weights, workspace.by_weights[0], rng)
    return heuristic_merge(dealt, board, city, models.heuristic, workspace.copy)


@inner
def put_towers(state: Words, board: Words, die: Word, workspace: PolicyWorkspace) -> None:
    """Place the towers for a roll of the tower die, according to the slopes."""
    line = U(bytes_of(state)[layout.LINE])
    outcomes = tower_outcomes(state[layout.TOWER_SUPPLY], die, ends_without(state, board, line))
    code = net_towers(state, board, outcomes, workspace)
    place_towers(state, board, line, TOWER_STEPS[code], True)


@inner
def finish_turn(
    state: Words,
    board: Words,
    dice: Word,
    choices: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> None:
    """Place houses according to the slopes, then complete and merge a city if possible."""
    line = U(bytes_of(state)[layout.LINE])
    outcomes = house_outcomes(state[layout.HOUSE_SUPPLY], dice, two_spaces(board, line))
    place_houses(state, board, line, HOUSE_STEPS[net_houses(state, board, outcomes, workspace)])
    city = finish_building(state, board)
    if city.beside_lo | city.beside_hi:
        other = net_merge(state, board, city, choices, models, workspace)
        finish_merge(state, board, city, other)


@inner
def net_build(
    state: Words,
    board: Words,
    rng: Words,
    choices: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> None:
    """Roll, place towers and houses according to the slopes, and complete a city if possible.

    `rng` is the random state for the dice, and `choices` is the policy's own random state. Both may
    be the same array.
    """
    die, dice = below(rng, U(3)), below(rng, U(36))
    put_towers(state, board, die, workspace)
    finish_turn(state, board, dice, choices, models, workspace)
