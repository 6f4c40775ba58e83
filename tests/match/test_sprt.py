"""The sequential test, against published numbers and by playing it out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from math import exp, inf, log

import pytest

from masons.engine.errors import MasonsError
from masons.match.statistics.estimates import elo_of, score_of
from masons.match.statistics.sprt import Verdict, sprt, verdict_of

PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)
TRINOMIAL = (0.0, 0.5, 1.0)


def blocks(counts: Sequence[int]) -> list[float]:
    """The values of blocks that were counted by kind, from the worst."""
    kinds = {3: TRINOMIAL, 5: PENTANOMIAL}[len(counts)]
    return [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]


# fastchess, app/tests/sprt_test.cpp, the logistic tests: two decimals.
@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, -3.07),
        ([871, 26175, 55003 + 980, 26678, 821], 0, 2, -4.98),
        ([21184, 40708, 21404], 0.5, 2.5, -1.57),
        ([57030, 106593, 57433], 0, 2, -2.59),
    ],
)
def test_fastchess(counts: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert sprt(blocks(counts), elo0, elo1).llr == pytest.approx(llr, abs=0.005)


# LLR_logistic of fishtest, server/fishtest/stats/LLRcalc.py; the first two on the data that its
# stat_util.py tries itself with. Where a kind did not occur, fishtest counts it as 0.001; here only
# 0 and 1 are so counted, which is why the kinds between them all occur.
@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ([10789, 19328, 33806, 19402, 10543], -3, 1, 2.1310678117940807),
        ([39, 2226, 31451, 2412, 40], 0.2, 0.9, 2.1625425800483593),
        ([3, 10, 20, 12, 0], 0, 5, -0.18807080345449173),
        ([1, 4, 9, 11, 3], 0, 60, 1.939234988522787),
    ],
)
def test_fishtest(counts: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert sprt(blocks(counts), elo0, elo1).llr == pytest.approx(llr, rel=1e-6)


def best_log_likelihood(counts: Sequence[int], mean: float) -> float:
    """The greatest log-likelihood of three kinds at a mean, by trying the one free probability."""
    lost, even, won = counts
    best = -inf
    for i in range(1, 20_000):
        win = mean * i / 20_000
        draw = 2 * (mean - win)
        loss = 1 - win - draw
        if draw > 0 and loss > 0:
            best = max(best, lost * log(loss) + even * log(draw) + won * log(win))
    return best


@pytest.mark.parametrize("counts", [(5, 8, 9), (40, 1, 3), (1, 30, 2)])
def test_the_ratio_is_that_of_the_likeliest_distributions(counts: tuple[int, ...]) -> None:
    expected = best_log_likelihood(counts, score_of(50)) - best_log_likelihood(counts, score_of(-9))
    assert sprt(blocks(counts), -9, 50).llr == pytest.approx(expected, abs=1e-4)


def test_elo_and_score() -> None:
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.848502)
    assert elo_of(score_of(-123.4)) == pytest.approx(-123.4)
    assert (elo_of(0), elo_of(1)) == (-inf, inf)


def test_bounds() -> None:
    verdict = sprt([], 0, 10)
    assert (verdict.llr, verdict.accepted) == (0.0, None)
    assert verdict.upper == pytest.approx(log(19))
    assert verdict.lower == pytest.approx(-log(19))
    uneven = sprt([], 0, 10, alpha=0.01, beta=0.1)
    assert uneven.upper == pytest.approx(log(90))
    assert uneven.lower == pytest.approx(log(0.1 / 0.99))


def test_the_better_side_gains() -> None:
    values = blocks([3, 8, 12, 9, 2])
    turned = [1 - value for value in values]
    assert sprt(values, -20, 20).llr == pytest.approx(-sprt(turned, -20, 20).llr)
    assert sprt([*values, 1.0], 0, 20).llr > sprt(values, 0, 20).llr


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
def test_blocks_all_alike(value: float) -> None:
    """Nothing was seen but one value; 0 and 1 stay possible, so the ratio stays finite."""
    verdict = sprt([value] * 40, 0, 100)
    assert abs(verdict.llr) < 1000
    assert (verdict.llr > 0) == (value > 0.6)
    if value == 1:
        assert verdict.llr == pytest.approx(40 * log(score_of(100) / score_of(0)), abs=0.02)


def first_verdict(values: Sequence[float], elo0: float, elo1: float) -> tuple[int, Verdict] | None:
    """How many blocks a test took, in order, until it accepted something, and what; or None."""
    counts: Counter[float] = Counter()
    for played, value in enumerate(values, start=1):
        counts[value] += 1
        verdict = verdict_of(counts, elo0, elo1, 0.05, 0.05)
        if verdict.accepted:
            return played, verdict
    return None


def test_the_first_verdict_is_that_of_the_blocks_before_it() -> None:
    values = blocks([0, 1, 6, 25, 10])
    random.Random(5).shuffle(values)
    found = first_verdict([*values, *[0.0] * 100], 0, 60)
    assert found is not None
    played, verdict = found
    assert verdict.accepted == "H1"
    assert verdict == sprt(values[:played], 0, 60)
    assert sprt(values[: played - 1], 0, 60).accepted is None
    assert first_verdict(values[: played - 1], 0, 60) is None


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta"),
    [
        (5, 5, 0.05, 0.05),
        (5, 0, 0.05, 0.05),
        (0, float("nan"), 0.05, 0.05),
        (0, inf, 0.05, 0.05),
        (0, 2001, 0.05, 0.05),
        (0, 5, 0, 0.05),
        (0, 5, 0.05, 1),
        (0, 5, 0.5, 0.5),
    ],
)
def test_what_makes_no_test(elo0: float, elo1: float, alpha: float, beta: float) -> None:
    with pytest.raises(MasonsError):
        sprt([], elo0, elo1, alpha, beta)
    with pytest.raises(MasonsError):
        sprt([0.5], elo0, elo1, alpha, beta)


def test_values_are_shares() -> None:
    with pytest.raises(MasonsError):
        sprt([0.5, 1.5], 0, 5)


def tilted(chances: Sequence[float], mean: float) -> list[float]:
    """The distribution nearest to `chances` over the five kinds that has a mean."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = [p * exp(tilt * kind) for p, kind in zip(chances, PENTANOMIAL, strict=True)]
        total = sum(weights)
        found = sum(w * kind for w, kind in zip(weights, PENTANOMIAL, strict=True)) / total
        low, high = (tilt, high) if found < mean else (low, tilt)
    return [w / total for w in weights]


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0, 60])
def test_error_rates(truth: float) -> None:
    """300 tests of two engines of equal strength, and of two that are 60 Elo apart."""
    chances = tilted([0.1, 0.2, 0.4, 0.2, 0.1], score_of(truth))
    rng = random.Random(7)
    found = [first_verdict(rng.choices(PENTANOMIAL, chances, k=1500), 0, 60) for _ in range(300)]
    accepted = [own[1].accepted for own in found if own is not None]
    wrong = accepted.count("H1" if truth == 0 else "H0")
    assert len(accepted) == 300
    # 5% of 300, give or take two standard errors.
    assert 15 - 8 <= wrong <= 15 + 8
