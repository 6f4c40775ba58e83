"""The level of an analysis: what search and rollout together say about who wins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.ai.models.level import LEVEL, combined_points, combined_win, level_error, rollout_slope
from masons.ai.rollout.evidence import Measure
from masons.ai.rollout.figures import with_evidence
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from tests.support.named_play import at_decision

ROLLOUT_ONLY = np.tile([1.0, 0, 0, 0, 0, 0], LEVEL // 6)
SEARCH_ONLY = np.tile([0, 0, 1.0, 0, 0, 0], LEVEL // 6)
PLAYERS = st.integers(2, 4)
WINS = st.floats(0.001, 0.999)
LEFT = st.floats(0, 1)


def rollout_at(number: int, **limits: int) -> tuple[Analysis, Rollout]:
    game = at_decision(number)
    session = Session(game.table, seed=1)
    analysis = session.analyze(game, **{"sims": 300, "rollouts": 900, **limits})
    assert session.rollout is not None
    return analysis, session.rollout


@given(PLAYERS, LEFT, WINS, WINS)
def test_a_single_weight_of_1_takes_one_of_the_two(
    players: int, left: float, rollout: float, searched: float
) -> None:
    figures = players, left, rollout, searched
    assert combined_win(ROLLOUT_ONLY, *figures) == pytest.approx(rollout)
    assert combined_win(SEARCH_ONLY, *figures) == pytest.approx(searched)


@given(PLAYERS, LEFT, WINS, WINS)
def test_half_of_each_lies_between_them_and_an_even_chance_stays_even(
    players: int, left: float, rollout: float, searched: float
) -> None:
    half = (ROLLOUT_ONLY + SEARCH_ONLY) / 2
    combined = combined_win(half, players, left, rollout, searched)
    assert min(rollout, searched) - 1e-9 <= combined <= max(rollout, searched) + 1e-9
    weak = combined_win(half / 3, players, left, 1 / players, 1 / players)
    assert weak == pytest.approx(1 / players)


@given(PLAYERS, LEFT, WINS, WINS, st.integers(0, 1 << 30))
def test_the_slope_is_that_of_a_small_change(
    players: int, left: float, rollout: float, searched: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).normal(0.3, 0.3, LEVEL)
    step = 1e-6 * rollout * (1 - rollout)
    below, above = (
        combined_win(weights, players, left, rollout + side * step, searched) for side in (-1, 1)
    )
    combined = combined_win(weights, players, left, rollout, searched)
    slope = rollout_slope(weights, players, left, rollout, combined)
    assert slope == pytest.approx((above - below) / (2 * step), rel=1e-3, abs=1e-4)


def test_points_combine_what_is_still_scored() -> None:
    now, rollout, searched = np.array([10.0, 20]), np.array([50.0, 40]), np.array([70.0, 60])
    weights = np.zeros(LEVEL)
    weights[6:12] = 0.5, -0.5, 0.75, 0, 1, 2  # with two players
    points = combined_points(weights, 0.5, now, rollout, searched)
    assert points.tolist() == [10 + 0.25 * 40 + 0.75 * 60 + 2, 20 + 0.25 * 20 + 0.75 * 40 + 2]


def test_all_moves_of_an_analysis_move_together() -> None:
    analysis, rollout = rollout_at(30, rollouts=2000)
    seat, sums = rollout.view.seat, rollout.sums
    measured = [row for row in analysis.moves if row.games]
    best = measured[0]
    assert len(measured) > 1
    assert best.win is not None
    raw = rollout.shown_wins.wins[rollout.moves.index(best.move)]
    assert best.win != pytest.approx(raw, abs=1e-6)
    for row in measured:
        assert row.win is not None
        assert row.loss is not None
        assert best.win - row.win == pytest.approx(row.loss)
        assert sum(row.wins) == pytest.approx(1)
        number = rollout.moves.index(row.move)
        added = [
            row.scores[each] - sums.means(Measure.SCORE * 2 + each)[number] for each in range(2)
        ]
        means = [
            best.scores[each] - sums.means(Measure.SCORE * 2 + each)[rollout.moves.index(best.move)]
            for each in range(2)
        ]
        assert added == pytest.approx(means)
        assert row.error is not None
        assert row.error > level_error(best.win)
        assert math.isclose(row.wins[seat], row.win)


def test_nothing_is_added_without_a_search_and_where_searches_play_the_games() -> None:
    _, rollout = rollout_at(30)
    rollout.searched = replace(rollout.searched, wins=(), scores=())
    game = at_decision(30)
    session = Session(game.table, seed=1, options=SearchOptions(rollout_player=10))
    session.analyze(game, sims=300, rollouts=60)
    assert session.rollout is not None
    for each in (rollout, session.rollout):
        best = with_evidence(each).moves[0]
        assert best.win == pytest.approx(each.shown_wins.wins[each.moves.index(best.move)])


def test_nothing_is_added_where_chance_plays_no_role() -> None:
    game = at_decision(165)  # the last decision of the game
    analysis = Session(game.table, seed=1).analyze(game, sims=300, rollouts=3000)
    assert {row.win for row in analysis.moves if row.games} <= {0.0, 0.5, 1.0}
