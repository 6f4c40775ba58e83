"""Luck-adjusted results, and the variance that blocks save.

A *luck-adjusted* result is a seat's share of the victory minus the part of it that the seat gained
by the deal, dice and cards (`masons.ai.review.luck`). This gain is 0 on average for every player,
so subtracting it does not change the expected result and only narrows its interval. In statistical
terms, the gain is a control variate with the coefficient 1.

*Variance saved* is a ratio: the variance of a block's mean divided by the variance of the mean of
the same number of independent games. If the independent games have the same seatings as the block,
the ratio measures the effect of duplicate deals alone. If they have random seatings, it measures
the effect of duplicate deals and balanced seats together. A ratio of 0.5 means that half as many
games give the same interval. Standard errors come from the jackknife, which leaves out one block at
a time (Efron and Tibshirani, An Introduction to the Bootstrap, 11.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.jit import FloatArray
from masons.match.statistics.engine_scores import Block, GameResult, block_means, pair_scores
from masons.match.statistics.estimates import Estimate, elo_estimate, estimate

MIN_BLOCKS: Final = 3  # line-ups with fewer blocks are left out of the saved variance
_MIN_ADJUSTED: Final = 8  # the fewest blocks for which the ratios of `Adjusted` are computed


@dataclass(frozen=True)
class Ratio:
    """The ratio of two variances, with its standard error."""

    value: float
    error: float


# --- variance saved by blocks


@dataclass(frozen=True)
class VarianceCut:
    """The variance of block means, divided by the variance of means of independent games.

    For `same_seatings`, the independent games have the seatings of a block; for `any_seatings`,
    they have random seatings. A ratio is None if the games have no variance.
    """

    same_seatings: Ratio | None
    any_seatings: Ratio | None


def _variances(total: FloatArray, squares: FloatArray, count: int) -> FloatArray:
    """Return sample variances from the sums of `count` values and the sums of their squares."""
    return np.maximum(squares - total**2 / count, 0) / (count - 1)


def _spreads(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return three variances: of block means, of games with equal seatings, and of all games.

    The variances of games are divided by the number of games in a block. `values` is
    float64[n blocks, games]. The first result, float64[3], has the variances over all blocks. Row i
    of the second result, float64[n, 3], has the variances without block i.
    """
    n, games = values.shape
    centered = values - values.mean()
    means = centered.mean(axis=1, keepdims=True)
    whole, without = np.empty(3), np.empty((n, 3))
    for i, column in enumerate((means, centered)):
        total, squares = column.sum(axis=0), (column**2).sum(axis=0)
        scale = column.shape[1]
        whole[i] = _variances(total, squares, n).mean() / scale
        left = _variances(total - column, squares - column**2, n - 1)
        without[:, i] = left.mean(axis=1) / scale
    total, squares = centered.sum(axis=1), (centered**2).sum(axis=1)
    whole[2] = _variances(total.sum(), squares.sum(), n * games) / games
    left = _variances(total.sum() - total, squares.sum() - squares, (n - 1) * games)
    without[:, 2] = left / games
    return whole, without


def _pooled_ratio(spreads: Sequence[tuple[FloatArray, FloatArray]], column: int) -> Ratio | None:
    """Return the variance of block means divided by the variance in `column`.

    `spreads` has the result of `_spreads` for each line-up. The weight of a line-up is its number
    of blocks minus 1.
    """
    weights = [len(without) - 1 for _, without in spreads]
    pooled = np.sum([w * whole for w, (whole, _) in zip(weights, spreads, strict=True)], axis=0)
    left_out = np.concatenate(
        [
            pooled - w * whole + (w - 1) * without
            for w, (whole, without) in zip(weights, spreads, strict=True)
        ]
    )
    if pooled[column] <= 0 or (left_out[:, column] <= 0).any():
        return None
    ratios = left_out[:, 0] / left_out[:, column]
    n = len(ratios)
    error = sqrt((n - 1) / n * float(((ratios - ratios.mean()) ** 2).sum()))
    return Ratio(float(pooled[0] / pooled[column]), error)


def variance_cut(
    blocks: Sequence[Block], value: Callable[[GameResult], float]
) -> VarianceCut | None:
    """Return how much variance blocks save (see the module) in the mean of `value` over games.

    The blocks must be full, with their games in the order of the line-up. A line-up with fewer than
    MIN_BLOCKS blocks is left out. Return None if no line-up remains.
    """
    by_lineup: dict[tuple[tuple[int, ...], ...], list[list[float]]] = {}
    for block in blocks:
        lineup = tuple(game.engines for game in block)
        by_lineup.setdefault(lineup, []).append([value(game) for game in block])
    tables = [np.array(rows) for rows in by_lineup.values() if len(rows) >= MIN_BLOCKS]
    if not tables:
        return None
    spreads = [_spreads(table) for table in tables]
    return VarianceCut(_pooled_ratio(spreads, 1), _pooled_ratio(spreads, 2))


def pair_variance_cut(blocks: Sequence[Block], a: int, b: int) -> VarianceCut | None:
    """Return how much variance blocks save (see the module) in the score of `a` against `b`."""
    shared = [block for block in blocks if all({a, b} <= set(game.engines) for game in block)]
    return variance_cut(shared, lambda game: fmean(pair_scores(game, a, b)))


# --- luck-adjusted results


@dataclass(frozen=True)
class Adjusted:
    """The luck-adjusted results of a match.

    `score` is that of the first engine. `score` and `elo` are None unless two engines played
    two-player games. Each ratio compares two variances. It also says how many games are needed for
    the same interval: a ratio of 0.5 means half as many.
    """

    score: Estimate | None
    elo: Estimate | None
    correlation: float  # between luck and the share of the victory, over all seats and games
    games: Ratio | None = None  # adjusted blocks compared with plain blocks
    independent: Ratio | None = None  # adjusted blocks compared with plain independent games
    by_blocks: Ratio | None = None  # plain blocks compared with plain independent games
    by_luck: Ratio | None = None  # adjusted independent games compared with plain ones


def adjusted(blocks: Sequence[Block], engines: Sequence[int]) -> Adjusted | None:
    """Return the luck-adjusted results of full blocks, or None if there is no block.

    The luck of all games must be known.
    """
    if not blocks:
        return None
    score, elo = None, None
    if len(engines) == 2 and len(blocks[0][0].engines) == 2:
        # An adjusted score may be below 0 or above 1.
        score = estimate(adjusted_values(blocks, engines[0]))
        elo = elo_estimate(score)
    return Adjusted(score, elo, _correlation(blocks), **_games_needed(blocks, engines[0]))


def luck_of(game: GameResult, seat: int) -> float:
    """Return the share of the victory that a seat gained by chance, which must be known."""
    assert game.luck is not None
    return game.luck[seat]


def _without_luck(game: GameResult, seat: int) -> float:
    return game.first_shares[seat] - luck_of(game, seat)


def adjusted_values(blocks: Sequence[Block], engine: int) -> list[float]:
    """Return an engine's luck-adjusted share of the victory in each block in which it plays."""
    return block_means(blocks, engine, _without_luck)


def _correlation(blocks: Sequence[Block]) -> float:
    games = [game for block in blocks for game in block]
    shares = np.concatenate([game.first_shares for game in games])
    luck = np.concatenate([game.luck or () for game in games])
    spread = shares.std() * luck.std()
    return float(np.cov(luck, shares, ddof=0)[0, 1] / spread) if spread else 0.0


def _games_needed(blocks: Sequence[Block], engine: int) -> dict[str, Ratio]:
    """Return the ratios of `Adjusted` for an engine, or an empty dict for too few blocks."""
    raw = np.array(block_means(blocks, engine, lambda game, seat: game.first_shares[seat]))
    less = np.array(adjusted_values(blocks, engine))
    if len(raw) < _MIN_ADJUSTED or not raw.var() > 0:
        return {}
    seats = [[(game, s) for game in block for s in game.seats_of(engine)] for block in blocks]
    sizes = [len(block) for block in seats if block]
    single = np.array([game.first_shares[seat] for block in seats for game, seat in block])
    alone = np.array([_without_luck(game, seat) for block in seats for game, seat in block])
    games = _variance_ratio(less, raw, np.arange(len(raw)))
    # The error of the variance of single games is negligible.
    scale = float(raw.var() / (single.var() / (len(single) / len(raw))))
    both = games.value * scale
    return {
        "games": games,
        "independent": Ratio(both, _error_of_variance(less) * both),
        "by_blocks": Ratio(scale, _error_of_variance(raw) * scale),
        "by_luck": _variance_ratio(alone, single, np.repeat(np.arange(len(sizes)), sizes)),
    }


def _variance_ratio(
    less: FloatArray, raw: FloatArray, blocks: NDArray[np.signedinteger[Any]]
) -> Ratio:
    """Return the variance of `less` divided by the variance of `raw`.

    `blocks` has the block number of each value. The standard error comes from the jackknife.
    """
    count = int(blocks[-1]) + 1
    left_out = [less[blocks != i].var() / (raw[blocks != i].var() or 1.0) for i in range(count)]
    error = np.sqrt((count - 1) * np.var(left_out))
    return Ratio(float(less.var() / raw.var()), float(error))


def _error_of_variance(values: FloatArray) -> float:
    """Return the standard error of a sample's variance, divided by the variance."""
    squares = (values - values.mean()) ** 2
    return float(squares.std() / squares.mean() / np.sqrt(len(values)))
