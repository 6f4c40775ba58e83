"""The choice of the line for a wall.

The value of a line is the expected value of its wall, towers and houses. If the wall makes it
possible to complete a city with another line, the value of this opportunity, which the next seat
gets first, is added. For a line that completes a city, the turn is played several times. Such a
line is chosen if the mean value after the turn is higher than the value of the best other line.
"""

from __future__ import annotations

from typing import Final

from masons.ai.beliefs.determinization import hide_others
from masons.ai.models import features
from masons.ai.models.choice_biases import BESIDE, BETWEEN, CLOSED, OFFERED, bias_of
from masons.ai.models.model_data import Models
from masons.ai.net_policy import policy_workspace as policy
from masons.ai.net_policy.net_gradient import trial_value
from masons.ai.net_policy.piece_choice import fill_places, net_build
from masons.ai.net_policy.piece_slopes import fill_slopes
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.policies.heuristic_moves import closing_value, makes_closing, weights_at
from masons.ai.policies.heuristic_play import heuristic_play
from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.packed_board import LINE_PLACES
from masons.engine.kernels.bits import U, count4, lowest, nth_of4
from masons.engine.kernels.jit import (
    Floats,
    Word,
    Words,
    at_most,
    bytes_of,
    inner,
    larger,
    offset,
)
from masons.engine.kernels.rng import later_word, skip_words
from masons.engine.rules.placement import place_towers, put_wall
from masons.engine.rules.roll_outcomes import TOWER_STEPS, tower_outcomes
from masons.engine.rules.scoring import values_of
from masons.engine.rules.transitions import ends_without
from masons.engine.state import layout

# At most this number of lines that complete a city are considered.
CLOSERS: Final = 6
# A turn that completes a city is tried at most TURNS times. The trials stop earlier if the sum of
# the differences from the best other line exceeds CLEARLY in absolute value.
TURNS: Final = 6
CLEARLY: Final = 0.3

_WALL = policy.LAND_SLOPE + U(13)  # the slope of a wall, which scores for the card land-walls

_SEAT = U(features.SEAT_INPUTS)
_COLORS = U(len(TOWER_COLORS))
_HOUSES = U(len(HOUSE_COLORS))
_LEAST: Final = -1.0e9
_NOISE: Final = policy.NOISE * 2.0**-64


@inner
def _in_supply(supply: Word, color: Word) -> bool:
    return (supply >> (U(8) * color)) & U(255) != U(0)


@inner
def _best_color(slopes: Floats, at: Word, supply: Word, colors: Word) -> float:
    """Return the value of the best color in the supply, or 0 if the supply is empty."""
    best = _LEAST
    for color in range(colors):
        if _in_supply(supply, color):
            best = max(best, slopes[at + color])
    return best if best > _LEAST else 0.0


@inner
def _rolled_color(
    slopes: Floats, at: Word, supply: Word, color: Word, colors: Word, best: float
) -> float:
    """Return the value of the piece that the face of a die brings.

    A joker brings the best color, and so does a color that has run out.
    """
    if color < colors and _in_supply(supply, color):
        return slopes[at + color]
    return best


@inner
def _expect(state: Words, workspace: PolicyWorkspace) -> tuple[float, float, float, float]:
    """Return the expected values of one rolled tower, a second tower, one house, and two houses.

    On a line with a space on one side only, the seat takes the better of the two houses rolled.
    """
    slopes = workspace.slopes
    towers, houses = state[layout.TOWER_SUPPLY], state[layout.HOUSE_SUPPLY]
    other = _best_color(slopes, policy.TOWER_SLOPE, towers, _COLORS)
    one_tower = 0.0
    for face in range(_COLORS):
        one_tower += _rolled_color(slopes, policy.TOWER_SLOPE, towers, face, _COLORS, other)
    best = _best_color(slopes, policy.HOUSE_SLOPE, houses, _HOUSES)
    mean = better = 0.0
    for face in range(U(6)):
        value = _rolled_color(slopes, policy.HOUSE_SLOPE, houses, face, _HOUSES, best)
        mean += value
        for second in range(U(6)):
            better += max(
                value, _rolled_color(slopes, policy.HOUSE_SLOPE, houses, second, _HOUSES, best)
            )
    return one_tower / 3.0, other, better / 36.0, mean / 3.0


@inner
def _fill_ends(state: Words, taken: float, built: float, workspace: PolicyWorkspace) -> None:
    """Fill `ends` with `places` plus the value of taking a tower, or `built` where one stands."""
    labels = offset(bytes_of(state), layout.LABELS_BYTE)
    for tower in range(U(MAX_TOWERS)):
        value = workspace.places[tower] + taken
        workspace.ends[tower] = value if labels[tower] == layout.NONE else built


@inner
def _fill_classes(
    bare: float, touched: float, single: float, pair: float, workspace: PolicyWorkspace
) -> None:
    """Fill `by_class` from the values of a wall (`bare`: without a tower) and of the houses."""
    slopes, by_class = workspace.slopes, workspace.by_class
    for first in range(U(3)):
        for second in range(U(3)):
            at, region = first + U(3) * second, slopes[policy.REGION_SLOPE + first]
            two = region + (slopes[policy.REGION_SLOPE + second] + pair)
            by_class[at], by_class[at + U(9)] = bare + region + single, bare + two
            by_class[at + U(18)], by_class[at + U(27)] = touched + region + single, touched + two


@inner
def _fill_line_values(
    state: Words, board: Words, biases: Floats, workspace: PolicyWorkspace
) -> Word:
    """Fill `lines` and `line_values` with all lines that complete no city; return their number.

    The value of a line is the value of its towers plus the value of its houses, plus its bias. The
    value of the towers depends on the number of empty ends. The code avoids branches.
    """
    slopes, ends, values, table = (
        workspace.slopes, workspace.ends, workspace.line_values, bytes_of(board)
    )  # fmt: skip
    tower_value, other, single, pair = _expect(state, workspace)
    taken = tower_value + slopes[policy.USED_SLOPE + U(1)]
    no_tower = -slopes[policy.DOUBLE_SLOPE] - slopes[policy.TOUCHED_SLOPE]
    two_towers = (
        tower_value + other + slopes[policy.USED_SLOPE + U(2)] - 2.0 * slopes[policy.TOUCHED_SLOPE]
    )
    fill_places(state, board, workspace)
    # A line beside one tower has one end with a tower, and a line between two towers has two.
    beside, between = bias_of(BESIDE, state, biases), bias_of(BETWEEN, state, biases)
    built = between - beside
    _fill_ends(state, taken, built, workspace)
    touched = no_tower + beside - built
    _fill_classes(two_towers - 2.0 * taken, touched, single, pair, workspace)
    is_last_tower = features.sum_bytes(state[layout.TOWER_SUPPLY], _COLORS) == U(1)
    count = U(0)
    for w in range(U(4)):
        left = state[layout.OPEN + w] & ~state[layout.CLOSING + w]
        while left:
            line = (w << U(6)) + lowest(left)
            is_touched = (state[layout.TOUCHED + w] >> lowest(left)) & U(1)
            left &= left - U(1)
            at = LINE_PLACES + U(8) * line
            first, second = ends[U(table[at])], ends[U(table[at + U(1)])]
            value = first + second + workspace.by_class[U(table[at + U(7)]) + U(18) * is_touched]
            if is_last_tower and not is_touched:
                # The last tower goes to the better end.
                value += taken - min(first, second) - other
            workspace.lines[count], values[count] = line, value
            count += U(1)
    for i in range(U(policy.LINE_PADDING)):
        values[count + i] = 2.0 * _LEAST
    return count


@inner
def _lower_bound(values: Floats, count: Word) -> float:
    """Return a lower bound of the COMPARED largest of `count` numbers; further numbers are padding.

    It is the least of the maxima of COMPARED groups, or _LEAST if a group is empty.
    """
    most_1 = most_2 = most_3 = most_4 = most_5 = most_6 = _LEAST
    for i in range(U(0), count, U(policy.COMPARED)):
        most_1, most_2 = larger(most_1, values[i]), larger(most_2, values[i + U(1)])
        most_3, most_4 = larger(most_3, values[i + U(2)]), larger(most_4, values[i + U(3)])
        most_5, most_6 = larger(most_5, values[i + U(4)]), larger(most_6, values[i + U(5)])
    return min(most_1, most_2, most_3, most_4, most_5, most_6)


@inner
def _keep_likely(
    state: Words, board: Words, rng: Words, biases: Floats, workspace: PolicyWorkspace
) -> Word:
    """Fill `lines` and `line_values` with lines that complete no city, with the COMPARED best.

    Returns the number of these lines, which is far below the number of all lines.
    """
    lines, values = workspace.lines, workspace.line_values
    count, kept = _fill_line_values(state, board, biases, workspace), U(0)
    least = _lower_bound(values, count) - policy.NOISE
    for begin in range(U(0), count, U(32)):
        chosen = ~at_most(offset(values, begin), least) & U((1 << 32) - 1)
        while chosen:
            i = begin + lowest(chosen)
            chosen &= chosen - U(1)
            lines[kept] = lines[i]
            values[kept] = values[i] + _NOISE * float(later_word(rng, i))
            kept += U(1)
    skip_words(rng, count)
    return kept


@inner
def _take_best(count: Word, workspace: PolicyWorkspace) -> tuple[Word, float]:
    """Return the best of the first `count` lines, and its value; the next call returns the next."""
    values = workspace.line_values
    best, most = U(0), values[U(0)]
    for i in range(U(1), count):
        is_more = values[i] > most
        best, most = (i if is_more else best), (values[i] if is_more else most)
    values[best] = 2.0 * _LEAST
    return workspace.lines[best], most


@inner
def _closing_offered(board: Words, line: Word, workspace: PolicyWorkspace) -> float:
    """Return the value of the cities that other lines can complete after a wall on this line."""
    after, copy, inputs = workspace.after, workspace.copy, workspace.inputs
    slopes = workspace.slopes
    layout.copy_state(copy, after)
    b = bytes_of(copy)
    players = U(b[layout.PLAYERS])
    b[layout.WALL_LEFT] = U(b[layout.WALL_LEFT]) + U(1)
    empty = ends_without(copy, board, line)
    put_wall(copy, board, line, True)
    outcomes = tower_outcomes(copy[layout.TOWER_SUPPLY], U(0), empty)
    if outcomes:
        place_towers(copy, board, line, TOWER_STEPS[lowest(outcomes)], True)
    more = float(min(count4(copy, layout.CLOSING), U(4))) - float(
        min(count4(after, layout.CLOSING), U(4))
    )
    if more == 0.0:
        return 0.0
    pairs = features.best_pairs(values_of(copy), offset(copy, layout.HANDS), players)
    features.find_cities(copy, board, workspace.areas, workspace.cities)
    features.city_inputs(copy, workspace.cities, pairs, inputs)
    value = slopes[policy.CLOSING_SLOPE] * more
    for seat in range(players):
        for i in range(U(2)):
            at = _SEAT * seat + features.CITY_INPUTS + i
            change = float(inputs[at]) - float(workspace.net[at])
            value += slopes[policy.CITY_SLOPE + U(2) * seat + i] * change
    return value


@inner
def _evaluate_turn(
    seat: Word, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> float:
    """Play the state `trial` on to the next turn, and return its value to `seat` at that point.

    The heuristics play the scoring.
    """
    trial = workspace.trial
    turn = trial[layout.TURN] + U(1)
    net_build(trial, board, rng, rng, models, workspace)
    heuristic_play(trial, board, rng, models.heuristic, turn, workspace.aside, workspace.counters)
    return trial_value(seat, board, models, workspace)


@inner
def _deal_sample(sample: Word, workspace: PolicyWorkspace) -> None:
    """Fill `trial` with `after`, whose hidden hands are in the deck, and the hands of a sample."""
    trial = workspace.trial
    layout.copy_state(trial, workspace.after)
    for seat in range(U(bytes_of(trial)[layout.PLAYERS])):
        hand = workspace.hands[U(features.MAX_SEATS) * sample + seat]
        trial[layout.HANDS + seat] = hand
        trial[layout.DECK] &= ~hand


@inner
def _closing_line(state: Words, board: Words, models: Models, workspace: PolicyWorkspace) -> Word:
    """Return the line that completes the city worth most to SEAT, among up to CLOSERS lines.

    Fills `after` with the state without its hidden hands.
    """
    layout.copy_state(workspace.after, state)
    hide_others(workspace.after, U(bytes_of(state)[layout.SEAT]), workspace.hidden)
    count = count4(state, layout.CLOSING)
    if count == U(1):
        return nth_of4(state, layout.CLOSING, U(0))
    _deal_sample(U(0), workspace)
    trial, weights = workspace.trial, models.heuristic
    at = weights_at(trial, U(bytes_of(trial)[layout.SEAT]))
    looked_at = min(count, U(CLOSERS))
    best_line, most = layout.NONE, _LEAST
    for i in range(looked_at):
        line = nth_of4(state, layout.CLOSING, i * count // looked_at)
        value = closing_value(trial, board, line, weights, at, workspace.copy)
        if value > most:
            best_line, most = line, value
    return best_line


@inner
def _is_better_closed(
    board: Words,
    line: Word,
    other: float,
    rng: Words,
    models: Models,
    workspace: PolicyWorkspace,
) -> bool:
    """Return whether completing a city with this line has a higher value in trials than `other`.

    `after` is the result of `_closing_line`, and is modified.
    """
    after, gain = workspace.after, 0.0
    seat = U(bytes_of(after)[layout.SEAT])
    put_wall(after, board, line, True)
    bytes_of(after)[layout.PHASE] = layout.PHASE_ROLL
    for number in range(U(TURNS)):
        _deal_sample(number % U(policy.SAMPLES), workspace)
        gain += _evaluate_turn(seat, board, rng, models, workspace) - other
        if abs(gain) > CLEARLY:
            break
    return gain > 0.0


@inner
def net_line(
    state: Words, board: Words, rng: Words, models: Models, workspace: PolicyWorkspace
) -> Word:
    """Return the line for SEAT's wall, or NONE if no line is open. Also fills the turn's slopes."""
    fill_slopes(state, board, rng, models.net, workspace)
    count = _keep_likely(state, board, rng, models.biases, workspace)
    offered = bias_of(OFFERED, state, models.biases)
    best_line, most = layout.NONE, _LEAST
    for _ in range(min(count, U(policy.COMPARED))):
        line, value = _take_best(count, workspace)
        if value <= most:
            break
        if makes_closing(state, board, line):
            value += _closing_offered(board, line, workspace) + offered
        if value > most:
            best_line, most = line, value
    most += workspace.slopes[policy.BASE_VALUE] + workspace.slopes[_WALL]
    most -= bias_of(CLOSED, state, models.biases)
    if count4(state, layout.CLOSING):
        line = _closing_line(state, board, models, workspace)
        if _is_better_closed(board, line, most, rng, models, workspace):
            return line
    return best_line
