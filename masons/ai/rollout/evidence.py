"""The statistics of a rollout: sums over paired games, and the errors of their means.

The size of the sums does not grow with the number of games, so the file of a long rollout is small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import combinations, product
from typing import Final

import numpy as np

from masons.ai.rollout import game_kernel
from masons.ai.search.results import UNKNOWN_WIN
from masons.engine.board.components import LANDS
from masons.engine.kernels.jit import FloatArray

NORMAL: Final = 1.96
"""Standard errors on each side of a 95 % interval."""

# Item k is the half width, in standard errors, of the interval around a difference from the highest
# of k means. If the k contenders are equally good, these intervals contain 95 % of the true
# differences on average. The values were simulated for k independent normal means (see
# `tests/ai/rollout`).
_SELECTED: Final = (
    *(NORMAL, NORMAL, NORMAL, 2.09, 2.19, 2.25, 2.31, 2.36, 2.39, 2.43, 2.46, 2.49, 2.51),
    *(2.53, 2.55, 2.57, 2.59, 2.61, 2.62, 2.64, 2.65, 2.66, 2.68, 2.69, 2.70),
    *(2.71, 2.72, 2.73, 2.74, 2.75, 2.76, 2.76, 2.77, 2.78, 2.79, 2.80, 2.80),
    *(2.81, 2.82, 2.82, 2.83, 2.84, 2.84, 2.85, 2.85, 2.86, 2.86, 2.87, 2.87),
)


def selected_normal(contenders: int) -> float:
    """Return the half width of a loss's 95 % interval, in standard errors.

    The loss is measured against the best of `contenders` moves, so the half width grows with
    `contenders`.
    """
    return _SELECTED[min(contenders, len(_SELECTED) - 1)]


class Measure(IntEnum):
    """The quantities that are summed over games; the index of each is `measure * players + seat`.

    From index MARGIN * players on, other quantities follow: the score margin of the seat that
    decides over the mean of the other seats, the last turn, the number of later turns in which
    cities are scored, what each land card brings this seat in the final scoring, and the last two
    (CUT and REST). CUT is the win probability that the net predicts for this seat, HORIZON turns
    after its decision, and REST is the rest of WIN.
    """

    WIN = 0
    SCORE = 1  # the final score
    NOW = 2  # the score at the end of the decision's turn
    CITIES = 3  # points scored for later cities
    FINAL = 4  # points of the final scoring
    MARGIN = 5


CUT: Final = -2
REST: Final = -1  # WIN - CUT

# The values of `(net's error / standard deviation of REST in one game) ** 2` that are considered,
# and the standard deviation of its logarithm (see `WinEstimate`).
NET_RATIOS: Final = np.geomspace(1e-7, 0.3, 61)
NET_RATIO_SPREAD: Final = 2.5

# The search's errors are learned from the games of at least this many moves that were dropped. The
# logarithm of their square varies from decision to decision with this standard deviation.
_LEAST_TO_LEARN: Final = 3
_ERROR_SPREAD: Final = 1.5
# At most so many contenders beside those to compare, each with at least so many games, also show
# how wrong the net is.
_JUDGED: Final = 14
_LEAST_JUDGED: Final = 30


def measures_of(players: int) -> int:
    """Return the number of quantities that are summed for each game."""
    return Measure.MARGIN * players + 3 + LANDS + 2


def margins_of(scores: FloatArray, seat: int) -> FloatArray:
    """Return a seat's score minus the mean score of the other seats.

    The last axis of `scores` is the seat.
    """
    score = scores[..., seat]
    margin: FloatArray = score - (scores.sum(axis=-1) - score) / (scores.shape[-1] - 1)
    return margin


def measured(results: FloatArray, seat: int, players: int) -> FloatArray:
    """Return the measures of games as float64[worlds, contenders, measures] (see `Measure`).

    `results` is float64[worlds, contenders, RESULT] (see `game_kernel`).
    """

    def part(first: int) -> FloatArray:
        return results[:, :, first : first + players]

    scores, now, cities = (
        part(game_kernel.SCORE),
        part(game_kernel.TURN_SCORE),
        part(game_kernel.CITY_SCORE),
    )
    wins, cut = part(game_kernel.WIN), results[:, :, game_kernel.CUT + seat, None]
    return np.concatenate(
        [
            wins, scores, now, cities - now, scores - cities,
            margins_of(scores, seat)[:, :, None], results[:, :, game_kernel.LAST : game_kernel.CUT],
            cut, wins[:, :, seat, None] - cut,
        ],
        axis=2,
    )  # fmt: skip


class PairedSums:
    """Sums of measures over each contender's games, and over the worlds that two contenders share.

    All arrays are [contenders, contenders] or [measures, contenders, contenders]. Element [i, j]
    covers the games of contender i in the worlds that contender j also played, so the diagonal
    covers all games.
    """

    def __init__(self, contenders: int, measures: int) -> None:
        self.worlds = np.zeros((contenders, contenders))
        self.sums = np.zeros((measures, contenders, contenders))
        self.squares = np.zeros_like(self.sums)
        self.products = np.zeros_like(self.sums)  # sums of products of i's and j's values

    def add(self, contenders: Sequence[int], values: FloatArray) -> None:
        """Add the measures of new games; `values` is float64[worlds, contenders, measures]."""
        where = np.ix_(contenders, contenders)
        everywhere = (slice(None), where[0], where[1])
        by_measure = np.ascontiguousarray(values.transpose(2, 1, 0))
        self.worlds[where] += len(values)
        self.sums[everywhere] += by_measure.sum(axis=2)[:, :, None]
        self.squares[everywhere] += np.square(by_measure).sum(axis=2)[:, :, None]
        # Not by `@`: for many worlds, BLAS uses threads of its own, which may wait for a processor
        # beyond the deadline of a search.
        self.products[everywhere] += np.einsum("mcw,mdw->mcd", by_measure, by_measure)

    def drop(self, contender: int) -> None:
        """Remove the games of a contender."""
        for array in (self.worlds, self.sums, self.squares, self.products):
            array[..., contender, :] = array[..., contender] = 0

    @property
    def games(self) -> FloatArray:
        """The number of games of each contender: float64[contenders]."""
        return self.worlds.diagonal()

    def means(self, measure: int) -> FloatArray:
        """Return each contender's mean of a measure, or NaN without games."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums[measure].diagonal() / self.games)

    def error(self, measure: int, contender: int, prior: float) -> float:
        """Return the standard error of a contender's mean of a measure.

        The error is never 0, because one extra game with the variance `prior` is added.
        """
        games = float(self.games[contender])
        return math.sqrt(games * self.variance(measure, contender) + prior) / games

    def variance(self, measure: int, contender: int) -> float:
        """Return the variance of a measure over a contender's games."""
        return max(self._covariance(measure, contender, contender), 0.0)

    def difference(self, measure: int, first: int, other: int, prior: float) -> tuple[float, float]:
        """Return the mean of `first` minus the mean of `other`, and the standard error.

        `measure` is an index as described in `Measure`, and `prior` is as in `error`. The means
        cover all games, not only those in shared worlds.
        """
        games = self.games
        mean, other_mean = (self.sums[measure, i, i] / games[i] for i in (first, other))
        shared = float(self.worlds[first, other])
        variance = sum(
            (games[i] * self.variance(measure, i) + prior) / games[i] ** 2 for i in (first, other)
        )
        if shared:
            covariance = shared * self._covariance(measure, first, other)
            variance -= 2 * covariance / (games[first] * games[other])
        least = prior / min(games[first], games[other]) ** 2
        return float(mean - other_mean), math.sqrt(max(variance, least))

    def _covariance(self, measure: int, i: int, j: int) -> float:
        """Return the covariance of two contenders' values in the worlds that they share."""
        worlds = self.worlds[i, j]
        products = self.squares if i == j else self.products
        means = self.sums[measure, i, j] * self.sums[measure, j, i] / worlds**2
        return float(products[measure, i, j] / worlds - means)


class WinEstimate:
    """Contenders' win probabilities, estimated from whole games and from their first turns.

    The net's values HORIZON turns after the decision (CUT) vary less from game to game than the
    results do, but the mean of a move's values is wrong by the net's error. The estimate is the
    mean of WIN minus a `share` of that of REST, so that a share of 0 takes only the results, and 1
    only the net's values. The share minimizes the variances of the differences between
    `contenders`, which include that of the net's error. With more games, the share falls to 0.

    How large the net's errors are is estimated from the games themselves: if there were none, the
    means of REST would differ only by chance. This is combined with a prior distribution of
    `(net's error / standard deviation of REST in one game) ** 2`, which is lognormal with the
    median `prior`. If `prior` is 0, the share is 0. The standard deviation is that of the
    difference between two contenders, because the net hardly errs about moves after which nearly
    all games are the same.
    """

    def __init__(
        self, sums: PairedSums, seat: int, contenders: Sequence[int], prior: float
    ) -> None:
        self._sums, self._seat, self.share, self._net_ratio = sums, seat, 0.0, 0.0
        self._contenders = [i for i in contenders if sums.games[i]]
        self._differences = dict[tuple[int, int], tuple[float, float]]()  # that were asked for
        pairs = [*combinations(self._contenders, 2)]
        if not pairs or not prior:
            return
        variances = [[error**2 for _, error in self._parts(*pair)] for pair in pairs]
        self._net_ratio = ratio = self._expected_ratio(pairs, prior)
        gain = sum(self._covariance(*each) for each in variances)
        noise = sum(
            rest * (1 + ratio * self._shared_games(*pair))
            for (_, rest, _), pair in zip(variances, pairs, strict=True)
        )
        self.share = min(max(gain / noise, 0.0), 1.0)

    def _expected_ratio(self, pairs: Sequence[tuple[int, int]], prior: float) -> float:
        """Return the expected ratio (see `NET_RATIOS`), given the games.

        Other contenders than those in `pairs` are also compared with these, since few finalists
        say little about the net.
        """
        games, few = self._sums.games, self._contenders
        order = np.argsort(-games, kind="stable")[: _JUDGED + len(few)].tolist()
        others = [i for i in order if i not in few and games[i] >= _LEAST_JUDGED]
        compared = [*pairs, *product(few, others)]
        weights = np.repeat(
            [(len(few) - 1) / len(pairs), 1 / len(few)], [len(pairs), len(few) * len(others)]
        )
        rest = np.array([self._sums.difference(REST, *pair, UNKNOWN_WIN) for pair in compared])
        shared = np.array([self._shared_games(*pair) for pair in compared])
        expected = np.square(rest[:, 1:]) * (1 + NET_RATIOS * shared[:, None])
        likely = weights @ (np.log(expected) + np.square(rest[:, :1]) / expected)
        likely += np.square(np.log(NET_RATIOS / prior) / NET_RATIO_SPREAD)
        likelihood = np.exp((likely.min() - likely) / 2)
        return float(likelihood @ NET_RATIOS / likelihood.sum())

    def _shared_games(self, first: int, other: int) -> float:
        games = self._sums.games
        return float(min(games[first], games[other]))

    def bias(self, first: int, other: int) -> float:
        """Return the standard deviation of the net's part in the error of a difference."""
        _, rest_error = self._sums.difference(REST, first, other, UNKNOWN_WIN)
        games = self._shared_games(first, other)
        return self.share * rest_error * math.sqrt(self._net_ratio * games)

    def means(self) -> FloatArray:
        """Return each contender's estimate, or NaN without games.

        The mean of the estimates of `contenders` is that of their results.
        """
        win, rest = self._sums.means(self._seat), self._sums.means(REST)
        level = rest[self._contenders].mean()
        wins: FloatArray = np.clip(win - self.share * (rest - level), 0.0, 1.0)
        return wins

    def shares(self, players: int, wins: FloatArray) -> FloatArray:
        """Return all seats' win probabilities as float64[players, contenders].

        `wins` are those of the seat that decides. Those of the other seats are changed in
        proportion, so that the sum stays 1.
        """
        shares = np.array([self._sums.means(seat) for seat in range(players)])
        shares *= (1 - wins) / np.maximum(1 - shares[self._seat], 1e-9)
        shares[self._seat] = wins
        return shares

    def difference(self, first: int, other: int) -> tuple[float, float]:
        """Return the estimate of `first` minus that of `other`, and the standard error."""
        pair = first, other
        if pair not in self._differences:
            self._differences[pair] = self._difference(first, other)
        return self._differences[pair]

    def _difference(self, first: int, other: int) -> tuple[float, float]:
        (win, win_error), (rest, rest_error), (_, cut_error) = self._parts(first, other)
        covariance = self._covariance(win_error**2, rest_error**2, cut_error**2)
        bias = self.bias(first, other)
        variance = win_error**2 + self.share**2 * rest_error**2 - 2 * self.share * covariance
        return win - self.share * rest, math.hypot(math.sqrt(max(variance, 0.0)), bias)

    def error(self, weights: Mapping[int, float]) -> float:
        """Return the standard error of a weighted sum of contenders' estimates."""
        variance = total = 0.0
        for i, weight in weights.items():
            total += weight
            variance += weight * self._sums.error(self._seat, i, UNKNOWN_WIN) ** 2
        variance *= total
        for i, j in combinations(weights, 2):
            if product := weights[i] * weights[j]:
                variance -= product * self.difference(min(i, j), max(i, j))[1] ** 2
        return math.sqrt(max(variance, 0.0))

    def _parts(self, first: int, other: int) -> list[tuple[float, float]]:
        """Return a difference of WIN, of REST and of CUT, each with its standard error."""
        measures = self._seat, REST, CUT
        return [self._sums.difference(each, first, other, UNKNOWN_WIN) for each in measures]

    @staticmethod
    def _covariance(win: float, rest: float, cut: float) -> float:
        """Return the covariance of differences of WIN and REST, given their variances and CUT's."""
        return (win + rest - cut) / 2


def _learned_error(usual: float, squares: FloatArray, noise: FloatArray) -> float:
    """Return the standard deviation of the search's errors at one decision.

    The prior distribution of its square is lognormal, with the square of `usual` as its median. Of
    several moves, `squares` has the squared differences between games and search, and `noise` the
    variances of chance in them.
    """
    ratios = np.geomspace(0.1, 1000, 41)
    expected = noise[:, None] + usual**2 * ratios
    unlikely = (np.log(expected) + squares[:, None] / expected).sum(axis=0)
    unlikely += np.square(np.log(ratios) / _ERROR_SPREAD)
    weights = np.exp((unlikely.min() - unlikely) / 2)
    return usual * math.sqrt(float(weights @ ratios / weights.sum()))


class ShownWins:
    """The win probabilities that an analysis shows, and their standard errors.

    Those of the `ranked` contenders are their estimates. The other contenders have few games, and
    of many such estimates, some are high by chance. Each of them is therefore combined with what
    the search says: the mean of the ranked contenders, plus the difference of the search's
    `values`. The search's value of each move has an error with the standard deviation `error`. The
    weights are such that the result is the posterior mean.

    `values` has the contenders that the search evaluated. A contender that it did not evaluate
    keeps its estimate.
    """

    def __init__(
        self,
        estimate: WinEstimate,
        ranked: Sequence[int],
        values: Mapping[int, float],
        error: float,
    ) -> None:
        self._estimate, self._error = estimate, error
        self._level = [i for i in ranked if i in values]  # the contenders whose mean is the level
        self.wins = estimate.means()
        self._search = np.zeros(len(self.wins))  # the weight of what the search says
        if not self._level:
            return
        above = np.mean([self.wins[i] - values[i] for i in self._level])
        others = [i for i in sorted(values.keys() - set(ranked)) if not np.isnan(self.wins[i])]
        noise = [estimate.error({i: 1.0, **self._scaled_level(-1.0)}) ** 2 for i in others]
        apart = [float(values[i] + above - self.wins[i]) for i in others]
        more = 1 + 1 / len(self._level)  # the level has the search's error, too
        if len(others) >= _LEAST_TO_LEARN:
            self._error = _learned_error(error, np.square(apart) / more, np.array(noise) / more)
        for i, its_noise, its_apart in zip(others, noise, apart, strict=True):
            weight = its_noise / (its_noise + self._error**2 * more)
            self._search[i] = weight
            self.wins[i] += weight * its_apart
        self.wins = np.clip(self.wins, 0.0, 1.0)

    def shares(self, players: int, level: float = 0.0) -> FloatArray:
        """Return all seats' win probabilities as float64[players, contenders].

        `level` is added to those of the seat that decides.
        """
        return self._estimate.shares(players, np.clip(self.wins + level, 0.0, 1.0))

    def error(self, contender: int, best: int = 0, slope: float = 1.0) -> float:
        """Return the standard error of a contender's win probability.

        If a level is added, it falls by `1 - slope` for 1 that the win probability of the contender
        `best` rises.
        """
        signs = {best: slope - 1.0} if slope != 1.0 else {}
        signs[contender] = signs.get(contender, 0.0) + 1.0
        return self._error_of(signs)

    def difference(self, first: int, other: int) -> tuple[float, float]:
        """Return how much more often `first` wins than `other`, and the standard error."""
        return float(self.wins[first] - self.wins[other]), self._error_of({first: 1.0, other: -1.0})

    def _error_of(self, signs: Mapping[int, float]) -> float:
        """Return the standard error of a sum of win probabilities with signs."""
        parts = {i: sign * float(self._search[i]) for i, sign in signs.items()}  # of the search
        whole = sum(parts.values())
        weights = self._scaled_level(whole) if any(parts.values()) else {}
        for i, sign in signs.items():
            weights[i] = weights.get(i, 0.0) + sign - parts[i]
        # The search's errors at the ranked contenders move the level of all others alike.
        squares = sum(part**2 for part in parts.values()) + whole**2 / max(len(self._level), 1)
        return math.hypot(self._estimate.error(weights), self._error * math.sqrt(squares))

    def _scaled_level(self, factor: float) -> dict[int, float]:
        """Return the weights of the estimates in the level, times `factor`."""
        return dict.fromkeys(self._level, factor / len(self._level))
