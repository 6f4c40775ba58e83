"""The rules of sequential halving (Karnin, Koren and Somekh 2013), each of them once.

All moves meet the same determinizations, the better half of them goes on to the next round, until
one is left. Each round gets the same share of the simulations.

These are plain functions of np.uint64 and floats, or arrays of floats: `halving_search` calls them
from Python, and `self_play_search` and `wall_tree` compile them.
"""

from __future__ import annotations

from typing import Final, TypeVar

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import FloatArray, Word

Real = TypeVar("Real", float, FloatArray)

POINT_VALUE: Final = 0.004  # the win probability that a point of score margin counts for


def move_value(win: Real, score: Real, total: Real, players: Word) -> Real:
    """A seat's win probability with a little of its score margin, `total` being all seats' scores.

    The margin still tells moves apart where the game is as good as decided. Sums over simulations
    give the sum of the values.
    """
    return win + POINT_VALUE * (score - (total - score) / float(players - U(1)))


def rounds_of(count: Word) -> Word:
    """How many rounds lead from so many moves to one."""
    rounds = U(0)
    while (U(1) << rounds) < count:
        rounds += U(1)
    return rounds


def determinizations_of(simulations: Word, rounds: Word, count: Word) -> Word:
    """How many determinizations `count` moves meet in the first of `rounds` that are left.

    `simulations` are those left for all rounds. One determinization at least.
    """
    return max(simulations // (rounds * count), U(1))


def better_half(count: Word) -> Word:
    """How many of the best of so many moves go on to the next round."""
    return (count + U(1)) >> U(1)
