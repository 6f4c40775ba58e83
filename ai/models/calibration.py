"""From what a search by halving adds up to win shares and scores that are right on average.

The search plays the deciding seat's best moves against heuristics, may deal the others poorer
hands than players keep, and goes by a net; so its own figures flatter the seat that decides. How
much is fitted by `masons.ai.training` to games of the search against itself, for searches that
guess hands by what was chosen and for those that do not, for each number of players, and by the
share of the game that is left: each seat's log share is stretched, the deciding seat's lowered, by
other numbers as far as playouts came to the end of the game; scores guessed at are moved to where
games ended.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# For each number of players: stretch and lowering of the log shares, each at the end and for all
# that is left; the same where playouts came to the end (whatever is left); then the score: a
# constant, the mean of the guesses and a seat's distance from it, each at the end and for all left.
BY_PLAYERS: Final = 12
SHARES: Final = 6  # of them
FITTED: Final = 3 * BY_PLAYERS
CALIBRATION: Final = 2 * FITTED  # where hands are not guessed, then where they are
_LEAST: Final = 1e-9


def calibration_of(weights: Numbers, *, predicts_hands: bool) -> Numbers:
    """The part (float64[FITTED]) of all CALIBRATION for searches that guess hands or do not."""
    return weights[FITTED:] if predicts_hands else weights[:FITTED]


def calibrated(
    weights: Numbers,
    left: float | Numbers,
    seat: int | NDArray[np.int64],
    wins: Numbers,
    scores: Numbers,
    ended: Numbers,
) -> tuple[Numbers, Numbers]:
    """Win shares and scores (float64[rows, players]) as games bear out.

    `weights` (float64[FITTED]), `left` the share of the game that is left, `seat` the one that
    decides (both for all rows, or for each), `ended` (float64[rows]) the share of playouts that
    came to the end of the game.
    """
    rows, players = wins.shape
    pairs = weights.reshape(-1, BY_PLAYERS // 2, 2)[players - 2]
    stretch, lowered, _, *at = pairs[:, :1] + np.broadcast_to(left, rows) * pairs[:, 1:]
    ended_stretch, ended_lowered = pairs[2]
    guessed = 1.0 - ended
    logs = (guessed * stretch + ended * ended_stretch)[:, None] * np.log(np.maximum(wins, _LEAST))
    logs[np.arange(rows), seat] -= guessed * lowered + ended * ended_lowered
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    mean = scores.mean(axis=1, keepdims=True)
    likely = at[0][:, None] + at[1][:, None] * mean + at[2][:, None] * (scores - mean)
    return shares, scores + guessed[:, None] * (likely - scores)
