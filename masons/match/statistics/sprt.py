"""A sequential test that decides whether an engine is better by elo1 or only by elo0.

This is the generalized sequential probability ratio test. It counts how many blocks have each
value, which is the mean score in the block. Blocks of two games can have the values 0, 1/4, 1/2,
3/4 and 1, which gives the pentanomial model that is used for chess engines. The log-likelihood
ratio compares two multinomial distributions. One is the most likely distribution whose mean is the
score at elo1, and the other is the most likely distribution whose mean is the score at elo0.
`match_runner` ends a match as soon as the test has a verdict.

Source: Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio
of a multinomial distribution", proposition 1.1, as used by fishtest and fastchess. The bounds come
from Wald's test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from statistics import fmean, variance
from typing import Final, Literal

from masons.engine.errors import MasonsError
from masons.match.statistics.estimates import score_of

MAX_ELO: Final = 2000.0
# The count that the values 0 and 1 get if they did not occur, so that they stay possible. fishtest
# does the same.
_FAINT: Final = 1e-3
_STEPS: Final = 200
_MIN_ADJUSTED: Final = 16  # a test of luck-adjusted values does not end with fewer blocks
_PRECISION: Final = 1e-13


@dataclass(frozen=True)
class SprtBounds:
    """The hypotheses and error rates of a sequential test.

    The hypotheses are Elo differences of one seat against another. `alpha` is the probability of
    accepting H1 (elo1) when elo0 is true, and `beta` is the probability of accepting H0 (elo0) when
    elo1 is true. Raises MasonsError for impossible values.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        elos = (self.elo0, self.elo1)
        if not all(isfinite(elo) and abs(elo) <= MAX_ELO for elo in elos) or elos[0] >= elos[1]:
            raise MasonsError(
                f"sprt {self.elo0:g},{self.elo1:g}: elo0 must be less than elo1,"
                f" both from {-MAX_ELO:g} to {MAX_ELO:g}"
            )
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise MasonsError("sprt: alpha and beta must be above 0 and add up to less than 1")

    @property
    def scores(self) -> tuple[float, float]:
        """The scores expected at elo0 and at elo1."""
        return score_of(self.elo0), score_of(self.elo1)

    def verdict(self, llr: float = 0.0) -> SprtVerdict:
        """Return the verdict at a log-likelihood ratio."""
        lower = log(self.beta / (1 - self.alpha))
        upper = log((1 - self.beta) / self.alpha)
        return SprtVerdict(
            llr, lower, upper, "H0" if llr <= lower else "H1" if llr >= upper else None
        )


@dataclass(frozen=True)
class SprtVerdict:
    """The state of a test: the log-likelihood ratio `llr` and the hypothesis `accepted` so far.

    If `llr` is at or below `lower`, H0 (elo0) is accepted. If it is at or above `upper`, H1 (elo1)
    is accepted. Otherwise `accepted` is None.
    """

    llr: float
    lower: float
    upper: float
    accepted: Literal["H0", "H1"] | None


def sprt(values: Sequence[float] | Mapping[float, int], bounds: SprtBounds) -> SprtVerdict:
    """Return the state of a test after the given blocks.

    `values` either holds the value of each block, as returned by `pair_values`, or maps each value
    to the number of blocks with this value. Raises MasonsError for a value outside 0 to 1.
    """
    counts = Counter(values)
    if not all(0 <= value <= 1 for value in counts):
        raise MasonsError("sprt: the value of a block must be from 0 to 1")
    if not counts:
        return bounds.verdict()
    seen = {0.0: _FAINT, 1.0: _FAINT, **counts}
    # In the most likely distribution with mean s, a value v has the probability
    # p / (1 + x (v - s)). Here p is the share of v in the data, and x is chosen so that the
    # probabilities add up to 1.
    logs = []
    for s in bounds.scores:
        terms = [(n, value - s) for value, n in seen.items()]
        x = _tilt(terms)
        logs.append(-sum(n * log(1 + x * d) for n, d in terms))
    return bounds.verdict(logs[1] - logs[0])


def adjusted_sprt(values: Sequence[float], bounds: SprtBounds) -> SprtVerdict:
    """Return the state of a test of luck-adjusted values, which may be below 0 or above 1.

    The values are assumed to have a normal distribution, an approximation by Van den Bergh that
    fishtest has used. Because of this approximation, the test accepts no hypothesis before
    `_MIN_ADJUSTED` blocks.
    """
    if len(values) < _MIN_ADJUSTED or not (spread := variance(values)):
        return bounds.verdict()
    s0, s1 = bounds.scores
    return bounds.verdict(len(values) * (s1 - s0) * (2 * fmean(values) - s0 - s1) / (2 * spread))


def _tilt(terms: Sequence[tuple[float, float]]) -> float:
    """Return the x between the two poles for which the sum of n d / (1 + x d) over `terms` is 0.

    Each term is (n, d). Newton's method is used, with a step of bisection whenever Newton's step
    would leave the interval that contains x.
    """
    low = -1 / max(d for _, d in terms)
    high = -1 / min(d for _, d in terms)
    x, width = 0.0, high - low
    for _ in range(_STEPS):
        value = slope = 0.0
        for n, d in terms:
            part = d / (1 + x * d)
            value += n * part
            slope -= n * part * part
        low, high = (x, high) if value > 0 else (low, x)
        step = x - value / slope
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= _PRECISION * width:
            return following
        x = following
    return x
