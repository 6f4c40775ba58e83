"""Means over blocks with 95% confidence intervals, and the Elo scale of chess.

Blocks are independent of each other. The games of one block are not, because they share dice and
cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, inf, log, log10, pi, sin, sqrt, tan
from statistics import NormalDist, fmean, variance
from typing import Final

CONFIDENCE: Final = 0.95
TAIL: Final = (1 - CONFIDENCE) / 2

SCALE: Final = 400.0
ELO_PER_NATURAL: Final = SCALE / log(10)
"""The number of Elo points in one unit of the natural log-odds, 400 / ln 10."""

_EXACT: Final = 200  # the greatest number of degrees of freedom with exact quantiles
_BISECTIONS: Final = 60


@dataclass(frozen=True)
class Estimate:
    """A mean over blocks and its 95% confidence interval."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float], bounds: tuple[float, float] = (-inf, inf)) -> Estimate:
    """Return the mean of the blocks' values with Student's t interval.

    All values must lie within `bounds`. If all n values are equal, the t interval would have the
    width 0. Then the interval allows for blocks with other values, anywhere within `bounds`. Their
    share of all blocks is at most 1 - 0.025^(1/n), as in the exact binomial interval.

    Raises ValueError if there are no values.
    """
    if not values:
        raise ValueError("an estimate needs a block")
    n, mean = len(values), fmean(values)
    least, most = bounds
    if min(values) == max(values):
        other = 1 - TAIL ** (1 / n)
        return Estimate(mean, mean - other * (mean - least), mean + other * (most - mean))
    half_width = t_quantile(1 - TAIL, n - 1) * sqrt(variance(values, mean) / n)
    return Estimate(mean, max(least, mean - half_width), min(most, mean + half_width))


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """Return the p-quantile, 0 < p < 1, of the t distribution with `df` >= 1 degrees of freedom.

    Up to 200 degrees of freedom, the quantile is found by bisection of the exact distribution
    function. Above that, it comes from a series around the normal quantile, with an error below
    1e-10 (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 to 26.7.5). Raises
    ValueError for other arguments.
    """
    if not 0 < p < 1 or df < 1:
        raise ValueError("p must be between 0 and 1, and df at least 1")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    if df > _EXACT:
        x = NormalDist().inv_cdf(p)
        terms = (
            (x**3 + x) / 4,
            (5 * x**5 + 16 * x**3 + 3 * x) / 96,
            (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
            (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
        )
        return x + sum(term / float(df) ** (i + 1) for i, term in enumerate(terms))
    low, high = 0.0, pi / 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _two_sided(middle, df) < 2 * p - 1 else (low, middle)
    return sqrt(df) * tan((low + high) / 2)


def _two_sided(angle: float, df: int) -> float:
    """Return the probability that |T| <= t, where tan(angle) = t / sqrt(df)."""
    square = cos(angle) ** 2
    total, term = 0.0, cos(angle) if df % 2 else 1.0
    for k in range(1 + df % 2, df, 2):
        total += term
        term *= k / (k + 1) * square
    return 2 / pi * (angle + sin(angle) * total) if df % 2 else sin(angle) * total


def elo_of(score: float) -> float:
    """Return the Elo difference at which `score` is the expected score.

    It is infinite for a score that is not between 0 and 1.
    """
    if not 0 < score < 1:
        return -inf if score <= 0 else inf
    return SCALE * log10(score / (1 - score))


def elo_estimate(score: Estimate) -> Estimate:
    """Return the mean score and its interval, converted to Elo differences."""
    return Estimate(elo_of(score.mean), elo_of(score.low), elo_of(score.high))


def score_of(elo: float) -> float:
    """Return the expected score, from 0 to 1, at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / SCALE)))
