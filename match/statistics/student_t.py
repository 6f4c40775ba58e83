"""Quantiles of Student's t distribution, without scipy.

Up to 200 degrees of freedom by bisection of the exact distribution function, a finite sum for whole
degrees of freedom (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4);
beyond by the expansion about the normal quantile (26.7.5), whose error is below 1e-10 there.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import Final

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
