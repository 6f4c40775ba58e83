"""Totals over a series of random games, stored as uint64[COUNTER_WORDS]."""

from __future__ import annotations

from typing import Final

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words, bytes_of, inner
from masons.engine.rules.turns import MOST_SEATS, score_of
from masons.engine.state.layout import CITIES, END, TURN

COUNTER_WORDS: Final = 32
COUNT_DECISIONS = U(0)
COUNT_TURNS = U(1)
COUNT_MERGES = U(2)
COUNT_RESHUFFLES = U(3)
COUNT_CITIES = U(4)  # cities at the end; adding COUNT_MERGES gives all cities completed
COUNT_SCORES = U(5)
COUNT_SQUARES = U(6)
COUNT_ENDS = U(8)


@inner
def add_up(state: Words, counters: Words) -> None:
    """Add a finished game to the counters.

    Decisions, merges and reshuffles are not added here, because they are counted during the game.
    """
    b = bytes_of(state)
    counters[COUNT_TURNS] += state[TURN] + U(1)
    counters[COUNT_ENDS + U(b[END])] += U(1)
    counters[COUNT_CITIES] += state[CITIES]
    scores = squares = U(0)
    for seat in range(MOST_SEATS):
        points = score_of(state, seat)
        scores += points
        squares += points * points
    counters[COUNT_SCORES] += scores
    counters[COUNT_SQUARES] += squares
