"""Statistics of forecasts: bias, squared error, log loss and calibration, clustered by game.

Several forecasts are about one game, so they are not independent. The standard errors allow for
this: the deviations of a game's forecasts are added before they are squared.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout.evidence import NORMAL

Values = NDArray[np.float64]
Games = NDArray[np.int64]

BINS: Final = 10
# A log loss takes a win probability to be at least this far from 0 and from 1.
_LEAST: Final = 0.001


class ClusteredMean(NamedTuple):
    """A mean with its standard error, which is NaN for fewer than two games."""

    mean: float
    error: float

    def text(self, digits: int, factor: float = 1.0) -> str:
        """Return the mean and its error, times `factor`, with a number of digits."""
        return f"{factor * self.mean:+.{digits}f} ± {factor * self.error:.{digits}f}"


def clustered_mean(values: Values, games: Games) -> ClusteredMean:
    """Return the mean of at least one value; `games` has the game of each value."""
    mean = float(values.mean())
    clusters = np.unique(games, return_inverse=True)[1]
    sums = np.bincount(clusters, values - mean)
    if len(sums) < 2:
        return ClusteredMean(mean, math.nan)
    squares = float(np.square(sums).sum()) * len(sums) / (len(sums) - 1)
    return ClusteredMean(mean, math.sqrt(squares) / len(values))


def log_losses(wins: Values, results: Values) -> Values:
    """Return minus the log likelihood of each result, given its forecast."""
    wins = np.clip(wins, _LEAST, 1 - _LEAST)
    losses: Values = -results * np.log(wins) - (1 - results) * np.log(1 - wins)
    return losses


class Bin(NamedTuple):
    """The forecasts in one tenth of the range from 0 to 1, and their results."""

    number: int
    forecast: float  # mean
    half: float  # mean half width of the intervals
    result: ClusteredMean

    @property
    def holds(self) -> bool:
        """True if the results lie within the intervals, apart from the results' own chance."""
        reach = math.hypot(self.half, NORMAL * self.result.error)
        return abs(self.result.mean - self.forecast) <= reach


def bins_of(wins: Values, halves: Values, results: Values, games: Games) -> list[Bin]:
    """Return the tenths of the range that contain forecasts of at least two games.

    `halves` has the half width of each forecast's interval. The error of the results is at least
    what it would be if the forecasts were true, and the games of a bin all different.
    """
    numbers = np.minimum((BINS * wins).astype(np.int64), BINS - 1)
    bins = []
    for number in range(BINS):
        is_in = numbers == number
        if len(np.unique(games[is_in])) > 1:
            count, p = int(is_in.sum()), wins[is_in]
            mean, error = clustered_mean(results[is_in], games[is_in])
            error = max(error, math.sqrt(float((p * (1 - p)).sum())) / count)
            half = float(halves[is_in].mean())
            bins.append(Bin(count, float(p.mean()), half, ClusteredMean(mean, error)))
    return bins


class CalibrationError(NamedTuple):
    """The mean distance between forecasts and results, over the bins."""

    error: float
    by_chance: float  # what perfect forecasts would have, because results vary by chance


def calibration_error(bins: list[Bin]) -> CalibrationError:
    """Return the calibration error of at least one bin."""
    number = sum(part.number for part in bins)
    distances = [part.number * abs(part.result.mean - part.forecast) for part in bins]
    # The mean absolute value of a normal variable is sqrt(2 / pi) standard deviations.
    chances = [part.number * math.sqrt(2 / math.pi) * part.result.error for part in bins]
    return CalibrationError(sum(distances) / number, sum(chances) / number)
