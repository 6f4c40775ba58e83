"""The estimate of a rollout from whole games and from their first turns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from masons.ai.rollout.evidence import NORMAL, PairedSums, WinEstimate
from masons.engine.kernels.jit import FloatArray


def games_of(rng: np.random.Generator, worlds: int, error: FloatArray) -> FloatArray:
    """Return games of equally good moves: float64[worlds, moves, (result, value, rest)].

    The values after some turns are wrong by the `error` of each move.
    """
    shape = worlds, len(error)
    cut = 0.5 + 0.1 * rng.normal(size=(worlds, 1)) + 0.1 * rng.normal(size=shape) + error
    rest = 0.3 * rng.normal(size=shape) - error
    return np.stack([cut + rest, cut, rest], axis=2)


def cut_games(rng: np.random.Generator, worlds: int, tau: float, moves: int = 3) -> PairedSums:
    """Return the sums of games of equally good moves; `tau` is how wrong their values are."""
    sums = PairedSums(moves, 3)
    sums.add(range(moves), games_of(rng, worlds, tau * rng.normal(size=moves)))
    return sums


@pytest.mark.parametrize(
    ("worlds", "share", "width"), [(60, 0.91, 0.43), (1500, 0.56, 0.69), (8000, 0.3, 0.85)]
)
def test_the_values_of_first_turns_narrow_intervals_that_hold_all_the_same(
    worlds: int, share: float, width: float
) -> None:
    rng, inside, widths, shares, prior = np.random.default_rng(worlds), [], [], [], 1e-4
    for _ in range(400):
        tau = 0.3 * math.sqrt(prior * math.exp(2.5 * rng.normal()))
        sums = cut_games(rng, worlds, min(tau, 0.15))
        estimate = WinEstimate(sums, 0, [0, 1, 2], prior)
        pairs = [estimate.difference(*pair) for pair in ((0, 1), (0, 2), (1, 2))]
        inside += [abs(loss) <= NORMAL * error for loss, error in pairs]
        loss, error = pairs[0]
        widths.append(error / sums.difference(0, 0, 1, 1 / 12)[1])
        shares.append(estimate.share)
        assert estimate.means().mean() == pytest.approx(sums.means(0).mean())
        assert loss == pytest.approx(estimate.means()[0] - estimate.means()[1])
    assert 0.93 < np.mean(inside) < 0.98
    assert max(widths) < 1.001
    assert np.mean(shares) == pytest.approx(share, abs=0.03)
    assert np.mean(widths) == pytest.approx(width, abs=0.03)


@pytest.mark.parametrize("tau", [0.0, 0.1])
def test_the_games_themselves_show_how_wrong_the_net_is(tau: float) -> None:
    rng = np.random.default_rng(7)
    shares = [WinEstimate(cut_games(rng, 3000, tau), 0, [0, 1, 2], 1e-4).share for _ in range(9)]
    assert np.median(shares) < 0.03 if tau else np.median(shares) > 0.6


def test_without_a_known_error_only_results_count() -> None:
    sums = cut_games(np.random.default_rng(1), 100, 0.01)
    estimate = WinEstimate(sums, 0, [0, 1, 2], 0.0)
    assert estimate.share == estimate.bias(0, 1) == 0
    assert estimate.difference(0, 1)[0] == sums.difference(0, 0, 1, 1 / 12)[0]


@pytest.mark.parametrize("tau", [0.0, 0.1])
def test_what_the_net_says_of_other_moves_shows_how_wrong_it_is(tau: float) -> None:
    alone, together = [], []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        sums = PairedSums(9, 3)
        sums.add([0, 1], games_of(rng, 3000, np.zeros(2)))
        alone.append(WinEstimate(sums, 0, [0, 1], 1e-4).share)
        sums.add(range(2, 9), games_of(rng, 300, tau * rng.normal(size=7)))
        together.append(WinEstimate(sums, 0, [0, 1], 1e-4).share)
    assert np.median(together) < 0.1 if tau else np.median(together) > np.median(alone) + 0.1


def test_the_net_hardly_errs_about_moves_after_which_most_games_are_the_same() -> None:
    rng = np.random.default_rng(3)
    values = games_of(rng, 3000, np.array([0.0, 0.0, 0.01]))
    values[30:, 1] = values[30:, 0]  # one game in a hundred differs
    sums = PairedSums(3, 3)
    sums.add([0, 1, 2], values)
    estimate = WinEstimate(sums, 0, [0, 1, 2], 1e-4)
    assert 0.05 < estimate.bias(0, 1) / estimate.bias(0, 2) < 0.15
    _, error = estimate.difference(0, 1)
    assert error <= sums.difference(0, 0, 1, 1 / 12)[1] < estimate.bias(0, 2)
