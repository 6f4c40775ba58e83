"""The level of an analysis: what a search and a rollout together say about who wins.

Both are wrong in their own way. The search trusts a net, and the games of a rollout are those of a
weaker player, so their errors are partly different, and a mean of both predicts the results of
whole games better, on the whole, than either does (`python -m benchmarks.ruler.truth`). The level
moves all moves of an analysis alike, so it changes neither their order nor their differences. Where
the two are far apart, one of them is wrong, and the level is less certain.

The weights are round numbers on purpose: weights fitted to 770 decisions, by the number of players
and by what is left of the game, predicted other games no better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from masons.ai.rollout.evidence import Measure
from masons.ai.rollout.rollout import Rollout
from masons.engine.board.components import MAX_PLAYERS

SHARE: Final = 0.5
"""The rollout's weight in the logarithm of the odds of winning and in the expected scores."""

SURER: Final = 1.1
"""The factor of the mean logarithm of the odds: a mean of two forecasts is too cautious."""

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


def level_of(rollout: Rollout, best: int, win: float, finalists: Sequence[int]) -> Level:
    """Return the level of an analysis, given the rollout's best contender and its win probability.

    Nothing is added if there was no search, if chance plays no role any more, or if searches played
    the games of the rollout, because the weights hold for games of the policy.
    """
    searched, players = rollout.searched, rollout.view.players
    if not searched.wins or rollout.player_sims or rollout.is_exact(finalists):
        return Level()
    least = 1 / (2 * float(rollout.sums.games[best]) + 2)  # as if one more game had been drawn
    combined, slope = combined_win(win, searched.wins[rollout.view.seat], least)
    means = [rollout.sums.means(Measure.SCORE * players + seat)[best] for seat in range(players)]
    added = (1 - SHARE) * (np.array(searched.scores) - means)
    disputed = DISPUTED * abs(searched.wins[rollout.view.seat] - win)
    error = math.hypot(4 * LEVEL_ERROR * combined * (1 - combined), disputed)
    return Level(best, combined - win, added.tolist(), slope, error)


def combined_win(rollout: float, searched: float, least: float) -> tuple[float, float]:
    """Return the combined win probability, and its derivative by that of the rollout.

    Win probabilities below `least` or above 1 minus it count as if they were at that limit.
    """
    rollout, searched = (min(max(win, least), 1 - least) for win in (rollout, searched))
    logit = SURER * (SHARE * _logit(rollout) + (1 - SHARE) * _logit(searched))
    combined = 1 / (1 + math.exp(-logit))
    slope = SURER * SHARE * combined * (1 - combined) / (rollout * (1 - rollout))
    return combined, slope


def _logit(win: float) -> float:
    return math.log(win / (1 - win))
