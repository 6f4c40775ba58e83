"""The level of an analysis: what a search and a rollout together say about who wins.

Both are wrong in their own way. The search trusts a net, and the games of a rollout are those of a
weaker player, so their errors are partly different. Both take the move that looks best for as good
as it looks, and deal hands that are a little too weak, so the seat that decides wins less often
than they say, most of all with two players. A weighted mean of both, corrected for this, predicts
the results of whole games better than either (`python -m benchmarks.ruler.truth`). The level moves
all moves of an analysis alike, so it changes neither their order nor their differences. Where the
two are far apart, one of them is wrong, and the level is less certain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from masons.ai.models.features import game_left_of
from masons.ai.rollout.evidence import Measure, ShownWins
from masons.ai.rollout.rollout import Rollout
from masons.engine.board.components import MAX_PLAYERS


class LevelWeights(NamedTuple):
    """The weights of search and rollout, and what is added to both.

    The weights are those of the logarithms of the odds of winning, less that of an equal chance.
    The points of search and rollout have equal weights.
    """

    searched: float
    rollout: float
    begin: float  # added to the logarithm of the odds at the beginning of the game
    end: float  # and at its end; in between in proportion to what is left of the game
    own: tuple[float, ...]  # added to the points of the seat that decides, at KNOTS after the first
    others: tuple[float, ...]  # added to those of each other seat, likewise


KNOTS: Final = (0.0, 0.2, 0.5, 0.8)
"""Shares of the game that are left; nothing is added to points at the first of them."""

# Fitted by `python -m benchmarks.ruler.level_fit` to decisions of games with the same number of
# players (benchmarks/README.md).
WEIGHTS: Final = {
    2: LevelWeights(0.33, 0.63, -0.03, -0.28, own=(-2.3, 1.7, 0.7), others=(2.2, 4.2, 1.5)),
    3: LevelWeights(0.5, 0.3, 0.01, -0.01, own=(-0.5, 4.6, 2.6), others=(1.3, 5.1, 3.0)),
    4: LevelWeights(0.67, 0.29, -0.04, 0.07, own=(-0.3, 3.0, -1.4), others=(0.9, 3.9, -0.5)),
}

LEVEL_ERROR: Final = 0.02
"""Standard deviation of the error of the level where the win probability is 50 %."""

DISPUTED: Final = 0.25
"""The further error where search and rollout differ: a share of their difference."""


@dataclass(frozen=True)
class Level:
    """The amounts that are added to the win probability and the scores of all moves alike."""

    best: int = 0  # the rollout's best contender
    win: float = 0.0
    scores: Sequence[float] = (0.0,) * MAX_PLAYERS
    slope: float = 1.0  # how much the level changes with the win probability of `best`
    error: float = 0.0  # standard error that the games don't cause

    def error_of(self, shown: ShownWins, contender: int) -> float:
        """Return the standard error of a contender's win probability with this level."""
        return math.hypot(shown.error(contender, self.best, self.slope), self.error)


def level_of(rollout: Rollout, best: int, win: float, finalists: Sequence[int]) -> Level:
    """Return the level of an analysis, given the rollout's best contender and its win probability.

    Nothing is added if there was no search, if the best contender ends the game in this turn or
    chance plays no role any more, or if searches played the games of the rollout, because the
    weights hold for games of the policy.
    """
    searched, players = rollout.searched, rollout.view.players
    last_turn = rollout.sums.means(Measure.MARGIN * players + 1)[best]
    is_end = last_turn == rollout.view.position.turn or rollout.is_exact(finalists)
    if not searched.wins or rollout.player_sims or is_end:
        return Level()
    least = 1 / (2 * float(rollout.sums.games[best]) + 2)  # as if one more game had been drawn
    weights, seat = WEIGHTS[players], rollout.view.seat
    left = game_left_of(rollout.view.state)
    combined, slope = combined_win(win, searched.wins[seat], least, players, left)
    means = [rollout.sums.means(Measure.SCORE * players + each)[best] for each in range(players)]
    added = (np.array(searched.scores) - means) / 2
    own, others = (np.interp(left, KNOTS, (0.0, *each)) for each in (weights.own, weights.others))
    added += [own if each == seat else others for each in range(players)]
    disputed = DISPUTED * abs(searched.wins[seat] - win)
    error = math.hypot(4 * LEVEL_ERROR * combined * (1 - combined), disputed)
    return Level(best, combined - win, added.tolist(), slope, error)


def combined_win(
    rollout: float, searched: float, least: float, players: int, left: float
) -> tuple[float, float]:
    """Return the combined win probability, and its derivative by that of the rollout.

    Win probabilities below `least` or above 1 minus it count as if they were at that limit. `left`
    is the share of the game that is left.
    """
    weights = WEIGHTS[players]
    rollout, searched = (min(max(win, least), 1 - least) for win in (rollout, searched))
    fair = _logit(1 / players)
    logit = fair + weights.begin * left + weights.end * (1 - left)
    logit += weights.rollout * (_logit(rollout) - fair)
    logit += weights.searched * (_logit(searched) - fair)
    combined = 1 / (1 + math.exp(-logit))
    slope = weights.rollout * combined * (1 - combined) / (rollout * (1 - rollout))
    return combined, slope


def _logit(win: float) -> float:
    return math.log(win / (1 - win))
