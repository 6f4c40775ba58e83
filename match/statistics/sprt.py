"""A sequential test of two engines over blocks: whether one is better by elo1, or only by elo0.

The generalised sequential probability ratio test: the values of the blocks are counted by kind (for
blocks of two games 0, 1/4, 1/2, 3/4 and 1: the pentanomial of chess testing), and the log of the
ratio of the likelihoods of two multinomial distributions is followed: the likeliest of those whose
mean is the score at elo1, and the likeliest of those whose mean is the score at elo0. Whatever the
games of a block have in common is in the spread of its values, so pairing pays.

Source: Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio
of a multinomial distribution", proposition 1.1, as used by fishtest and fastchess; the bounds are
those of Wald.
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
# The count of a value that did not occur, as in fishtest: keeps 0 and 1 possible.
_FAINT: Final = 1e-3
_STEPS: Final = 200
_MIN_ADJUSTED: Final = 16
_PRECISION: Final = 1e-13


@dataclass(frozen=True)
class Verdict:
    """Where a test stands.

    The log-likelihood ratio, the bounds at which H0 (only elo0) and H1 (elo1) are accepted, and
    what is, if anything.
    """

    llr: float
    lower: float
    upper: float
    accepted: Literal["H0", "H1"] | None


def _tilt(terms: Sequence[tuple[float, float]]) -> float:
    """The root x of the sum of n d / (1 + x d) over (n, d), which falls between its two poles.

    Newton's method, within a bracket that is halved where Newton leaves it.
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


def _log_ratio(counts: Mapping[float, float], s0: float, s1: float) -> float:
    """The log of the likelihood ratio of mean s1 against s0.

    The likeliest distribution of mean s gives a value a the probability p / (1 + x (a - s)), where
    p is its share in the data and x such that they add up.
    """
    logs = [0.0, 0.0]
    for i, s in enumerate((s0, s1)):
        terms = [(n, value - s) for value, n in counts.items()]
        x = _tilt(terms)
        logs[i] = -sum(n * log(1 + x * d) for n, d in terms)
    return logs[1] - logs[0]


def adjusted_sprt(
    values: Sequence[float], elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05
) -> Verdict:
    """The same test of values that luck was taken off, which are of no kinds and leave 0 to 1.

    They are taken to be normal (Van den Bergh's approximation, as fishtest used it), so there is
    no verdict on the first `_MIN_ADJUSTED` blocks.
    """
    _check((), elo0, elo1, alpha, beta)
    lower, upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    if len(values) < _MIN_ADJUSTED or not (spread := variance(values)):
        return Verdict(0.0, lower, upper, None)
    s0, s1 = score_of(elo0), score_of(elo1)
    llr = len(values) * (s1 - s0) * (2 * fmean(values) - s0 - s1) / (2 * spread)
    return Verdict(llr, lower, upper, "H0" if llr <= lower else "H1" if llr >= upper else None)


def _check(values: Sequence[float], elo0: float, elo1: float, alpha: float, beta: float) -> None:
    if not all(isfinite(elo) and abs(elo) <= MAX_ELO for elo in (elo0, elo1)) or elo0 >= elo1:
        raise MasonsError(
            f"sprt {elo0:g},{elo1:g}: elo0 must be less than elo1,"
            f" both from {-MAX_ELO:g} to {MAX_ELO:g}"
        )
    if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
        raise MasonsError("sprt: alpha and beta must be above 0 and add up to less than 1")
    if not all(0 <= value <= 1 for value in values):
        raise MasonsError("sprt: the value of a block must be from 0 to 1")


def verdict_of(
    counts: Mapping[float, int], elo0: float, elo1: float, alpha: float, beta: float
) -> Verdict:
    """Where a test stands after so many blocks of each value."""
    lower, upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    if not counts:
        return Verdict(0.0, lower, upper, None)
    whole = {0.0: _FAINT, 1.0: _FAINT, **counts}
    llr = _log_ratio(whole, score_of(elo0), score_of(elo1))
    return Verdict(llr, lower, upper, "H0" if llr <= lower else "H1" if llr >= upper else None)


def sprt(
    values: Sequence[float], elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05
) -> Verdict:
    """Where a test stands after blocks of these values (0 to 1, as `statistics.pair_values`).

    `alpha` is the probability of H1 where elo0 is true, `beta` that of H0 where elo1 is. Elo is
    that of the score of seat against seat, logistic. Raises MasonsError for values that make no
    test; without blocks, too.
    """
    _check(values, elo0, elo1, alpha, beta)
    return verdict_of(Counter(values), elo0, elo1, alpha, beta)
