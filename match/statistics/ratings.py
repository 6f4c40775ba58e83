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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.match.statistics.elo import ELO_PER_NATURAL
from masons.match.statistics.estimate import CONFIDENCE
from masons.match.statistics.game_results import Block
from masons.match.statistics.plackett_luce import (
    PRIOR,
    ChoiceCounts,
    Ranking,
    count_choices,
    covariance,
    fit,
)

Numbers = NDArray[np.float64]
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
