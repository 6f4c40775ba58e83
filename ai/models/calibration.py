"""Calibration: from the sums of a search by halving to unbiased win probabilities and scores.

The search plays the best moves of the deciding seat against heuristics, may deal the others poorer
hands than players keep, and trusts a net, so its raw figures favor the seat that decides. The
correction was fitted by `benchmarks.training` to games of the search against itself, for each
number of players and by the share of the game that is left. It stretches the logarithm of each
seat's win probability and lowers that of the deciding seat, by other numbers for playouts that
reached the end of the game. It moves predicted scores to the scores at which games ended.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# For each number of players, pairs of a constant and a coefficient of the share of the game that is
# left: stretch and lowering of the logarithms; then stretch and lowering for playouts that reached
# the end (one pair); then for the score a constant, the weight of the mean prediction and the
# weight of a seat's difference from that mean.
BY_PLAYERS: Final = 12
SHARES: Final = 6  # the first of these, which are for win probabilities
CALIBRATION: Final = 3 * BY_PLAYERS
_LEAST: Final = 1e-9


def calibrated(
    weights: Numbers,
    left: float | Numbers,
    seat: int | NDArray[np.int64],
    wins: Numbers,
    scores: Numbers,
    ended: Numbers,
) -> tuple[Numbers, Numbers]:
    """Return calibrated win probabilities and scores, both float64[rows, players].

    `weights` is float64[CALIBRATION], `left` the share of the game that is left and `seat` the seat
    that decides (each one value, or one per row), `wins` and `scores` the raw figures, `ended`
    (float64[rows]) the share of playouts that reached the end of the game.
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
