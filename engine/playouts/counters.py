"""What a run of random games adds up: uint64[TALLY_WORDS]."""

from __future__ import annotations

from typing import Final

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words, bytes_of, inner
from masons.engine.rules.turns import (
    score_of,
)
from masons.engine.state.layout import (
    CITIES,
    END,
    PLAYERS,
    TURN,
)

TALLY_WORDS: Final = 32
TALLY_DECISIONS = U(0)
TALLY_TURNS = U(1)
TALLY_MERGES = U(2)
TALLY_RESHUFFLES = U(3)
TALLY_CITIES = U(4)  # on the board at the end; with the merges, all that were completed
TALLY_SCORES = U(5)
TALLY_SQUARES = U(6)
TALLY_ENDS = U(8)


@inner
def add_up(state: Words, tally: Words) -> None:
    """Add a game that is over; its decisions, merges and reshuffles were added as they came."""
    b = bytes_of(state)
    tally[TALLY_TURNS] += state[TURN] + U(1)
    tally[TALLY_ENDS + U(b[END])] += U(1)
    tally[TALLY_CITIES] += state[CITIES]
    for seat in range(U(b[PLAYERS])):
        points = score_of(state, seat)
        tally[TALLY_SCORES] += points
        tally[TALLY_SQUARES] += points * points
