"""The result of a search and of the rollout that follows it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from masons.engine.checks import check_type, shown
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move

# Prior variances. The first is the variance of a result from 0 to 1 about which nothing else is
# known (a uniform number). The second is the variance of a difference of score margins in points,
# whose usual standard deviation is about 10.
UNKNOWN_WIN: Final = 1 / 12
UNKNOWN_POINTS: Final = 100.0
WIDEST: Final = 0.5
"""The largest possible standard deviation of a result from 0 to 1."""
DECIDED: Final = 0.97
"""A game is practically decided at or above this win probability, or at or below 1 minus it."""


def standard_error(count: int, mean: float, squares: float) -> float | None:
    """Return the standard error of the mean of `count` results from 0 to 1.

    Returns None for fewer than two results. `squares` is the mean of the squared results. The error
    is never 0, even if all results are equal, because one extra result is added as a prior, with
    the variance of a uniform number from 0 to 1. In effect, the variance is the mean of an inverse
    gamma distribution. The prior matters for a few results, but hardly for hundreds.
    """
    if count < 2:
        return None
    spread = count * max(squares - mean * mean, 0.0) + UNKNOWN_WIN
    return min(math.sqrt(spread), WIDEST * math.sqrt(count)) / count


@dataclass(frozen=True)
class MoveStats:
    """The figures of one move; probabilities range from 0 to 1.

    After a rollout, the figures come from the move's `games`; for a move without games, `win`,
    `loss` and `margin_loss` are None. Without a rollout, the figures come from the search alone,
    whose errors are unknown, so there are no intervals. The `win` of a move other than the best is
    then that of the best move minus the difference of their values, which include the score margin
    (not in `Session.searched`).

    An interval is the half width of a 95 % confidence interval. `loss` and `margin_loss` are
    differences from the first move, and 0 for the first move itself.
    """

    move: Move
    visits: int  # simulations of the search
    win: float | None  # win probability of the seat that decides, from 0 to 1
    wins: tuple[float, ...] = ()  # win probability of each seat
    scores: tuple[float, ...] = ()  # expected final score of each seat
    line: tuple[str, ...] = ()  # principal variation (moves, rolls, own draws) or expected line
    line_shares: tuple[float, ...] = ()  # share of the games that contain each move of the line
    games: int = 0
    error: float | None = None  # standard error of `win`, from games or from the spread in a tree
    interval: float | None = None  # half width for `win`
    loss: float | None = None
    loss_interval: float | None = None
    margin_loss: float | None = None  # in points of the seat's score minus the others' mean
    margin_interval: float | None = None
    is_equal: bool = False  # not distinguishable from the first move; True for the first move


@dataclass(frozen=True)
class Analysis:
    """The moves of a position for the seat that decides, best first.

    After a rollout, the moves are ordered by `win`, or by `margin_loss` if the game is decided. The
    finalists come first, then moves that were dropped early and have fewer games, and then moves
    without games.
    """

    seat: int
    phase: str
    iterations: int = 0  # simulations
    seconds: float = 0.0
    tree_bytes: int = 0
    moves: tuple[MoveStats, ...] = ()  # the recommended move first
    wins: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    stopped: bool = False  # Ctrl-C or a `Stop` ended the search
    rollouts: int = 0  # games of the rollout, including its screening
    is_decided: bool = False  # the game is practically won or lost; margins then rank the moves

    @property
    def best(self) -> Move:
        """The recommended move."""
        return self.moves[0].move

    @property
    def equal(self) -> tuple[MoveStats, ...]:
        """The recommended move and all moves that cannot be distinguished from it."""
        return (self.moves[0], *(stats for stats in self.moves[1:] if stats.is_equal))

    @property
    def measuring_games(self) -> int:
        """The games from which the figures come; the other `rollouts` only selected moves."""
        return sum(stats.games for stats in self.moves)

    def unmeasured(self) -> Analysis:
        """Return this analysis with the moves in the same order but without figures."""
        rows = tuple(MoveStats(stats.move, stats.visits, None) for stats in self.moves)
        return replace(self, moves=rows, wins=(), scores=())

    def of(self, move: Move) -> MoveStats:
        """Return the figures of a move. Raises MasonsError if the move was not searched."""
        check_type("move", move, Move, "a Move, like parse_move gives")
        for stats in self.moves:
            if isinstance(move, int) and stats.move == move:
                return stats
        raise MasonsError(f"{shown(move)} is not one of the moves searched")


def is_decided(win: float) -> bool:
    """Return whether a win probability means that the game is practically decided."""
    return abs(win - 0.5) >= DECIDED - 0.5
