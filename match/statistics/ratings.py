"""Ratings of the engines of a match on one scale, from the places of all its games.

The worths of `plackett_luce` in Elo points (400 / ln 10 for each unit of the log worth; 400 points
are odds of 10 to 1 of being placed before), with a mean of 0. The 95% intervals are percentiles of
resampled *blocks*, not games, with a fixed seed, so the same match always has the same table.

Engines that never met, even by way of others, cannot be compared: each such group has a mean of 0
of its own, and the groups are reported. Where a group falls into levels, a higher one never placed
behind or beside a lower one, the distance between them is only as far as the prior lets it go, and
resampling sees no spread; there the interval is at least as wide as the curvature of the penalised
likelihood says.
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

from masons.match.statistics.engine_scores import Block
from masons.match.statistics.estimates import CONFIDENCE, ELO_PER_NATURAL

Numbers = NDArray[np.float64]

Ranking = Sequence[Sequence[int]]
"""Players from best to worst; those that share a place together."""

PRIOR: Final = 0.5
"""Wins, and losses, of each player against the player of the prior."""

# How firmly the logs of d are held at 0: so weakly that only a d that would be 0 or infinite (every
# game a tie) is.
_TIE_PRIOR: Final = 1e-6
_STEPS: Final = 200
_HALVINGS: Final = 40
_PRECISION: Final = 1e-9


def choices(ranking: Ranking) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The choices of a ranking: who was chosen, from whom; sorted, without those from one alone."""
    found = []
    left = sorted(player for group in ranking for player in group)
    for group in ranking:
        if len(left) > 1:
            found.append((tuple(sorted(group)), tuple(left)))
        for player in group:
            left.remove(player)
    return found


@dataclass(frozen=True)
class ChoiceCounts:
    """What rankings say, for any number of samples of them: their sufficient statistics.

    R alternatives in all, E different sets that were chosen from, P parameters: the log worths of
    the players, then the logs of d for the orders of ties that occurred.
    """

    players: int
    features: Numbers  # [R, P]
    offsets: Numbers  # [R]: logs of how many choices of seats are the same to the model
    starts: NDArray[np.intp]  # [E]: the first alternative of each set
    chosen: Numbers  # [rankings, P]: the sum of the features of what was chosen
    offered: Numbers  # [rankings, E]: how often each set was chosen from
    prior_chosen: Numbers  # [P]
    prior_offered: Numbers  # [E]


def _features(group: Sequence[int], players: int, orders: Sequence[int]) -> Numbers:
    """The parameters' weights in the log worth of a group; player `players` is the prior's."""
    row = np.zeros(players + len(orders))
    for player in group:
        if player < players:
            row[player] += 1 / len(group)
    if len(group) > 1:
        row[players + orders.index(len(group))] = 1
    return row


def _numbered(sets: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """Different sets, numbered as they come."""
    return {own: number for number, own in enumerate(dict.fromkeys(sets))}


def count_choices(rankings: Sequence[Ranking], players: int, prior: float = PRIOR) -> ChoiceCounts:
    """The statistics of rankings of players 0 to players - 1."""
    made = [choices(ranking) for ranking in rankings]
    orders = sorted({len(group) for own in made for group, _ in own} - {1})
    ghosts = [(player, players) for player in range(players)] if prior else []
    sets = _numbered([*ghosts, *(left for own in made for _, left in own)])
    rows: list[Numbers] = []
    offsets: list[float] = []
    starts: list[int] = []
    for left in sets:
        starts.append(len(rows))
        alike = Counter(
            group
            for order in (1, *orders)
            if order <= len(left)
            for group in combinations(left, order)
        )
        rows += [_features(group, players, orders) for group in alike]
        offsets += [float(np.log(number)) for number in alike.values()]
    width = players + len(orders)
    chosen, offered = np.zeros((len(made), width)), np.zeros((len(made), len(sets)))
    for i, own in enumerate(made):
        for group, left in own:
            chosen[i] += _features(group, players, orders)
            offered[i, sets[left]] += 1
    prior_chosen, prior_offered = np.zeros(width), np.zeros(len(sets))
    prior_chosen[:players] = prior
    prior_offered[: len(ghosts)] = 2 * prior
    return ChoiceCounts(
        players,
        np.array(rows).reshape(-1, width),
        np.array(offsets),
        np.array(starts, dtype=np.intp),
        chosen,
        offered,
        prior_chosen,
        prior_offered,
    )


class _Likelihood:
    """The penalised log-likelihood of B samples at once, each a weight for each ranking."""

    def __init__(self, data: ChoiceCounts, weights: Numbers) -> None:
        self._data = data
        self._chosen = weights @ data.chosen + data.prior_chosen
        self._offered = weights @ data.offered + data.prior_offered
        self._sizes = np.diff(np.append(data.starts, len(data.offsets)))
        self._ties = np.arange(data.features.shape[1]) >= data.players

    def _log_probabilities(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """The log probability of each alternative [B, R], and the log of each set's sum [B, E]."""
        data = self._data
        log_odds = at @ data.features.T + data.offsets
        most = np.maximum.reduceat(log_odds, data.starts, axis=1)
        log_odds -= np.repeat(most, self._sizes, axis=1)
        sums = np.log(np.add.reduceat(np.exp(log_odds), data.starts, axis=1))
        return log_odds - np.repeat(sums, self._sizes, axis=1), sums + most

    def value(self, at: Numbers) -> Numbers:
        """float64[B], at parameters float64[B, P]."""
        penalty = _TIE_PRIOR / 2 * (at[:, self._ties] ** 2).sum(axis=1)
        _, sums = self._log_probabilities(at)
        likelihood = (self._chosen * at).sum(axis=1) - (self._offered * sums).sum(axis=1)
        return np.asarray(likelihood - penalty)

    def slopes(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """The gradient [B, P], and the curvature [B, P, P]: minus the second derivatives."""
        data = self._data
        chances = np.exp(self._log_probabilities(at)[0])
        weights = chances * np.repeat(self._offered, self._sizes, axis=1)
        gradient = self._chosen - weights @ data.features - _TIE_PRIOR * at * self._ties
        curvature = np.empty((*at.shape, at.shape[1]))
        for i, (own, chance) in enumerate(zip(weights, chances, strict=True)):
            means = np.add.reduceat(chance[:, None] * data.features, data.starts, axis=0)
            curvature[i] = data.features.T @ (own[:, None] * data.features)
            curvature[i] -= means.T @ (self._offered[i][:, None] * means)
            curvature[i] += np.diag(_TIE_PRIOR * self._ties)
        return gradient, curvature


def _firm(curvature: Numbers, players: int) -> Numbers:
    """The curvature with the one direction that no ranking speaks of, all worths alike, held."""
    firm = curvature.copy()
    firm[..., :players, :players] += 1.0
    return firm


def fit(data: ChoiceCounts, weights: Numbers, start: Numbers | None = None) -> Numbers:
    """The likeliest parameters of samples of rankings; float64[B, P].

    `weights` float64[B, rankings] says how often each ranking counts in each sample. Without a
    prior the players must be connected by wins and by losses (else there is no maximum, and
    ArithmeticError is raised), and the log worths add up to 0.
    """
    likelihood = _Likelihood(data, weights)
    at = np.zeros((len(weights), data.features.shape[1])) if start is None else start.copy()
    has_prior = bool(data.prior_offered.any())
    value = likelihood.value(at)
    for _ in range(_STEPS):
        gradient, curvature = likelihood.slopes(at)
        firm = curvature if has_prior else _firm(curvature, data.players)
        try:
            step = np.linalg.solve(firm, gradient[..., None])[..., 0]
        except np.linalg.LinAlgError:
            break
        if np.abs(step).max() < _PRECISION:
            return at + step
        for _ in range(_HALVINGS):
            following = likelihood.value(at + step)
            worse = following < value - 1e-12 * np.abs(value)
            if not worse.any():
                break
            step[worse] /= 2
        at, value = at + step, following
    raise ArithmeticError("the worths have no finite maximum: some players only won or only lost")


def covariance(data: ChoiceCounts, at: Numbers) -> Numbers:
    """The large-sample covariance of the parameters `at`, float64[P, P]; needs a prior."""
    everything = np.ones((1, len(data.chosen)))
    _, curvature = _Likelihood(data, everything).slopes(at[None, :])
    inverse: Numbers = np.linalg.inv(curvature[0])
    return inverse


# --- ratings of the engines of a match on one scale, from the places of all its games

Groups = tuple[tuple[int, ...], ...]

RESAMPLES: Final = 1000
_AT_ONCE: Final = 100  # samples that are fitted together
_TAIL: Final = (1 - CONFIDENCE) / 2
_NORMAL: Final = NormalDist().inv_cdf(1 - _TAIL)


@dataclass(frozen=True)
class Rating:
    """An engine's rating in Elo points and its interval, infinite where there is but one block."""

    engine: int
    rating: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of all engines, in their order.

    Only ratings within one of `groups` can be compared. `levels` are the parts of groups within
    which everybody is held by results from both sides; as many as `groups` when all is well.
    """

    ratings: tuple[Rating, ...]
    groups: Groups
    levels: Groups


def _reach(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Who is reached from whom along links, itself included (Warshall)."""
    reach = links | np.eye(len(links), dtype=bool)
    for via in range(len(links)):
        reach |= np.outer(reach[:, via], reach[via])
    return reach


def _classes(same: NDArray[np.bool_]) -> Groups:
    """The classes of an equivalence, by their lowest member."""
    return tuple(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in same))


def connections(rankings: Sequence[Ranking], engines: int) -> tuple[Groups, Groups]:
    """The groups that can be compared, and the levels within which nobody is out of reach.

    An engine is linked to another if it was once placed before or beside it.
    """
    links = np.zeros((engines, engines), dtype=bool)
    for ranking in rankings:
        behind: set[int] = set()
        for group in reversed(ranking):
            behind |= set(group)
            links[np.ix_(list(set(group)), list(behind))] = True
    reach = _reach(links)
    return _classes(_reach(links | links.T)), _classes(reach & reach.T)


def _centring(groups: Groups, engines: int) -> Numbers:
    """The matrix that takes the mean of each group from worths."""
    matrix = np.eye(engines)
    for group in groups:
        matrix[np.ix_(group, group)] -= 1 / len(group)
    return matrix


def _resampled(data: ChoiceCounts, at: Numbers, resamples: int, seed: int) -> Numbers:
    """The parameters of samples of blocks, drawn with replacement; float64[resamples, P]."""
    blocks = len(data.chosen)
    draws = np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1 / blocks), resamples)
    found = []
    for first in range(0, resamples, _AT_ONCE):
        weights = draws[first : first + _AT_ONCE].astype(np.float64)
        found.append(fit(data, weights, np.repeat(at[None, :], len(weights), axis=0)))
    return np.concatenate(found)


def rate(
    blocks: Sequence[Block],
    engines: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    prior: float = PRIOR,
) -> Ratings:
    """The ratings of engines 0 to engines - 1 from full blocks.

    `prior` must be above 0: how many wins and losses against a player of rating 0 each engine is
    lent. Raises ValueError without a block.
    """
    if not blocks or prior <= 0 or resamples < 1:
        raise ValueError("ratings need a block, a prior above 0, and a resample")
    rankings = [game.ranking for block in blocks for game in block]
    groups, levels = connections(rankings, engines)
    by_game = count_choices(rankings, engines, prior)
    first_games = np.cumsum([0, *(len(block) for block in blocks[:-1])])
    data = replace(
        by_game,
        chosen=np.add.reduceat(by_game.chosen, first_games, axis=0),
        offered=np.add.reduceat(by_game.offered, first_games, axis=0),
    )
    (at,) = fit(data, np.ones((1, len(blocks))))
    centring = _centring(groups, engines)
    worths = centring @ at[:engines] * ELO_PER_NATURAL
    samples = _resampled(data, at, resamples, seed)[:, :engines] @ centring.T * ELO_PER_NATURAL
    low, high = np.quantile(samples, [_TAIL, 1 - _TAIL], axis=0)
    spread = centring @ covariance(data, at)[:engines, :engines] @ centring.T
    reach = _NORMAL * ELO_PER_NATURAL * np.sqrt(np.diag(spread))
    for group in groups:
        if group not in levels:
            own = list(group)
            low[own] = np.minimum(low[own], (worths - reach)[own])
            high[own] = np.maximum(high[own], (worths + reach)[own])
    if len(blocks) == 1:
        low, high = np.full(engines, -inf), np.full(engines, inf)
    ratings = zip(worths.tolist(), low.tolist(), high.tolist(), strict=True)
    return Ratings(
        tuple(Rating(engine, *values) for engine, values in enumerate(ratings)), groups, levels
    )
