"""What a search found out, in figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.given import one_given, shown

# The variance of a result of which nothing is known but that it lies from 0 to 1; the same of a
# difference of margins, in points: some 10 are usual.
UNKNOWN_WIN: Final = 1 / 12
UNKNOWN_POINTS: Final = 100.0
WIDEST: Final = 0.5
"""The standard deviation of one result at most, as it lies from 0 to 1."""
DECIDED: Final = 0.97
"""A game is as good as decided where a win probability is as high, or as low below 1."""
# Half an interval so many times the least one is too wide to call a move equal to the best.
_WELL_KNOWN: Final = 1.5


def standard_error(count: int, mean: float, squares: float) -> float | None:
    """The standard error of the mean of `count` results from 0 to 1; None where there is one.

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
    # Against the recommended move, from the luck that both met; 0 of that move itself. An interval
    # is the half of one in which 95 % of such analyses lie, the evaluator's known error included.
    interval: float | None = None  # of `win`
    loss: float = 0.0  # win probability
    loss_interval: float | None = None
    margin_loss: float = 0.0  # points more than the others on average
    margin_interval: float | None = None
    # Where games played on gave the line: in which share of them each of its moves was made.
    line_shares: tuple[float, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """What the search found out about a position, for the seat that decides."""

    seat: int
    phase: str
    iterations: int  # of this decision
    kept: int  # iterations of earlier decisions that the trees still know of
    seconds: float
    tree_bytes: int
    moves: tuple[MoveStats, ...]  # the recommended one first, then by what they lose against it
    wins: tuple[float, ...]  # over the iterations of this decision
    scores: tuple[float, ...]
    stopped: bool  # ended by Ctrl-C or `Stop`

    @property
    def best(self) -> Move:
        """The recommended move."""
        return self.moves[0].move

    @property
    def is_decided(self) -> bool:
        """Whether the game is as good as won or lost: then the margin of points ranks."""
        return decided(self.moves[0].win)

    @property
    def equal(self) -> tuple[MoveStats, ...]:
        """The recommended move, and those that can't be told apart from it by what ranks.

        Of moves that are known much worse than the best known one nothing is said.
        """
        first, *others = self.moves
        if self.is_decided:
            figures = [(one.margin_loss, one.margin_interval, one) for one in others]
        else:
            figures = [(one.loss, one.loss_interval, one) for one in others]
        known = [(loss, interval, one) for loss, interval, one in figures if interval is not None]
        least = min((interval for _, interval, _ in known), default=0.0)
        return (
            first,
            *(one for loss, near, one in known if abs(loss) <= near <= _WELL_KNOWN * least),
        )

    def of(self, move: Move) -> MoveStats:
        """The figures of a move. Raises MasonsError for one that was not searched."""
        one_given("move", move, Move, "a Move, like parse_move gives")
        for stats in self.moves:
            if isinstance(move, int) and stats.move == move:
                return stats
        raise MasonsError(f"{shown(move)} is none of the moves searched")


def decided(win: float) -> bool:
    """Whether a win probability means that the game is as good as over."""
    return abs(win - 0.5) >= DECIDED - 0.5


def by_value(moves: Sequence[MoveStats]) -> tuple[MoveStats, ...]:
    """The first move, then the others by loss; of those that seem to lose nothing, most visits."""
    if not moves:
        return ()
    first, *others = moves
    if decided(first.win):
        others.sort(key=lambda one: (max(one.margin_loss, 0.0), -one.visits))
    else:
        others.sort(key=lambda one: (max(one.loss, 0.0), -one.visits))
    return (first, *others)
