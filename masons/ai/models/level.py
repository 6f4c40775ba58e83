"""The level of an analysis: what a search and a rollout together say about who wins.

Both are wrong in their own way. The search trusts a net, and the games of a rollout are those of a
weaker player. Their predictions are therefore combined, with weights that were fitted to the
results of whole games (`benchmarks.training.level`). The weights depend on the number of players
and on the share of the game that is left. The level moves all moves of an analysis alike, so it
changes neither their order nor their differences.

With `logit(p) = log(p / (1 - p))`, measured from that of an equal chance, the logit of the combined
win probability is a weighted sum of the two logits and a constant. The points that a seat still
scores are a weighted sum of the two predictions and a constant.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from masons.engine.kernels.jit import FloatArray

# For each number of players: three pairs of numbers for win probabilities, and three for points.
# They are the weight of the rollout, that of the search, and a constant. A pair consists of a
# number and the coefficient of the share of the game that is left.
_PAIRS: Final = 6
LEVEL: Final = 3 * _PAIRS * 2

LEVEL_ERROR: Final = 0.015
"""Standard deviation of the error of a combined win probability of 50 %.

The weights hold for the games that they were fitted to. In games between other players, the seats
that were given the same win probability won more or less often by about this much.
"""


def logit_over_even(win: float, players: int) -> float:
    """Return the logit of a win probability (above 0 and below 1) minus that of 1 / players."""
    return math.log(win / (1 - win)) + math.log(players - 1)


def _weights(weights: FloatArray, players: int, left: float) -> FloatArray:
    """Return the _PAIRS weights for a number of players and a share of the game that is left."""
    constant, slope = weights.reshape(3, _PAIRS, 2)[players - 2].T
    return np.asarray(constant + slope * left)


def combined_win(
    weights: FloatArray, players: int, left: float, rollout: float, searched: float
) -> float:
    """Return the combined win probability of the seat that decides, after its best move.

    `weights` is float64[LEVEL]. `left` is the share of the game that is left. `rollout` and
    `searched` are the win probabilities, above 0 and below 1.
    """
    by_rollout, by_search, constant = _weights(weights, players, left)[:3]
    logit = by_rollout * logit_over_even(rollout, players)
    logit += by_search * logit_over_even(searched, players) + constant
    return 1 / (1 + (players - 1) * math.exp(-logit))


def rollout_slope(
    weights: FloatArray, players: int, left: float, rollout: float, combined: float
) -> float:
    """Return the derivative of `combined_win` by the win probability of the rollout."""
    by_rollout = float(_weights(weights, players, left)[0])
    return by_rollout * combined * (1 - combined) / (rollout * (1 - rollout))


def level_error(combined: float) -> float:
    """Return the standard deviation of the error of a combined win probability."""
    return 4 * LEVEL_ERROR * combined * (1 - combined)


def combined_points(
    weights: FloatArray, left: float, now: FloatArray, rollout: FloatArray, searched: FloatArray
) -> FloatArray:
    """Return the combined scores of all seats at the end of the game.

    `now` are the scores so far. All arrays are float64[players].
    """
    by_rollout, by_search, constant = _weights(weights, len(now), left)[3:]
    points: FloatArray = (
        now + by_rollout * (rollout - now) + by_search * (searched - now) + constant
    )
    return points
