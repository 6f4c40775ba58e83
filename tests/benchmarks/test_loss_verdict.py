"""The statistics by which `benchmarks/against.py` fails or passes: no clock is read here."""

from __future__ import annotations

import random
import statistics
from itertools import product

import pytest

from benchmarks.harness.loss_verdict import CONFIDENCE, assess, lower_bound


def coverage(n: int) -> float:
    """How often the bound is below the median 0 of n draws, over all patterns of their signs."""
    below = [
        lower_bound([sign * (i + 1) for i, sign in enumerate(signs)]) < 0
        for signs in product((-1, 1), repeat=n)
    ]
    return statistics.mean(below)


@pytest.mark.parametrize(("n", "place"), [(1, 0), (4, 0), (5, 0), (7, 0), (8, 1), (10, 1), (11, 2)])
def test_the_bound_is_one_of_the_lowest(n: int, place: int) -> None:
    values = [1 + i / 100 for i in range(n)]
    random.Random(n).shuffle(values)
    assert lower_bound(values) == sorted(values)[place]


@pytest.mark.parametrize("n", [5, 7, 8, 10, 11, 13])
def test_the_bound_holds_as_often_as_it_says(n: int) -> None:
    assert coverage(n) >= CONFIDENCE


@pytest.mark.parametrize("n", [8, 11, 13])
def test_no_higher_value_would_hold(n: int) -> None:
    """The next value up would be above the median more often than the confidence allows."""
    place = sorted(range(n)).index(int(lower_bound(list(range(n)))))
    above = sum(
        sorted(sign * (i + 1) for i, sign in enumerate(signs))[place + 1] > 0
        for signs in product((-1, 1), repeat=n)
    )
    assert above / 2**n > 1 - CONFIDENCE


def test_no_difference_is_no_loss() -> None:
    verdict = assess([[1.0, 0.98, 1.03]] * 5)
    assert (verdict.ratio, verdict.is_loss, verdict.is_doubtful) == (1.0, False, False)


def test_a_gain_is_no_loss() -> None:
    assert not assess([[0.5, 0.52, 0.48]] * 5).is_loss


def test_a_clear_loss() -> None:
    verdict = assess([[1.15, 1.14, 1.6], [1.13], [1.16], [1.15, 0.7, 1.2], [1.14]])
    assert verdict.is_loss
    assert verdict.ratio == 1.15
    assert verdict.low == 1.13


def test_exactly_the_loss_is_one() -> None:
    assert assess([[1.5]] * 5, loss=0.5).is_loss
    assert not assess([[1.49]] * 5, loss=0.5).is_loss


def test_one_calm_launch_makes_a_loss_doubtful() -> None:
    launches = [[1.15], [1.16], [1.14], [1.15], [1.01]]
    verdict = assess(launches)
    assert (verdict.is_loss, verdict.is_doubtful) == (False, True)
    assert assess([*launches, [1.15], [1.16], [1.14]]).is_loss


def test_two_wild_launches_are_no_loss() -> None:
    verdict = assess([[1.0], [1.01], [3.0], [2.5], [0.99]])
    assert (verdict.is_loss, verdict.is_doubtful) == (False, False)


def noisy(rng: random.Random, slower: float) -> list[list[float]]:
    """Five launches of three rounds: 4% noise from launch to launch, 8% from round to round."""
    return [
        [slower * launch * rng.lognormvariate(0, 0.08) for _ in range(3)]
        for launch in (rng.lognormvariate(0, 0.04) for _ in range(5))
    ]


def test_noise_alone_hardly_ever_fails() -> None:
    rng = random.Random(1)
    assert sum(assess(noisy(rng, 1.0)).is_loss for _ in range(4000)) <= 4


def test_a_real_loss_is_seen_or_looked_at_again() -> None:
    rng = random.Random(2)
    verdicts = [assess(noisy(rng, 1.2)) for _ in range(1000)]
    assert sum(verdict.is_loss or verdict.is_doubtful for verdict in verdicts) > 950
