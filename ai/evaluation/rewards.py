"""The reward of a finished playout to each seat, and the value by which moves are ranked."""

from __future__ import annotations

from typing import Final, TypeVar

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import FloatArray, Floats, Word, Words, bytes_of, inner
from masons.engine.rules.turns import winner_set
from masons.engine.state.layout import PLAYERS

Real = TypeVar("Real", float, FloatArray)

POINT_VALUE: Final = 0.004  # the win probability that a point of score margin counts for


def move_value(win: Real, score: Real, total: Real, players: Word) -> Real:
    """Return a seat's win probability with a little of its margin; `total`: all seats' scores.

    The margin still tells moves apart where the game is as good as decided. Sums over simulations
    give the sum of the values. Kernels compile it (`inner(move_value)`).
    """
    return win + POINT_VALUE * (score - (total - score) / float(players - U(1)))


@inner
def fill_rewards(state: Words, rewards: Floats) -> None:
    """Fill `rewards` (float64[4]) for a game that is over: the winners get equal parts of 1."""
    winners = winner_set(state)
    share = 1.0 / float(popcount(winners))
    for seat in range(U(bytes_of(state)[PLAYERS])):
        rewards[seat] = share if (winners >> seat) & U(1) else 0.0
