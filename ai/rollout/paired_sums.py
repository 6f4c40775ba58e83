"""Sums over games of contenders that met the same worlds: means, and intervals of differences.

Their size does not grow with the games, so an evening's rollout is a small file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

NORMAL: Final = 1.96
"""Standard errors on each side of a 95 % interval."""

# The same where the first of k contenders is the one whose mean came out highest: of k that are
# equally good, 95 % of the differences between the first and another lie inside, as an average.
# (For k independent normal means; `tests/ai/rollout` draws them.)
_SELECTED: Final = (
    *(NORMAL, NORMAL, NORMAL, 2.09, 2.19, 2.25, 2.31, 2.36, 2.39, 2.43, 2.46, 2.49, 2.51),
    *(2.53, 2.55, 2.57, 2.59, 2.61, 2.62, 2.64, 2.65, 2.66, 2.68, 2.69, 2.70),
)


def selected_normal(contenders: int) -> float:
    """Return how many standard errors a loss against the best of so many contenders is known to."""
    return _SELECTED[min(contenders, len(_SELECTED) - 1)]


class PairedSums:
    """Sums of `measures` of each contender's games, and of each pair's in the worlds they share.

    All arrays are [contenders, contenders] or [measures, contenders, contenders]: at [i, j] are the
    games of i in the worlds that j met too, so the diagonal has all games.
    """

    def __init__(self, contenders: int, measures: int) -> None:
        self.worlds = np.zeros((contenders, contenders))
        self.sums = np.zeros((measures, contenders, contenders))
        self.squares = np.zeros_like(self.sums)
        self.products = np.zeros_like(self.sums)  # of i's value and j's

    def add(self, contenders: Sequence[int], values: NDArray[np.float64]) -> None:
        """Add games: `values` is float64[worlds, contenders, measures]."""
        where = np.ix_(contenders, contenders)
        everywhere = (slice(None), where[0], where[1])
        by_measure = np.ascontiguousarray(values.transpose(2, 1, 0))
        self.worlds[where] += len(values)
        self.sums[everywhere] += by_measure.sum(axis=2)[:, :, None]
        self.squares[everywhere] += np.square(by_measure).sum(axis=2)[:, :, None]
        self.products[everywhere] += by_measure @ by_measure.transpose(0, 2, 1)

    @property
    def games(self) -> NDArray[np.float64]:
        """How many games each contender has: float64[contenders]."""
        return self.worlds.diagonal()

    def means(self, measure: int) -> NDArray[np.float64]:
        """Return each contender's mean of a measure; NaN without games."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums[measure].diagonal() / self.games)

    def error(self, measure: int, contender: int, prior: float) -> float:
        """Return the standard error of a mean, with one more game of the variance `prior`.

        So it is never 0, however alike the games were.
        """
        games = float(self.games[contender])
        return math.sqrt(games * self.variance(measure, contender) + prior) / games

    def variance(self, measure: int, contender: int) -> float:
        """Return the variance of a contender's games."""
        return max(self._covariance(measure, contender, contender), 0.0)

    def difference(self, measure: int, first: int, other: int, prior: float) -> tuple[float, float]:
        """Return how much the mean of `first` is above that of `other`, and its standard error.

        Each is the mean over all its own games, so the difference is that of the two means.
        """
        means, games = self.means(measure), self.games
        shared = float(self.worlds[first, other])
        variance = sum(
            (games[one] * self.variance(measure, one) + prior) / games[one] ** 2
            for one in (first, other)
        )
        if shared:
            covariance = shared * self._covariance(measure, first, other)
            variance -= 2 * covariance / (games[first] * games[other])
        least = prior / min(games[first], games[other]) ** 2
        return float(means[first] - means[other]), math.sqrt(max(variance, least))

    def _covariance(self, measure: int, i: int, j: int) -> float:
        """Return the covariance of two contenders' games in the worlds that they share."""
        worlds = self.worlds[i, j]
        products = self.squares if i == j else self.products
        means = self.sums[measure, i, j] * self.sums[measure, j, i] / worlds**2
        return float(products[measure, i, j] / worlds - means)
