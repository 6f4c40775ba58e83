"""The result of a search, and of the rollout that went on from it, in figures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from masons.engine.checks import check_type, shown
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move

# The variance of a result of which nothing is known but that it lies from 0 to 1; the same of a
# difference of margins, in points: some 10 are usual.
UNKNOWN_WIN: Final = 1 / 12
UNKNOWN_POINTS: Final = 100.0
WIDEST: Final = 0.5
"""The standard deviation of one result at most, as it lies from 0 to 1."""
DECIDED: Final = 0.97
"""A game is practically decided where a win probability is as high, or as low below 1."""


def standard_error(count: int, mean: float, squares: float) -> float | None:
    """Return the standard error of the mean of `count` results from 0 to 1; None if there is one.

    `squares` is the mean of their squares. Results that are alike do not say that all others will
    be: what was summed counts together with one result of the variance of a number drawn uniformly
    from 0 to 1, as a prior (the mean of an inverse gamma distribution, in effect). That widens the
    error of a few results, and that of hundreds hardly; it is never 0.
    """
    if count < 2:
        return None
    spread = count * max(squares - mean * mean, 0.0) + UNKNOWN_WIN
    return min(math.sqrt(spread), WIDEST * math.sqrt(count)) / count


@dataclass(frozen=True)
class MoveStats:
    """The figures of one move, probabilities from 0 to 1.

    They come from the `games` of a rollout where there was one (then `win`, `loss` and
    `margin_loss` are None for a move without any), else from the search alone; of that nobody knows
    how far it is off, so there are no intervals. Intervals are half of one of 95 %: `loss` and
    `margin_loss` are the difference to the first move, 0 of that move itself.
    """

    move: Move
    visits: int  # simulations of the search
    win: float | None  # win probability of the seat that decides, from 0 to 1
    wins: tuple[float, ...] = ()  # win probability of each seat
    scores: tuple[float, ...] = ()  # expected final score of each seat
    line: tuple[str, ...] = ()  # principal variation: moves, rolls, own draws; or the likeliest
    line_shares: tuple[float, ...] = ()  # in which share of the games each of them was made
    games: int = 0
    error: float | None = None  # of `win`, standard: by games, or by the spread in a tree
    interval: float | None = None  # of `win`
    loss: float | None = None
    loss_interval: float | None = None
    margin_loss: float | None = None  # points, own less the mean of the others'
    margin_interval: float | None = None
    is_equal: bool = False  # can't be told from the first move, which is equal too


@dataclass(frozen=True)
class Analysis:
    """The moves of a position, for the seat that decides, best first.

    After a rollout the moves stand in the order of `win` (of `margin_loss` where the game is
    decided): first the finalists, then those that were dropped early and have fewer games, then
    those without any.
    """

    seat: int
    phase: str
    iterations: int = 0  # simulations
    seconds: float = 0.0
    tree_bytes: int = 0
    moves: tuple[MoveStats, ...] = ()  # the recommended one first
    wins: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    stopped: bool = False  # ended by Ctrl-C or `Stop`
    rollouts: int = 0  # games of the rollout, those of its screening included
    is_decided: bool = False  # practically won or lost: then the margin of points ranks

    @property
    def best(self) -> Move:
        """The recommended move."""
        return self.moves[0].move

    @property
    def equal(self) -> tuple[MoveStats, ...]:
        """The recommended move, and those that can't be told apart from it by what ranks."""
        return (self.moves[0], *(stats for stats in self.moves[1:] if stats.is_equal))

    def unmeasured(self) -> Analysis:
        """Return the moves in their order without figures: those that games will give."""
        rows = tuple(MoveStats(stats.move, stats.visits, None) for stats in self.moves)
        return replace(self, moves=rows, wins=(), scores=())

    def of(self, move: Move) -> MoveStats:
        """Return the figures of a move. Raises MasonsError for one that was not searched."""
        check_type("move", move, Move, "a Move, like parse_move gives")
        for stats in self.moves:
            if isinstance(move, int) and stats.move == move:
                return stats
        raise MasonsError(f"{shown(move)} is not one of the moves searched")


def is_decided(win: float) -> bool:
    """Return whether a win probability means that the game is practically over."""
    return abs(win - 0.5) >= DECIDED - 0.5
