"""From what a search by halving adds up to win shares and scores that are right on average.

The search plays the deciding seat's best moves against rules of thumb, and guesses at leaves by a
sum that only ranks them, so its own figures flatter the seat that decides. How much is fitted by
`benchmarks/learn.py` to games of the search against itself, by the share of the game that is left:
each seat's log share is stretched, the deciding seat's lowered, scores are moved to where games
ended. What was played to the end needs none of it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# Stretch and lowering of the log shares, each at the end and for all that is left; then the score:
# a constant, the mean of the guesses and a seat's distance from it, likewise.
CALIBRATION: Final = 10
_LEAST: Final = 1e-6


def calibrated(
    weights: Numbers,
    left: float | Numbers,
    seat: int | NDArray[np.int64],
    wins: Numbers,
    scores: Numbers,
    ended: Numbers,
) -> tuple[Numbers, Numbers]:
    """Win shares and scores (float64[rows, players]) as games bear out.

    `weights` (float64[CALIBRATION]), `left` the share of the game that is left, `seat` the one that
    decides (both for all rows, or for each), `ended` (float64[rows]) the share of playouts that
    came to the end of the game.
    """
    at = (weights[0::2] + np.multiply.outer(np.broadcast_to(left, len(wins)), weights[1::2])).T
    guessed = 1.0 - ended
    logs = (1.0 + guessed * (at[0] - 1.0))[:, None] * np.log(np.maximum(wins, _LEAST))
    logs[np.arange(len(wins)), seat] -= guessed * at[1]
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    mean = scores.mean(axis=1, keepdims=True)
    likely = at[2][:, None] + at[3][:, None] * mean + at[4][:, None] * (scores - mean)
    return shares, scores + guessed[:, None] * (likely - scores)
