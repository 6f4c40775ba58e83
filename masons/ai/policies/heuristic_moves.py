"""Heuristic choices: which cities to complete, which lines to take, which cards to keep.

These choices form a policy that is fast enough for playouts and for millions of games per hour;
`heuristic_play` plays it. The policy has PER_STAGE parameters for each third of the game: the value
of a card kept in hand, the value of one more card, thresholds for completing a city, and values of
lines. `benchmarks.training` optimized all parameters in games of the policy against itself.

In a scoring, the policy plays one card, plays two cards or abstains, whichever has the highest of
these values:

    one     points - value kept
    two     points - values kept of both - value of one more card
    abstain value of one more card - value kept of the worst card

The value kept of a card is the value that the card has if it stays in hand.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.components import FIRST_LAND
from masons.engine.board.packed_board import TOWER_NEXT
from masons.engine.kernels.bits import U, count4, has, lowest, nth_of4, opaque
from masons.engine.kernels.jit import Floats, Word, Words, bytes_of, inlined, inner
from masons.engine.kernels.rng import below, fraction
from masons.engine.rules.cities_and_palaces import NewCity
from masons.engine.rules.placement import line_ends, put_wall
from masons.engine.rules.scoring import score_new_city
from masons.engine.rules.turns import finish_merge
from masons.engine.state import layout

_FIRST_LAND = U(FIRST_LAND)

# The indices of the parameters of one third of the game.
CLOSE_SHARE = U(0)  # a city is completed if own value > share of the others' mean + margin
CLOSE_MARGIN = U(1)
ONE_TOWER = U(2)  # the value of a line that brings one tower
TWO_TOWERS = U(3)  # the value of a line that brings two towers
DANGER = U(4)  # the value of a line after which another line would complete a city
NOISE = U(5)  # a random number up to this value is added to a line's value
CARD = U(6)  # the value of one more card in hand
LAND_KEPT = U(7)  # a land card kept in hand is worth this share of its current points ...
LAND_BASE = U(8)  # ... plus this constant
CITY_KEPT = U(9)  # the value of a city card kept
EXCHANGED = U(10)  # a card whose value is lower than this is swapped
PER_STAGE: Final = 11
STAGES: Final = 3
PARAMETERS: Final = STAGES * PER_STAGE
_PER_STAGE = U(PER_STAGE)
_PARAMETERS = U(PARAMETERS)
_COMPARED = U(6)  # number of random lines that are compared for a wall
_CLOSERS = U(3)  # upper limit for the compared lines that complete a city


@inner
def stage_of(state: Words) -> Word:
    """Return the third of the game (0, 1 or 2), according to the walls and towers left."""
    supply = state[layout.TOWER_SUPPLY]
    towers = (supply + (supply >> U(8)) + (supply >> U(16))) & U(255)
    left = min(U(bytes_of(state)[layout.WALL_LEFT]) * U(10), towers * U(11))
    if left > U(220):
        return U(0)
    return U(1) if left > U(110) else U(2)


@inner
def weights_at(state: Words, seat: Word) -> Word:
    """Return the index of a seat's parameters for the current third of the game."""
    return _PARAMETERS * seat + _PER_STAGE * stage_of(state)


@inner
def kept_value(state: Words, weights: Floats, at: Word, kind: Word) -> float:
    """Return the value of a card that stays in hand; `at` is the index of the parameters."""
    # The kinds in a hand are unpredictable, so the code avoids branches.
    is_land = U(kind >= _FIRST_LAND)
    points = U(bytes_of(state)[layout.VALUES_BYTE + kind]) & (U(0) - is_land)
    base = LAND_BASE if is_land else CITY_KEPT
    return weights[at + base] + weights[at + LAND_KEPT] * float(points)


@inner
def best_option(
    state: Words, seat: Word, weights: Floats, at: Word
) -> tuple[Word, Word, Word, float]:
    """Return the best choice in a scoring: two cards, how many of them to play, and its value.

    If no card is to be played, the first card is to be discarded. A card that the choice does not
    need is NO_CARD.
    """
    b = bytes_of(state)
    cards = state[layout.HANDS + seat]
    last = b[layout.END] != U(0)
    # Kinds are floats here, because the compiler selects floats without branches.
    best = second = worst = float(layout.NO_CARD)
    best_net = second_net = -1000.0
    worst_kept = 1000.0
    left = cards
    while left:
        kind = lowest(left) >> U(1)
        left &= left - U(1)
        kept = 0.0 if last else kept_value(state, weights, at, kind)
        net = float(b[layout.VALUES_BYTE + kind]) - kept
        # The order of the cards is unpredictable, so the code avoids branches.
        number = float(kind)
        is_best, is_second, is_worst = net > best_net, net > second_net, kept < worst_kept
        lesser = best if is_best else number
        second = lesser if is_second else second
        best, worst = (number if is_best else best), (number if is_worst else worst)
        second_net = max(second_net, min(best_net, net))
        best_net, worst_kept = max(best_net, net), min(worst_kept, kept)
    another = 0.0 if last else weights[at + CARD]
    best_kind, second_kind = U(best), U(second)
    abstained, pair_net = another - worst_kept, best_net + second_net - another
    is_one = best_net >= abstained
    card, value = (best_kind if is_one else U(worst)), (best_net if is_one else abstained)
    is_pair = pair_net > value and second_kind != layout.NO_CARD
    first, other = (min(best_kind, second_kind) if is_pair else card), max(best_kind, second_kind)
    other, count = (other if is_pair else layout.NO_CARD), (U(2) if is_pair else U(is_one))
    return first, other, count, (pair_net if is_pair else value)


@inner
def scoring_values(state: Words, seat: Word, weights: Floats) -> tuple[float, float]:
    """Return the value of a scoring to a seat, and the scoring's mean value to the other seats.

    The points of the cards are taken from VALUES.
    """
    players = U(bytes_of(state)[layout.PLAYERS])
    own_value = others = 0.0
    for other in range(players):
        value = best_option(state, other, weights, weights_at(state, other))[3]
        if other == seat:
            own_value = value
        else:
            others += value
    return own_value, others / float(players - U(1))


@inner
def closing_value(
    state: Words, board: Words, line: Word, weights: Floats, at: Word, workspace: Words
) -> float:
    """Return the value of the city that a wall would complete, minus the threshold to complete it.

    Returns -1000 if the wall completes no city.
    """
    layout.copy_state(workspace, state)
    b = bytes_of(workspace)
    seat = U(b[layout.SEAT])
    put_wall(workspace, board, line, True)
    if b[layout.CLOSES] == U(0):
        return -1000.0
    score_new_city(workspace, board)
    own_value, others = scoring_values(workspace, seat, weights)
    return own_value - weights[at + CLOSE_SHARE] * others - weights[at + CLOSE_MARGIN]


@inner
def closing_line(
    state: Words, board: Words, rng: Words, weights: Floats, at: Word, workspace: Words
) -> Word:
    """Return the line that completes the most valuable city, or NONE if no value is above 0."""
    count = count4(state, layout.CLOSING)
    best_line, most = layout.NONE, 0.0
    for i in range(min(count, _CLOSERS)):
        n = i if count <= _CLOSERS else below(rng, count)
        line = nth_of4(state, layout.CLOSING, n)
        value = closing_value(state, board, line, weights, at, workspace)
        if value > most:
            best_line, most = line, value
    return best_line


@inner
def makes_closing(state: Words, board: Words, line: Word) -> bool:
    """Return whether, after a wall on this line, another line could complete a city.

    This is assumed to be true for every wall that connects two components of the walls.
    """
    b, table = bytes_of(state), bytes_of(board)
    first, second = line_ends(board, line)
    label_1, label_2 = U(b[layout.LABELS_BYTE + first]), U(b[layout.LABELS_BYTE + second])
    if has(state, layout.DOUBLE, line):
        return True
    if min(label_1, label_2) == max(label_1, label_2):
        return False
    fresh = first if label_1 == layout.NONE else second
    label = min(label_1, label_2)
    alike = U(0)
    for j in range(U(6)):
        neighbor = U(table[TOWER_NEXT + U(8) * fresh + j])
        alike += U(U(b[layout.LABELS_BYTE + neighbor]) == label)
    return alike > U(1)


@inner
def line_value(state: Words, board: Words, line: Word, weights: Floats, at: Word) -> float:
    """Return the value of a wall that completes no city."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    empty = U(b[layout.LABELS_BYTE + first] == layout.NONE) + U(
        b[layout.LABELS_BYTE + second] == layout.NONE
    )
    value = 0.0
    if empty == U(1):
        value = weights[at + ONE_TOWER]
    elif empty == U(2):
        value = weights[at + TWO_TOWERS]
    if makes_closing(state, board, line):
        value += weights[at + DANGER]
    return value


@inlined
def heuristic_line(
    state: Words, board: Words, rng: Words, weights: Floats, workspace: Words
) -> Word:
    """Return the line for SEAT's wall, or NONE if no line is open."""
    at = weights_at(state, U(bytes_of(state)[layout.SEAT]))
    line = closing_line(state, board, rng, weights, at, workspace)
    if line != layout.NONE:
        return line
    count = count4(state, layout.OPEN)
    if count == U(0):
        return layout.NONE
    best_line, most = layout.NONE, -1.0e9
    for _ in range(_COMPARED):
        noise = fraction(rng)
        line = nth_of4(state, layout.OPEN, below(rng, count))
        value = weights[at + NOISE] * noise
        if has(state, layout.CLOSING, line):
            value -= 100.0
        value += line_value(state, board, line, weights, at)
        if value > most:
            best_line, most = line, value
    return best_line


@inner
def heuristic_merge(
    state: Words, board: Words, new: NewCity, weights: Floats, workspace: Words
) -> Word:
    """Return the lowest space of the city to merge with the new city, or NONE."""
    seat = U(bytes_of(state)[layout.ACTIVE])
    layout.copy_state(workspace, state)
    finish_merge(workspace, board, new, layout.NONE)
    own_value, others = scoring_values(workspace, seat, weights)
    best_city, most = layout.NONE, own_value - others
    for w in range(U(2)):
        cities = new.beside_hi if w else new.beside_lo
        while cities:
            city = (w << U(6)) + lowest(cities)
            cities &= cities - U(1)
            layout.copy_state(workspace, state)
            finish_merge(workspace, board, new, city)
            own_value, others = scoring_values(workspace, seat, weights)
            if own_value - others > most:
                best_city, most = city, own_value - others
    return best_city


@inner
def exchanged_cards(state: Words, seat: Word, weights: Floats) -> Word:
    """Return the set of cards that a seat swaps."""
    at = weights_at(state, seat)
    out = U(0)
    left = state[layout.HANDS + seat]
    while left:
        card = left & (~left + U(1))
        left ^= card
        kept = kept_value(state, weights, at, lowest(card) >> U(1))
        # Whether it is swapped is unpredictable, so the code avoids branches.
        out |= card & (U(0) - opaque(U(kept < weights[at + EXCHANGED])))
    return out
