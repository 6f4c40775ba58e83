"""From what a search by halving adds up to win probabilities and scores right on average.

The search plays the deciding seat's best moves against heuristics, may deal the others poorer
hands than players keep, and goes by a net; so its own figures flatter the seat that decides. How
much is fitted by `benchmarks.training` to games of the search against itself, for each number of
players, and by the share of the game that is left: the logarithm of each seat's win probability is
stretched, the deciding seat's lowered, by other numbers as far as playouts came to the end of the
game; predicted scores are moved to where games ended.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# For each number of players: stretch and lowering of the logarithms, each at the end and for all
# that is left; the same where playouts came to the end (whatever is left); then the score: a
# constant, the mean of the predictions and a seat's distance from it, each at the end and for all.
BY_PLAYERS: Final = 12
SHARES: Final = 6  # of them
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
    """Win probabilities and scores (float64[rows, players]) as games bear out.

    `weights` (float64[CALIBRATION]), `left` the share of the game that is left, `seat` the one that
    decides (both for all rows, or for each), `ended` (float64[rows]) the share of playouts that
    came to the end of the game.
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
