"""Logistic Elo: the scale of chess, 400 points for odds of 10 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, inf, log, log10, pi, sin, sqrt, tan
from statistics import NormalDist, fmean, variance
from typing import Final

SCALE: Final = 400.0
ELO_PER_NATURAL: Final = SCALE / log(10)
"""Elo points for each unit of a natural log-odds: 400 / ln 10."""


def elo_of(score: float) -> float:
    """The Elo difference at which a share of `score` is expected; infinite for 0 and 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return SCALE * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The share expected at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / SCALE)))


# --- quantiles of Student's t distribution, without scipy

_EXACT: Final = 200
_BISECTIONS: Final = 60


def _within(angle: float, df: int) -> float:
    """The probability of |T| <= t, where tan(angle) = t / sqrt(df)."""
    square = cos(angle) ** 2
    total, term = 0.0, cos(angle) if df % 2 else 1.0
    for k in range(1 + df % 2, df, 2):
        total += term
        term *= k / (k + 1) * square
    if df % 2:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


def _exact(share: float, df: int) -> float:
    """The t for which |T| <= t has this probability."""
    low, high = 0.0, pi / 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, df) < share else (low, middle)
    return sqrt(df) * tan((low + high) / 2)


def _expansion(x: float, df: int) -> float:
    """The quantile of T from that of the normal distribution."""
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / float(df) ** (i + 1) for i, term in enumerate(terms))


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """The quantile of p, 0 < p < 1, of the t distribution with `df` degrees of freedom, from 1."""
    if not 0 < p < 1 or df < 1:
        raise ValueError("p must be between 0 and 1, and df at least 1")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    if df > _EXACT:
        return _expansion(NormalDist().inv_cdf(p), df)
    return _exact(2 * p - 1, df)


# --- a mean over blocks with its 95% confidence interval

CONFIDENCE: Final = 0.95
_TAIL: Final = (1 - CONFIDENCE) / 2


@dataclass(frozen=True)
class Estimate:
    """A mean, the interval in which the true one lies with 95% confidence, and the blocks."""

    mean: float
    low: float
    high: float
    blocks: int


def estimate(values: Sequence[float], bounds: tuple[float, float] = (-inf, inf)) -> Estimate:
    """The mean of blocks' values, which cannot leave `bounds`, by Student's t.

    Blocks that all have one value v show no spread, so t would claim certainty. There the interval
    is what the exact binomial one says: the blocks that are not v are at most a share of
    1 - 0.025^(1/n), and they lie anywhere within the bounds.

    Raises ValueError without a value.
    """
    if not values:
        raise ValueError("an estimate needs a block")
    n, mean = len(values), fmean(values)
    least, most = bounds
    if min(values) == max(values):
        other = 1 - _TAIL ** (1 / n)
        return Estimate(mean, mean - other * (mean - least), mean + other * (most - mean), n)
    reach = t_quantile(1 - _TAIL, n - 1) * sqrt(variance(values, mean) / n)
    return Estimate(mean, max(least, mean - reach), min(most, mean + reach), n)
