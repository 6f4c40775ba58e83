"""The result of a search and of the rollout that follows it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from masons.engine.checks import check_type, check_whole, shown
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, move_given
from masons.engine.plain_text import count, fixed, percent, points_within, spread

# Prior variances. The first is the variance of a result from 0 to 1 about which nothing else is
# known (a uniform number). The second is the variance of a difference of score margins in points,
# whose usual standard deviation is about 10.
UNKNOWN_WIN: Final = 1 / 12
UNKNOWN_POINTS: Final = 100.0
WIDEST: Final = 0.5
"""The largest possible standard deviation of a result from 0 to 1."""
_SHOWN: Final = 10  # moves in the table that `print` shows
DECIDED: Final = 0.97
"""A game is practically decided at or above this win probability, or at or below 1 minus it."""

OPEN: Final = 0.85
"""A game is open up to this win probability, and down to 1 minus it."""


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
    differences from the first move. For the first move itself they are 0, and `is_equal` is true;
    without a rollout, they are None, and `is_equal` is false for all moves.
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
    is_equal: bool = False  # games cannot distinguish it from the first move; False without games

    @property
    def win_text(self) -> str:
        """The win probability in percent and its interval if there is one, or – if unknown."""
        if self.win is None:
            return "–"
        return f"{percent(self.win)} {spread(self.interval)}" if self.games else percent(self.win)


@dataclass(frozen=True, repr=False)
class Analysis:
    """The moves of a position for the seat that decides, best first.

    After a rollout, the moves are ordered by `win`, or by `margin_loss` if the game is decided. The
    finalists come first, then moves that were dropped early and have fewer games, and then moves
    without games. `print(analysis)` shows a table of the best moves.
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
        """The recommended move and all moves that games cannot distinguish from it.

        Without a rollout, this is only the recommended move.
        """
        return (self.moves[0], *(stats for stats in self.moves[1:] if stats.is_equal))

    @property
    def most_lost(self) -> float | None:
        """The highest loss within the intervals of all moves.

        None if a move has no games, or if the game is decided, so that points rank the moves.
        """
        if self.is_decided:
            return None
        highest = 0.0
        for stats in self.moves[1:]:
            if stats.loss is None or stats.loss_interval is None:
                return None
            highest = max(highest, stats.loss + stats.loss_interval)
        return highest

    @property
    def measuring_games(self) -> int:
        """The games from which the figures come; the other `rollouts` only selected moves."""
        return sum(stats.games for stats in self.moves)

    def rank_text(self, rank: int) -> str:
        """Return a rank from 1, marked with = if its move is equal to other moves at the top."""
        rank = check_whole("rank", rank, 1, len(self.moves))
        equal = self.equal
        return f"={rank}" if len(equal) > 1 and self.moves[rank - 1] in equal else str(rank)

    def loss_text(self, stats: MoveStats) -> str:
        """Return the loss of a move against the best move, in win probability or in points.

        A search without a rollout says nothing of points, and its loss has no interval. A weaker
        level and the tree search may prefer a move that wins less; then there is no loss.
        """
        best, stats = self.moves[0], check_type("stats", stats, MoveStats, "one of `moves`")
        if stats is best:
            return ""
        if best.win is not None and stats.win is not None and not best.games:
            is_unknown = self.is_decided or stats.win > best.win
            return "" if is_unknown else percent(best.win - stats.win)
        if stats.loss is None or stats.margin_loss is None:
            return "–"
        if self.is_decided:
            within = "" if stats.margin_interval == 0.0 else points_within(stats.margin_interval)
            return f"{fixed(stats.margin_loss)} {within}".rstrip()
        return f"{percent(stats.loss)} {spread(stats.loss_interval)}"

    def __str__(self) -> str:
        """Return a table of the best moves, like that of the command `analyze`."""
        if not self.moves:
            return repr(self)
        seats = [f"seat{seat}" for seat in range(len(self.moves[0].scores))]
        rows = [["#", "win %", "points lost" if self.is_decided else "loss", *seats, "games"]]
        shown = self.moves[:_SHOWN]
        for rank, stats in enumerate(shown, 1):
            scores = [fixed(score) for score in stats.scores] or ["–"] * len(seats)
            figures = stats.win_text, self.loss_text(stats), *scores, f"{stats.games:,}"
            rows.append([self.rank_text(rank), *figures])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        moves = ["move", *(str(stats.move) for stats in shown)]
        lines = [
            "  ".join([*map(str.rjust, row, widths), move])
            for row, move in zip(rows, moves, strict=True)
        ]
        more = len(self.moves) - len(shown)
        return "\n".join([*lines, *([f"and {count(more, 'other move')}"] if more else [])])

    def __repr__(self) -> str:
        """Return the best move, its win probability, and the numbers of moves and games."""
        best = f"best {self.best}, win {self.moves[0].win_text} %, " if self.moves else ""
        made = f"{count(self.iterations, 'iteration')}, {count(self.rollouts, 'game')}"
        return f"<Analysis: {best}{count(len(self.moves), 'move')}, {made}>"

    def unmeasured(self) -> Analysis:
        """Return this analysis with the moves in the same order but without figures."""
        rows = tuple(MoveStats(stats.move, stats.visits, None) for stats in self.moves)
        return replace(self, moves=rows, wins=(), scores=())

    def of(self, move: Move | str) -> MoveStats:
        """Return the figures of a move. Raises MasonsError if the move was not searched."""
        chosen = move_given(move)
        for stats in self.moves:
            if stats.move == chosen:
                return stats
        raise MasonsError(f"{shown(move)} is not one of the moves searched")


def is_open(win: float) -> bool:
    """Return whether a win probability means that the game is still open."""
    return abs(win - 0.5) <= OPEN - 0.5


def is_decided(win: float) -> bool:
    """Return whether a win probability means that the game is practically decided."""
    return abs(win - 0.5) >= DECIDED - 0.5
