"""The figures of moves that were dropped early: posterior means, which never refute the choice."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.ruler.coverage import KINDS, decision
from masons.ai.rollout.evidence import (
    REST,
    PairedSums,
    ShownWins,
    WinEstimate,
    _learned_error,
    measures_of,
)
from masons.ai.rollout.figures import full_rows
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.session import Session

RANKED, EARLY = [0, 1, 2], 3
VALUES = {0: 0.52, 1: 0.50, 2: 0.51, 3: 0.47}


def results(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return results of three contenders in all worlds, and of a fourth in every sixth world."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(0, 0.3, (3000, 1))
    shares = np.array([0.55, 0.48, 0.52, 0.6]) + luck + rng.normal(0, 0.25, (3000, 4))
    return shares[:, :3], shares[::6, 3]


def sums_of(ranked: np.ndarray, early: np.ndarray) -> PairedSums:
    sums = PairedSums(4, measures_of(2))
    for worlds, contenders in ((slice(0, None, 6), [*RANKED, EARLY]), (None, RANKED)):
        shares = np.delete(ranked, slice(0, None, 6), axis=0)
        if worlds is not None:
            shares = np.column_stack([ranked[worlds], early])
        values = np.zeros((*shares.shape, measures_of(2)))
        values[..., 0], values[..., 1], values[..., REST] = shares, 1 - shares, shares
        sums.add(contenders, values)
    return sums


def chance_of(ranked: np.ndarray, early: np.ndarray, weights: list[float]) -> float:
    """Return the variance of a weighted sum of the means, from the sum of each world."""
    of_world = ranked @ np.array(weights[:3]) / len(ranked)
    with_early = np.zeros(len(ranked), bool)
    with_early[::6] = True
    of_world[::6] += weights[3] * early / len(early)
    return sum(int(part.sum()) * float(of_world[part].var()) for part in (with_early, ~with_early))


@pytest.mark.parametrize("error", [0.004, 0.017, 0.05])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_dropped_move_has_the_posterior_mean_of_its_games_and_the_search(
    seed: int, error: float
) -> None:
    ranked, early = results(seed)
    shown = ShownWins(WinEstimate(sums_of(ranked, early), 0, RANKED, 0.0), RANKED, VALUES, error)
    means = ranked.mean(axis=0)
    assert shown.wins[:3] == pytest.approx(means)

    # The posterior of the difference from the mean of the others, on a grid.
    level, games = means.mean(), early.mean() - means.mean()
    said = VALUES[3] - (VALUES[0] + VALUES[1] + VALUES[2]) / 3
    noise = chance_of(ranked, early, [-1 / 3, -1 / 3, -1 / 3, 1])
    grid = np.linspace(-0.6, 0.6, 200_001)
    log = -((grid - games) ** 2) / noise - (grid - said) ** 2 / (error**2 * 4 / 3)
    density = np.exp((log - log.max()) / 2)
    mean = grid @ density / density.sum()
    assert shown.wins[EARLY] == pytest.approx(level + mean, abs=3e-4)

    # The errors of chance, world by world, and that of the search.
    weight = (games - mean) / (games - said)
    wins = [weight / 3] * 3 + [1 - weight]
    of_search = weight**2 * error**2 * 4 / 3
    expected = math.sqrt(chance_of(ranked, early, wins) + of_search)
    assert shown.error(EARLY) == pytest.approx(expected, rel=0.02)
    wins[0] -= 1
    expected = math.sqrt(chance_of(ranked, early, wins) + of_search)
    loss, its_error = shown.difference(0, EARLY)
    assert loss == pytest.approx(means[0] - level - mean, abs=3e-4)
    assert its_error == pytest.approx(expected, rel=0.02)


def test_a_posterior_is_as_exact_as_it_says() -> None:
    rng, off = np.random.default_rng(3), []
    for _ in range(400):
        values = dict(enumerate(rng.normal(0.5, 0.02, 4)))
        true = np.array([*values.values()]) + rng.normal(0, 0.03, 4)
        shares = true + rng.normal(0, 0.3, (600, 1)) + rng.normal(0, 0.3, (600, 4))
        sums = sums_of(shares[:, :3], shares[::6, 3])
        shown = ShownWins(WinEstimate(sums, 0, RANKED, 0.0), RANKED, values, 0.03)
        loss, error = shown.difference(0, EARLY)
        off.append((loss - true[0] + true[EARLY]) / error)
    assert np.std(off) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("true", "least", "most"), [(0.01, 0.005, 0.02), (0.1, 0.07, 0.13)])
def test_how_wrong_the_search_is_is_learned_from_its_games(
    true: float, least: float, most: float
) -> None:
    """Twelve moves, whose games have an error of 0.02; the search's is usually 0.01."""
    rng, learned = np.random.default_rng(5), []
    for _ in range(200):
        apart = rng.normal(0, math.hypot(true, 0.02), 12)
        learned.append(_learned_error(0.01, np.square(apart), np.full(12, 0.02**2)))
    assert least < np.median(learned) < most


def test_a_move_that_the_search_did_not_evaluate_keeps_its_estimate() -> None:
    ranked, early = results(1)
    estimate = WinEstimate(sums_of(ranked, early), 0, RANKED, 0.0)
    for values in ({}, {0: 0.5}, {EARLY: 0.5}):
        shown = ShownWins(estimate, RANKED, values, 0.01)
        assert shown.wins == pytest.approx(estimate.means())
        assert shown.difference(0, EARLY) == pytest.approx(estimate.difference(0, EARLY))


def analysis_of(kind: str, players: int, number: int, rollouts: int) -> tuple[Analysis, Session]:
    game = decision(kind, players, number)
    session = Session(game.table, seed=number)
    return session.analyze(game, limits=Limits(sims=200, rollouts=rollouts), top=0), session


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_row_refutes_the_choice(kind: str, players: int) -> None:
    for number, rollouts in ((1, 200), (2, 900), (3, 2600)):
        analysis, _ = analysis_of(kind, players, number, rollouts)
        best = analysis.moves[0]
        assert best.win is not None
        for row in analysis.moves[1:]:
            if row.win is None or row.loss is None:
                continue
            if all(0 < win < 1 for win in (row.win, best.win)):  # not cut off
                assert row.loss == pytest.approx(best.win - row.win)
            lost = row.margin_loss if analysis.is_decided else row.loss
            assert row.is_equal or (lost is not None and lost > 0)


def test_dropped_moves_are_shown_between_the_games_and_the_search() -> None:
    analysis, session = analysis_of("wall", 2, 2, 4000)
    rollout, full = session.rollout, full_rows(analysis)
    assert rollout is not None
    early = [row for row in analysis.moves[full:] if row.games]
    assert early
    wins = rollout.sums.means(rollout.view.seat)
    for row in early:
        number = rollout.moves.index(row.move)
        assert row.interval is not None
        assert row.error is not None
        raw = rollout.sums.error(rollout.view.seat, number, 1 / 12)
        assert rollout.shown_wins.error(number) < raw
        assert rollout.shown_wins.error(number) < row.error  # which includes that of the level
        assert sum(row.wins) == pytest.approx(1)
    spread = np.std([row.win for row in early])
    assert spread < np.std([wins[rollout.moves.index(row.move)] for row in early])
