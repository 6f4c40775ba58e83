"""A mean over blocks with its 95% confidence interval.

The block is the unit: its games share their luck and are not independent; blocks are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, variance
from typing import Final

from masons.match.statistics.student_t import t_quantile

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
