"""The features of a position at the start of a turn: numbers for each seat and for the board.

The features are the inputs of the value net, scaled so that they rarely exceed 1. The hands come
from the determinization, and the value of a land card is the number of points that it would score
on the current board.

For each seat (SEAT_INPUTS):

| input        | size     | content                                                                |
| ------------ | -------- | ---------------------------------------------------------------------- |
| POINTS       | 1        | score                                                                  |
| CARDS        | 1        | number of cards in hand                                                |
| BEST         | TOP      | values of the best land cards in hand, best first                      |
| TO_MOVE      | 1        | 1 for the active seat                                                  |
| WAIT         | 1        | turns until the seat moves, as a share of a round                      |
| MARGIN       | 1        | score minus the highest score of the other seats                       |
| CITY_INPUTS  | 2        | points of the best two cards if the active seat completes its best     |
|              |          | city now, and by how much these exceed the best two cards without it   |
| FINAL_INPUTS | 2        | score plus the values of the two best land cards, and the margin of    |
|              |          | this sum (see MARGIN)                                                  |
| HELD         | KINDS    | copies of each kind of card in hand                                    |
| HELD_LEFT    | KINDS    | HELD times the share of the game that is left                          |
| LAND         | LANDS    | value of each kind of land card in hand, times its copies              |

The inputs before HELD are called the numbers of a seat, and the others follow from the cards in its
hand. Kernels that evaluate a position do not fill the inputs of cards, because `value_net` adds up
the weights of the cards in a hand.

For the board (BOARD_INPUTS):

| input   | size     | content                                                                     |
| ------- | -------- | --------------------------------------------------------------------------- |
| SUPPLY  | 8        | shares left in the supply: towers, walls, the lesser of these two, towers   |
|         |          | of each color (3), houses, palaces                                          |
| LINES   | 4        | numbers of cities, of lines that complete a city, of lines between two      |
|         |          | towers, and of lines beside a tower                                         |
| SETTING | 4        | share of cards in the deck; always 1; 1 with 3 players; 1 with 4 players    |
| VALUES  | LANDS    | current value of each kind of land card                                     |
| LAST    | 12       | one-hot: towers left (1 to 8), walls left (1 to 4)                          |
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import FIRST_LAND, KINDS, LANDS, TOWER_COLORS, TOWERS_PER_COLOR
from masons.engine.board.components import WALLS as ALL_WALLS
from masons.engine.kernels.bits import U, count4, lowest, nth_of4, popcount, two_largest
from masons.engine.kernels.jit import (
    RANKED,
    Floats,
    Single,
    Singles,
    Word,
    WordArray,
    Words,
    bytes_of,
    inner,
    offset,
    rank_values,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.scoring import AREAS, score_cards, values_if_closed, values_of
from masons.engine.rules.turns import score_of
from masons.engine.state import layout

# --- best pairs
# The points of the two best cards of each hand, computed for two seats at a time.
#
# A search needs these points several times for each position that it evaluates, so they are
# computed without loops over cards, whose branches would be mispredicted.


# The points of seats 0 and 1, and of seats 2 and 3, with 32 bits per seat.
Pairs = tuple[Word, Word]
Values = tuple[Word, Word, Word, Word]

_SEAT_BITS = U(32)
_SEAT_MASK = U((1 << 32) - 1)


@inner
def best_pairs(values: Values, hands: Words, players: Word) -> Pairs:
    """Return the points of the two best cards, or of the only card, of each hand (uint64[4])."""
    v0, v1, v2, v3 = values
    first = two_largest(v0, v1, v2, v3, hands[U(0)], hands[U(1)])
    if players > U(2):
        return first, two_largest(v0, v1, v2, v3, hands[U(2)], hands[U(3)])
    return first, U(0)


@inner
def pair_of(pairs: Pairs, seat: Word) -> Word:
    """Return the points of one seat from `pairs`."""
    both = pairs[1] if seat >> U(1) else pairs[0]
    return (both >> (_SEAT_BITS * (seat & U(1)))) & _SEAT_MASK


TOP: Final = RANKED

POINTS = U(0)
CARDS = U(1)
BEST = U(2)
TO_MOVE = U(2 + TOP)
WAIT = U(3 + TOP)
MARGIN = U(4 + TOP)
CITY_INPUTS = U(5 + TOP)
FINAL_INPUTS = U(7 + TOP)
HELD = U(9 + TOP)
HELD_LEFT = U(9 + TOP + KINDS)
LAND = U(9 + TOP + 2 * KINDS)
NUMBERS: Final = 9 + TOP
SEAT_INPUTS: Final = NUMBERS + 2 * KINDS + LANDS

MAX_SEATS: Final = 4
BOARD: Final = MAX_SEATS * SEAT_INPUTS  # index of the board's first input
BOARD_INPUTS: Final = 28 + LANDS
INPUTS: Final = BOARD + BOARD_INPUTS
LINE_INPUTS: Final = 4
SUPPLY = U(BOARD)
GAME_LEFT = U(BOARD + 2)  # the share of the game that is left, as in HELD_LEFT
LINES = U(BOARD + 8)
SETTING = U(BOARD + 12)
BOARD_VALUES = U(BOARD + 16)
LAST = U(BOARD + 16 + LANDS)

# The divisors that scale inputs to about 1. The gradient divides by the same numbers.
CARD_SCALE: Final = 8.0  # points of one card
SCORE_SCALE: Final = 16.0  # points of a seat, of a pair of cards or of a card at the end
FINAL_SCALE: Final = 32.0  # points of a seat after the final scoring
HAND_SCALE: Final = 4.0
CITY_SCALE: Final = 4.0  # cities, and lines that complete one
DOUBLE_SCALE: Final = 16.0
TOUCHED_SCALE: Final = 64.0
LAST_TOWERS, LAST_WALLS = U(8), U(4)

_SEAT = U(SEAT_INPUTS)
_INPUTS = U(INPUTS)
_STATE = U(layout.STATE_WORDS)
_FIRST_LAND = U(FIRST_LAND)
LAND_CARDS = layout.ALL_CARDS & ~U((1 << (2 * FIRST_LAND)) - 1)
_CLOSERS = U(3)
_USUAL = U(4)  # land cards in a hand
_FOUR_MORE = U(15) << U(60)  # as a set; these are no cards, so they have 0 points
TOWERS: Final = float(TOWERS_PER_COLOR * len(TOWER_COLORS))
WALLS: Final = float(ALL_WALLS)
# Reciprocals, because a division takes as long as several multiplications.
_A_TOWER, _A_WALL, _OF_COLOR = 1.0 / TOWERS, 1.0 / WALLS, 1.0 / TOWERS_PER_COLOR
_A_HOUSE, _A_PALACE, _A_CARD = 1.0 / 60.0, 1.0 / 15.0, 1.0 / 60.0
_LEAST: Final = -1.0e9


@inner
def sum_bytes(word: Word, count: Word) -> Word:
    """Return the sum of the `count` lowest bytes of a word."""
    total = U(0)
    for i in range(count):
        total += (word >> (U(8) * i)) & U(255)
    return total


@inner
def pieces_left(state: Words) -> tuple[Word, Word]:
    """Return the number of towers and of walls in the supply."""
    return sum_bytes(state[layout.TOWER_SUPPLY], U(3)), U(bytes_of(state)[layout.WALL_LEFT])


@inner
def game_left(state: Words) -> float:
    """Return the share of the game that is left (0 to 1).

    This is the share of the towers or of the walls that is still in the supply, whichever share is
    smaller.
    """
    towers, walls = pieces_left(state)
    return min(float(towers) * _A_TOWER, float(walls) * _A_WALL)


@inner
def two_most(numbers: Floats, players: Word) -> tuple[float, float]:
    """Return the two largest of the seats' numbers, which must not be negative."""
    most = second = 0.0
    for seat in range(players):
        second = max(second, min(most, numbers[seat]))
        most = max(most, numbers[seat])
    return most, second


@inner
def _best_inputs(state: Words, hand: Word, out: Singles) -> None:
    """Fill BEST of a seat, whose inputs begin at `out`."""
    values, land = offset(bytes_of(state), layout.VALUES_BYTE), hand & LAND_CARDS
    # The number of cards is unpredictable, so a set of at least four is passed.
    land |= _FOUR_MORE << min(popcount(land), _USUAL)
    rank_values(offset(out, BEST), values, land, Single(1.0 / CARD_SCALE))


@inner
def seat_inputs(state: Words, pairs: Pairs, out: Singles, now: Floats, then: Floats) -> None:
    """Fill the numbers of each seat except CITY_INPUTS.

    `pairs` is the result of `best_pairs` for VALUES of the state, which must be up to date. `now`
    (float64[4]) is filled with the current scores, and `then` (float64[4]) with the scores that
    include the two best land cards of each hand.
    """
    b = bytes_of(state)
    players, active = U(b[layout.PLAYERS]), U(b[layout.ACTIVE])
    part = 1.0 / float(players)
    for seat in range(players):
        now[seat] = float(score_of(state, seat))
        then[seat] = now[seat] + float(pair_of(pairs, seat))
    most_now, second_now = two_most(now, players)
    most_then, second_then = two_most(then, players)
    for seat in range(players):
        seat_out, hand = offset(out, _SEAT * seat), state[layout.HANDS + seat]
        # The mask tells the compiler that the number is small, which makes it faster to convert.
        wait = float((seat - active if seat >= active else seat + players - active) & U(3))
        seat_out[POINTS] = Single(now[seat] / SCORE_SCALE)
        seat_out[CARDS] = Single(float(popcount(hand)) / HAND_SCALE)
        seat_out[TO_MOVE] = Single(max(1.0 - wait, 0.0))
        seat_out[WAIT] = Single(wait * part)
        margin = now[seat] - (second_now if now[seat] == most_now else most_now)
        seat_out[MARGIN] = Single(margin / SCORE_SCALE)
        seat_out[FINAL_INPUTS] = Single(then[seat] / FINAL_SCALE)
        margin = then[seat] - (second_then if then[seat] == most_then else most_then)
        seat_out[FINAL_INPUTS + U(1)] = Single(margin / SCORE_SCALE)
        _best_inputs(state, hand, seat_out)


# The cities that can be completed now: their number, then the four words of VALUES for each.
CITIES: Final = 1 + 4 * int(_CLOSERS)


@inner
def find_cities(state: Words, board: Words, areas: Words, cities: Words) -> None:
    """Fill `cities` (uint64[CITIES]) with up to _CLOSERS cities that can be completed now.

    `areas` (uint64[AREAS]) is a cache for this board only (see `scoring`).
    """
    count = count4(state, layout.CLOSING)
    looked_at, number = min(count, _CLOSERS), U(0)
    for i in range(looked_at):
        line = nth_of4(state, layout.CLOSING, i * count // looked_at)
        closes, values = values_if_closed(state, board, line, areas)
        for w in range(U(4)):
            cities[U(1) + U(4) * number + w] = values[w]
        number += U(closes)
    cities[U(0)] = number


@inner
def city_inputs(state: Words, cities: Words, without: Pairs, out: Singles) -> None:
    """Fill CITY_INPUTS for the best of the cities that can be completed now (see `find_cities`).

    The best city has the greatest margin, that is, the points of the active seat's best two cards
    minus the mean points of the other seats' best two cards. `without` holds the best pairs
    according to the current VALUES.
    """
    b = bytes_of(state)
    players, active = U(b[layout.PLAYERS]), U(b[layout.ACTIVE])
    best, best_1, best_2 = _LEAST, U(0), U(0)
    part = 1.0 / float(players - U(1))
    for i in range(cities[U(0)]):
        at = U(1) + U(4) * i
        values = cities[at], cities[at + U(1)], cities[at + U(2)], cities[at + U(3)]
        pairs = best_pairs(values, offset(state, layout.HANDS), players)
        total = U(0)
        for seat in range(players):
            total += pair_of(pairs, seat)
        active_pair = pair_of(pairs, active)
        margin = float(active_pair) - part * float(total - active_pair)
        # The better city is unpredictable, so the code avoids branches.
        best_1 = pairs[0] if margin > best else best_1
        best_2 = pairs[1] if margin > best else best_2
        best = max(margin, best)
    for seat in range(players):
        at = _SEAT * seat + CITY_INPUTS
        out[at] = out[at + U(1)] = Single(0.0)
        if cities[U(0)]:
            pair = float(pair_of((best_1, best_2), seat))
            out[at] = Single(pair / SCORE_SCALE)
            out[at + U(1)] = Single((pair - float(pair_of(without, seat))) / SCORE_SCALE)


@inner
def fill_lines(state: Words, out: Floats | Singles, at: Word) -> None:
    """Fill the inputs LINES in `out` (float32 or float64), from index `at` on."""
    out[at] = float(state[layout.CITIES]) / CITY_SCALE
    out[at + U(1)] = float(min(count4(state, layout.CLOSING), U(4))) / CITY_SCALE
    out[at + U(2)] = float(count4(state, layout.DOUBLE)) / DOUBLE_SCALE
    out[at + U(3)] = float(count4(state, layout.TOUCHED)) / TOUCHED_SCALE


@inner
def board_inputs(state: Words, out: Singles) -> None:
    """Fill the inputs of the board; VALUES of the state must be up to date."""
    b = bytes_of(state)
    players, supply = U(b[layout.PLAYERS]), state[layout.TOWER_SUPPLY]
    towers, walls = pieces_left(state)
    out[SUPPLY] = Single(float(towers) * _A_TOWER)
    out[SUPPLY + U(1)] = Single(float(walls) * _A_WALL)
    out[GAME_LEFT] = Single(game_left(state))
    for color in range(U(3)):
        of_color = (supply >> (U(8) * color)) & U(255)
        out[SUPPLY + U(3) + color] = Single(float(of_color) * _OF_COLOR)
    out[SUPPLY + U(6)] = Single(float(sum_bytes(state[layout.HOUSE_SUPPLY], U(5))) * _A_HOUSE)
    out[SUPPLY + U(7)] = Single(float(sum_bytes(state[layout.PALACE_SUPPLY], U(5))) * _A_PALACE)
    fill_lines(state, out, LINES)
    out[SETTING] = Single(float(popcount(state[layout.DECK])) * _A_CARD)
    out[SETTING + U(1)] = Single(1.0)
    out[SETTING + U(2)] = Single(float(U(players == U(3))))
    out[SETTING + U(3)] = Single(float(U(players == U(4))))
    for i in range(U(LANDS)):
        out[BOARD_VALUES + i] = Single(float(b[layout.VALUES_BYTE + _FIRST_LAND + i]) / SCORE_SCALE)
    for i in range(LAST_TOWERS):
        out[LAST + i] = Single(float(U(towers == i + U(1))))
    for i in range(LAST_WALLS):
        out[LAST + LAST_TOWERS + i] = Single(float(U(walls == i + U(1))))


@inner
def _card_inputs(state: Words, out: Singles) -> None:
    """Fill the inputs of the cards in all hands; VALUES of the state must be up to date."""
    b, left = bytes_of(state), game_left(state)
    for seat in range(U(b[layout.PLAYERS])):
        seat_out, hand = offset(out, _SEAT * seat), state[layout.HANDS + seat]
        for i in range(HELD, _SEAT):
            seat_out[i] = Single(0.0)
        while hand:
            kind = lowest(hand) >> U(1)
            hand &= hand - U(1)
            seat_out[HELD + kind] += Single(1.0)
            seat_out[HELD_LEFT + kind] += Single(left)
            if kind >= _FIRST_LAND:
                value = float(b[layout.VALUES_BYTE + kind]) / CARD_SCALE
                seat_out[LAND + kind - _FIRST_LAND] += Single(value)


@kernel
def describe(
    states: Words,
    count: Word,
    board: Words,
    out: Singles,
    state: Words,
    areas: Words,
    cities: Words,
    numbers: Floats,
) -> None:
    """Write the inputs of `count` states to `out` (float32[count * INPUTS]).

    `states` is uint64[count * STATE_WORDS]. `areas` (uint64[AREAS]) is a cache for this board only
    (see `scoring`). `state` (uint64[STATE_WORDS]), `cities` (uint64[CITIES]) and `numbers`
    (float64[8]) are scratch memory.
    """
    for i in range(count):
        layout.copy_state(state, offset(states, _STATE * i))
        row = offset(out, _INPUTS * i)
        score_cards(state, board, layout.NONE)
        find_cities(state, board, areas, cities)
        players = U(bytes_of(state)[layout.PLAYERS])
        pairs = best_pairs(values_of(state), offset(state, layout.HANDS), players)
        seat_inputs(state, pairs, row, numbers, offset(numbers, U(4)))
        city_inputs(state, cities, pairs, row)
        _card_inputs(state, row)
        board_inputs(state, row)


def inputs_of(states: layout.State, board: WordArray) -> NDArray[np.float32]:
    """Return the inputs of states (uint64[n, STATE_WORDS]) as float32[n, INPUTS].

    `board` is the packed board. This function is called from Python.
    """
    count = states.size // int(layout.STATE_WORDS)
    out = np.zeros(count * INPUTS, dtype=np.float32)
    sizes = layout.STATE_WORDS, AREAS, CITIES
    state, areas, cities = (np.zeros(size, dtype=np.uint64) for size in sizes)
    flat = np.ascontiguousarray(states).ravel()
    describe(flat, count, board, out, state, areas, cities, np.zeros(8))
    return out.reshape(-1, INPUTS)


def game_left_of(state: layout.State) -> float:
    """Return the share of the game that is left, like `game_left` but for callers in Python."""
    small = state.view(np.uint8)
    towers = int(small[int(layout.TOWER_SUPPLY) * 8 :][: len(TOWER_COLORS)].sum())
    return min(towers * _A_TOWER, int(small[int(layout.WALL_LEFT)]) * _A_WALL)
