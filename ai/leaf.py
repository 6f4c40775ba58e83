"""What a position at the start of a turn is worth to each seat: a fitted guess at the final scores.

The guess is linear in what each seat has, with weights that change with how much of the game is
left. They are fitted by `benchmarks/fit.py` to the final scores of games of the rules of thumb
against themselves. Seats are compared with each other only, so what is the same for all cancels.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from masons.engine.bits import U, lowest, popcount
from masons.engine.components import CARDS as CARD_NAMES
from masons.engine.components import TOWER_COLORS, TOWERS_PER_COLOR
from masons.engine.components import WALLS as ALL_WALLS
from masons.engine.jit import Word, Words, bytes_of, inner, kernel, ptr
from masons.engine.layout import (
    ACTIVE,
    HANDS,
    NONE,
    PLAYERS,
    STATE_WORDS,
    TOWER_SUPPLY,
    VALUES_BYTE,
    WALL_LEFT,
    State,
)
from masons.engine.scoring import score_cards
from masons.engine.turns import score_of

# What a seat has.
POINTS = U(0)
CARDS = U(1)  # in hand
BEST = U(2)  # what the best land card in hand scores now, and the second best
SECOND = U(3)
LAND = U(4)  # what all land cards in hand score now
TO_MOVE = U(5)  # 1 for the active seat
HELD = U(6)  # how many of each kind of card
FEATURES: Final = 6 + len(CARD_NAMES)
# Each has a weight, and another for the share of the game that is left.
POWERS: Final = 2
LEAF_WEIGHTS: Final = FEATURES * POWERS + 2  # and the spread of the final scores: at the end, more
_FEATURES = U(FEATURES)
_POWERS = U(POWERS)
_SPREAD = U(FEATURES * POWERS)
_FIRST_LAND = U(15)
_TOWERS: Final = float(TOWERS_PER_COLOR * len(TOWER_COLORS))
_WALLS: Final = float(ALL_WALLS)
_KINDS = U(len(CARD_NAMES))
_STATE = U(STATE_WORDS)


@inner
def game_left(state: Words) -> float:
    """The share of the game that is left, by the supply that is shortest: from 0 to 1."""
    supply = state[TOWER_SUPPLY]
    towers = (supply + (supply >> U(8)) + (supply >> U(16))) & U(255)
    walls = U(bytes_of(state)[WALL_LEFT])
    return min(float(towers) / _TOWERS, float(walls) / _WALLS)


@inner
def seat_features(state: Words, seat: Word, out: Words) -> None:
    """Fill `out` (float64[FEATURES]) for a seat; VALUES must be those without a city."""
    b = bytes_of(state)
    best = second = land = U(0)
    left = state[HANDS + seat]
    cards = popcount(left)
    for i in range(_KINDS):
        out[HELD + i] = 0.0
    while left:
        kind = lowest(left) >> U(1)
        left &= left - U(1)
        out[HELD + kind] += 1.0
        if kind < _FIRST_LAND:
            continue
        value = U(b[VALUES_BYTE + kind])
        land += value
        if value > best:
            best, second = value, best
        elif value > second:
            second = value
    out[POINTS] = float(score_of(state, seat))
    out[CARDS] = float(cards)
    out[BEST] = float(best)
    out[SECOND] = float(second)
    out[LAND] = float(land)
    out[TO_MOVE] = 1.0 if U(b[ACTIVE]) == seat else 0.0


@inner
def guess_scores(state: Words, board: Words, weights: Words, room: Words, scores: Words) -> Any:
    """Fill `scores` (float64[4]) with guesses; their spread. `room` is float64[FEATURES]."""
    score_cards(state, board, NONE)
    left = game_left(state)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        seat_features(state, seat, room)
        total = 0.0
        for i in range(_FEATURES):
            at = _POWERS * i
            weight = weights[at] + left * weights[at + U(1)]
            total += weight * room[i]
        scores[seat] = total
    return weights[_SPREAD] + left * weights[_SPREAD + U(1)]


@inner
def shares_of(scores: Words, players: Word, spread: float, shares: Words) -> None:
    """Fill `shares` (float64[4]) with each seat's share of the victory, by guessed scores."""
    most = scores[0]
    for seat in range(U(1), players):
        most = max(most, scores[seat])
    total = 0.0
    for seat in range(players):
        shares[seat] = math.exp((scores[seat] - most) / spread)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@kernel
def describe(state: Words, board: Words, out: Words) -> None:
    """Fill `out` (float64[4 * FEATURES + 1]): each seat's FEATURES, the share of the game left.

    `state` (uint64[STATE_WORDS]) stands at the start of a turn; its VALUES are changed.
    """
    s = ptr(state)
    score_cards(s, ptr(board), NONE)
    for seat in range(U(bytes_of(s)[PLAYERS])):
        seat_features(s, seat, ptr(out[_FEATURES * seat :]))
    out[U(4) * _FEATURES] = game_left(s)


def game_left_of(state: State) -> float:
    """`game_left` of a state (uint64[STATE_WORDS]) from Python."""
    small = state.view(np.uint8)
    towers = int(small[int(TOWER_SUPPLY) * 8 :][: len(TOWER_COLORS)].sum())
    return min(towers / _TOWERS, int(small[int(WALL_LEFT)]) / _WALLS)
