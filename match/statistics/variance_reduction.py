"""By how much blocks cut the variance: what equal luck and swapped seats save, measured.

The variance of a block's mean is set against that of the mean of as many independent games:

- of the *same seatings*, each with luck of its own: what equal luck alone brings;
- of *any seatings* with luck of their own: what equal luck and balanced seats bring together.

A ratio of 0.5 means that half as many games say as much. Its standard error is the jackknife's,
leaving out a block at a time (Efron and Tibshirani, An Introduction to the Bootstrap, 11.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.match.statistics.engine_scores import pair_scores
from masons.match.statistics.game_results import Block, GameResult

Numbers = NDArray[np.float64]

MIN_BLOCKS: Final = 3


@dataclass(frozen=True)
class Ratio:
    """A variance divided by another, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class VarianceCut:
    """The variance of block means, as a ratio to that of independent games; None: no variance."""

    blocks: int
    same_seatings: Ratio | None
    any_seatings: Ratio | None


def _variances(total: Numbers, squares: Numbers, count: int) -> Numbers:
    """Sample variances, from sums of values and of squares about any point."""
    return np.maximum(squares - total**2 / count, 0) / (count - 1)


def _spreads(values: Numbers) -> tuple[Numbers, Numbers]:
    """The variances of block means, games by seating, and all games; float64[3], float64[n, 3].

    Those of games are divided by the games of a block. First over all blocks, then without each of
    them. `values` is float64[n blocks, games].
    """
    n, games = values.shape
    centred = values - values.mean()
    means = centred.mean(axis=1, keepdims=True)
    whole, without = np.empty(3), np.empty((n, 3))
    for i, own in enumerate((means, centred)):
        total, squares = own.sum(axis=0), (own**2).sum(axis=0)
        scale = own.shape[1]
        whole[i] = _variances(total, squares, n).mean() / scale
        without[:, i] = _variances(total - own, squares - own**2, n - 1).mean(axis=1) / scale
    total, squares = centred.sum(axis=1), (centred**2).sum(axis=1)
    whole[2] = _variances(total.sum(), squares.sum(), n * games) / games
    left = _variances(total.sum() - total, squares.sum() - squares, (n - 1) * games)
    without[:, 2] = left / games
    return whole, without


def _ratio(spreads: Sequence[tuple[Numbers, Numbers]], column: int) -> Ratio | None:
    """Block means against a column of independent games, the line-ups weighted by their blocks."""
    weights = [len(without) - 1 for _, without in spreads]
    pooled = np.sum([w * whole for w, (whole, _) in zip(weights, spreads, strict=True)], axis=0)
    left_out = []
    for w, (whole, without) in zip(weights, spreads, strict=True):
        rest = pooled - w * whole
        left_out.append(rest + (w - 1) * without)
    all_left = np.concatenate(left_out)
    if pooled[column] <= 0 or (all_left[:, column] <= 0).any():
        return None
    ratios = all_left[:, 0] / all_left[:, column]
    n = len(ratios)
    error = sqrt((n - 1) / n * float(((ratios - ratios.mean()) ** 2).sum()))
    return Ratio(float(pooled[0] / pooled[column]), error)


def variance_cut(
    blocks: Sequence[Block], value: Callable[[GameResult], float]
) -> VarianceCut | None:
    """What blocks cut from the variance of the mean of a game's `value`.

    Blocks are full, their games in the order of the line-up. Blocks of different line-ups are known
    by their seatings; a line-up with fewer than MIN_BLOCKS is left out. None where no line-up
    has as many.
    """
    by_lineup: dict[tuple[tuple[int, ...], ...], list[list[float]]] = {}
    for block in blocks:
        lineup = tuple(game.engines for game in block)
        by_lineup.setdefault(lineup, []).append([value(game) for game in block])
    tables = [np.array(rows) for rows in by_lineup.values() if len(rows) >= MIN_BLOCKS]
    if not tables:
        return None
    spreads = [_spreads(table) for table in tables]
    return VarianceCut(sum(map(len, tables)), _ratio(spreads, 1), _ratio(spreads, 2))


def pair_variance_cut(blocks: Sequence[Block], a: int, b: int) -> VarianceCut | None:
    """What blocks cut from the variance of the score of `a` against `b`."""
    met = [block for block in blocks if all({a, b} <= set(game.engines) for game in block)]
    return variance_cut(met, lambda game: fmean(pair_scores(game, a, b)))
