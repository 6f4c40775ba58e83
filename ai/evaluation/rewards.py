"""The reward of a finished playout to each seat."""

from __future__ import annotations

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Floats, Words, bytes_of, inner
from masons.engine.rules.winners import winner_set
from masons.engine.state.layout import PLAYERS


@inner
def fill_rewards(state: Words, rewards: Floats) -> None:
    """Fill `rewards` (float64[4]) for a game that is over: the winners get equal parts of 1."""
    winners = winner_set(state)
    share = 1.0 / float(popcount(winners))
    for seat in range(U(bytes_of(state)[PLAYERS])):
        rewards[seat] = share if (winners >> seat) & U(1) else 0.0
