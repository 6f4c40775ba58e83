"""Whether one side is slower than the other: plain statistics of ratios.

A ratio is ours to theirs in CPU seconds, so more than 1 is slower. Within a launch (a fresh pair of
processes) the ratios of its rounds share what is peculiar to the two processes, such as where their
code lies in memory; launches do not. So a launch counts as one observation, its rounds' median, and
what noise can do is judged from the launches.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

LOSS = 0.10
CONFIDENCE = 0.95


class Verdict(NamedTuple):
    """What the launches say about one piece of work."""

    ratio: float
    low: float  # the true ratio is above that, with CONFIDENCE where there are 5 launches or more
    is_loss: bool
    is_doubtful: bool  # it looks like a loss, but noise could do that: more launches will tell


def lower_bound(values: Sequence[float], confidence: float = CONFIDENCE) -> float:
    """A bound below the median of what the values are drawn from, whatever its distribution.

    The k-th lowest of n values lies above that median as often as n coins show fewer than k heads.
    The highest such value that is still below it with the confidence is taken; where even the
    lowest is not (fewer than 5 values at 95%), the lowest.
    """
    ordered = sorted(values)
    n = len(ordered)
    chance, rank = 0.0, 0
    for heads in range(n):
        chance += math.comb(n, heads) / 2**n
        if chance > 1 - confidence:
            break
        rank = heads
    return ordered[rank]


def assess(launches: Sequence[Sequence[float]], loss: float = LOSS) -> Verdict:
    """The verdict on the ratios of each launch's rounds.

    A loss is what costs so much more in the middle launch, and for sure at least half of that: a
    burst of noise in one launch or two proves nothing.
    """
    medians = [statistics.median(ratios) for ratios in launches]
    ratio, low = statistics.median(medians), lower_bound(medians)
    looks_lost, is_sure = ratio >= 1 + loss, low >= 1 + loss / 2
    return Verdict(ratio, low, looks_lost and is_sure, looks_lost and not is_sure)
