"""Sums of a rollout: means and differences as plain numpy has them, errors as they come out."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.ai.rollout.evidence import NORMAL, PairedSums, selected_normal

CONTENDERS = 4
MEASURES = 2
BATCHES = st.lists(
    st.tuples(
        st.lists(st.integers(0, CONTENDERS - 1), min_size=1, unique=True),
        st.integers(1, 6),  # worlds
        st.integers(0, 1 << 30),  # the seed of what is measured
    ),
    min_size=1,
    max_size=6,
)


def values_of(contenders: list[int], worlds: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(worlds, 1, MEASURES))
    return shared + rng.normal(size=(worlds, len(contenders), MEASURES))


def slow_difference(table: np.ndarray, first: int, other: int, prior: float) -> float:
    """Return the standard error, from float64[worlds, contenders], nan without a game."""
    first_column, second_column = table[:, first], table[:, other]
    both = ~np.isnan(first_column) & ~np.isnan(second_column)
    counts = [int((~np.isnan(column)).sum()) for column in (first_column, second_column)]
    variance = sum(
        (n * float(np.nanvar(column)) + prior) / n**2
        for n, column in zip(counts, (first_column, second_column), strict=True)
    )
    if both.any():
        covariance = float(np.cov(first_column[both], second_column[both], bias=True)[0, 1])
        variance -= 2 * both.sum() * covariance / (counts[0] * counts[1])
    return math.sqrt(max(variance, prior / min(counts) ** 2))


@given(BATCHES)
def test_sums_are_those_of_plain_numpy(batches: list[tuple[list[int], int, int]]) -> None:
    sums, rows = PairedSums(CONTENDERS, MEASURES), []
    for contenders, worlds, seed in batches:
        values = values_of(contenders, worlds, seed)
        sums.add(contenders, values)
        row = np.full((worlds, CONTENDERS, MEASURES), np.nan)
        row[:, contenders] = values
        rows.append(row)
    table = np.concatenate(rows)
    games = (~np.isnan(table[:, :, 0])).sum(axis=0)
    assert sums.games.tolist() == games.tolist()
    played = np.flatnonzero(games)
    for measure in range(MEASURES):
        plain = table[:, :, measure]
        means = sums.means(measure)
        assert means[played] == pytest.approx(np.nanmean(plain[:, played], axis=0))
        assert np.isnan(np.delete(means, played)).all()
        for i in played:
            variance = np.nanvar(plain[:, i])
            expected = math.sqrt((games[i] * variance + 0.5) / games[i] ** 2)
            assert sums.error(measure, i, 0.5) == pytest.approx(expected)
        for i, j in combinations(played.tolist(), 2):
            mean, error = sums.difference(measure, i, j, 0.5)
            assert mean == pytest.approx(means[i] - means[j], abs=1e-12)
            assert error == pytest.approx(slow_difference(plain, i, j, 0.5), rel=1e-6)
            assert sums.difference(measure, j, i, 0.5) == (pytest.approx(-mean), error)


@pytest.mark.parametrize("block", [1, 4])
def test_differences_lie_within_their_errors(block: int) -> None:
    """Of two contenders that share a part of the worlds, all of them or one in four."""
    rng, sigmas, errors = np.random.default_rng(block), [], []
    for _ in range(800):
        sums = PairedSums(2, 1)
        world = rng.normal(size=(40, 1, 1))
        sums.add([0, 1], 0.4 * (world + rng.normal(size=(40, 2, 1))) + [[[0], [0.1]]])
        if block > 1:
            sums.add([0], 0.4 * rng.normal(size=(120, 1, 1)) * math.sqrt(2))
        mean, error = sums.difference(0, 0, 1, 1 / 12)
        sigmas.append((mean + 0.1) / error)
        errors.append(error)
    inside = float((np.abs(sigmas) <= NORMAL).mean())
    assert 0.93 < inside < 0.975
    assert abs(float(np.mean(sigmas))) < 0.15


def test_games_that_are_alike_are_not_certain() -> None:
    sums = PairedSums(2, 1)
    sums.add([0, 1], np.ones((9, 2, 1)))
    assert sums.error(0, 0, 1 / 12) > 0.02
    assert sums.difference(0, 0, 1, 1 / 12) == (0, pytest.approx(math.sqrt(2 / 12) / 9))


def test_the_first_of_several_equal_ones_seems_better_by_so_much() -> None:
    """The table of `selected_normal`, drawn: contenders that are equally good, one best by luck."""
    rng = np.random.default_rng(1)
    for contenders in (2, 3, 5, 9, 16, 24, 36, 48):
        means = np.sort(rng.normal(size=(100_000, contenders)), axis=1)
        sigmas = (means[:, -1:] - means[:, :-1]) / math.sqrt(2)
        assert selected_normal(contenders) == pytest.approx(np.quantile(sigmas, 0.95), abs=0.015)
    assert selected_normal(90) == selected_normal(48)
