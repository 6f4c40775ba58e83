"""Ratings of the engines of a match on one scale, from the places in all games.

This is the Plackett-Luce model with ties. Each engine has a *worth*, which measures its strength. A
ranking is a series of choices: the first place is chosen from all engines, and each following place
from the engines that remain. Several engines can be chosen together, which is a tie. The
probability that a set of k engines is chosen is proportional to d_k times the geometric mean of
their worths. d_1 is 1. The other d_k measure how common ties of k engines are, and are estimated
together with the worths. For two engines, this is the Bradley-Terry model if there are no ties, and
the Davidson model if there are ties. If an engine has several seats, they are separate competitors
with the same worth.

A weak prior keeps the worths finite. It adds half a win and half a loss for each engine against an
additional engine of worth 1. Newton's method finds the most likely worths, because the
log-likelihood is concave in the logarithms of the worths and of the d_k.

A rating is the logarithm of a worth, in Elo points. The mean of all ratings is 0. A difference of
400 points means odds of 10 to 1 that the higher-rated engine places before the lower-rated one. The
95% intervals are percentiles over resampled *blocks*, not games. The resampling has a fixed seed,
so the same match always gives the same table.

Engines can be compared only if they have met, directly or through other engines. In each group of
comparable engines, the mean of the ratings is 0. A group may consist of several levels, so that no
engine of a higher level ever tied with, or placed behind, an engine of a lower level. Then only the
prior limits the distance between the levels, and resampling cannot show how uncertain this distance
is. In such a group, each interval is therefore made at least as wide as the curvature of the
penalized likelihood implies.

Sources: H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the
PlackettLuce package" (2020), for the model and the prior; D. R. Hunter, "MM algorithms for
generalized Bradley-Terry models" (2004), for the likelihood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.jit import FloatArray
from masons.match.statistics.engine_scores import Block
from masons.match.statistics.estimates import ELO_PER_NATURAL, TAIL, Estimate

Ranking = Sequence[Sequence[int]]
"""The engines from best to worst. Each item holds the engines that share a place."""
Groups = tuple[tuple[int, ...], ...]

PRIOR: Final = 0.5
"""The number of wins, and the number of losses, of each engine against the prior's engine."""
RESAMPLES: Final = 1000
_FITTED_TOGETHER: Final = 100  # the number of samples that are fitted in one call
_NORMAL: Final = NormalDist().inv_cdf(1 - TAIL)

# The weight of a penalty on the logarithms of the d_k. It is so small that it matters only for a
# d_k that would otherwise be 0 or infinite, for example when every game is a tie.
_TIE_PRIOR: Final = 1e-6
_STEPS: Final = 200
_HALVINGS: Final = 40
_PRECISION: Final = 1e-9


@dataclass(frozen=True)
class Ratings:
    """The ratings of all engines in Elo points, in the order of the engines.

    Their intervals are infinite if there is only one block. Only ratings within one of `groups` can
    be compared. `levels` has the levels of all groups (see the module). Usually each group has a
    single level.
    """

    ratings: tuple[Estimate, ...]
    groups: Groups
    levels: Groups


# --- the statistics of rankings


@dataclass(frozen=True)
class ChoiceCounts:
    """The counts of choices in rankings. The model can be fitted to any sample of these rankings.

    E is the number of different sets of engines from which a choice was made, and R is the number
    of alternatives in all these sets. P is the number of parameters. The first parameters are the
    log worths of the engines. The others are the logarithms of d_k, one for each size k of a tie
    that occurred.
    """

    engines: int
    features: FloatArray  # [R, P]
    offsets: FloatArray  # [R]: the log of the number of ways to choose seats for an alternative
    starts: NDArray[np.intp]  # [E]: the first alternative of each set
    chosen: FloatArray  # [rankings, P]: the sum of the features of the chosen alternatives
    offered: FloatArray  # [rankings, E]: the number of choices from each set
    prior: float  # like PRIOR; the first sets pair each engine with the prior's engine


def choices(ranking: Ranking) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the choices of a ranking, each as (chosen engines, engines to choose from).

    Both tuples are sorted. A choice from a single engine is left out.
    """
    made = []
    left = sorted(engine for group in ranking for engine in group)
    for group in ranking:
        if len(left) > 1:
            made.append((tuple(sorted(group)), tuple(left)))
        for engine in group:
            left.remove(engine)
    return made


def count_choices(rankings: Sequence[Ranking], engines: int, prior: float = PRIOR) -> ChoiceCounts:
    """Return the counts of choices in rankings of the engines 0 to engines - 1.

    `prior` must be above 0.
    """
    made = [choices(ranking) for ranking in rankings]
    orders = sorted({len(group) for series in made for group, _ in series} - {1})
    width = engines + len(orders)

    def features_of(group: Sequence[int]) -> FloatArray:
        """Return the weight of each parameter in the log worth of a group of engines."""
        row = np.zeros(width)
        for engine in group:
            if engine < engines:  # otherwise this is the prior's engine
                row[engine] += 1 / len(group)
        if len(group) > 1:
            row[engines + orders.index(len(group))] = 1
        return row

    pairs = [(engine, engines) for engine in range(engines)]  # each engine with the prior's engine
    offers = [left for series in made for _, left in series]
    sets = {left: number for number, left in enumerate(dict.fromkeys([*pairs, *offers]))}
    rows: list[FloatArray] = []
    offsets: list[float] = []
    starts: list[int] = []
    for left in sets:
        starts.append(len(rows))
        sizes = [order for order in (1, *orders) if order <= len(left)]
        alike = Counter(group for size in sizes for group in combinations(left, size))
        rows += [features_of(group) for group in alike]
        offsets += [float(np.log(number)) for number in alike.values()]
    chosen, offered = np.zeros((len(made), width)), np.zeros((len(made), len(sets)))
    for i, series in enumerate(made):
        for group, left in series:
            chosen[i] += features_of(group)
            offered[i, sets[left]] += 1
    first = np.array(starts, dtype=np.intp)
    return ChoiceCounts(engines, np.array(rows), np.array(offsets), first, chosen, offered, prior)


# --- maximum likelihood


class _Likelihood:
    """The penalized log-likelihood of B samples. A sample has a weight for each ranking."""

    def __init__(self, data: ChoiceCounts, weights: FloatArray) -> None:
        self._data = data
        self._chosen, self._offered = weights @ data.chosen, weights @ data.offered
        self._chosen[:, : data.engines] += data.prior
        self._offered[:, : data.engines] += 2 * data.prior
        self._sizes = np.diff(np.append(data.starts, len(data.offsets)))
        self._ties = np.arange(data.features.shape[1]) >= data.engines

    def _log_probabilities(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log probabilities of alternatives [B, R] and the log sums of sets [B, E]."""
        data = self._data
        log_odds = at @ data.features.T + data.offsets
        most = np.maximum.reduceat(log_odds, data.starts, axis=1)
        log_odds -= np.repeat(most, self._sizes, axis=1)
        sums = np.log(np.add.reduceat(np.exp(log_odds), data.starts, axis=1))
        return log_odds - np.repeat(sums, self._sizes, axis=1), sums + most

    def value(self, at: FloatArray) -> FloatArray:
        """Return the log-likelihood float64[B] at parameters float64[B, P]."""
        penalty = _TIE_PRIOR / 2 * (at[:, self._ties] ** 2).sum(axis=1)
        _, sums = self._log_probabilities(at)
        likelihood = (self._chosen * at).sum(axis=1) - (self._offered * sums).sum(axis=1)
        return np.asarray(likelihood - penalty)

    def slopes(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients [B, P] and the negative second derivatives [B, P, P]."""
        data = self._data
        chances = np.exp(self._log_probabilities(at)[0])
        weights = chances * np.repeat(self._offered, self._sizes, axis=1)
        gradient = self._chosen - weights @ data.features - _TIE_PRIOR * at * self._ties
        curvature = np.empty((*at.shape, at.shape[1]))
        for i, (weight, chance) in enumerate(zip(weights, chances, strict=True)):
            means = np.add.reduceat(chance[:, None] * data.features, data.starts, axis=0)
            curvature[i] = data.features.T @ (weight[:, None] * data.features)
            curvature[i] -= means.T @ (self._offered[i][:, None] * means)
            curvature[i] += np.diag(_TIE_PRIOR * self._ties)
        return gradient, curvature


def fit(data: ChoiceCounts, weights: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """Return the most likely parameters for B samples of rankings, as float64[B, P].

    `weights`, float64[B, rankings], says how often each ranking counts in each sample. Raises
    ArithmeticError if no maximum is reached.
    """
    likelihood = _Likelihood(data, weights)
    at = np.zeros((len(weights), data.features.shape[1])) if start is None else start.copy()
    value = likelihood.value(at)
    for _ in range(_STEPS):
        gradient, curvature = likelihood.slopes(at)
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        if np.abs(step).max() < _PRECISION:
            return at + step
        for _ in range(_HALVINGS):
            following = likelihood.value(at + step)
            worse = following < value - 1e-12 * np.abs(value)
            if not worse.any():
                break
            step[worse] /= 2
        at, value = at + step, following
    raise ArithmeticError("the worths have no finite maximum")


def covariance(data: ChoiceCounts, at: FloatArray) -> FloatArray:
    """Return the large-sample covariance of the parameters `at`, as float64[P, P]."""
    everything = np.ones((1, len(data.chosen)))
    _, curvature = _Likelihood(data, everything).slopes(at[None, :])
    inverse: FloatArray = np.linalg.inv(curvature[0])
    return inverse


# --- ratings


def connections(rankings: Sequence[Ranking], engines: int) -> tuple[Groups, Groups]:
    """Return the groups of engines that can be compared, and the levels of the groups.

    There is a link from an engine to each engine that it ever placed before or tied with. A group
    is a set of engines that are connected if the direction of links is ignored. A level is a set in
    which every engine can be reached from every other engine along the links.
    """
    links = np.eye(engines, dtype=bool)
    for ranking in rankings:
        behind: set[int] = set()
        for group in reversed(ranking):
            behind |= set(group)
            links[np.ix_(list(set(group)), list(behind))] = True
    reach = _closure(links)
    return _classes(_closure(links | links.T)), _classes(reach & reach.T)


def _closure(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the transitive closure of links, using Warshall's algorithm."""
    reach = links.copy()
    for via in range(len(links)):
        reach |= np.outer(reach[:, via], reach[via])
    return reach


def _classes(same: NDArray[np.bool_]) -> Groups:
    """Return the classes of an equivalence relation, in order of their lowest members."""
    return tuple(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in same))


def _resampled(data: ChoiceCounts, at: FloatArray, resamples: int) -> FloatArray:
    """Return the parameters fitted to random samples of the blocks, as float64[resamples, P].

    The blocks of a sample are drawn with replacement.
    """
    blocks = len(data.chosen)
    draws = np.random.default_rng(0).multinomial(blocks, np.full(blocks, 1 / blocks), resamples)
    samples = []
    for first in range(0, resamples, _FITTED_TOGETHER):
        weights = draws[first : first + _FITTED_TOGETHER].astype(np.float64)
        samples.append(fit(data, weights, np.repeat(at[None, :], len(weights), axis=0)))
    return np.concatenate(samples)


def rate(blocks: Sequence[Block], engines: int, *, resamples: int = RESAMPLES) -> Ratings:
    """Return the ratings of the engines 0 to engines - 1 from full blocks.

    Raises ValueError if there is no block or `resamples` is less than 1.
    """
    if not blocks or resamples < 1:
        raise ValueError("ratings need a block and a resample")
    rankings = [game.ranking for block in blocks for game in block]
    groups, levels = connections(rankings, engines)
    by_game = count_choices(rankings, engines)
    first_games = np.cumsum([0, *(len(block) for block in blocks[:-1])])
    data = replace(
        by_game,
        chosen=np.add.reduceat(by_game.chosen, first_games, axis=0),
        offered=np.add.reduceat(by_game.offered, first_games, axis=0),
    )
    (at,) = fit(data, np.ones((1, len(blocks))))
    center = np.eye(engines)  # subtracts from each log worth the mean of its group
    for group in groups:
        center[np.ix_(group, group)] -= 1 / len(group)
    ratings = center @ at[:engines] * ELO_PER_NATURAL
    samples = _resampled(data, at, resamples)[:, :engines] @ center.T * ELO_PER_NATURAL
    low, high = np.quantile(samples, [TAIL, 1 - TAIL], axis=0)
    spread = center @ covariance(data, at)[:engines, :engines] @ center.T
    half_width = _NORMAL * ELO_PER_NATURAL * np.sqrt(np.diag(spread))
    for group in groups:
        if group not in levels:
            members = list(group)
            low[members] = np.minimum(low[members], (ratings - half_width)[members])
            high[members] = np.maximum(high[members], (ratings + half_width)[members])
    if len(blocks) == 1:
        low, high = np.full(engines, -inf), np.full(engines, inf)
    estimates = tuple(map(Estimate, ratings.tolist(), low.tolist(), high.tolist()))
    return Ratings(estimates, groups, levels)
