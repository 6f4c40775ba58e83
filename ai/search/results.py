"""What a search found out, in figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from masons.engine.formats.move_text import Move

# The variance of a result of which nothing is known but that it lies from 0 to 1.
_UNKNOWN: Final = 1 / 12
WIDEST: Final = 0.5
"""The standard deviation of one result at most, as it lies from 0 to 1."""


def standard_error(count: int, mean: float, squares: float) -> float | None:
    """The standard error of the mean of `count` results from 0 to 1; None where there is one.

    `squares` is the mean of their squares. Results that are alike do not say that all others will
    be: what was summed counts together with one result of the variance of a number drawn uniformly
    from 0 to 1, as a prior (the mean of an inverse gamma distribution, in effect). That widens the
    error of a few results, and that of hundreds hardly; it is never 0.
    """
    if count < 2:
        return None
    spread = count * max(squares - mean * mean, 0.0) + _UNKNOWN
    return min(math.sqrt(spread), WIDEST * math.sqrt(count)) / count


@dataclass(frozen=True)
class MoveStats:
    """What the search found out about one move.

    `visits` and `win` include what a session kept from earlier decisions. What is told of the
    other seats and of scores comes from the `sampled` iterations of this decision, and is empty
    where there are none.
    """

    move: Move
    visits: int
    win: float  # win probability of the seat that decides, from 0 to 1
    error: float | None  # its standard error (see `standard_error`); None: not known
    sampled: int
    wins: tuple[float, ...]  # win probability of each seat
    scores: tuple[float, ...]  # expected final score of each seat
    line: tuple[str, ...]  # principal variation: moves, rolls, own draws; empty if not asked for


@dataclass(frozen=True)
class Analysis:
    """What the search found out about a position, for the seat that decides."""

    seat: int
    phase: str
    iterations: int  # of this decision
    kept: int  # iterations of earlier decisions that the trees still know of
    seconds: float
    tree_bytes: int
    moves: tuple[MoveStats, ...]  # best first: most visits
    wins: tuple[float, ...]  # over the iterations of this decision
    scores: tuple[float, ...]
    stopped: bool  # ended by Ctrl-C or `Stop`

    @property
    def best(self) -> Move:
        """The move with the most visits."""
        return self.moves[0].move
