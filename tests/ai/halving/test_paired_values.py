"""Means of the search, compared where two moves met the same determinizations."""

from __future__ import annotations

import numpy as np
import pytest

from masons.ai.halving.halving_search import Round, paired_means
from masons.ai.halving.simulation import COLUMNS, SCORES, VISITS, WINS
from masons.ai.search.limits import Limits
from masons.ai.session import Session
from masons.engine.game.game import Game


def a_round(rows: dict[int, list[float]]) -> Round:
    """Wins of seat 0 by move, one for each determinization."""
    sums = np.zeros((len(rows), COLUMNS))
    for row, wins in zip(sums, rows.values(), strict=True):
        row[VISITS], row[WINS], row[SCORES] = len(wins), sum(wins), 10 * sum(wins)
    return Round(np.array(list(rows), dtype=np.uint64), sums)


def means_of(rounds: list[Round]) -> np.ndarray:
    sums = np.zeros((2, COLUMNS))
    for one in rounds:
        sums[one.moves.astype(int)] += one.sums
    return paired_means(sums, rounds, 0)


def test_only_the_determinizations_that_both_met_count() -> None:
    means = means_of(
        [
            a_round({0: [1.0, 0.0], 1: [0.5, 0.0]}),
            a_round({0: [1.0, 1.0], 1: [0.5, 1.0]}),
            a_round({0: [0.0, 0.0]}),
        ]
    )
    assert means[:, VISITS].tolist() == [6, 4]
    assert means[0, WINS] == pytest.approx(0.5)
    # On its own, move 1 has 0.5 too; but where both were, it lost 0.25.
    assert means[1, WINS] == pytest.approx(0.25)
    assert means[1, SCORES] == pytest.approx(2.5)


def test_a_move_that_never_met_the_best_keeps_its_own_mean() -> None:
    means = means_of([a_round({1: [1.0, 0.0]}), a_round({0: [1.0]})])
    assert means[1, WINS] == pytest.approx(0.5)


def test_a_choice_is_that_of_the_analysis() -> None:
    for seed in range(3):
        game = Game(2, seed=seed)
        chooser, teller = Session(game.table, seed=1), Session(game.table, seed=1)
        chooser.search(game.observe(0), limits=Limits(sims=500))
        assert chooser.best == teller.analyse(game.observe(0), sims=500).best
