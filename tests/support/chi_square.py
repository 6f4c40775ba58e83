"""Counts of random choices against their probabilities, by chi-square."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping


def assert_fair(samples: Mapping[Hashable, int], right: Mapping[Hashable, float]) -> None:
    """Counts against probabilities, by chi-square (Wilson and Hilferty's cube root).

    Rare outcomes are counted as one.
    """
    total = sum(samples.values())
    assert set(samples) <= {key for key, share in right.items() if share > 0}
    assert math.isclose(sum(right.values()), 1.0)
    counts, expected = Counter[Hashable](), Counter[Hashable]()
    for key, share in right.items():
        kept = "rare" if total * share < 8 else key
        counts[kept] += samples.get(key, 0)
        expected[kept] += total * share  # type: ignore[assignment]
    statistic = sum((counts[key] - count) ** 2 / count for key, count in expected.items() if count)
    assert_chi_square(statistic, len(expected))


def assert_chi_square(statistic: float, cells: int) -> None:
    free = cells - 1
    if free == 0:
        return
    part = 2 / (9 * free)
    sigmas = ((statistic / free) ** (1 / 3) - (1 - part)) / math.sqrt(part)
    assert abs(sigmas) < 4, (statistic, free)


def even(keys: Iterable[Hashable]) -> dict[Hashable, float]:
    every = list(keys)
    return dict.fromkeys(every, 1 / len(every))
