"""Calibration: the correction that removes the bias from the means of a halving search.

The raw figures of a search favor the seat that decides, for three reasons: the search plays the
best moves of this seat against heuristics, it may deal the other seats poorer hands than players
keep, and it trusts a net. The correction was fitted by `benchmarks.training` to games of the search
against itself. It depends on the number of players and on the share of the game that is left.

The correction multiplies the logarithm of each seat's win probability by a factor (the stretch),
and subtracts a number from the deciding seat's logarithm (the lowering). Simulations that reached
the end of the game have a stretch and a lowering of their own. Predicted scores are corrected with
a linear fit to the scores at which games ended.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.jit import FloatArray

# Each number of players has six pairs of numbers:
# 1. the stretch,
# 2. the lowering,
# 3. the stretch and the lowering of simulations that reached the end of the game,
# 4. a constant for the score,
# 5. the weight of the mean of all predicted scores,
# 6. the weight of a seat's difference from this mean.
# Except for the third, a pair consists of a constant and the coefficient of the share of the game
# that is left.
BY_PLAYERS: Final = 12
SHARES: Final = 6  # the first six of these numbers are for win probabilities
CALIBRATION: Final = 3 * BY_PLAYERS
_LEAST: Final = 1e-9


def calibrated(
    weights: FloatArray,
    left: float | FloatArray,
    seat: int | NDArray[np.int64],
    wins: FloatArray,
    scores: FloatArray,
    ended: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return calibrated win probabilities and scores, both float64[rows, players].

    `weights` is float64[CALIBRATION]. `left` is the share of the game that is left, and `seat` is
    the seat that decides; both can be a single value or have one value per row. `wins` and `scores`
    are the raw figures, float64[rows, players]. `ended` (float64[rows]) is the share of simulations
    that reached the end of the game.
    """
    rows, players = wins.shape
    pairs = weights.reshape(-1, BY_PLAYERS // 2, 2)[players - 2]
    stretch, lowered, _, *at = pairs[:, :1] + np.broadcast_to(left, rows) * pairs[:, 1:]
    ended_stretch, ended_lowered = pairs[2]
    predicted = 1.0 - ended
    logs = (predicted * stretch + ended * ended_stretch)[:, None] * np.log(np.maximum(wins, _LEAST))
    logs[np.arange(rows), seat] -= predicted * lowered + ended * ended_lowered
    probabilities = np.exp(logs - logs.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    mean = scores.mean(axis=1, keepdims=True)
    likely = at[0][:, None] + at[1][:, None] * mean + at[2][:, None] * (scores - mean)
    return probabilities, scores + predicted[:, None] * (likely - scores)
