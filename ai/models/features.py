"""The features of a position at the start of a turn: numbers for each seat and for the board.

All are scaled to be about 1 at most. Cards count as they lie in the (determinized) hands; what a
card scores is by the board as it stands.

Of a seat (SEAT_INPUTS):

| input        | how many | what                                                                   |
| ------------ | -------- | ---------------------------------------------------------------------- |
| POINTS       | 1        | its score                                                              |
| CARDS        | 1        | the cards in its hand                                                  |
| BEST         | TOP      | what its best land cards score now, the best first                     |
| TO_MOVE      | 1        | 1 for the active seat                                                  |
| WAIT         | 1        | turns until it moves, as a share of a round                            |
| MARGIN       | 1        | its score less the most of the others                                  |
| HELD         | KINDS    | how many of each kind of card it holds                                 |
| HELD_LEFT    | KINDS    | the same times the share of the game that is left                      |
| LAND         | LANDS    | what each kind of land card in its hand scores now, together           |
| CITY_INPUTS  | 2        | its two best cards for the best city that the active seat can complete |
|              |          | now, and how much more that is than without the city                   |
| FINAL_INPUTS | 2        | its score with its two best land cards, and the margin then            |

Of the board (BOARD_INPUTS):

| input   | how many | what                                                                        |
| ------- | -------- | --------------------------------------------------------------------------- |
| SUPPLY  | 8        | towers, walls, the lesser of both, towers by colour, houses, palaces        |
| LINES   | 4        | cities; lines that complete one, between two towers, beside a tower         |
| SETTING | 4        | deck; 1; 1 with 3 players, 1 with 4                                         |
| VALUES  | LANDS    | what each kind of land card scores now                                      |
| LAST    | 12       | 1 for so many towers left (1 to 8), walls left (1 to 4)                     |
"""

from __future__ import annotations

from typing import Final

import numpy as np

from masons.engine.board.components import FIRST_LAND, KINDS, LANDS, TOWER_COLORS, TOWERS_PER_COLOR
from masons.engine.board.components import WALLS as ALL_WALLS
from masons.engine.kernels.bits import U, count4, lowest, nth_of4, popcount
from masons.engine.kernels.jit import (
    Bytes,
    FloatArray,
    Floats,
    Single,
    SingleArray,
    Singles,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inner,
    kernel,
    ptr,
)
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import score_cards, score_new_city
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import (
    ACTIVE,
    CITIES,
    CLOSES,
    CLOSING,
    DECK,
    DOUBLE,
    HANDS,
    HOUSE_SUPPLY,
    NONE,
    PALACE_SUPPLY,
    PLAYERS,
    STATE_WORDS,
    TOUCHED,
    TOWER_SUPPLY,
    VALUES_BYTE,
    WALL_LEFT,
    State,
)

TOP: Final = 5

POINTS = U(0)
CARDS = U(1)
BEST = U(2)
TO_MOVE = U(2 + TOP)
WAIT = U(3 + TOP)
MARGIN = U(4 + TOP)
HELD = U(5 + TOP)
HELD_LEFT = U(5 + TOP + KINDS)
LAND = U(5 + TOP + 2 * KINDS)
CITY_INPUTS = U(5 + TOP + 2 * KINDS + LANDS)
FINAL_INPUTS = U(7 + TOP + 2 * KINDS + LANDS)
SEAT_INPUTS: Final = 9 + TOP + 2 * KINDS + LANDS

MAX_SEATS: Final = 4
BOARD: Final = MAX_SEATS * SEAT_INPUTS  # where the board's begin
BOARD_INPUTS: Final = 28 + LANDS
INPUTS: Final = BOARD + BOARD_INPUTS
LINE_INPUTS: Final = 4
SUPPLY = U(BOARD)
LINES = U(BOARD + 8)
SETTING = U(BOARD + 12)
BOARD_VALUES = U(BOARD + 16)
LAST = U(BOARD + 16 + LANDS)
_LAST_TOWERS, _LAST_WALLS = U(8), U(4)

_SEAT = U(SEAT_INPUTS)
_INPUTS = U(INPUTS)
_STATE = U(STATE_WORDS)
_FIRST_LAND = U(FIRST_LAND)
_CLOSERS = U(3)
_TOWERS: Final = float(TOWERS_PER_COLOR * len(TOWER_COLORS))
_WALLS: Final = float(ALL_WALLS)
_LEAST: Final = -1.0e9


@inner
def sum_bytes(word: Word, count: Word) -> Word:
    """The sum of a word's lowest bytes."""
    total = U(0)
    for i in range(count):
        total += (word >> (U(8) * i)) & U(255)
    return total


@inner
def game_left(state: Words) -> float:
    """The share of the game that is left, by the supply that is shortest: from 0 to 1."""
    towers = sum_bytes(state[TOWER_SUPPLY], U(3))
    walls = U(bytes_of(state)[WALL_LEFT])
    return min(float(towers) / _TOWERS, float(walls) / _WALLS)


@inner
def best_pair(values: Bytes, cards: Word) -> float:
    """What the two best of some cards score, by the VALUES of a state's bytes."""
    best = second = U(0)
    while cards:
        value = U(values[VALUES_BYTE + (lowest(cards) >> U(1))])
        cards &= cards - U(1)
        if value > best:
            best, second = value, best
        elif value > second:
            second = value
    return float(best + second)


@inner
def most_of_others(numbers: Floats, players: Word, seat: Word) -> float:
    """The largest of the other seats' numbers, none of them below 0."""
    most = 0.0
    for other in range(players):
        if other != seat:
            most = max(most, numbers[other])
    return most


@inner
def _hand_inputs(state: Words, seat: Word, left: float, out: Singles, at: Word) -> None:
    """HELD, HELD_LEFT, LAND and BEST, all 0 before."""
    b = bytes_of(state)
    cards = state[HANDS + seat]
    while cards:
        kind = lowest(cards) >> U(1)
        cards &= cards - U(1)
        out[at + HELD + kind] += Single(1.0)
        out[at + HELD_LEFT + kind] += Single(left)
        if kind < _FIRST_LAND:
            continue
        value = Single(float(b[VALUES_BYTE + kind]) / 8.0)
        out[at + LAND + kind - _FIRST_LAND] += value
        for place in range(U(TOP)):
            higher = out[at + BEST + place]
            if value > higher:
                out[at + BEST + place] = value
                value = higher


@inner
def seat_inputs(state: Words, out: Singles, now: Floats, then: Floats) -> None:
    """What each seat has; `now` and `then` (float64[4]) become the scores, now and with BEST."""
    b = bytes_of(state)
    players, active = U(b[PLAYERS]), U(b[ACTIVE])
    left = game_left(state)
    for seat in range(players):
        now[seat] = float(score_of(state, seat))
        then[seat] = now[seat] + best_pair(b, state[HANDS + seat])
    for i in range(U(BOARD)):
        out[i] = Single(0.0)
    for seat in range(players):
        at = _SEAT * seat
        wait = seat - active if seat >= active else seat + players - active
        out[at + POINTS] = Single(now[seat] / 16.0)
        out[at + CARDS] = Single(float(popcount(state[HANDS + seat])) / 4.0)
        out[at + TO_MOVE] = Single(float(U(wait == U(0))))
        out[at + WAIT] = Single(float(wait) / float(players))
        out[at + MARGIN] = Single((now[seat] - most_of_others(now, players, seat)) / 16.0)
        out[at + FINAL_INPUTS] = Single(then[seat] / 32.0)
        margin = then[seat] - most_of_others(then, players, seat)
        out[at + FINAL_INPUTS + U(1)] = Single(margin / 16.0)
        _hand_inputs(state, seat, left, out, at)


@inner
def city_inputs(state: Words, board: Words, workspace: Words, pairs: Floats, out: Singles) -> None:
    """CITY_INPUTS, by that of up to _CLOSERS cities which brings the active seat most.

    Its own best pair counts, less the mean of the others'. Workspace: `workspace`
    (uint64[STATE_WORDS]), `pairs` (float64[4]).
    """
    b, r = bytes_of(state), bytes_of(workspace)
    players, active = U(b[PLAYERS]), U(b[ACTIVE])
    count = count4(state, CLOSING)
    looked_at = min(count, _CLOSERS)
    best = _LEAST
    for i in range(looked_at):
        copy_words(workspace, state, _STATE)
        put_wall(workspace, board, nth_of4(state, CLOSING, i * count // looked_at), True)
        if r[CLOSES] == U(0):
            continue
        score_new_city(workspace, board)
        total = 0.0
        for seat in range(players):
            pairs[seat] = best_pair(r, state[HANDS + seat])
            total += pairs[seat]
        margin = pairs[active] - (total - pairs[active]) / float(players - U(1))
        if margin > best:
            best = margin
            for seat in range(players):
                at = _SEAT * seat + CITY_INPUTS
                more = pairs[seat] - best_pair(b, state[HANDS + seat])
                out[at] = Single(pairs[seat] / 16.0)
                out[at + U(1)] = Single(more / 16.0)


@inner
def fill_lines(state: Words, out: Floats | Singles, at: Word) -> None:
    """The inputs LINES, from `at` on in `out` (floats of either size)."""
    out[at] = float(state[CITIES]) / 4.0
    out[at + U(1)] = float(min(count4(state, CLOSING), U(4))) / 4.0
    out[at + U(2)] = float(count4(state, DOUBLE)) / 16.0
    out[at + U(3)] = float(count4(state, TOUCHED)) / 64.0


@inner
def board_inputs(state: Words, out: Singles) -> None:
    """The features of the board."""
    b = bytes_of(state)
    players, walls = U(b[PLAYERS]), U(b[WALL_LEFT])
    supply = state[TOWER_SUPPLY]
    towers = sum_bytes(supply, U(3))
    out[SUPPLY] = Single(float(towers) / _TOWERS)
    out[SUPPLY + U(1)] = Single(float(walls) / _WALLS)
    out[SUPPLY + U(2)] = Single(game_left(state))
    for color in range(U(3)):
        of_color = (supply >> (U(8) * color)) & U(255)
        out[SUPPLY + U(3) + color] = Single(float(of_color) / float(TOWERS_PER_COLOR))
    out[SUPPLY + U(6)] = Single(float(sum_bytes(state[HOUSE_SUPPLY], U(5))) / 60.0)
    out[SUPPLY + U(7)] = Single(float(sum_bytes(state[PALACE_SUPPLY], U(5))) / 15.0)
    fill_lines(state, out, LINES)
    out[SETTING] = Single(float(popcount(state[DECK])) / 60.0)
    out[SETTING + U(1)] = Single(1.0)
    out[SETTING + U(2)] = Single(float(U(players == U(3))))
    out[SETTING + U(3)] = Single(float(U(players == U(4))))
    for i in range(U(LANDS)):
        out[BOARD_VALUES + i] = Single(float(b[VALUES_BYTE + _FIRST_LAND + i]) / 16.0)
    for i in range(_LAST_TOWERS):
        out[LAST + i] = Single(float(U(towers == i + U(1))))
    for i in range(_LAST_WALLS):
        out[LAST + _LAST_TOWERS + i] = Single(float(U(walls == i + U(1))))


@inner
def fill_inputs(
    state: Words, board: Words, out: Singles, workspace: Words, now: Floats, then: Floats
) -> None:
    """Fill `out` (float32[INPUTS]): the seats one after the other, then the board.

    `state` stands at the start of a turn; its VALUES are changed. Workspace: `workspace`
    (uint64[STATE_WORDS]), `now` and `then` (float64[4]).
    """
    score_cards(state, board, NONE)
    seat_inputs(state, out, now, then)
    city_inputs(state, board, workspace, now, out)
    board_inputs(state, out)


@kernel
def describe(
    states: WordArray,
    board: WordArray,
    out: SingleArray,
    state: WordArray,
    workspace: WordArray,
    numbers: FloatArray,
) -> None:
    """The inputs of many states: `states` (uint64[n * STATE_WORDS]) to `out` (float32[n * INPUTS]).

    Workspace: `state`, `workspace` (uint64[STATE_WORDS]), `numbers` (float64[8]).
    """
    s, table, r = ptr(state), ptr(board), ptr(workspace)
    now, then = ptr(numbers), ptr(numbers[4:])
    for i in range(U(len(states)) // _STATE):
        copy_words(s, ptr(states[_STATE * i :]), _STATE)
        fill_inputs(s, table, ptr(out[_INPUTS * i :]), r, now, then)


def game_left_of(state: State) -> float:
    """`game_left` of a state (uint64[STATE_WORDS]) from Python."""
    small = state.view(np.uint8)
    towers = int(small[int(TOWER_SUPPLY) * 8 :][: len(TOWER_COLORS)].sum())
    return min(towers / _TOWERS, int(small[int(WALL_LEFT)]) / _WALLS)
